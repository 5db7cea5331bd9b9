"""What the pages may ask of the workers themselves, given by the wiring, who it is and how; never
stored.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.ledger.suggestions.vendor import VendorList
from trivium.pipeline.explain import ExplainRequest
from trivium.routing.model import Channel
from trivium.routing.overview import ChannelOverview
from trivium.settings.model import Settings
from trivium.settings.source import SettingsSource
from trivium.upstream.vendor_identity import VendorIdentity


class InFlight(msgspec.Struct, frozen=True, kw_only=True):
    """Requests that run now."""

    requests: int
    workers: int
    """In so many workers, all on this node."""


class WorkerStanding(msgspec.Struct, frozen=True, kw_only=True):
    """A worker at one moment."""

    status: str
    """``ok``, ``degraded`` or ``unavailable``."""
    parts: Mapping[str, bool]
    """Each part by name, and whether it is well."""
    version: str
    started_at: int
    """Seconds since the epoch."""
    worker: Mapping[str, int]
    """Numbers of this worker."""
    workers: Mapping[str, int] | None
    """Of all workers of the node; ``None``: nobody counts."""
    stale_secrets: Sequence[str]
    """References to stores whose earlier value is still in force."""


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


async def _unlisted(channel: Channel, wanted: frozenset[str] | None) -> VendorList:
    del wanted
    return VendorList(at=0, is_whole=False, why=f"no worker asks the vendor of {channel.name}")


async def _alone() -> WorkerStanding:
    return WorkerStanding(
        status="ok",
        parts={},
        version="",
        started_at=0,
        worker={},
        workers=None,
        stale_secrets=(),
    )


async def _none_resting() -> list[ChannelOverview]:
    return []


def _unsaid() -> tuple[Settings, SettingsSource]:
    return Settings(), SettingsSource(name="")


async def _unexplained(asked: ExplainRequest) -> dict[str, Any]:
    raise Fault(Kind.MODEL_UNKNOWN, f"There is no model `{asked.model}` here.")


class GatewayState(msgspec.Struct, frozen=True, kw_only=True):
    """Questions to whoever runs requests."""

    in_flight: Callable[[], InFlight] = _none_running
    channels: Callable[[], Iterable[Channel]] = tuple
    """Those that are switched on, in the operator's order."""
    identities: Callable[[], Sequence[VendorIdentity]] = tuple
    """How this worker stands with vendors that it has to log in at."""
    tried: Callable[[str, str | None], Awaitable[tuple[ChannelTrial, ...]]] = _untested
    """Sends one short request with each key of a channel, for a model by its public name or the
    first that will do. Raises ``ChannelTestError``."""
    listed: Callable[[Channel, frozenset[str] | None], Awaitable[VendorList]] = _unlisted
    """Reads what a channel's vendor lists of some models, ``None``: of all. Raises nothing: what is
    wrong is told."""
    standing: Callable[[], Awaitable[WorkerStanding]] = _alone
    overview: Callable[[], Awaitable[list[ChannelOverview]]] = _none_resting
    """Channels with what rests of them. Raises what the database raises."""
    settings: Callable[[], tuple[Settings, SettingsSource]] = _unsaid
    """What was read last from the file and the environment, and where each was given."""
    explained: Callable[[ExplainRequest], Awaitable[dict[str, Any]]] = _unexplained
    """Rehearses a request, as ``pipeline/explain.py`` tells it. Raises ``Fault``."""


ALONE: Final = GatewayState()
"""Of pages without workers, such as those of tests."""
