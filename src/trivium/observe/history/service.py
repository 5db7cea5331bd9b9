"""What users may ask about their own requests. Records hold no prompts and no answers."""

from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from trivium.clock import Clock, SystemClock
from trivium.storage.errors import StorageDown
from trivium.storage.late import LateModule
from trivium.storage.structs import struct_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivium.observe.history import store
    from trivium.storage.database import Database
else:
    store = LateModule("trivium.observe.history.store")

PAGE_MAX: Final = 200
HOUR_S: Final = 3600
COUNT_S: Final = 5.0
PAIRS_MAX: Final = 10_000
"""Pairs of model and channel that are told; those of fewest requests are left out."""
_SYSTEM: Final = SystemClock()
_tags: Final = msgspec.json.Decoder(tuple[str, ...]).decode
_failed: Final = msgspec.json.Decoder(tuple[tuple[str, str], ...]).decode


class RequestEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One finished request, with its outcome and cost."""

    request_id: str
    at_ms: int
    key_id: int | None
    operation: str
    model: str
    """Which answered or is paid; where none is, the one asked for."""
    asked_model: str
    """Which was asked for, where a fallback of it answered; empty where it did itself."""
    upstream_model: str
    """As the channel calls it; empty when none answered."""
    channel: str
    status: int
    fault: str
    """Kind of what went wrong; empty when nothing did."""
    stream: bool
    attempts: int
    first_byte_ms: int | None
    total_ms: int
    bytes_in: int
    bytes_out: int
    input_tokens: int | None
    """``None`` where nothing was counted, as the next two."""
    cached_tokens: int | None
    output_tokens: int | None
    estimated: bool
    dropped: str
    """Members that a translation left out; empty when none was."""
    repaired: str
    cost_nanos: int | None
    """``None`` while it is not booked, or never will be."""
    entry_id: int | None
    user_id: int | None
    end_user: str
    """For whom the caller says it asked; empty when it said nobody."""
    session: str
    tags: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    """The attempts that did not serve it: channel, and why."""


R = TypeVar("R", bound=RequestEntry)


class HistoryPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of requests, newest first."""

    requests: tuple[RequestEntry, ...]
    before: str | None
    """Where the next page begins; ``None`` on the last."""


class History:
    """Requests of one user at a time. Storage faults pass through as they are."""

    def __init__(self, db: "Database", clock: Clock = _SYSTEM) -> None:
        self._db = db
        self._clock = clock

    async def served_lately(self) -> "Sequence[tuple[str, str, int]] | None":
        """(model, channel, requests) of the last hour, of everybody's; ``None`` where there are so
        many that the database does not count them within seconds.
        """
        since_ms = int((self._clock.now() - HOUR_S) * 1000)
        try:
            async with self._db.read(COUNT_S) as conn:
                return await store.served_since(conn, since_ms, PAIRS_MAX)
        except StorageDown:
            return None

    async def page(
        self,
        user_id: int,
        before: str | None = None,
        limit: int = 50,
        *,
        key_id: int | None = None,
        failed: bool = False,
    ) -> HistoryPage:
        """Return at most ``limit`` requests, newest first.

        ``before``: the end of the page that was seen; anything else is taken for the beginning.
        ``failed``: only those answered with an error.
        """
        limit = min(limit, PAGE_MAX)
        async with self._db.read() as conn:
            rows = await store.page(
                conn, user_id, place_of(before), limit + 1, key_id=key_id, failed=failed
            )
        found = tuple(_request(row) for row in rows[:limit])
        last = found[-1] if len(rows) > limit else None
        return HistoryPage(
            requests=found, before=f"{last.at_ms}.{last.request_id}" if last else None
        )

    async def one(self, user_id: int, request_id: str) -> RequestEntry | None:
        """Return one request of that user; ``None`` when it is another's or no longer stored."""
        async with self._db.read() as conn:
            rows = await store.one(conn, user_id, request_id)
        return _request(rows[0]) if rows else None


def place_of(text: str | None) -> tuple[int, str] | None:
    """Where a page begins, out of what the page before it said; ``None``: at the beginning."""
    at, _, request_id = (text or "").partition(".")
    if not at.isdecimal() or len(at) > 15 or len(request_id) > 200:
        return None
    return int(at), request_id


def _request(row: Any) -> RequestEntry:
    return request_of(RequestEntry, row)


def request_of(kind: type[R], row: Any, **more: Any) -> R:
    """A row with its entry as a struct that has at least these fields."""
    counted = row.fresh is not None
    given = row.fresh, row.cache_read, row.cache_write_short, row.cache_write_long
    taken = row.output, row.reasoning, row.audio_output, row.image_output
    return struct_of(
        kind,
        row,
        asked_model=row.asked_model or "",
        first_byte_ms=None if row.first_byte_us is None else row.first_byte_us // 1000,
        total_ms=row.total_us // 1000,
        input_tokens=sum(given, row.audio_input + row.image_input) if counted else None,
        cached_tokens=row.cache_read,
        output_tokens=sum(taken) if counted else None,
        estimated=bool(row.estimated),
        dropped=row.dropped or "",
        repaired=row.repaired or "",
        session=row.session or "",
        tags=_tags(row.tags) if row.tags else (),
        failed=_failed(row.failed) if row.failed else (),
        cost_nanos=None if row.amount_nanos is None else -row.amount_nanos,
        **more,
    )
