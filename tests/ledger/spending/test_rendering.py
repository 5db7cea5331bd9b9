"""Statements as rows for programs."""

import msgspec
import pytest

from trivium.ledger.spending import rendering
from trivium.ledger.spending.model import Dimension, SpendRow, SpendScope, SpendSums
from trivium.ledger.spending.service import SpendStatement

OF = Dimension
SUMS = SpendSums(1_500_000_000, 3, 20, 10)


def statement(by, *values):
    return SpendStatement(
        scope=SpendScope(since=20_000, until=20_030),
        by=by,
        rows=tuple(SpendRow(each, SUMS) for each in values),
        total=SUMS,
        is_whole=True,
        users={1: "acme", 2: "acme/research"},
        keys={5: "notebook"},
    )


def test_whatever_has_an_id_has_a_name_beside_it():
    """In CSV and JSON; a team that there is none of is empty."""
    found = statement((OF.DAY, OF.TEAM, OF.KEY), (20_001, 2, 5), (20_001, 0, 9))
    assert ("day", "team_id", "team", "key_id", "key", *rendering.SUMS) == rendering.heads(found)
    assert [
        ("2024-10-05", "2", "acme/research", "5", "notebook", "1.50", "3", "20", "10"),
        ("2024-10-05", "", "", "9", "", "1.50", "3", "20", "10"),
    ] == [rendering.cells(found, row) for row in found.rows]
    told = rendering.plain(found)
    assert ("2024-10-04", "2024-11-03", True) == (told["from"], told["to"], told["complete"])
    assert {"day": "2024-10-05", "team_id": 2, "team": "acme/research", "key_id": 5}.items() <= (
        told["rows"][0].items()
    )
    assert (None, "1.50") == (told["rows"][1]["team_id"], told["total"]["amount"])


def test_tags_together_are_a_list():
    """For JSON a list, for people words."""
    found = statement((OF.TAGS,), ('["a","b"]',))
    assert ["a", "b"] == rendering.plain(found)["rows"][0]["tags"]
    assert "a, b" == rendering.cells(found, found.rows[0])[0]


@pytest.mark.parametrize(
    ("by", "wanted"),
    [
        ((OF.TEAM, OF.MODEL), (OF.PAYER, OF.TEAM, OF.MODEL)),
        ((OF.PAYER, OF.TAG), (OF.PAYER, OF.TAGS)),
        ((OF.TAG, OF.TAGS), (OF.PAYER, OF.TAGS)),
    ],
)
def test_focus_names_an_account_and_counts_nothing_twice(by, wanted):
    """A tag's own rows would bill a request once for each."""
    assert wanted == rendering.focus_by(by)


def test_a_row_of_focus():
    """The specification's columns, by their names."""
    by = (OF.PAYER, OF.DAY, OF.TEAM, OF.TAGS, OF.MODEL)
    found = statement(by, (1, 20_001, 2, '["env:prod","nightly"]', "gpt-5"))
    [row] = [
        dict(zip(rendering.FOCUS_COLUMNS, each, strict=True))
        for each in rendering.focus_rows(found)
    ]
    assert {
        "BilledCost": "1.50", "BillingAccountId": "1", "BillingAccountName": "acme",
        "BillingPeriodStart": "2024-10-01T00:00:00Z", "BillingPeriodEnd": "2024-11-01T00:00:00Z",
        "ChargePeriodStart": "2024-10-05T00:00:00Z", "ChargePeriodEnd": "2024-10-06T00:00:00Z",
        "SubAccountId": "2", "SubAccountName": "acme/research", "SubAccountType": "Team",
        "SkuId": "gpt-5", "ConsumedQuantity": "3", "ConsumedUnit": "Requests",
    }.items() <= row.items()  # fmt: skip
    assert {"env": "prod", "nightly": True} == msgspec.json.decode(row["Tags"])


def test_the_columns_of_focus_are_in_order():
    """As the specification lists them: by the alphabet, ours behind them."""
    theirs = [name for name in rendering.FOCUS_COLUMNS if not name.startswith("x_")]
    ours = rendering.FOCUS_COLUMNS[len(theirs) :]
    assert (sorted(theirs), sorted(ours)) == (theirs, list(ours))
