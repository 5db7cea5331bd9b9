"""What workers that share their windows hear of them."""

import msgspec


class MeterCounts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A meter's counters as the shared state has them."""

    requests: int
    requests_before: int
    tokens: int
    tokens_before: int
    running: int


class Unreachable(Exception):  # noqa: N818 - a state, not a mistake
    """The shared state cannot be asked now."""


class AdmissionVerdict(msgspec.Struct, frozen=True, gc=False):
    """What the shared state said."""

    granted: bool
    minute: int
    into: float
    counts: list[MeterCounts]
    """A meter's each, in the order they were asked about."""
