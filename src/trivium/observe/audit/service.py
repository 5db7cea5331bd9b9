"""Telling acts, and reading them back.

An act is told in a transaction of its own, right after it was done, and never fails it: somebody
who logs in must get in though the log's disk is full, and what could not be stored goes to the
process's own log, whole, where an operator's collector has it. The exception is ``within``, which
writes in the transaction of the act itself; it is for acts that give power or move money and are
one transaction anyway. Those are told or not done, and it costs no second commit.
"""

from typing import TYPE_CHECKING, Final, TypedDict, Unpack

import structlog

from trivium.clock import Clock
from trivium.observe.audit.model import (
    ADDRESS_CHARS_MAX,
    AGENT_CHARS_MAX,
    WHAT_CHARS_MAX,
    Act,
    ActKind,
    Detail,
    encoded,
    short,
)
from trivium.storage.errors import StorageError
from trivium.storage.late import LateModule

if TYPE_CHECKING:
    from trivium.observe.audit import store
    from trivium.storage.database import Connection, Database
else:
    store = LateModule("trivium.observe.audit.store")

PAGE_MAX: Final = 200
"""Acts of one page."""

log = structlog.get_logger()


class Particulars(TypedDict, total=False):
    """What may be told of an act, as ``Act`` has it; what is left out is nobody's or nothing."""

    actor: int | None
    subject: int | None
    what: str
    address: str
    agent: str
    detail: Detail | None


class Audit:
    """The audit log: appends acts to the database and reads them back."""

    def __init__(self, db: "Database", clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def add(self, kind: ActKind, **said: Unpack[Particulars]) -> bool:
        """Log an act that was done; returns whether it could be stored. Raises nothing of the
        database's.

        Not to be called inside a ``write()`` of the same database, which would wait for itself: use
        ``within`` there.
        """
        act = self._act(kind, said)
        try:
            async with self._db.write() as conn:
                await store.insert(conn, act)
        except StorageError as error:
            log.error(  # noqa: TRY400 - a traceback of the driver would say nothing of the act
                "act_not_stored",
                act=act.kind,
                actor=act.actor_id,
                subject=act.subject_id,
                what=act.what,
                address=act.address,
                agent=act.agent,
                detail=act.detail,
                error=str(error),
            )
            return False
        return True

    async def within(self, conn: "Connection", kind: ActKind, **said: Unpack[Particulars]) -> None:
        """Log an act in the transaction that does it. Raises what a statement raises."""
        await store.insert(conn, self._act(kind, said))

    async def of_user(
        self, user_id: int, before_id: int | None = None, limit: int = 50
    ) -> list[Act]:
        """What a user did and what was done to their account, newest first.

        ``before_id``: the last id of the page before. Raises what ``Database.read`` raises.
        """
        async with self._db.read() as conn:
            return await store.of_user(conn, user_id, before_id, min(limit, PAGE_MAX))

    async def everything(
        self,
        before_id: int | None = None,
        limit: int = 50,
        *,
        kind: ActKind | None = None,
        user_id: int | None = None,
    ) -> list[Act]:
        """Return acts, newest first; of one kind, or concerning one user in either role.

        At most one more than a page has, by which its end is told.
        """
        async with self._db.read() as conn:
            return await store.newest(conn, before_id, min(limit, PAGE_MAX + 1), kind, user_id)

    async def count(self, kind: ActKind, subject: int, since_ms: int) -> int:
        """Return how often something happened to a user since a moment; for limits on guessing."""
        async with self._db.read() as conn:
            return await store.count(conn, kind, subject, since_ms)

    def _act(self, kind: ActKind, said: Particulars) -> Act:
        return Act(
            id=0,
            at_ms=int(self._clock.now() * 1000),
            actor_id=said.get("actor"),
            subject_id=said.get("subject"),
            kind=kind.value,
            what=short(said.get("what", ""), WHAT_CHARS_MAX),
            address=short(said.get("address", ""), ADDRESS_CHARS_MAX),
            agent=short(said.get("agent", ""), AGENT_CHARS_MAX),
            detail=encoded(said.get("detail")),
        )
