"""What those who look after the gateway may ask about everybody's requests.

A page costs no more than ``SCAN`` records, whatever is asked for: one condition is answered from an
index, in the order of time, and the others are tried on what that gives. Where so many records hold
too few that fit, the page says how far it has looked, and the next one goes on from there.
"""

from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from trivium.observe.history.search.model import RequestFilter
from trivium.observe.history.service import RequestEntry, place_of, request_of
from trivium.storage.late import LateModule

if TYPE_CHECKING:
    from trivium.observe.history.search import store
    from trivium.observe.traffic import store as sums
    from trivium.storage.database import Database
    from trivium.storage.schema import core
else:
    store = LateModule("trivium.observe.history.search.store")
    sums = LateModule("trivium.observe.traffic.store")
    core = LateModule("trivium.storage.schema.core")

PAGE_MAX: Final = 500
SCAN: Final = 20_000
"""Records that are looked at for a page."""
LIMIT_S: Final = 15.0
"""Of a page; some 0.1 s is usual."""


class FoundRequests(msgspec.Struct, frozen=True, kw_only=True):
    """A page of requests, newest first."""

    requests: tuple[RequestEntry, ...]
    before: str | None
    """Where the next page begins; ``None`` on the last."""
    looked_to_ms: int | None = None
    """How far back was looked, where that was not enough to fill the page."""


class AllRequests:
    """Requests of all users. Storage faults pass through as they are."""

    def __init__(self, db: "Database") -> None:
        self._db = db

    async def page(
        self, wanted: RequestFilter, before: str | None = None, limit: int = 50
    ) -> FoundRequests:
        """Return at most ``limit`` requests, newest first. ``before``: as ``History.page``."""
        limit = min(limit, PAGE_MAX)
        place = place_of(before)
        async with self._db.read(LIMIT_S) as conn:
            rows = await store.page(conn, wanted, place, limit + 1, SCAN)
            end = None
            if len(rows) <= limit:
                end = await store.end_of_scan(conn, wanted, place, SCAN)
        found = tuple(_found(row) for row in rows[:limit])
        if len(rows) > limit:
            return FoundRequests(requests=found, before=f"{found[-1].at_ms}.{found[-1].request_id}")
        if end is None:
            return FoundRequests(requests=found, before=None)
        return FoundRequests(requests=found, before=f"{end[0]}.{end[1]}", looked_to_ms=end[0])

    async def all(self, wanted: RequestFilter, most: int) -> AsyncIterator[RequestEntry]:
        """Yield at most so many requests, newest first, a page in memory at a time. What comes
        while it runs is not among them where the filter has an end.
        """
        before: str | None = None
        while most > 0:
            page = await self.page(wanted, before, min(PAGE_MAX, most))
            for each in page.requests:
                yield each
            most -= len(page.requests)
            before = page.before
            if before is None:
                return

    async def one(self, request_id: str) -> RequestEntry | None:
        """Return one request; ``None`` when it is no longer stored, or never was."""
        async with self._db.read() as conn:
            rows = await store.one(conn, request_id)
        return _found(rows[0]) if rows else None

    async def names(
        self, user_ids: Iterable[int], key_ids: Iterable[int]
    ) -> tuple[dict[int, str], dict[int, str]]:
        """The names of users and of keys; who is gone has none."""
        async with self._db.read() as conn:
            return (
                await sums.names_of(conn, core.users, sorted(set(user_ids))),
                await sums.names_of(conn, core.keys, sorted(set(key_ids))),
            )


def _found(row: Any) -> RequestEntry:
    return request_of(RequestEntry, row)
