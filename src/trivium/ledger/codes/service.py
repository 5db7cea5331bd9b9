"""Making, revoking and redeeming codes. Each call is one transaction.

A redemption marks the code and books its entry together or not at all, and the mark is made by one
conditional update. So a code is booked exactly once, however often and by whomever it is tried at
the same moment; the entry's request id, unique in the ledger, would refuse a second one besides.
"""

import re
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from trivium.clock import Clock
from trivium.ledger.amounts import AMOUNT_NANOS_MAX
from trivium.ledger.codes.model import Batch, Code, CodeError, CodeRefusal, hint, issue, parse
from trivium.ledger.entries import append, printable
from trivium.ledger.errors import LedgerError
from trivium.ledger.model import Entry, EntryKind
from trivium.storage.late import LateModule

if TYPE_CHECKING:
    from trivium.ledger import store as ledger
    from trivium.ledger.codes import store
    from trivium.storage.database import Database
else:
    ledger = LateModule("trivium.ledger.store")
    store = LateModule("trivium.ledger.codes.store")

COUNT_MAX: Final = 10_000
"""Codes of one batch."""

_NAMED: Final = re.compile(r"(id|batch):([0-9]{1,18})")
_NEVER: Final = "this is no code: a character is wrong or missing"
_TOLD: Final = {
    CodeRefusal.UNKNOWN: "there is no such code",
    CodeRefusal.REDEEMED: "this code has been redeemed already",
    CodeRefusal.REVOKED: "this code has been revoked",
    CodeRefusal.EXPIRED: "this code has expired",
}


class Codes:
    """Codes in the database. Storage faults pass through as they are."""

    def __init__(
        self,
        db: "Database",
        clock: Clock,
        random_bytes: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._db = db
        self._clock = clock
        self._random_bytes = random_bytes

    async def create(
        self, amount_nanos: int, count: int, expires_at: int | None = None, note: str = ""
    ) -> tuple[int, list[str]]:
        """A batch's id and its codes, which cannot be had again.

        Raises ``LedgerError`` for an amount, a count, a moment or a note out of range.
        """
        now = int(self._clock.now())
        if not 0 < amount_nanos <= AMOUNT_NANOS_MAX:
            raise LedgerError("a code is worth more than zero and at most a billion dollars")
        if not 1 <= count <= COUNT_MAX:
            raise LedgerError(f"a batch has 1 to {COUNT_MAX} codes, not {count}")
        if expires_at is not None and expires_at <= now:
            raise LedgerError("the codes would have expired already")
        note = printable(note)
        made = [issue(self._random_bytes) for _ in range(count)]
        rows = [(parse(code) or b"", hint(code)) for code in made]
        async with self._db.write() as conn:
            batch_id = await store.insert(conn, amount_nanos, note, expires_at, now, rows)
        return batch_id, made

    async def redeem(self, user_id: int, text: str) -> Entry:
        """Book what a code is worth on a user's balance, once; its entry.

        Raises ``CodeError`` where the code brings nothing, ``LedgerError`` for an unknown user and
        a balance out of range.
        """
        digest = parse(text)
        if digest is None:
            raise CodeError(CodeRefusal.MISTYPED, _NEVER)
        now = int(self._clock.now())
        async with self._db.write() as conn:
            if not await ledger.has_user(conn, user_id):
                raise LedgerError(f"there is no user with the id {user_id}")
            code = await store.claim(conn, digest, user_id, now)
            if code is None:
                raise _refused(await store.find(conn, digest))
            entry = Entry(
                user_id=user_id,
                kind=EntryKind.REDEMPTION,
                amount_nanos=code.amount_nanos,
                note=f"code {code.id} of batch {code.batch_id}",
                request_id=f"code:{code.id}",
                created_at=now,
            )
            booked = await append(conn, entry)
            if booked is None:
                raise LedgerError(f"the code {code.id} is booked already, but was not marked")
        return booked

    async def batches(self) -> list[Batch]:
        """Every batch, oldest first."""
        async with self._db.read() as conn:
            return await store.batches(conn)

    async def newest_batches(self, before: int | None = None, limit: int = 50) -> list[Batch]:
        """At most so many batches before an id, the newest first."""
        async with self._db.read() as conn:
            return await store.newest_batches(conn, before, limit)

    async def batch(self, batch_id: int) -> Batch:
        """A batch by its id. Raises ``LedgerError`` when there is none."""
        async with self._db.read() as conn:
            found = await store.batch(conn, batch_id)
        if found is None:
            raise LedgerError(f"there is no batch {batch_id}")
        return found

    async def one(self, code_id: int) -> Code:
        """A code by its id. Raises ``LedgerError`` when there is none."""
        async with self._db.read() as conn:
            found = await store.one(conn, code_id)
        if found is None:
            raise LedgerError(f"there is no code {code_id}")
        return found

    async def typed(self, text: str) -> Code | None:
        """The code that somebody typed; ``None``: it is none of ours."""
        digest = parse(text)
        if digest is None:
            return None
        async with self._db.read() as conn:
            return await store.find(conn, digest)

    async def codes_of(self, batch_id: int, after: int = 0, limit: int | None = None) -> list[Code]:
        """The codes of a batch after an id; ``limit``: ``None``: all.

        Raises ``LedgerError`` where all are wanted and there is no such batch.
        """
        async with self._db.read() as conn:
            found = await store.codes_of(conn, batch_id, after, limit)
        if not found and limit is None:
            raise LedgerError(f"there is no batch {batch_id}")
        return found

    async def verify(self) -> list[int]:
        """Ids of codes whose mark and whose entry do not agree; empty when all is well."""
        async with self._db.read() as conn:
            return await store.contradictions(conn)

    async def revoke(self, which: str) -> int:
        """Refuse codes from now on; how many were open till then.

        ``which``: ``batch:3``, ``id:12`` or a code itself. Raises ``LedgerError`` when nothing was
        open there.
        """
        now = int(self._clock.now())
        named = _NAMED.fullmatch(which)
        digest = None if named else parse(which)
        if named is None and digest is None:
            raise LedgerError("write batch:3, id:12 or the code itself, without a slip")
        number = int(named[2]) if named else None
        is_batch = named is not None and named[1] == "batch"
        async with self._db.write() as conn:
            gone = await store.revoke(
                conn,
                now,
                digest=digest,
                code_id=None if is_batch else number,
                batch_id=number if is_batch else None,
            )
        if not gone:
            raise LedgerError("there is no open code of that name: see `trivium code list`")
        return gone


def _refused(code: Code | None) -> CodeError:
    """Why an existing code could not be claimed: one without a mark can only have expired."""
    if code is None:
        why = CodeRefusal.UNKNOWN
    elif code.redeemed_at is not None:
        why = CodeRefusal.REDEEMED
    elif code.revoked_at is not None:
        why = CodeRefusal.REVOKED
    else:
        why = CodeRefusal.EXPIRED
    return CodeError(why, _TOLD[why])
