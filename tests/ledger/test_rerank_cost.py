"""What a rerank costs, foreseen and afterwards."""

from decimal import Decimal

import pytest

from trivium.conversation.usage import Usage
from trivium.ledger import audio_cost, rerank_cost
from trivium.ledger.cost import cost, tariff_of
from trivium.routing.model import PriceRow
from trivium.wire.passage import RequestFacts

SENT = Usage(fresh=1000, searches=3)
BY_SEARCH = {"per_search": "0.002"}
BY_TOKEN = {"input": "0.05"}


def tariff(price):
    """A model's prices."""
    return tariff_of("m", PriceRow(price={kind: Decimal(text) for kind, text in price.items()}))


@pytest.mark.parametrize(
    ("price", "searches_max", "nanos"),
    [
        (BY_SEARCH, 3, 6_000_000),
        # parts of long documents may count as documents
        (BY_SEARCH, 7, 14_000_000),
        (BY_SEARCH, 0, 6_000_000),
        # two bytes a token are held for, four are the estimate
        (BY_TOKEN, 3, 2000 * 50),
        (BY_SEARCH | BY_TOKEN, 3, 6_000_000 + 2000 * 50),
        ({"per_request": "0.01"}, 3, 10_000_000),
    ],
)
def test_the_most_it_can_come_to_is_held(price, searches_max, nanos):
    """Every unit that the model is priced by."""
    facts = RequestFacts(model="m", known=SENT, searches_max=searches_max)
    found = rerank_cost.quote(tariff(price), facts)
    assert (nanos, 1000) == (found.amount_nanos, found.input_tokens)


@pytest.mark.parametrize(
    ("price", "reported", "charged"),
    [
        (BY_SEARCH, Usage(searches=5), Usage(searches=5)),
        (BY_TOKEN, Usage(fresh=800), Usage(fresh=800)),
        (BY_SEARCH, None, Usage(fresh=1000, searches=3, estimated=True)),
        (BY_SEARCH, Usage(searches=-1), Usage(fresh=1000, searches=3, estimated=True)),
        (BY_SEARCH, Usage(fresh=800), Usage(fresh=800, searches=3, estimated=True)),
        (BY_TOKEN, Usage(searches=5), Usage(fresh=1000, searches=5, estimated=True)),
        (BY_SEARCH | BY_TOKEN, Usage(fresh=800, searches=5), Usage(fresh=800, searches=5)),
    ],
)
def test_what_the_vendor_reports_is_charged_else_what_was_sent(price, reported, charged):
    """And never nothing, in any unit that has a price."""
    found = audio_cost.used(tariff(price), SENT, reported)
    assert charged == found
    assert 0 < cost(tariff(price), found)[0]


@pytest.mark.parametrize(
    ("price", "expected"),
    [
        (BY_SEARCH, True),
        (BY_TOKEN, True),
        ({"per_request": "1"}, True),
        ({"per_second": "1"}, False),
        ({"per_image": "1"}, False),
    ],
)
def test_a_price_of_something_else_is_none(price, expected):
    """An operator has to say what ranking costs."""
    assert expected is rerank_cost.has_price(tariff(price))
