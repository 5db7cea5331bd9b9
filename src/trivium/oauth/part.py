"""What each part of the service works with: the database, the clock and the log of acts."""

from typing import Final

import msgspec

from trivium.clock import Clock
from trivium.observe.audit.model import ActKind, Detail
from trivium.observe.audit.service import Audit
from trivium.storage.database import Connection, Database


class RequestOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """The address and program that an act came from, for the audit log and for letters."""

    address: str = ""
    agent: str = ""
    language: str = "en"
    """Of the page, where it was one."""


NOBODY: Final = RequestOrigin()
"""What needs no network."""


class OAuthPart:
    """One part over the database. Storage faults pass through as they are."""

    def __init__(self, db: Database, clock: Clock, audit: Audit) -> None:
        self._db = db
        self._clock = clock
        self._audit = audit

    def _now(self) -> int:
        return int(self._clock.now())

    async def _tell(
        self,
        conn: Connection,
        kind: ActKind,
        user_id: int,
        what: str,
        sender: RequestOrigin,
        detail: Detail | None = None,
        *,
        by_user: bool = True,
    ) -> None:
        """Log what was done for an account: by its user, or by a program or an operator."""
        await self._audit.within(
            conn,
            kind,
            actor=user_id if by_user else None,
            subject=user_id,
            what=what,
            address=sender.address,
            agent=sender.agent,
            detail=detail,
        )
