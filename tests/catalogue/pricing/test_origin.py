"""Whose price a model has is told by the price itself, not by what somebody left standing."""

import pytest

from trivium.catalogue.pricing.origin import (
    PriceOrigin,
    PriceSource,
    day_of,
    is_by_hand,
    origin_of,
    price_digest,
    with_price,
)
from trivium.ledger.suggestions.model import PriceList, SuggestedTier, Suggestion

ORIGIN = PriceOrigin(source=PriceSource.VENDOR, day="2026-11-28", place="main/gpt x")
PLAIN = Suggestion(
    lists=(
        PriceList(
            price={"input": "1", "output": "2"},
            tiers=(SuggestedTier(above=1000, price={"input": "3"}),),
        ),
        PriceList(since="2027-01-01", price={"input": "4", "output": "5"}),
    )
)
NOW = 1_790_000_000.0
BOUND = {"name": "m", "bindings": [{"channel": "c"}]}


def adopted(**more):
    return with_price(BOUND | more, PLAIN, ORIGIN, NOW)


def test_an_adopted_price_says_whose_it_is():
    found = adopted(price={"input": "9", "output": "9"})
    assert {"input": "1", "output": "2"} == found["price"]
    assert [{"above": 1000, "price": {"input": "3"}}] == found["tiers"]
    assert [{"since": "2027-01-01", "price": {"input": "4", "output": "5"}}] == found[
        "price_changes"
    ]
    assert (ORIGIN, False) == (origin_of(found), is_by_hand(found))


@pytest.mark.parametrize(
    "change",
    [
        {"price": {"input": "1.0", "output": "2"}},
        {"tiers": []},
        {"price_changes": []},
        {"images": [{"price": "1"}]},
        {"price_origin": None},
        {"price_origin": "vendor 2026-11-28 0123456789abcdef main/gpt x"},
        {"price_origin": 7},
        {"price_origin": "somebody"},
    ],
)
def test_whoever_changes_it_made_it_by_hand(change):
    """Also where the member stays as it was, or was made up."""
    found = adopted() | change
    assert (None, True) == (origin_of(found), is_by_hand(found))


def test_what_has_no_price_was_made_by_nobody():
    assert not is_by_hand(BOUND)
    assert not is_by_hand(BOUND | {"price": {}, "tiers": []})


def test_everything_but_the_prices_stays():
    """And a tier that was set for the old price goes with it."""
    found = with_price(
        BOUND | {"title": "M", "tiers": [{"above": 5, "price": {"input": "7"}}]},
        Suggestion(lists=(PriceList(price={"input": "1"}),)),
        ORIGIN,
        NOW,
    )
    assert BOUND | {"title": "M", "price": {"input": "1"}} == {
        name: value for name, value in found.items() if name != "price_origin"
    }


def test_a_fingerprint_is_of_what_is_said_in_any_order():
    one = {"price": {"input": "1", "output": "2"}, "title": "x", "tiers": []}
    other = {"price": {"output": "2", "input": "1"}}
    assert price_digest(one) == price_digest(other)
    assert price_digest(one) != price_digest({"price": {"input": "1", "output": "3"}})


def test_days_are_of_utc():
    assert "2026-09-21" == day_of(NOW)
