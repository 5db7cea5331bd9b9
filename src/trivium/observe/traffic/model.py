"""What request records add up to, and what is read out of the sums. Pure.

A histogram has ``BUCKETS`` buckets whose bounds grow by the square root of two from 20 ms on: a
quantile that is read out of one is at most a fifth away from the true one (within a bucket the
times are taken to lie evenly), for all that takes 20 ms to 164 s.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from trivium.faults import Kind

BUCKETS: Final = 28
"""Of each histogram."""
SPAN_S: Final = 300
"""Of a row that records are added to."""
HOUR_S: Final = 3_600
DAY_S: Final = 86_400
BOUNDS_US: Final = tuple(round(20_000 * 2 ** (number / 2)) for number in range(BUCKETS - 1))
"""Where a bucket ends, in microseconds; the last has no end."""
LEFT: Final = Kind.CALLER_LEFT.value
"""A request of which nobody failed, although it has a fault."""

_SUMS: Final = 4
"""Requests, attempts and the two sums of times, before the buckets."""
_TOTAL: Final = _SUMS + BUCKETS
_WIDTH: Final = _TOTAL + BUCKETS

Knows = Callable[[str], bool]
"""Says whether there is a model of that name: callers may ask for any."""


class TrafficBatch:
    """Sums of some records' rows, which ``observe/store.py`` makes."""

    def __init__(self, knows: Knows) -> None:
        self._knows = knows
        self._named: dict[str, str] = {}
        self.traffic: dict[tuple[int, str, str, int, str], list[int]] = {}
        """By beginning, model, channel, first digit of the status, and fault."""
        self.keys: dict[tuple[int, int, int], list[int]] = {}
        """By beginning, key and user: requests, and those that failed."""

    def add(self, rows: Iterable[tuple[Any, ...]], *, plain: int) -> None:
        """Count rows. Those of ``plain`` values have no column for a fault."""
        traffic, keys, named = self.traffic, self.keys, self._named
        # HOT: most of it is looking up and counting; unpacking a row would take as long again
        for row in rows:
            began = row[1] // 1000 // SPAN_S * SPAN_S
            status, at = row[8], 9
            fault = ""
            if len(row) != plain:
                fault, at = row[9], 10
            name = named.get(row[5])
            if name is None:
                name = self._name(row[5])
            place = began, name, row[6], status // 100, fault
            sums = traffic.get(place)
            if sums is None:
                sums = traffic[place] = [0] * _WIDTH
            first, total = row[at + 2], row[at + 3]
            sums[0] += 1
            sums[1] += row[at + 1]
            sums[3] += total
            if first is not None:
                sums[2] += first
                sums[_SUMS + bisect_right(BOUNDS_US, first)] += 1
            sums[_TOTAL + bisect_right(BOUNDS_US, total)] += 1
            whose = began, row[2] or 0, row[3] or 0
            counts = keys.get(whose)
            if counts is None:
                counts = keys[whose] = [0, 0]
            counts[0] += 1
            if fault != LEFT if fault else status >= 400:
                counts[1] += 1

    def _name(self, model: str) -> str:
        name = self._named[model] = model if self._knows(model) else ""
        return name


class TrafficSums(NamedTuple):
    """What the requests of one row of a page come to."""

    requests: int = 0
    failed: int = 0
    first: tuple[int, ...] = ()
    """Histogram of the times to the first byte, of those that had one."""
    total: tuple[int, ...] = ()
    """Histogram of the whole times."""

    @property
    def error_rate(self) -> float:
        """What part of the requests failed, from 0 to 1."""
        return self.failed / self.requests if self.requests else 0.0

    @property
    def first_p50_ms(self) -> float | None:
        """Half of the first bytes came sooner; ``None``: none came."""
        return quantile_ms(self.first, 0.5)

    @property
    def first_p95_ms(self) -> float | None:
        """19 of 20 first bytes came sooner."""
        return quantile_ms(self.first, 0.95)

    @property
    def total_p95_ms(self) -> float | None:
        """19 of 20 requests were over sooner."""
        return quantile_ms(self.total, 0.95)


def quantile_ms(buckets: Sequence[int], share: float) -> float | None:
    """The time within which this share of them was, in milliseconds; ``None`` where there are none.

    Beyond the last bound nothing is known but that: the bound itself is returned.
    """
    count = sum(buckets)
    if not count:
        return None
    wanted, seen = share * count, 0
    for number, size in enumerate(buckets):
        if size and seen + size >= wanted:
            if number == len(BOUNDS_US):
                break
            low = BOUNDS_US[number - 1] if number else 0
            inside = (wanted - seen) / size
            return (low + (BOUNDS_US[number] - low) * inside) / 1000
        seen += size
    return BOUNDS_US[-1] / 1000
