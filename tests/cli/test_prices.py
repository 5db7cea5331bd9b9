"""Suggested prices are shown, printed and renewed; nothing applies by itself."""

import tomllib

import msgspec
import pytest

from trivium.ledger.suggestions.model import bundled

SETTINGS = """
[[channels]]
name = "main"
provider = "openai"
api_key = "env:NOT_SET_HERE"

[[models]]
name = "five"
price = { input = "1.25", output = "12" }
bindings = [{ channel = "main", model = "gpt-5-2025-08-07" }]

[[models]]
name = "gpt-4o"
price = { input = "2.5", cache_read = "1.25", output = "10" }
bindings = [{ channel = "main" }]

[[models]]
name = "own"
free = true
bindings = [{ channel = "main" }]

[[models]]
name = "odd"
price = { input = "1", output = "1" }
bindings = [{ channel = "main", model = "nobody-knows-it" }]
"""


@pytest.fixture(autouse=True)
def settings(folder):
    """Its channel's key is not needed to look at prices."""
    path = folder / "trivium.toml"
    path.write_text(SETTINGS)
    return path


def rows(done):
    return [tuple(line.split(maxsplit=5)) for line in done.out.splitlines()[1:]]


def test_suggestions_stand_beside_what_is_adopted(trivium):
    """With the difference, and with what no price can say."""
    done = trivium("prices", "show")
    assert 0 == done.code
    assert [
        ("five", "openai/gpt-5", "input", "1.25", "1.25", "same"),
        ("five", "openai/gpt-5", "cache_read", "1.25", "0.125", "-1.125 -90.0%"),
        ("five", "openai/gpt-5", "output", "12", "10", "-2 -16.7%"),
    ] == rows(done)[:3]
    assert ("own", "openai/own", "-", "-", "-", "free") in rows(done)
    assert ("odd", "openai/nobody-knows-it", "-", "-", "-", "no suggestion") in rows(done)
    assert f"suggestions: {bundled().source} of {bundled().date}" in done.err
    assert "not said by these prices: five: web searches" in done.err


def test_the_report_names_only_what_differs(trivium):
    """Model by model, and of those the kinds that differ."""
    done = trivium("prices", "show", "--differing")
    assert [("five", "cache_read"), ("five", "output")] == [(r[0], r[2]) for r in rows(done)]


def test_one_model_is_shown(trivium):
    """Of the settings by its name there; any other by the vendors' name."""
    assert {"gpt-4o"} == {row[0] for row in rows(trivium("prices", "show", "--model", "gpt-4o"))}
    other = trivium("prices", "show", "--model", "claude-opus-4-1")
    assert ("anthropic/claude-opus-4-1", "input", "-", "15", "not") == tuple(
        other.out.splitlines()[1].split()[1:6]
    )
    assert "no" in trivium("prices", "show", "--model", "nothing-like-it").err


def test_as_data(trivium):
    """Decimals as text."""
    data = trivium("prices", "show", "--json").data
    assert ["differs", "same", "free", "unknown"] == [m["state"] for m in data["models"]]
    assert {
        "kind": "output",
        "above": 0,
        "adopted": "12",
        "suggested": "10",
        "difference": "-2",
    } == data["models"][0]["lines"][2]


def test_adopting_prints_toml_and_changes_nothing(trivium, settings):
    """The operator pastes it."""
    done = trivium("prices", "adopt", "five", "anthropic/claude-opus-4-1")
    assert 0 == done.code
    first, second = done.out.split("\n\n")[:2]
    assert {"input": "1.25", "cache_read": "0.125", "output": "10"} == tomllib.loads(first)["price"]
    assert "15" == tomllib.loads(second)["price"]["input"]
    assert SETTINGS == settings.read_text()


def test_channels_that_charge_differently_are_pointed_out(trivium, settings):
    """The first choice's price is printed."""
    settings.write_text(
        SETTINGS.replace(
            'bindings = [{ channel = "main" }]',
            'bindings = [{ channel = "main" }, { channel = "main", model = "gpt-5", priority = 1 }]',
            1,
        )
    )
    done = trivium("prices", "adopt", "gpt-4o")
    assert "charge differently" in done.err
    assert '"2.5"' in done.out


def test_a_model_that_is_not_in_the_settings_is_adopted_from_a_vendor(trivium):
    """Before its lines are written; whoever leaves the vendor out is told how to name it."""
    done = trivium("prices", "adopt", "gpt-5")
    expected = "gpt-5 is not in the settings: say whose price is meant, such as "
    assert (1, True) == (done.code, expected in done.err)
    named = done.err.strip().rpartition(" ")[2]
    done = trivium("prices", "adopt", named)
    assert (0, True) == (done.code, "price = {" in done.out)


@pytest.mark.parametrize("name", ["odd", "nothing", "openai/nothing", "nowhere/gpt-5"])
def test_what_nobody_suggests_cannot_be_adopted(trivium, name):
    """It is said which."""
    done = trivium("prices", "adopt", name)
    assert (1, True) == (done.code, f"no suggestion for {name}" in done.err)


def test_a_file_is_taken_in(trivium, folder):
    """Strictly read, and shown from then on; nothing is fetched unasked."""
    assert "nothing is fetched unasked" in trivium("prices", "update").err
    plain = msgspec.to_builtins(bundled())
    plain["date"], plain["source"] = "2099-01-01", "tomorrow"
    plain["providers"] = {
        "openai": {"gpt-5": {"lists": [{"price": {"input": "9", "output": "9"}}]}}
    }
    (folder / "new.json").write_bytes(msgspec.json.encode(plain))
    done = trivium("prices", "update", "new.json")
    assert (0, True) == (done.code, "1 suggestions: tomorrow of 2099-01-01" in done.err)
    assert [("five", "9")] * 2 == [
        (r[0], r[4]) for r in rows(trivium("prices", "show", "--model", "five"))
    ]
    (folder / "new.json").write_bytes(b"{}")
    refused = trivium("prices", "update", "new.json")
    assert (1, True) == (refused.code, "new.json is no price catalogue" in refused.err)
    assert "cannot be read" in trivium("prices", "update", "none.json").err


def test_the_source_is_fetched_with_its_key(trivium, settings, monkeypatch):
    """From the address, by the key, through the proxy of the settings."""
    asked = []

    def fetch(*argv):
        asked.append(argv)
        return msgspec.json.encode(bundled())

    monkeypatch.setattr("trivium.ledger.suggestions.update.fetch", fetch)
    key = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
    settings.write_text(
        f'[prices]\nsource = "https://p.example/c.json"\npublic_key = "{key}"\n{SETTINGS}'
    )
    assert 0 == trivium("prices", "update").code
    assert [("https://p.example/c.json", key, None)] == asked


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ('source = "https://p.example/c.json"', "needs prices.public_key"),
        ('source = "p.example"\npublic_key = "x"', "whole address"),
        ('public_key = "x"', "32 bytes in base64"),
        ('public_key = "1!qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="', "32 bytes in base64"),
    ],
)
def test_a_source_without_a_signer_is_refused(trivium, settings, section, said):
    """When the settings are read, with the line."""
    settings.write_text(f"[prices]\n{section}\n{SETTINGS}")
    done = trivium("prices", "show")
    assert (1, True) == (done.code, said in done.err)
