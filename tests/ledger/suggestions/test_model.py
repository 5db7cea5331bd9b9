"""A catalogue is read whole and right, or not at all."""

import msgspec
import pytest

from trivium.ledger.errors import LedgerError
from trivium.ledger.suggestions.model import BYTES_MAX, bundled, read
from trivium.providers.registry import PROVIDERS
from trivium.settings.prices import day


def test_the_bundled_catalogue_is_sound():
    """It says where it is from, and names vendors that we know."""
    shipped = bundled()
    assert shipped.source.startswith("genai-prices ")
    assert "MIT" in shipped.licence
    assert set(shipped.providers) <= set(PROVIDERS)
    assert {"openai", "anthropic", "gemini"} <= set(shipped.providers)
    assert min(len(rows) for rows in shipped.providers.values()) > 0


@pytest.mark.parametrize(
    ("provider", "model", "price"),
    [
        # platform.claude.com/docs/en/about-claude/pricing, as genai-prices 0.2.3 has it
        (
            "anthropic",
            "claude-sonnet-4-5-20250929",
            {
                "input": "3",
                "cache_read": "0.3",
                "cache_write_5m": "3.75",
                "cache_write_1h": "6",
                "output": "15",
            },
        ),
        # developers.openai.com/api/docs/pricing, likewise; by the second, as 0.006 a minute
        ("openai", "gpt-5", {"input": "1.25", "cache_read": "0.125", "output": "10"}),
        ("openai", "whisper-1", {"per_second": "0.0001"}),
        ("openai", "tts-1", {"per_character": "0.000015"}),
        # the dearer hours, whichever are the rule
        ("deepseek", "deepseek-v4-pro", {"input": "1.32", "cache_read": "0.044", "output": "3.96"}),
    ],
)
def test_known_prices_are_in_our_units(provider, model, price):
    """Whoever makes the catalogue anew sees when a unit went wrong."""
    _, row = bundled().find(provider, model)
    assert price == row.at(day("2026-11-21")).price


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("gpt-x", "gpt-x"),
        ("gpt-x-chat", "gpt-x"),
        ("gpt-x-2026-08-01", "gpt-x"),
        ("gpt-x-chat-latest", "gpt-x"),
        ("gpt-y@20260801", "gpt-y"),
        ("gpt-y-001", "gpt-y"),
        ("gpt-x-mini", None),
        ("gpt", None),
        ("gpt-x-2026", None),
        ("", None),
    ],
)
def test_a_model_is_found_by_its_names_and_versions(catalogue, asked, found):
    """A version costs what its model does; another model does not."""
    hit = catalogue.find("openai", asked)
    assert found == (hit and hit[0])


def test_nobody_elses_model_is_found(catalogue):
    """The same name at another vendor has another price."""
    assert None is catalogue.find("azure", "gpt-x")


@pytest.mark.parametrize(("today", "price"), [("2026-12-31", "1.25"), ("2027-01-01", "2")])
def test_announced_prices_begin_on_their_day(catalogue, today, price):
    """At midnight UTC."""
    assert price == catalogue.providers["openai"]["gpt-x"].at(day(today)).price["input"]


def row(plain):
    return plain["providers"]["openai"]["gpt-x"]


def spoil(path, value):
    """Sets one member of the first model."""

    def change(plain):
        at = row(plain)
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: p.update(format=2), "format"),
        (lambda p: p.update(colour="red"), "colour"),
        (lambda p: p.pop("source"), "source"),
        (lambda p: p.update(date="soon"), "date must be a day"),
        (lambda p: p.update(source="\x1b[31m"), "not printable"),
        (lambda p: p["providers"]["openai"].update({"gpt-x-chat": row(p)}), "shares"),
        (lambda p: p["providers"]["openai"].update({"a\nb": row(p)}), "not printable"),
        (spoil(["lists"], []), "1 to 20"),
        (spoil(["lists", 0, "price"], {}), "without a price"),
        (spoil(["lists", 0, "price", "input"], 1.25), "str"),
        (spoil(["lists", 0, "price", "input"], "1e3"), "no decimal"),
        (spoil(["lists", 0, "price", "input"], "-1"), "no decimal"),
        (spoil(["lists", 0, "price", "tea"], "1"), "unknown kind 'tea'"),
        (spoil(["lists", 0, "price"], {"output": "1"}), "without input"),
        (spoil(["lists", 0, "price", "cache_write_1h"], "1"), "without cache_write_5m"),
        (spoil(["lists", 0, "tiers", 0, "above"], 0), "ascend"),
        (spoil(["lists", 0, "tiers", 0, "price"], {"tea": "1"}), "unknown kind"),
        (spoil(["lists", 0, "tiers", 0, "price"], {"audio_output": "x"}), "no decimal"),
        (spoil(["lists", 0, "tiers"], [{"above": i + 1, "price": {}} for i in range(21)]), "tiers"),
        (spoil(["lists", 1, "since"], ""), "since must be a day"),
        (spoil(["lists", 0, "since"], "2027-01-01"), "order"),
        (spoil(["left_out"], [""]), "empty"),
    ],
)
def test_a_wrong_catalogue_is_refused_whole(plain, change, said):
    """With what is wrong; a misspelt member may be a price nobody asks."""
    change(plain)
    with pytest.raises(LedgerError, match=said):
        read(msgspec.json.encode(plain))


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"\xff", b"[" * 100_000, b" " * (BYTES_MAX + 1)]
)
def test_what_is_no_catalogue_is_refused(data):
    """Whatever an address may answer."""
    with pytest.raises(LedgerError, match=r"is no price catalogue|above"):
        read(data)
