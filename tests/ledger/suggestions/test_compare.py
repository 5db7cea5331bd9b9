"""Prices are compared as they are billed, with fall-backs, tiers and days."""

from decimal import Decimal
from types import SimpleNamespace

import pytest

from trivium.ledger.suggestions.compare import PriceLine, compare, cost, lines
from trivium.routing.model import PriceRow, PriceTier
from trivium.settings.prices import day

TODAY = day("2026-11-21")


def decimals(**price):
    return {kind: Decimal(text) for kind, text in price.items()}


def binding(channel, model, priority=0, provider="openai"):
    named = SimpleNamespace(name=channel, provider=SimpleNamespace(name=provider))
    return SimpleNamespace(channel=named, model=model, priority=priority)


def model(*bindings, free=False, tiers=(), **price):
    rows = () if free else (PriceRow(price=decimals(**price), tiers=tiers),)
    return SimpleNamespace(name="m", bindings=bindings, free=free, prices=rows)


def told(found):
    """(kind, above, adopted, suggested) as text."""
    return [(x.kind, x.above, str(x.adopted), str(x.suggested)) for x in found]


def test_each_side_says_what_it_would_bill(catalogue):
    """A kind without a price of its own costs what it falls back to, on both sides."""
    (found,) = compare(
        catalogue, model(binding("c", "gpt-y"), input="1", output="2", reasoning="3"), TODAY
    )
    assert [("input", 0, "1", "1"), ("output", 0, "2", "2"), ("reasoning", 0, "3", "2")] == told(
        found.lines
    )
    assert "differs" == found.state


def test_what_bills_alike_is_the_same(catalogue):
    """Written out or fallen back to, 1 or 1.00."""
    adopted = model(binding("c", "gpt-y"), input="1.00", cache_read="1", output="2")
    (found,) = compare(catalogue, adopted, TODAY)
    assert "same" == found.state


def test_tiers_are_compared_where_they_differ(catalogue):
    """A tier that one side lacks is its ordinary price there."""
    tiers = (PriceTier(above=100_000, price=decimals(output="11")),)
    adopted = model(
        binding("c", "gpt-x"), tiers=tiers, input="1.25", cache_read="0.125", output="10"
    )
    (found,) = compare(catalogue, adopted, TODAY)
    assert [
        ("output", 100_000, "11", "10"),
        ("input", 200_000, "1.25", "2.5"),
        ("output", 200_000, "11", "10"),
    ] == [each for each in told(found.lines) if each[1]]


def test_the_lists_of_the_day_are_compared(catalogue):
    """Those that have begun, on either side."""
    adopted = model(binding("c", "gpt-x"), input="2", output="20")
    later = compare(catalogue, adopted, day("2027-01-01"))
    assert ["differs", "same"] == [
        next(compare(catalogue, adopted, TODAY)).state,
        next(later).state,
    ]


def test_every_channel_is_compared_once_in_its_order(catalogue):
    """What nobody has a suggestion for is said, too."""
    bound = [
        binding("b", "gpt-y", 1),
        binding("a", "gpt-x"),
        binding("b", "gpt-y", 2),
        binding("z", "own", 3),
    ]
    found = list(compare(catalogue, model(*bound, input="1", output="2"), TODAY))
    assert [("a", "differs"), ("b", "same"), ("z", "unknown")] == [
        (x.channel, x.state) for x in found
    ]


def test_a_free_model_is_not_compared(catalogue):
    """Its operator has decided."""
    (found,) = compare(catalogue, model(binding("c", "gpt-x"), free=True), TODAY)
    assert ("free", ()) == (found.state, found.lines)


def test_without_an_adopted_price_there_is_only_the_suggestion(catalogue):
    """For models that nobody serves yet."""
    found = list(lines(None, catalogue.providers["openai"]["gpt-y"], TODAY))
    assert [("input", 0, "None", "1"), ("output", 0, "None", "2")] == told(found)
    assert {None} == {line.difference for line in found}


@pytest.mark.parametrize(
    ("adopted", "suggested", "difference", "percent"),
    [
        ("10", "12", "2", "+20.0%"),
        ("3", "1", "-2", "-66.7%"),
        ("1", "1", "0", ""),
        ("0", "1", "1", ""),
        ("0.000000000001", "1", "0.999999999999", ""),
    ],
)
def test_a_difference_is_exact_and_a_percentage_is_for_people(
    adopted, suggested, difference, percent
):
    """Decimals all the way."""
    line = PriceLine(kind="input", above=0, adopted=Decimal(adopted), suggested=Decimal(suggested))
    assert (Decimal(difference), percent) == (line.difference, line.percent)


def test_an_unpriced_kind_costs_nothing_known():
    """None, not zero."""
    assert None is cost({}, "cache_read")
    assert Decimal(2) == cost(decimals(input="2"), "cache_write_1h")
