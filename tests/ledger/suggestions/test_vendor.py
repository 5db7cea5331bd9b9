"""What a list says becomes a suggestion, or is named."""

from decimal import Decimal

import msgspec
import pytest

from trivium.ledger.suggestions.vendor import VendorOffer, offer, offers
from trivium.providers.listed_prices import ListedPrice
from trivium.wire.model_lists import read_page


def said(left_out=(), **price):
    return offer(ListedPrice({kind: Decimal(text) for kind, text in price.items()}, left_out))


@pytest.mark.parametrize(
    ("price", "taken"),
    [
        ({"input": "1.250", "output": "10"}, {"input": "1.25", "output": "10"}),
        ({"input": "1", "output": "0.30000000000000004"}, {"input": "1", "output": "0.3"}),
        # a 0 beside others: there is no price of its own, and the ordinary one holds
        ({"input": "1", "output": "2", "reasoning": "0"}, {"input": "1", "output": "2"}),
        ({"input": "1", "output": "0"}, {"input": "1", "output": "0"}),
        ({"input": "1E+2"}, {"input": "100"}),
    ],
)
def test_prices_are_taken_over(price, taken):
    assert taken == dict(said(**price).suggestion.lists[0].price)


@pytest.mark.parametrize(
    ("price", "left_out"),
    [
        ({"input": "1000000000", "output": "1"}, ("input that is no price", "has output without")),
        ({"input": "1E+99"}, ("input that is no price",)),
        ({"input": "1E-13"}, ("input that is no price",)),
        ({"output": "1"}, ("has output without",)),
        ({"input": "0", "output": "0"}, ()),
    ],
)
def test_what_cannot_be_a_price_is_named(price, left_out):
    """And what lacks a kind that it leans on."""
    found = said(**price)
    assert found.suggestion is None
    assert len(left_out) == len(found.left_out)
    for named, start in zip(found.left_out, left_out, strict=True):
        assert named.startswith(start)


def test_free_is_what_says_so():
    """Not what says nothing."""
    assert [True, True, False, False] == [
        said(input="0", output="0").is_free,
        said(input="0").is_free,
        said(input="0", output="1").is_free,
        said().is_free,
    ]
    assert VendorOffer() == offer(None)


def test_only_what_is_wanted_is_read():
    """The first of a name that occurs twice; Google's prefix is not part of it."""
    entries = [
        {"id": "a", "pricing": {"prompt": "0.000001", "completion": "0.000002"}},
        {"id": "a", "pricing": {"prompt": "0.000009", "completion": "0.000009"}},
        {"id": "models/b"}, {"id": "c"},
    ]  # fmt: skip
    page = read_page(msgspec.json.encode({"data": entries}))
    found = offers("openrouter", page.entries, frozenset({"a", "b", "gone"}))
    assert ["a", "b"] == list(found)
    assert {"input": "1", "output": "2"} == dict(found["a"].suggestion.lists[0].price)


def test_what_is_told_is_bounded():
    many = tuple(f"charge {n}" for n in range(100))
    assert 20 == len(said(many, input="1").suggestion.left_out)
