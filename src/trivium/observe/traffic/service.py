"""What an operator may ask of the sums of request records. No record is read for it."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from trivium.observe.traffic.model import TrafficSums
from trivium.storage.late import LateModule
from trivium.storage.summing import expect_many_rows

if TYPE_CHECKING:
    from trivium.observe.traffic import store
    from trivium.storage.database import Connection, Database
    from trivium.storage.schema import core
else:
    store = LateModule("trivium.observe.traffic.store")
    core = LateModule("trivium.storage.schema.core")

LIMIT_S = 15.0


class TrafficPeriod(msgspec.Struct, frozen=True, kw_only=True):
    """From when to when, in seconds since the epoch, and in which steps it is shown.

    What is long ago is summed up by the hour or day: a period that begins amid such a row has
    nothing of it.
    """

    since: int
    until: int
    """The first moment that is too late."""
    step_s: int

    def starts(self) -> range:
        """When each step begins."""
        return range(self.since - self.since % self.step_s, self.until, self.step_s)


class FailureCause(msgspec.Struct, frozen=True, kw_only=True):
    """How many requests ended in one way."""

    fault: str
    """Empty: an error of the vendor's that was handed on as it came."""
    requests: int
    channels: tuple[str, ...]
    """Through which, the one with the most first; empty where none was asked."""


class TrafficOverview(msgspec.Struct, frozen=True, kw_only=True):
    """All requests of a period."""

    steps: dict[int, TrafficSums]
    """By the beginning of each step in which there were any."""
    total: TrafficSums
    causes: tuple[FailureCause, ...]
    """Of what did not end well, and of callers that left; the most frequent first."""


class CallerTraffic(msgspec.Struct, frozen=True, kw_only=True):
    """How much one key, user or team asked for."""

    id: int
    """0: of none."""
    requests: int
    failed: int

    @property
    def error_rate(self) -> float:
        """What part of the requests failed, from 0 to 1."""
        return self.failed / self.requests if self.requests else 0.0


class Traffic:
    """Sums of all requests. Storage faults pass through as they are."""

    def __init__(self, db: "Database") -> None:
        self._db = db

    async def overview(self, period: TrafficPeriod, channel: str | None = None) -> TrafficOverview:
        """All requests of a period, or those of a channel, by steps and by how they ended."""
        since, until = period.since, period.until
        async with self._summing() as conn:
            steps = await store.steps(conn, since, until, period.step_s, channel)
            causes = await store.causes(conn, since, until)
        return TrafficOverview(
            steps=steps,
            total=together(steps.values()),
            causes=_causes(each for each in causes if channel in (None, each[2])),
        )

    async def by_model(self, period: TrafficPeriod) -> dict[str, TrafficSums]:
        """By the model that answered or was asked for; empty: one that there is not."""
        return await self._groups(period, "model")

    async def by_channel(self, period: TrafficPeriod) -> dict[str, TrafficSums]:
        """By the channel that answered, or was tried last; empty: none was."""
        return await self._groups(period, "channel")

    async def by_key(self, period: TrafficPeriod, limit: int) -> list[CallerTraffic]:
        """The keys that asked for most."""
        return await self._callers(period, "key", limit)

    async def by_user(self, period: TrafficPeriod, limit: int) -> list[CallerTraffic]:
        """The users that asked for most, service accounts among them."""
        return await self._callers(period, "user", limit)

    async def by_team(self, period: TrafficPeriod, limit: int) -> list[CallerTraffic]:
        """The teams whose keys asked for most: the teams that keys have now."""
        return await self._callers(period, "team", limit)

    async def names(self, of: str, ids: Iterable[int]) -> dict[int, str]:
        """The names of ``users``, teams among them, or ``keys``; who is gone has none."""
        table = core.keys if of == "keys" else core.users
        async with self._db.read() as conn:
            return await store.names_of(conn, table, sorted(set(ids)))

    async def _groups(self, period: TrafficPeriod, by: str) -> dict[str, TrafficSums]:
        async with self._summing() as conn:
            return await store.groups(conn, period.since, period.until, by)

    async def _callers(self, period: TrafficPeriod, by: str, limit: int) -> list[CallerTraffic]:
        async with self._summing() as conn:
            found = await store.callers(conn, period.since, period.until, by, limit)
        return [CallerTraffic(id=of, requests=n, failed=failed) for of, n, failed in found]

    @asynccontextmanager
    async def _summing(self) -> AsyncIterator["Connection"]:
        async with self._db.read(LIMIT_S) as conn:
            await expect_many_rows(conn)
            yield conn


def together(several: Iterable[TrafficSums]) -> TrafficSums:
    """Return what sums come to."""
    requests = failed = 0
    first: list[int] = []
    total: list[int] = []
    for each in several:
        requests, failed = requests + each.requests, failed + each.failed
        first = _both(first, each.first)
        total = _both(total, each.total)
    return TrafficSums(requests, failed, tuple(first), tuple(total))


def _both(these: list[int], those: tuple[int, ...]) -> list[int]:
    return [a + b for a, b in zip(these, those, strict=True)] if these else list(those)


def _causes(found: Iterable[tuple[str, int, str, int]]) -> tuple[FailureCause, ...]:
    counts: dict[str, dict[str, int]] = {}
    for fault, status, channel, requests in found:
        if fault or status >= 4:
            through = counts.setdefault(fault, {})
            through[channel] = through.get(channel, 0) + requests
    causes = [
        FailureCause(
            fault=fault,
            requests=sum(through.values()),
            channels=tuple(c for c, _ in sorted(through.items(), key=lambda p: (-p[1], p[0])) if c),
        )
        for fault, through in counts.items()
    ]
    return tuple(sorted(causes, key=lambda each: (-each.requests, each.fault)))
