"""Limits and prices of entries."""

from decimal import Decimal

from trivium.routing.entry_values import limits_of, own_limits, prices_of, rates_of
from trivium.settings.entries import ChannelEntry, ModelEntry, PriceChange, TierEntry, Timeouts
from trivium.settings.model import UpstreamSettings

ALL = limits_of(UpstreamSettings())


def test_own_limits_are_the_wider_ones_but_for_what_is_said():
    """Nothing said: none of its own."""
    assert (10.0, 600.0, 300.0, 3600.0) == (ALL.connect, ALL.first_byte, ALL.idle, ALL.total)
    assert None is own_limits(Timeouts(), ALL)
    found = own_limits(Timeouts(idle=5.0), ALL)
    assert (10.0, 5.0) == (found.connect, found.idle)


def test_prices_come_oldest_first_with_longer_contexts_behind():
    """A free model has none."""
    assert () == prices_of(ModelEntry(name="m", free=True))
    change = PriceChange(since="2027-01-02", price={"input": "2"})
    sooner = PriceChange(since="2027-01-01", price={"input": "3"})
    tiers = (TierEntry(above=9, price={"input": "5"}), TierEntry(above=4, price={"input": "4"}))
    entry = ModelEntry(name="m", price={"input": "1"}, tiers=tiers, price_changes=(change, sooner))
    rows = prices_of(entry)
    assert [Decimal(1), Decimal(3), Decimal(2)] == [row.price["input"] for row in rows]
    assert [4, 9] == [tier.above for tier in rows[0].tiers]
    assert (0, True) == (rows[0].since, rows[1].since < rows[2].since)


def test_rates_are_none_where_nothing_is_said():
    """Or what is said."""
    assert None is rates_of(ChannelEntry(name="c", provider="openai"))
    assert 3 == rates_of(ModelEntry(name="m", requests_per_minute=3)).requests
