"""Both sides meet by day and model; what is apart is told, what agrees is not."""

from datetime import date
from fractions import Fraction

import pytest

from ledger.reconcile.conftest import NEW_YEAR, answered, charged
from trivium.ledger.errors import LedgerError
from trivium.ledger.reconcile.compare import compare, ours, spans, theirs
from trivium.ledger.reconcile.model import DaySpan, Export, ReportRow

ONE = DaySpan(date(2027, 1, 1), date(2027, 1, 1))
TWO = DaySpan(date(2027, 1, 2), date(2027, 1, 2))
BOTH = DaySpan(date(2027, 1, 1), date(2027, 1, 2))
PERCENT = Fraction(1, 100)


def export(*rows):
    return Export(form="x", providers=("openai",), rows=rows)


def row(model="gpt-5", span=ONE, key="", **amounts):
    return ReportRow(
        span=span, model=model, key=key, amounts={k: Fraction(v) for k, v in amounts.items()}
    )


def sums(**models):
    """One day's sums by model."""
    return {
        (ONE, name): {kind: Fraction(amount) for kind, amount in amounts.items()}
        for name, amounts in models.items()
    }


def told(lines):
    return [(line.model, line.kind, line.theirs, line.ours, line.beyond) for line in lines]


def test_lines_of_one_model_add_up():
    """Versions and keys together."""
    found = theirs(
        export(row("gpt-5-2025-08-07", input=1), row("GPT-5", key="k", input=2, output=3))
    )
    assert {(ONE, "gpt-5"): {"input": 3, "output": 3}} == found


def test_one_key_is_picked():
    """By the name the vendor gave it."""
    found = theirs(export(row(key="k", input=1), row(input=2)), "k")
    assert {(ONE, "gpt-5"): {"input": 1}} == found
    assert {} == theirs(export(row(input=2)), "k")


def test_days_that_are_told_twice_are_refused():
    """A month and a day of it cannot both be compared."""
    assert [ONE, TWO] == spans(export(row(span=TWO), row(), row()))
    with pytest.raises(LedgerError, match="counts days twice"):
        spans(export(row(), row(span=BOTH)))


@pytest.mark.parametrize(
    ("vendor", "own", "beyond"),
    [
        (100, 100, False),
        (100, 99, False),
        (99, 100, False),
        (1000, 989, True),
        (0, 1, True),
        (1, 0, True),
        (-5, -5, False),
        (-5, 5, True),
    ],
)
def test_the_tolerance_is_a_part_of_the_larger_side(vendor, own, beyond):
    """Exactly at it is within."""
    (line,) = compare(sums(m={"input": vendor}), sums(m={"input": own}), PERCENT)
    assert beyond is line.beyond


def test_what_the_vendor_does_not_tell_is_not_compared():
    """An export of tokens says nothing of dollars, a model nothing of its caches."""
    vendor = sums(a={"input": 1}, b={"input": 1, "cache_write": 2})
    own = sums(a={"input": 1, "cache_write": 9, "cost": 5}, b={"input": 1, "cache_write": 2})
    assert [("a", "input"), ("b", "input"), ("b", "cache_write")] == [
        line[:2] for line in told(compare(vendor, own, PERCENT))
    ]


def test_a_model_that_one_side_lacks_is_told():
    """Either way round."""
    lines = compare(sums(a={"input": 1}), sums(b={"input": 2}), PERCENT)
    assert [("a", "input", 1, 0, True), ("b", "input", 0, 2, True)] == told(lines)


def test_an_export_without_models_is_compared_as_a_whole():
    """With the sum of ours, which are not told one by one."""
    vendor = {(ONE, ""): {"cost": Fraction(3)}}
    own = sums(a={"cost": 1}, b={"cost": 2})
    own[TWO, "a"] = {"cost": Fraction(0)}
    assert [("", "cost", 3, 3, False)] == told(compare(vendor, own, PERCENT))


@pytest.mark.asyncio
async def test_ours_are_added_by_day_and_model(database, user):
    """All input that no cache had a part in, all output, and a request each."""
    await user()
    await answered(database, "a", model="gpt-5-2025-08-07", fresh=1, audio_input=2, image_input=4)
    await answered(database, "b", cache_write_short=1, cache_write_long=2, output=3, reasoning=4)
    await answered(database, "c", at=NEW_YEAR + 86_400, cache_read=7)
    await answered(database, "d", at=NEW_YEAR + 2 * 86_400, fresh=1)
    found, missing = await ours(database, ["main"], [ONE, TWO])
    zero = dict.fromkeys(("input", "cache_read", "cache_write", "output", "cost"), 0)
    assert {
        (ONE, "gpt-5"): {**zero, "input": 7, "cache_write": 3, "output": 7, "requests": 2},
        (TWO, "gpt-5"): {**zero, "cache_read": 7, "requests": 1},
    } == found
    assert 0 == missing


@pytest.mark.asyncio
async def test_a_day_the_export_leaves_out_stands_alone(database):
    """It may be a day the vendor forgot."""
    await answered(database, "a", at=NEW_YEAR + 86_400, fresh=1)
    third = DaySpan(date(2027, 1, 3), date(2027, 1, 3))
    found, _ = await ours(database, ["main"], [ONE, third])
    assert [(TWO, "gpt-5")] == list(found)


@pytest.mark.asyncio
async def test_more_than_a_page_is_read_whole(database, monkeypatch):
    """Each answer once."""
    monkeypatch.setattr("trivium.ledger.reconcile.compare.PAGE", 2)
    for name in "abcde":
        await answered(database, name, fresh=1)
    found, _ = await ours(database, ["main"], [BOTH])
    assert 5 == found[BOTH, "gpt-5"]["requests"]


@pytest.mark.asyncio
async def test_a_cost_is_without_the_groups_factor(database, user):
    """What it should have cost us; without a bill, what was booked; nothing for free models."""
    await user()
    bill = '{"model":"m","multiplier":"2","prices":{"input":"1"},"usage":{"fresh":3}}'
    wrong = '{"model":"m","prices":{"input":"0.0000000000001"},"usage":{"fresh":3}}'
    bills = {"a": bill, "b": "", "c": wrong, "d": '{"model":"m","end":"interrupted"}'}
    for name, detail in bills.items():
        await answered(database, name, model=name, fresh=3)
        await charged(database, name, 6000, detail)
    await answered(database, "e", model="e", fresh=3)
    found, _ = await ours(database, ["main"], [ONE])
    costs = {model: amounts["cost"] * 10**9 for (_, model), amounts in found.items()}
    assert {"a": 3000, "b": 6000, "c": 6000, "d": 6000, "e": 0} == costs
