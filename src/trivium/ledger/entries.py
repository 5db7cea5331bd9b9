"""Booking: an entry and its balance change in one transaction, each request once.

The account's balance is a sum kept at hand; ``verify`` proves that it is the sum. Entries are
append-only (the database refuses anything else), so a mistake is corrected by another entry.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from trivium.clock import Clock
from trivium.ledger.amounts import AMOUNT_NANOS_MAX, format_usd
from trivium.ledger.errors import BookedError, LedgerError
from trivium.ledger.model import NANOS, Entry, EntryKind
from trivium.storage.late import LateModule

if TYPE_CHECKING:
    from trivium.ledger import store
    from trivium.storage.database import Connection, Database
else:
    store = LateModule("trivium.ledger.store")

NOTE_CHARS_MAX: Final = 500
BALANCE_NANOS_MAX: Final = 9 * 10**9 * NANOS
"""Beyond it SQLite would go on in floating point without a word."""
VERIFY_S: Final = 600.0
"""Adding up every entry."""

Along: TypeAlias = Callable[["Connection", Entry], Awaitable[None]]
"""What else a booking's transaction does."""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """An account whose numbers are not the sum of its entries. All in nano-dollars."""

    user_id: int
    balance_nanos: int
    entries_nanos: int
    """What the balance should be."""
    used_nanos: int
    entries_used_nanos: int
    """What usage entries took in all."""


class Entries:
    """The accounts and their entries in the database. Storage faults pass through as they are."""

    def __init__(self, db: "Database", clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def book(
        self,
        user_id: int,
        kind: EntryKind,
        amount_nanos: int,
        note: str = "",
        request_id: str | None = None,
        *,
        along: Along | None = None,
    ) -> Entry:
        """Append an entry and move the balance by it; positive adds.

        With a ``request_id`` the call may be repeated: the first booking is returned and nothing is
        booked again. ``along``: done in the same transaction where something is booked. Raises
        ``LedgerError`` for an unknown user and an amount out of range, ``BookedError`` for a
        request that was booked otherwise.
        """
        async with self._db.write() as conn:
            return await self.within(
                conn, user_id, kind, amount_nanos, note, request_id, along=along
            )

    async def within(
        self,
        conn: "Connection",
        user_id: int,
        kind: EntryKind,
        amount_nanos: int,
        note: str = "",
        request_id: str | None = None,
        *,
        along: Along | None = None,
    ) -> Entry:
        """Do as ``book`` in the transaction that is given, which an exception ends."""
        entry = Entry(
            user_id=user_id,
            kind=kind,
            amount_nanos=_amount(amount_nanos),
            note=printable(note),
            request_id=request_id,
            created_at=int(self._clock.now()),
        )
        if not await store.has_user(conn, user_id):
            raise LedgerError(f"there is no user with the id {user_id}")
        booked = await append(conn, entry)
        if booked is not None:
            if along is not None:
                await along(conn, booked)
            return booked
        booked = await store.entry_of(conn, request_id or "")
        if booked is None or (booked.user_id, booked.kind, booked.amount_nanos) != (
            user_id,
            kind,
            amount_nanos,
        ):
            raise BookedError(f"the request {request_id} is booked already, otherwise than asked")
        return booked

    async def balance(self, user_id: int) -> int:
        """Return nano-dollars; 0 for a user without entries."""
        async with self._db.read() as conn:
            return await store.balance_of(conn, user_id)

    async def overdraft(self, user_id: int) -> int:
        """Nano-dollars that a balance may go below zero; 0 unless it was set."""
        async with self._db.read() as conn:
            return await store.overdraft_of(conn, user_id)

    async def verify(self) -> list[Difference]:
        """Accounts whose balance is not the sum of their entries: empty when all is well."""
        async with self._db.read(VERIFY_S) as conn:
            return [
                Difference(
                    user_id=row.id,
                    balance_nanos=int(row.balance_nanos),
                    entries_nanos=int(row.entries_nanos),
                    used_nanos=int(row.used_nanos),
                    entries_used_nanos=int(row.entries_used_nanos),
                )
                for row in await store.differing_accounts(conn)
            ]

    async def misleased(self) -> list[tuple[int, int, int]]:
        """Accounts whose leased amount is not the sum of leases and holds: id and both sums."""
        async with self._db.read() as conn:
            return [
                (row.user_id, int(row.leased_nanos), int(row.leases_nanos))
                for row in await store.misleased_accounts(conn)
            ]

    async def low(self, user_id: int) -> int | None:
        """Nano-dollars below which the owner of an account is told; ``None``: nobody is."""
        async with self._db.read() as conn:
            return await store.low_of(conn, user_id)

    async def set_low(self, user_id: int, low_nanos: int | None) -> None:
        """Have the owner told below another balance; ``None``: not at all. Raises ``LedgerError``
        for an amount out of range.
        """
        if low_nanos is not None and low_nanos <= 0:
            raise LedgerError("a balance that is told of is above zero")
        async with self._db.write() as conn:
            await store.set_low(conn, user_id, low_nanos and _amount(low_nanos))

    async def set_overdraft(self, user_id: int, overdraft_nanos: int) -> None:
        """Let a balance go so far below zero. Raises ``LedgerError`` for an amount out of range."""
        if overdraft_nanos < 0:
            raise LedgerError("an overdraft is zero or more")
        async with self._db.write() as conn:
            await store.set_overdraft(conn, user_id, _amount(overdraft_nanos))


async def append(conn: "Connection", entry: Entry) -> Entry | None:
    """Append an entry and move its balance; ``None``: its request is booked already.

    Raises ``LedgerError`` for a balance out of range, which is to end the transaction.
    """
    entry_id = await store.insert_entry(conn, entry)
    if entry_id is None:
        return None
    if abs(await store.add_to_account(conn, entry)) > BALANCE_NANOS_MAX:
        raise LedgerError("the balance would exceed nine billion dollars")
    return msgspec.structs.replace(entry, id=entry_id)


def _amount(nanos: int) -> int:
    if type(nanos) is not int:
        raise LedgerError(f"an amount is a whole number of nano-dollars, not {nanos!r}")
    if abs(nanos) > AMOUNT_NANOS_MAX:
        raise LedgerError(f"{format_usd(nanos)} is more than a billion dollars")
    return nanos


def printable(text: str) -> str:
    """A note without the spaces around it. Raises ``LedgerError`` for one that cannot be shown."""
    text = text.strip()
    if len(text) > NOTE_CHARS_MAX or not text.isprintable():
        raise LedgerError(f"a note is at most {NOTE_CHARS_MAX} printable characters")
    return text
