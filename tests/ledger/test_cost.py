"""Prices are reckoned with exactly and rounded once, upwards."""

from decimal import Decimal
from fractions import Fraction

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.usage import GeneratedImages, Usage
from trivium.ledger.cost import INTERRUPTED, cost, input_cost, row_at, tariff_of
from trivium.ledger.model import Quote
from trivium.ledger.tariff import NANOS_MAX
from trivium.routing.model import ImagePrice, PriceRow, PriceTier, VideoPrice


def row(tiers=(), images=(), videos=(), since=0, **price):
    """A price list of decimals as text."""
    return PriceRow(
        since=since,
        price={kind: Decimal(text) for kind, text in price.items()},
        tiers=tuple(
            PriceTier(above=above, price={k: Decimal(v) for k, v in changed.items()})
            for above, changed in tiers
        ),
        images=tuple(
            ImagePrice(size=size, quality=quality, price=Decimal(text))
            for size, quality, text in images
        ),
        videos=tuple(VideoPrice(size=size, price=Decimal(text)) for size, text in videos),
    )


def nanos(usage, multiplier=Fraction(1), **price):
    """What something costs by a plain list."""
    return cost(tariff_of("m", row(**price), multiplier), usage)[0]


PLAIN = {"input": "1.25", "output": "10"}


@pytest.mark.parametrize(
    ("usage", "price", "expected"),
    [
        # one dollar a million tokens is a thousand nano-dollars a token
        (Usage(fresh=1), {"input": "1"}, 1_000),
        (Usage(fresh=1_000_000), PLAIN, 1_250_000_000),
        (Usage(fresh=9, output=2), PLAIN, 9 * 1_250 + 2 * 10_000),
        # every class has its own price
        (Usage(cache_read=8), {**PLAIN, "cache_read": "0.125"}, 1_000),
        (Usage(cache_write_short=1, cache_write_long=1),
         {**PLAIN, "cache_write_5m": "2", "cache_write_1h": "3"}, 5_000),
        (Usage(reasoning=3), {**PLAIN, "reasoning": "4"}, 12_000),
        (Usage(audio_input=1, audio_output=1),
         {**PLAIN, "audio_input": "40", "audio_output": "80"}, 120_000),
        (Usage(image_input=1, image_output=1),
         {**PLAIN, "image_input": "5", "image_output": "30"}, 35_000),
        (Usage(requests=2), {"per_request": "0.01"}, 20_000_000),
        (Usage(seconds=1.5), {"per_second": "0.0001"}, 150_000),
        (Usage(seconds=8, video_size="1280x720"), {"per_second": "0.10"}, 800_000_000),
        (Usage(seconds=8, video_size="1280x720"),
         {"per_second": "0.10", "videos": [("1280x720", "0.30")]}, 2_400_000_000),
        (Usage(seconds=8, video_size="720x1280"),
         {"per_second": "0.10", "videos": [("1280x720", "0.30")]}, 800_000_000),
        (Usage(seconds=8), {"videos": [("1280x720", "0.30")]}, 0),
        (Usage(characters=1000), {"per_character": "0.000015"}, 15_000_000),
        (Usage(searches=3), {"per_search": "0.002"}, 6_000_000),
        (Usage(searches=3), PLAIN, 0),
        (Usage(images=(GeneratedImages(count=3),)), {"per_image": "0.04"}, 120_000_000),
        # what has none falls back
        (Usage(cache_read=1, cache_write_short=1, cache_write_long=1, audio_input=1,
               image_input=1), PLAIN, 5 * 1_250),
        (Usage(reasoning=1, audio_output=1, image_output=1), PLAIN, 30_000),
        (Usage(cache_write_short=1, cache_write_long=1), {**PLAIN, "cache_write": "2"}, 4_000),
        # nothing used, or nothing to pay for it
        (Usage(), PLAIN, 0),
        (Usage(output=1000), {"input": "1"}, 0),
    ],
)  # fmt: skip
def test_every_unit_has_its_price(usage, price, expected):
    """In nano-dollars; the specification's units, each once."""
    assert expected == nanos(usage, **price)


@pytest.mark.parametrize(
    ("price", "tokens", "expected"),
    [
        ("0.000000000001", 1, 1),  # a trillionth of a dollar a million: less than a nano-dollar
        ("0.000000000001", 1_000_000_000, 1),
        ("0.000000000001", 1_000_000_001, 2),
        ("0.0004", 1, 1),
        ("0.0004", 5, 2),
        ("999999999.999999999999", 1, 1_000_000_000_000),
    ],
)
def test_a_bill_is_rounded_once_and_up(price, tokens, expected):
    """What costs something never costs nothing, and no float ever held it."""
    assert expected == nanos(Usage(fresh=tokens), input=price)


@given(
    st.integers(0, 10**8),
    st.integers(0, 10**8),
    st.decimals(0, 10**6, places=12, allow_nan=False, allow_infinity=False),
    st.decimals(0, 10**6, places=12, allow_nan=False, allow_infinity=False),
    st.fractions(min_value=0, max_value=100, max_denominator=10**6),
)
def test_a_bill_is_the_exact_product_rounded_up(fresh, output, price_in, price_out, multiplier):
    """Against the same sum in exact fractions: less than one nano-dollar above it, up to the most
    that is billed.
    """
    exact = (fresh * Fraction(price_in) + output * Fraction(price_out)) * 1000 * multiplier
    billed = nanos(
        Usage(fresh=fresh, output=output), multiplier, input=str(price_in), output=str(price_out)
    )
    assert 0 <= billed - min(exact, NANOS_MAX) < 1


@pytest.mark.parametrize("tokens", [0, 1, 100, 101, 10**6])
@pytest.mark.parametrize("flat", ["0", "0.003"])
def test_an_input_alone_costs_what_the_bill_of_it_would(tokens, flat):
    """The short way and the long one say the same, in every tier and with a price a request."""
    tiers = [(100, {"input": "2.5"})]
    tariff = tariff_of("m", row(tiers, input="1", output="7", per_request=flat), Fraction(1, 3))
    expected, _ = cost(tariff, Usage(fresh=tokens))
    assert expected == input_cost(Quote(10**12, tariff, tokens))


@pytest.mark.parametrize(
    ("own_nanos", "expected"), [(None, (0, 10**9, 7)), (5, (0, 10**9, 5)), (0, (0, 0, 0))]
)
def test_what_a_request_costs_that_its_worker_died_with(own_nanos, expected):
    """Nothing, its input, or all that was held for the model that was asked: for a free one, none
    of what is held for those that may stand in.
    """
    tariff = tariff_of("m", row((), input="1000000"))
    quote = Quote(7, tariff, 1, own_nanos)
    found = tuple(INTERRUPTED[said](quote) for said in ("free", "input", "hold"))
    assert expected == found


def test_no_bill_is_more_than_a_column_holds():
    """A billion dollars; a price list that says more is a slip."""
    assert 10**18 == nanos(Usage(fresh=10**8), input="999999999")


def test_a_group_pays_its_exact_fraction():
    """A third of a nano-dollar is rounded up like any other."""
    assert 800 == nanos(Usage(fresh=1), Fraction(4, 5), input="1")
    assert 334 == nanos(Usage(fresh=1), Fraction(1, 3), input="1")


@pytest.mark.parametrize(
    ("fresh", "read", "unit"), [(100, 0, 1), (60, 40, 1), (60, 41, 2), (201, 0, 3)]
)
def test_a_tier_holds_for_the_whole_request(fresh, read, unit):
    """By all input tokens, cached ones too; what a tier does not name stays."""
    tiers = [(100, {"input": "2", "cache_read": "2"}), (200, {"input": "3"})]
    tariff = tariff_of("m", row(tiers, input="1", output="7", cache_read="1"))
    billed, rates = cost(tariff, Usage(fresh=fresh, cache_read=read, output=1))
    assert (fresh + read) * unit * 1000 + 7_000 == billed
    assert {1: 0, 2: 100, 3: 200}[unit] == rates.above


@pytest.mark.parametrize(
    ("size", "quality", "expected"),
    [("1x1", "hd", 1), ("1x1", "low", 2), ("2x2", "hd", 3), ("2x2", "low", 4), ("", "", 4)],
)
def test_an_image_costs_by_size_and_quality(size, quality, expected):
    """The closest row: both, then either, then any."""
    images = [("1x1", "hd", "1"), ("1x1", "", "2"), ("", "hd", "3")]
    tariff = tariff_of("m", row(images=images, per_image="4"))
    billed, _ = cost(tariff, Usage(images=(GeneratedImages(count=1, size=size, quality=quality),)))
    assert expected * 10**9 == billed


def test_prices_change_with_the_day():
    """At its first second; before it the older ones hold."""
    rows = (row(input="1"), row(input="2", since=100), row(input="3", since=200))
    assert ["1", "1", "2", "2", "3"] == [
        str(row_at(rows, now).price["input"]) for now in (0, 99.9, 100, 199.9, 10**9)
    ]


def test_a_bill_can_be_reckoned_again_from_its_label():
    """It names the model, the tier, the prices and the factor."""
    tariff = tariff_of(
        'a "b"', row([(5, {"input": "2.50"})], since=9, input="1", output="10"), Fraction(4, 5)
    )
    first, second = (msgspec.json.decode(rates.label + "}") for rates in tariff.tiers)
    head = {"model": 'a "b"', "since": 9, "multiplier": "4/5"}
    assert {**head, "prices": {"input": "1", "output": "10"}} == first
    assert {**head, "tier": 5, "prices": {"input": "2.5", "output": "10"}} == second


def test_a_price_of_more_places_is_refused():
    """It would have to be rounded, which the settings rule out."""
    with pytest.raises(ValueError, match="twelve places"):
        tariff_of("m", row(input="0.0000000000001"))


@pytest.mark.parametrize(
    ("price", "meters"),
    [
        ({"input": "1", "output": "1"}, (True, True)),
        ({"input": "1"}, (True, False)),
        ({"per_request": "1"}, (True, True)),
        ({"per_second": "1"}, (False, False)),
    ],
)
def test_a_tariff_knows_what_it_meters(price, meters):
    """Tokens that have no price are not served, instead of costing nothing."""
    tariff = tariff_of("m", row(**price))
    assert meters == (tariff.meters_input, tariff.meters_output)
