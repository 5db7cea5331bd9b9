"""How the pools of connections stand, for metrics."""

from typing import Final

import msgspec


class PoolStats(msgspec.Struct, frozen=True, kw_only=True):
    """One origin's pool, for metrics."""

    open: int
    """Connections that exist or are being made."""
    idle: int
    waiting: int
    """Calls that wait for a connection."""
    connected: int
    """Connections made since the start."""
    reused: int
    """Calls that found an idle connection."""
    retried: int
    """Calls that were written again because a reused connection was dead."""
    refused: int
    """Calls that waited in vain."""


NOTHING: Final = PoolStats(open=0, idle=0, waiting=0, connected=0, reused=0, retried=0, refused=0)
