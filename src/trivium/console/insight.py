"""What can be seen of the worker that serves the pages: the wiring gives it, who it is and how."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from trivium.routing.overview import ChannelOverview
from trivium.settings.model import Settings
from trivium.settings.source import SettingsSource
from trivium.upstream.vendor_identity import VendorIdentity


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


class WorkerInsight(msgspec.Struct, frozen=True, kw_only=True):
    """Looks at a worker. Whoever asks the database raises its faults."""

    standing: Callable[[], Awaitable[WorkerStanding]]
    channels: Callable[[], Awaitable[list[ChannelOverview]]]
    identities: Callable[[], Sequence[VendorIdentity]]
    settings: Callable[[], tuple[Settings, SettingsSource]]
    """Returns what was read last from the file and the environment, and where each was given."""
