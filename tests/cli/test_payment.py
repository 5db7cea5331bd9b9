"""Payments are listed from a shell: what is held must be found."""

import sqlite3

import pytest


@pytest.fixture(autouse=True)
def _bought(migrated, trivium, folder):
    """Two payments of ada's: one paid and given back in part, one held."""
    assert trivium("user", "create", "ada", "--email", "ada@example.com").code == 0
    assert trivium("user", "create", "bob", "--email", "bob@example.com").code == 0
    rows = [
        ("tp_one", "cs_1", 25 * 10**9, "paid", 5 * 10**9, 1_790_000_100),
        ("tp_two", "cs_2", 10 * 10**9, "held", 0, None),
    ]
    with sqlite3.connect(folder / "trivium.db") as conn:
        conn.executemany(
            "INSERT INTO payments (reference, user_id, provider, session_id, amount_nanos, currency,"
            " state, refunded_nanos, created_at, paid_at)"
            " VALUES (?, 1, 'stripe', ?, ?, 'usd', ?, ?, 1790000000, ?)",
            rows,
        )
    conn.close()


def test_payments_are_listed_newest_first(trivium):
    """As a table for people."""
    lines = trivium("payment", "list").out.splitlines()
    assert ["REFERENCE", "tp_two", "tp_one"] == [line.split()[0] for line in lines]
    assert ["ada", "25.00", "paid", "5.00"] == lines[2].split()[1:5]


def test_what_is_held_is_found(trivium):
    """By its state and by its user, as data."""
    (held,) = trivium("payment", "list", "--state", "held", "--json").data
    assert ("tp_two", "10.00", "0.00", "ada", "cs_2") == (
        held["reference"],
        held["amount"],
        held["refunded"],
        held["user"],
        held["session_id"],
    )
    assert [] == trivium("payment", "list", "--user", "bob", "--json").data
    assert 1 == len(trivium("payment", "list", "--limit", "1", "--json").data)


@pytest.mark.parametrize("argv", [["--state", "lost"], ["--limit", "0"], ["--limit", "201"]])
def test_a_wrong_filter_is_wrong_usage(trivium, argv):
    """And an unknown user is named."""
    assert 2 == trivium("payment", "list", *argv).code
    assert 1 == trivium("payment", "list", "--user", "nobody").code
