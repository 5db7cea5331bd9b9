"""What the pages may ask of the workers themselves, given by the wiring; never stored."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Final

import msgspec

from trivium.ledger.suggestions.vendor import VendorList
from trivium.routing.model import Channel
from trivium.upstream.vendor_identity import VendorIdentity


class InFlight(msgspec.Struct, frozen=True, kw_only=True):
    """Requests that run now."""

    requests: int
    workers: int
    """In so many workers, all on this node."""


class ChannelTrial(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one short request with one key of a channel."""

    key: int | None
    """Its place among the channel's keys, from 1; ``None``: the channel has none."""
    upstream_model: str
    status: int
    """0: no answer came."""
    first_byte_ms: int | None
    total_ms: int
    fault: str
    """Kind of what went wrong; empty: a caller would have been served."""
    message: str


class ChannelTestError(Exception):
    """There is no channel of that name, or nothing that it could be asked; its text says which."""


def _none_running() -> InFlight:
    return InFlight(requests=0, workers=1)


async def _untested(name: str, _model: str | None) -> tuple[ChannelTrial, ...]:
    raise ChannelTestError(f"there is no channel {name}")


async def _unlisted(channel: Channel, wanted: frozenset[str]) -> VendorList:
    del wanted
    return VendorList(at=0, is_whole=False, why=f"no worker asks the vendor of {channel.name}")


class GatewayState(msgspec.Struct, frozen=True, kw_only=True):
    """Questions to whoever runs requests."""

    in_flight: Callable[[], InFlight] = _none_running
    channels: Callable[[], Iterable[Channel]] = tuple
    """Those that are switched on, in the operator's order."""
    identities: Callable[[], Iterable[VendorIdentity]] = tuple
    """How this worker stands with vendors that it has to log in at."""
    tried: Callable[[str, str | None], Awaitable[tuple[ChannelTrial, ...]]] = _untested
    """Sends one short request with each key of a channel, for a model by its public name or the
    first that will do. Raises ``ChannelTestError``."""
    listed: Callable[[Channel, frozenset[str]], Awaitable[VendorList]] = _unlisted
    """Reads what a channel's vendor lists of some models. Raises nothing: what is wrong is told."""


ALONE: Final = GatewayState()
"""Of pages without workers, such as those of tests."""
