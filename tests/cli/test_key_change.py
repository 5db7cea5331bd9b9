"""Keys that are there: other terms, a pause, the end."""

import sqlite3
from contextlib import closing

import pytest

from trivium.cli.key import last_second


@pytest.fixture(autouse=True)
def ada(migrated, trivium):
    """Whose keys they are."""
    assert trivium("user", "create", "ada", "--email", "ada@example.com").code == 0


@pytest.fixture
def secret(trivium):
    """A key of hers with everything."""
    return trivium(
        *("key", "create", "--user", "ada", "--name", "laptop", "--model", "a", "--rpm", "60"),
        *("--tpm", "1000", "--budget", "5/month", "--budget", "1/day", "--ip", "10.0.0.0/8"),
        *("--expires", "2127-01-01"),
    ).out.strip()


def listed(trivium):
    (key,) = trivium("key", "list", "--json").data
    return key


@pytest.mark.parametrize("by", ["id", "name", "hint", "secret"])
def test_a_key_is_revoked_by_whatever_one_has(trivium, secret, by):
    """Also by the key itself, when it was found where it should not be."""
    which = {"id": "id:1", "name": "laptop", "hint": secret[-4:], "secret": secret}[by]
    done = trivium("key", "revoke", which)
    assert (0, "") == (done.code, done.out)
    assert f"revoked key 1 (laptop, …{secret[-4:]})" in done.err
    assert trivium("key", "list", "--json").data[0]["disabled"] is True
    assert trivium("key", "revoke", which).code == 1


@pytest.mark.parametrize("by", ["id", "name", "hint", "secret"])
def test_a_key_is_paused_and_resumed_by_whatever_one_has(trivium, secret, by):
    """The list and the audit log say so; doing it again is no act."""
    which = {"id": "1", "name": "laptop", "hint": secret[-4:], "secret": secret}[by]
    done = trivium("key", "pause", which)
    assert (0, "") == (done.code, done.out)
    assert f"\npaused key 1 (laptop, …{secret[-4:]})\n" in done.err
    assert "paused" in trivium("key", "list").out
    assert listed(trivium)["paused"] is True
    assert "is paused already" in trivium("key", "pause", which).err
    assert f"\nresumed key 1 (laptop, …{secret[-4:]})\n" in trivium("key", "resume", which).err
    assert listed(trivium)["paused"] is False
    assert "is not paused" in trivium("key", "resume", which).err
    acts = trivium("audit", "list", "--json").data
    assert ["key_resumed", "key_paused", "key_created"] == [a["kind"] for a in acts][:3]


EDITS = {
    "name": (["--name", "phone"], "name", "phone"),
    "models": (["--model", "b", "--model", "c*"], "models", ["b", "c*"]),
    "all models": (["--clear", "model"], "models", []),
    "end": (["--expires", "2128-01-01"], "expires_at", last_second("2128-01-01")),
    "no end": (["--clear", "expires"], "expires_at", None),
    "strict": (["--strict"], "strict", True),
    "header only": (["--header-only"], "header_only", True),
    "one rate": (
        ["--concurrency", "4"],
        "limits", {"requests": 60, "tokens": 1000, "concurrency": 4},
    ),
    "another rate": (
        ["--rpm", "61", "--clear", "tpm"],
        "limits", {"requests": 61, "tokens": None, "concurrency": None},
    ),
    "no rates": (["--clear", "rpm", "--clear", "tpm"], "limits", None),
    "one budget": (
        ["--budget", "7/month"],
        "budgets", [{"amount_nanos": 10**9, "period": "day"},
                    {"amount_nanos": 7 * 10**9, "period": "month"}],
    ),
    "another budget": (
        ["--clear", "budget", "--budget", "7/total"],
        "budgets", [{"amount_nanos": 7 * 10**9, "period": "total"}],
    ),
    "no budget": (["--clear", "budget"], "budgets", []),
    "addresses": (["--ip", "::1"], "networks", ["::1/128"]),
    "any address": (["--clear", "ip"], "networks", []),
}  # fmt: skip


@pytest.mark.parametrize(("options", "member", "expected"), EDITS.values(), ids=EDITS)
def test_what_is_named_changes_and_nothing_else(trivium, secret, options, member, expected):
    """The second time it is so already, and the audit log has one line."""
    before = listed(trivium)
    done = trivium("key", "edit", "laptop", *options)
    assert (0, "") == (done.code, done.out)
    assert f"\nchanged {member} of key 1 (" in done.err
    assert secret not in done.err
    after = listed(trivium)
    for budget in after["budgets"]:
        assert budget.pop("since", None) != 0
    assert before | {member: expected} == after
    assert "is so already" in trivium("key", "edit", "id:1", *options).err
    told = trivium("audit", "list", "--act", "key_changed", "--json").data
    assert [{"changed": member}] == [act["detail"] for act in told]


@pytest.mark.parametrize(
    ("options", "said", "code"),
    [
        ([], "say what is to change, such as --rpm 60", 2),
        (["--clear", "speed"], "'speed' is not one of", 2),
        (["--clear", "rpm", "--rpm", "5"], "--rpm and --clear rpm exclude each other", 2),
        (["--expires", "soon"], "must be a date such as", 2),
        (["--expires", "2020-01-01"], "expires_at: lies in the past", 1),
        (["--budget", "5"], "an amount in US dollars and a period", 2),
        (["--budget", "5/day", "--budget", "6/day"], "budgets: are at most one a period", 1),
        (["--ip", "home"], "is no network", 1),
        (["--name", " "], "name: must be 1 to 100", 1),
    ],
)
def test_what_cannot_be_is_refused(trivium, secret, options, said, code):
    """Nothing is changed."""
    before = listed(trivium)
    done = trivium("key", "edit", "laptop", *options)
    assert (code, "") == (done.code, done.out)
    assert said in done.err
    assert secret not in done.err
    assert before == listed(trivium)


@pytest.mark.parametrize("command", [["pause"], ["resume"], ["edit", "--rpm", "5"]])
def test_a_key_that_is_not_there_is_named(trivium, secret, command):
    """A revoked one is done with."""
    trivium("key", "revoke", "laptop")
    for which in ("laptop", "nobody"):
        done = trivium("key", *command, which)
        assert (1, "") == (done.code, done.out)
        assert f"no enabled key matches '{which}'" in done.err


def test_models_nobody_knows_are_a_warning(trivium, settings, secret):
    """As when a key is made."""
    done = trivium("key", "edit", "laptop", "--model", "sonet", "--model", "sonnet")
    assert 0 == done.code
    assert "warning: no model in the settings is called sonet;" in done.err


def test_a_key_of_an_application_is_its_users_to_change(trivium, folder, secret):
    """By consent; here it can be revoked and nothing else."""
    with closing(sqlite3.connect(folder / "trivium.db")) as database:
        database.execute("UPDATE keys SET grant_id = 7")
        database.commit()
    before = listed(trivium)
    for command in (["pause"], ["resume"], ["edit", "--rpm", "5"]):
        done = trivium("key", *command, "laptop")
        assert (1, "") == (done.code, done.out)
        assert "id:1 belongs to an application, whose user says what it may" in done.err
    assert before == listed(trivium)
    assert 0 == trivium("key", "revoke", "laptop").code


def test_a_key_gets_another_secret(trivium, migrated, settings):
    """Alone on standard output; the one before works for a while."""
    first = trivium("key", "create", "--user", "ada").out.strip()
    done = trivium("key", "rotate", first, "--overlap", "90m")
    assert 0 == done.code
    assert done.out.strip() not in ("", first)
    assert f"…{first[-4:]} works until " in done.err
    assert "no longer works" in trivium("key", "rotate", done.out.strip(), "--overlap", "0s").err
    assert "no enabled key matches" in trivium("key", "revoke", first).err
    assert "key_rotated" == trivium("audit", "list", "--json").data[0]["kind"]
    for wrong in ("24", "1y", "-1h", "x"):
        done = trivium("key", "rotate", "1", f"--overlap={wrong}")
        assert (2, True) == (done.code, "such as 24h" in done.err)


def test_a_new_key_says_whose_it_is(trivium, migrated, settings):
    """A team alone has no keys."""
    done = trivium("key", "create", "--team", "acme")
    assert (2, True) == (done.code, "say whose it is: --user NAME" in done.err)


def test_each_end_user_of_a_key_has_limits(trivium, secret):
    """Set when it is made or later, one by one, and taken away."""
    made = ("key", "create", "--user", "ada", "--name", "app", "--end-user-rpm", "5")
    done = trivium(*made, "--end-user-budget", "0.50/day")
    assert "each end user: 5 requests a minute, 0.50 USD/day" in done.err
    assert 0 == trivium("key", "edit", "app", "--end-user-budget", "2/month").code
    assert 0 == trivium("key", "edit", "app", "--clear", "end-user-rpm").code
    [found] = [each for each in trivium("key", "list", "--json").data if each["name"] == "app"]
    assert (None, ["day", "month"]) == (
        found["end_user_requests"],
        [each["period"] for each in found["end_user_budgets"]],
    )
    refused = trivium("key", "edit", "app", "--end-user-budget", "2/total")
    assert (1, True) == (refused.code, "for a period that ends" in refused.err)
