"""What one worker counts: a number for each family and set of labels. Nothing here waits.

Times are kept in whole microseconds and written as seconds: sums of workers are exact.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Final, Protocol

import msgspec

from trivium.observe.metrics.model import (
    ATTEMPTS,
    BYTES,
    FAMILIES,
    FAULTS,
    FIRST_BYTE,
    KINDS,
    OTHER,
    REQUESTS,
    SECONDS,
    SERIES_MAX,
    TOKENS,
    Family,
)
from trivium.observe.record import Record

Key = tuple[str, ...]
"""A family's name and the values of its labels."""


class Numbers(msgspec.Struct, array_like=True):
    """A worker's numbers, or those of several."""

    counts: list[tuple[Key, int]] = []
    """Counters."""
    spans: list[tuple[Key, list[int]]] = []
    """Histograms: how many fell into each bucket and in the last place their sum, in µs."""
    levels: list[tuple[Key, int]] = []
    """Gauges: as they stand now."""


class RecordSink(Protocol):
    """Takes records after they were counted."""

    def add(self, record: Record) -> None:
        """Take one record; never waits."""
        ...


class RequestCounters:
    """Counts requests as their records pass by on the way to the recorder."""

    def __init__(self, sink: RecordSink, known: Callable[[str], bool]) -> None:
        """``known``: whether a model of this name is configured."""
        self._sink = sink
        self._known = known
        self._counts: dict[Key, int] = {}
        self._spans: dict[Key, list[int]] = {}

    def add(self, record: Record) -> None:
        """Count one request and pass its record on."""
        self.count(record)
        self._sink.add(record)

    def count(self, record: Record) -> None:
        """Add one request to the counters, without passing its record on."""
        operation, channel = record.operation, record.channel
        # one that no channel was called for may be anything that somebody typed
        model = record.model if channel or self._known(record.model) else ""
        self.more(REQUESTS, (operation, model, channel, str(record.status)), 1)
        if record.fault:
            self.more(FAULTS, (operation, channel, record.fault), 1)
        if record.attempts:
            self.more(ATTEMPTS, (operation,), record.attempts)
        self.more(BYTES, ("in",), record.bytes_in)
        self.more(BYTES, ("out",), record.bytes_out)
        if record.usage is not None:
            for kind in KINDS:
                if tokens := getattr(record.usage, kind):
                    self.more(TOKENS, (model, channel, kind), tokens)
        self.took(SECONDS, (operation,), record.total_ms)
        if record.first_byte_ms is not None:
            self.took(FIRST_BYTE, (operation, channel), record.first_byte_ms)

    def more(self, family: Family, labels: Key, by: int) -> None:
        """Add to a counter."""
        key = (family.name, *labels)
        if key not in self._counts and len(self._counts) >= SERIES_MAX:
            key = _other(key)
        self._counts[key] = self._counts.get(key, 0) + by

    def took(self, family: Family, labels: Key, ms: float) -> None:
        """Put a time into its bucket."""
        key = (family.name, *labels)
        if key not in self._spans and len(self._spans) >= SERIES_MAX:
            key = _other(key)
        span = self._spans.get(key)
        if span is None:
            span = self._spans[key] = [0] * (len(family.bounds_ms) + 2)
        span[bisect_left(family.bounds_ms, ms)] += 1
        span[-1] += round(ms * 1000)

    def numbers(
        self, counts: Iterable[tuple[Key, int]] = (), levels: Iterable[tuple[Key, int]] = ()
    ) -> Numbers:
        """Return all counts, together with counters and gauges that are kept elsewhere."""
        return Numbers(
            counts=[*self._counts.items(), *counts],
            spans=list(self._spans.items()),
            levels=list(levels),
        )


def summed(several: Iterable[Numbers], *, alive: bool = True) -> Numbers:
    """Return the sum of several workers' numbers, without gauges of those not ``alive``."""
    counts: dict[Key, int] = {}
    levels: dict[Key, int] = {}
    spans: dict[Key, list[int]] = {}
    for one in several:
        for key, count in one.counts:
            counts[key] = counts.get(key, 0) + count
        for key, level in one.levels if alive else ():
            if key in levels:
                both = (level, levels[key])
                levels[key] = min(both) if key[0] in _FIRST else sum(both)
            else:
                levels[key] = level
        for key, span in one.spans:
            known = spans.get(key)
            spans[key] = (
                list(span) if known is None else [a + b for a, b in zip(known, span, strict=True)]
            )
    return Numbers(
        counts=list(counts.items()), spans=list(spans.items()), levels=list(levels.items())
    )


def _other(key: Key) -> Key:
    return (key[0], *(OTHER for _ in key[1:]))


_FIRST: Final = frozenset(family.name for family in FAMILIES if family.is_first)
encode: Final = msgspec.msgpack.Encoder().encode
decode: Final = msgspec.msgpack.Decoder(Numbers).decode
