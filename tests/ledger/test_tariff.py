"""What a price list that was made ready says of a tier, an image, a video and a sum."""

from decimal import Decimal
from fractions import Fraction

import pytest

from trivium.ledger.cost import tariff_of
from trivium.ledger.tariff import ATOMS, NANOS_MAX
from trivium.routing.model import ImagePrice, PriceRow, PriceTier, VideoPrice


def tariff(multiplier=Fraction(1), **given):
    """A price list of one model."""
    return tariff_of("m", PriceRow(**given), multiplier)


def dollars(**price):
    """Decimals of a price's kinds."""
    return {kind: Decimal(text) for kind, text in price.items()}


@pytest.mark.parametrize(
    ("tokens", "above"), [(0, 0), (100, 0), (101, 100), (200, 100), (201, 200)]
)
def test_a_tier_begins_above_its_tokens(tokens, above):
    """The last that is exceeded holds."""
    tiers = tuple(PriceTier(above=at, price=dollars(input="2")) for at in (100, 200))
    made = tariff(price=dollars(input="1"), tiers=tiers)
    assert above == made.rates(tokens).above


@pytest.mark.parametrize(
    ("size", "quality", "dearest"),
    [("1x1", "hd", 5), ("1x1", "low", 2), ("1x1", "", 9), ("", "low", 9), ("", "", 9)],
)
def test_an_image_whose_kind_is_open_is_held_at_its_dearest(size, quality, dearest):
    """And no kind is free because it has no row."""
    images = tuple(
        ImagePrice(size=one, quality=other, price=Decimal(price))
        for one, other, price in (
            ("1x1", "hd", 5),
            ("2x2", "hd", 9),
            ("1x1", "low", 2),
            ("2x2", "low", 7),
        )
    )
    made = tariff(images=images)
    assert dearest * 10**18 == made.dearest_image(size, quality)
    assert made.price_of_image("3x3", "low") == 9 * 10**18


def test_a_video_costs_by_its_size():
    """Atoms a millisecond; a size without a row costs what a second does."""
    videos = (VideoPrice(size="1280x720", price=Decimal("0.30")),)
    made = tariff(price=dollars(per_second="0.10"), videos=videos)
    second = [1000 * made.price_of_video(size) for size in ("1280x720", "1x1", "")]
    assert [3 * 10**17, 10**17, 10**17] == second


@pytest.mark.parametrize(
    ("atoms", "multiplier", "nanos"),
    [
        (0, 1, 0),
        (1, 1, 1),
        (ATOMS, 1, 1),
        (ATOMS + 1, 1, 2),
        (ATOMS, Fraction(1, 3), 1),
        (10 * ATOMS, Fraction(1, 3), 4),
        (ATOMS * NANOS_MAX * 2, 1, NANOS_MAX),
    ],
)
def test_a_sum_is_rounded_up_once(atoms, multiplier, nanos):
    """After the group's fraction, and no higher than a column holds."""
    assert nanos == tariff(Fraction(multiplier)).nanos(atoms)
