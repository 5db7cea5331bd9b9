"""What members of entries are in the catalogue: limits, prices. Pure."""

import msgspec

from trivium.routing.model import PriceRow, TimeLimits
from trivium.settings.entries import ChannelEntry, ModelEntry, PriceChange, Timeouts
from trivium.settings.limits import RateLimits, limits
from trivium.settings.model import UpstreamSettings
from trivium.settings.prices import day


def rates_of(entry: ChannelEntry | ModelEntry) -> RateLimits | None:
    """How often and how many at once; ``None``: as many as come."""
    return limits(entry.requests_per_minute, entry.tokens_per_minute, entry.max_concurrency)


def prices_of(entry: ModelEntry) -> tuple[PriceRow, ...]:
    """Every price list of a model, oldest first."""
    if entry.free:
        return ()
    later = [_price_row(change, day(change.since)) for change in entry.price_changes]
    return (_price_row(entry, 0), *sorted(later, key=lambda row: row.since))


def _price_row(entry: ModelEntry | PriceChange, since: int) -> PriceRow:
    """The decimals of one price list, read as such; the longer a context, the later its tier."""
    tiers = sorted(entry.tiers, key=lambda tier: tier.above)
    told = {"since": since, "price": entry.price, "tiers": tiers}
    told |= {"images": entry.images, "videos": entry.videos}
    return msgspec.convert(told, PriceRow, from_attributes=True)


def limits_of(upstream: UpstreamSettings) -> TimeLimits:
    """Those of all channels."""
    return TimeLimits(
        connect=upstream.connect_timeout_s,
        first_byte=upstream.first_byte_timeout_s,
        idle=upstream.idle_timeout_s,
        total=upstream.total_timeout_s,
    )


def own_limits(own: Timeouts, wider: TimeLimits) -> TimeLimits | None:
    """``wider`` with what ``own`` says; ``None`` where it says nothing."""
    told = {
        name: value
        for name in Timeouts.__struct_fields__
        if (value := getattr(own, name)) is not None
    }
    return msgspec.structs.replace(wider, **told) if told else None
