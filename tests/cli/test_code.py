"""Codes are made, listed, revoked and redeemed from a shell."""

import csv
import sqlite3

import pytest


@pytest.fixture(autouse=True)
def ada(migrated, trivium):
    """Who redeems."""
    assert trivium("user", "create", "ada", "--email", "ada@example.com").code == 0


def made(trivium, *argv):
    """The rows of a new batch."""
    done = trivium("code", "create", *argv)
    assert done.code == 0
    return list(csv.DictReader(done.out.splitlines())), done


def test_codes_are_printed_once_as_csv(trivium):
    """Data alone on standard output, what is said about it beside."""
    rows, done = made(
        trivium, "--amount", "10", "--count", "3", "--expires", "2999-01-01", "--note", "x"
    )
    assert [("10.00", "2999-01-02 00:00 UTC")] * 3 == [
        (r["amount_usd"], r["expires"]) for r in rows
    ]
    assert 3 == len({row["code"] for row in rows})
    assert "batch 1: codes 3, worth 10.00 USD each" in done.err
    listed = trivium("code", "list", "--batch", "1")
    assert not [row for row in rows if row["code"] in listed.out]


def test_a_code_is_redeemed_once(trivium):
    """The new balance is shown; the second time the reason."""
    (row,), _ = made(trivium, "--amount", "2.50")
    done = trivium("code", "redeem", "--user", "ada", row["code"].lower())
    assert (0, True) == (
        done.code,
        "booked 2.50 USD for ada, whose balance is 2.50 USD" in done.err,
    )
    again = trivium("code", "redeem", "--user", "ada", row["code"])
    assert (1, True) == (again.code, "trivium: this code has been redeemed already\n" in again.err)
    assert trivium("ledger", "verify").code == 0


def test_redeeming_as_data(trivium):
    """What a script wants to know."""
    (row,), _ = made(trivium, "--amount", "1")
    assert {
        "user": "ada",
        "entry": 1,
        "kind": "redemption",
        "amount": "1.00",
        "balance": "1.00",
    } == trivium("code", "redeem", "--json", "--user", "ada", row["code"]).data


def test_lists_say_how_codes_stand(trivium):
    """Batches with their counts, codes with their state."""
    (first, _), _ = made(trivium, "--amount", "1", "--count", "2", "--note", "spring")
    trivium("code", "redeem", "--user", "ada", first["code"])
    assert "revoked 1 open code\n" in trivium("code", "revoke", "batch:1").err
    batch = trivium("code", "list").out.splitlines()[1].split()
    assert ["1", "1.00", "2", "1", "1", "never"] == batch[:6]
    assert "spring" == batch[-1]
    states = [
        line.split()[3] for line in trivium("code", "list", "--batch", "1").out.splitlines()[1:]
    ]
    assert ["redeemed", "revoked"] == states
    (plain,) = trivium("code", "list", "--json").data
    assert ("1.00", 2, 1, "spring") == tuple(
        plain[n] for n in ("amount", "codes", "redeemed", "note")
    )
    codes = trivium("code", "list", "--batch", "1", "--json").data
    assert [("redeemed", "ada"), ("revoked", None)] == [(c["state"], c["user"]) for c in codes]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["create", "--amount", "1e3"], "no amount"),
        (["create", "--amount", "1", "--expires", "soon"], "--expires must be a date"),
        (["create", "--amount", "1", "--expires", "2001-01-01"], "expired already"),
        (["create", "--amount", "1", "--count", "0"], "1 to 10000"),
        (["redeem", "--user", "ada", "ABCDE"], "a character is wrong or missing"),
        (["redeem", "--user", "bob", "ABCDE"], "no user of the name"),
        (["revoke", "all"], "batch:3"),
        (["list", "--batch", "9"], "no batch 9"),
    ],
)
def test_what_cannot_be_done_is_said(trivium, argv, said):
    """In one line."""
    done = trivium("code", *argv)
    assert done.code in (1, 2)
    assert said in done.err


def test_the_proof_of_the_books_covers_codes(trivium, folder):
    """A code that was marked past the gateway is named."""
    made(trivium, "--amount", "1")
    assert 0 == trivium("ledger", "verify").code
    with sqlite3.connect(folder / "trivium.db") as db:
        db.execute("UPDATE codes SET redeemed_at = 5")
    db.close()
    done = trivium("ledger", "verify")
    assert (1, "code 1: its mark and its entry do not agree\n") == (done.code, done.out)
