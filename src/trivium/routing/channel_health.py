"""What is known of the upstreams' health: the nouns of ``breaker.py`` and ``health.py``."""

from enum import Enum, unique
from typing import Final

import msgspec

from trivium.faults import Kind

RESTING: Final = frozenset({Kind.NO_ROUTE, Kind.UPSTREAM_RATE_LIMITED})
"""Faults of a plan: nobody may be called for this model now, and for another model somebody may."""


@unique
class State(Enum):
    """What a breaker lets through."""

    CLOSED = "closed"  # everything
    OPEN = "open"  # nothing
    READY = "ready"  # one probe
    PROBING = "probing"  # nothing until the probe is back


class Breaker(msgspec.Struct, frozen=True, gc=False):
    """One breaker at one moment. Times are in the seconds of whoever asks."""

    row: int = 0
    """Failures in a row."""
    good: int = 0
    """Successes in the window."""
    bad: int = 0
    """Failures in the window."""
    since: float = 0.0
    """When the window began."""
    until: float = 0.0
    """When it may be probed; 0: closed."""
    trips: int = 0
    """Openings since it was last closed."""
    told: bool = False
    """Whether the vendor named ``until``: it is then no guess of ours."""
    probe_until: float = 0.0
    """Until when a probe is waited for; 0: none is under way."""
    why: str = ""
    """The kind of the fault that opened it."""


NEW: Final = Breaker()


class HealthKey(msgspec.Struct, frozen=True, gc=False):
    """What health is known of: a channel, a credential, a model."""

    channel: str
    credential: int
    """Its place among the channel's credentials."""
    model: str
    """The channel's own name; empty: the credential for all models."""


class BreakerChange(msgspec.Struct, frozen=True):
    """A breaker that opened or closed."""

    key: HealthKey
    before: Breaker
    after: Breaker


class StepState(msgspec.Struct, frozen=True, gc=False):
    """Whether a step may be tried."""

    usable: bool
    opens_at: float = 0.0
    """When it may be tried again."""
    told: bool = False
    """Whether that is the vendor's word."""
    why: str = ""
