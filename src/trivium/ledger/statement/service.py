"""What an account's holder may ask of the books."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from trivium.ledger.amounts import parse_usd
from trivium.ledger.focus import COLUMNS, rows_of
from trivium.ledger.model import Entry, EntryKind
from trivium.ledger.verify import Detail, detail_of
from trivium.storage.late import LateModule
from trivium.storage.structs import struct_of

if TYPE_CHECKING:
    from trivium.ledger.statement import store
    from trivium.storage.database import Database
else:
    store = LateModule("trivium.ledger.statement.store")

DAY_S: Final = 86_400
UNDO: Final = "credit:undo:"
"""What the request id of an entry begins with that takes another one back."""
BY_HAND: Final = ("credit:", "api_credit:")
"""What request ids of entries begin with that an administrator booked on a page or over the API;
of those at the command line there is none."""
PAGE_MAX: Final = 200


class Day(msgspec.Struct, frozen=True, kw_only=True):
    """What one day, in UTC, came to."""

    at: int
    """Its first second since the epoch."""
    nanos: int = 0
    requests: int = 0


class BillLine(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity of a bill. The lines of an entry add up to it."""

    meter: str
    """``Input Tokens``, ``Output Tokens``, … as in an export to FOCUS."""
    quantity: int
    unit_usd: str
    """Price of one, in decimal dollars, times the account's group."""
    nanos: int


class Bill(msgspec.Struct, frozen=True, kw_only=True):
    """An entry and how it came about."""

    entry: Entry
    detail: Detail
    lines: tuple[BillLine, ...]


class StatementPage(msgspec.Struct, frozen=True, kw_only=True):
    """Entries from the newest on."""

    entries: tuple[Entry, ...]
    before: int | None
    """Where the next page begins; ``None`` on the last."""


class ByHand(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that an administrator booked."""

    entry: Entry
    user_name: str
    undone: bool
    """Whether its opposite is booked already."""

    @property
    def undo_id(self) -> str:
        """The request id of the entry that takes it back: it can be booked once."""
        return undo_id(self.entry)

    @property
    def can_be_undone(self) -> bool:
        """Whether it is neither taken back nor itself what takes another one back."""
        return not self.undone and not (self.entry.request_id or "").startswith(UNDO)


def undo_id(entry: Entry) -> str:
    """The request id of the entry that takes another one back: it can be booked once."""
    return f"{UNDO}{entry.id}"


def can_be_undone(entry: Entry) -> bool:
    """Whether an entry was booked by hand and is not itself what takes another one back. What a
    provider of payments told is taken back by the provider, and a redeemed code stays redeemed.
    """
    name = entry.request_id
    is_by_hand = name is None or (name.startswith(BY_HAND) and not name.startswith(UNDO))
    return is_by_hand and entry.kind in (EntryKind.TOP_UP, EntryKind.ADJUSTMENT)


class Statement:
    """Entries of one account at a time. Storage faults pass through as they are."""

    def __init__(self, db: "Database") -> None:
        self._db = db

    async def by_hand(self, ids: Sequence[int]) -> list[ByHand]:
        """Return the entries of these ids, the newest first. Name all that may undo one another."""
        async with self._db.read() as conn:
            rows = await store.named(conn, ids)
        undone = {row.request_id for row in rows}
        return [
            ByHand(entry=_entry(row), user_name=row.user_name, undone=f"{UNDO}{row.id}" in undone)
            for row in rows
        ]

    async def page(
        self,
        user_id: int,
        before: int | None = None,
        limit: int = 50,
        kinds: Sequence[EntryKind] = (),
    ) -> StatementPage:
        """At most so many entries before that id, the newest first."""
        limit = min(limit, PAGE_MAX)
        async with self._db.read() as conn:
            rows = await store.page(conn, user_id, before, limit + 1, [k.value for k in kinds])
        found = tuple(_entry(row) for row in rows[:limit])
        return StatementPage(entries=found, before=found[-1].id if len(rows) > limit else None)

    async def bill(self, user_id: int, entry_id: int) -> Bill | None:
        """An entry of that user, explained; ``None`` when it is not theirs."""
        async with self._db.read() as conn:
            row = await store.one(conn, user_id, entry_id)
        if row is None:
            return None
        entry = _entry(row)
        return Bill(entry=entry, detail=detail_of(entry) or Detail(), lines=tuple(_lines(entry)))

    async def days(self, user_id: int, now: float, count: int) -> list[Day]:
        """What the last so many days came to, today's last; a day without requests is a zero."""
        today = int(now) // DAY_S
        async with self._db.read() as conn:
            rows = await store.days(conn, user_id, today - count + 1)
        found = {
            int(row.day): Day(
                at=int(row.day) * DAY_S, nanos=int(row.nanos), requests=int(row.entries)
            )
            for row in rows
        }
        return [found.get(day, Day(at=day * DAY_S)) for day in range(today - count + 1, today + 1)]


def _lines(entry: Entry) -> list[BillLine]:
    """The rows of an export, where they have a quantity."""
    found = []
    for values in rows_of("", entry):
        row = dict(zip(COLUMNS, values, strict=True))
        if row["SkuMeter"]:
            found.append(
                BillLine(
                    meter=row["SkuMeter"],
                    quantity=int(row["ConsumedQuantity"]),
                    unit_usd=row["ContractedUnitPrice"],
                    nanos=parse_usd(row["BilledCost"]),
                )
            )
    return found


def _entry(row: Any) -> Entry:
    return struct_of(Entry, row, kind=EntryKind(row.kind))
