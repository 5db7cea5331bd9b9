"""A vendor's export is laid beside the records from a shell."""

import asyncio

import pytest

from ledger.reconcile.conftest import answered, charged
from trivium.storage.database import Database

EXPORT = """usage_date_utc,model_version,api_key,usage_input_tokens_no_cache,usage_output_tokens
2027-01-01,claude-sonnet-4-5-20250929,one,1000,50
2027-01-01,claude-haiku-4-5,two,7,7
"""


@pytest.fixture
def books(migrated, trivium, settings, folder):
    """Two answers over the channel `second`, which is Anthropic's."""
    assert 0 == trivium("user", "create", "ada", "--email", "a@example.com").code
    (folder / "usage.csv").write_text(EXPORT)

    async def use():
        database = Database(f"sqlite:///{folder / 'trivium.db'}")
        await answered(
            database, "a", channel="second", model="claude-sonnet-4-5", fresh=995, output=40
        )
        await answered(database, "b", channel="first", model="gpt-5", fresh=10**6)
        await charged(database, "lost", 5)
        await database.close()

    asyncio.run(use())
    return folder


def test_what_is_apart_is_shown(trivium, books):
    """And ends with 1; the input is within one percent, the output is not."""
    done = trivium("ledger", "reconcile", "usage.csv")
    assert 1 == done.code
    assert [
        ["2027-01-01", "claude-haiku-4-5", "input", "7", "0", "+7"],
        ["2027-01-01", "claude-haiku-4-5", "output", "7", "0", "+7"],
        ["2027-01-01", "claude-sonnet-4-5", "output", "50", "40", "+10"],
    ] == [line.split() for line in done.out.splitlines()[1:]]
    assert "Anthropic usage, CSV, beside second" in done.err
    assert "1 entry of these days without a request record" in done.err
    assert "3 of 4 sums are more than 1% apart" in done.err


def test_what_agrees_ends_well(trivium, books):
    """Of one of the vendor's keys, within a wider tolerance."""
    done = trivium("ledger", "reconcile", "usage.csv", "--vendor-key", "one", "--tolerance", "20")
    assert (0, "") == (done.code, done.out)
    both = trivium(
        "ledger", "reconcile", "usage.csv", "--vendor-key", "one", "--tolerance", "20", "--all"
    )
    assert ["input", "output"] == [line.split()[2] for line in both.out.splitlines()[1:]]


def test_as_data(trivium, books):
    """For a program that watches."""
    done = trivium("ledger", "reconcile", "usage.csv", "--json", "--vendor-key", "one")
    assert {
        "form": "Anthropic usage, CSV",
        "channels": ["second"],
        "unrecorded": 1,
        "lines": [
            {
                "first": "2027-01-01",
                "last": "2027-01-01",
                "model": "claude-sonnet-4-5",
                "kind": "output",
                "vendor": "50",
                "ours": "40",
                "difference": "10",
                "beyond": True,
            }
        ],
    } == done.data


def test_a_channel_is_named(trivium, books):
    """Whose records are meant, whatever its provider."""
    done = trivium("ledger", "reconcile", "usage.csv", "--channel", "first")
    assert "gpt-5" in done.out
    assert "beside first" in done.err


def test_costs_are_shown_to_the_millionth(trivium, books, folder):
    """Of a dollar."""
    (folder / "cost.csv").write_text(
        "usage_date_utc,model,cost_usd\n2027-01-01,Claude Sonnet 4.5,-1.5\n"
    )
    done = trivium("ledger", "reconcile", "cost.csv")
    assert ["cost", "-1.500000", "0.000000", "-1.500000"] == done.out.splitlines()[1].split()[2:]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["none.csv"], "none.csv: cannot be read"),
        (["second.key"], "second.key has columns of no export"),
        (
            ["usage.csv", "--channel", "third"],
            "no channel of settings and database is called third",
        ),
        (["usage.csv", "--vendor-key", "three"], "no lines of that key"),
        (["usage.csv", "--tolerance", "1%"], "plain number of percent"),
        (["google.csv"], "no channel has the provider gemini"),
        (["twice.csv"], "counts days twice"),
    ],
)
def test_what_cannot_be_compared_is_said(trivium, books, folder, argv, said):
    """In one line."""
    google = "SKU description,Usage start date,Usage end date,Usage amount,Usage unit,Cost ($)\n"
    (folder / "google.csv").write_text(f"{google}gemini 2.5 pro,2027-01-01,2027-01-01,1,count,1\n")
    twice = "start_time,end_time,input_tokens,output_tokens\n0,86400,1,1\n0,172800,1,1\n"
    (folder / "twice.csv").write_text(twice)
    done = trivium("ledger", "reconcile", *argv)
    assert done.code in (1, 2)
    assert said in done.err
