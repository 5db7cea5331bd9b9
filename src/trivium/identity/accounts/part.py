"""What the ways into an account are built from, and the checks that several of them make."""

from typing import Final, NamedTuple

from trivium.clock import Clock
from trivium.identity.accounts import store
from trivium.identity.accounts.emails import AccountEmails
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.hashing import Hasher
from trivium.identity.accounts.model import Session
from trivium.identity.accounts.sessions import Sessions
from trivium.identity.accounts.tickets import Tickets
from trivium.storage.database import Connection, Database


class Foundation(NamedTuple):
    """What all parts of accounts work with."""

    db: Database
    clock: Clock
    hasher: Hasher
    sessions: Sessions
    tickets: Tickets
    emails: AccountEmails


class AccountPart:
    """One part of accounts over the database. Storage faults pass through as they are."""

    def __init__(self, on: Foundation) -> None:
        self._db: Final = on.db
        self._clock: Final = on.clock
        self._hasher: Final = on.hasher
        self._sessions: Final = on.sessions
        self._tickets: Final = on.tickets
        self._emails: Final = on.emails

    def _now(self) -> int:
        return int(self._clock.now())

    def _check_confirmed(self, session: Session | None) -> None:
        """Raise ``AccountError`` (CONFIRM_FIRST) unless the user has just proved who they are."""
        if session is None or not session.is_confirmed(self._clock.now()):
            raise AccountError(AccountRefusal.CONFIRM_FIRST)

    async def _enabled(
        self, conn: Connection, user_id: int | None, why: AccountRefusal, *, hold: bool = False
    ) -> store.LoginAccount:
        """The account of an enabled user, perhaps held. Raises ``AccountError`` with ``why``."""
        found = await store.account(conn, user_id=user_id, hold=hold)
        if found is None or found.user.disabled:
            raise AccountError(why)
        return found
