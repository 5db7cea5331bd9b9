"""Sessions: who is logged in, from where, since when; and their end.

The server knows a session by the SHA-256 of its token. It ends after twelve hours without use,
after fourteen days in any case, when its user ends it or is disabled, and with a new password.
Every look is one indexed read: what was ended is over with the next request, on every worker.
Time is the clock's without its jumps: who is logged in stays so while a clock is being set right.
"""

from typing import Final

from trivium.clock import Clock, Steady
from trivium.identity.accounts import store, tickets
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.model import (
    ADDRESS_CHARS_MAX,
    AGENT_CHARS_MAX,
    Session,
    Visitor,
    Way,
)
from trivium.storage.database import Connection, Database

TOUCH_S: Final = 300
"""How often a use is written down: idle time is known to within this."""
SESSIONS_MAX: Final = 50
"""Of one user. The one that was not used for longest goes first."""


class Sessions:
    """Sessions in the database. Storage faults pass through as they are."""

    def __init__(self, db: Database, clock: Clock, *, idle_s: int, lifetime_s: int) -> None:
        self._db = db
        self._time = Steady(clock)
        self.idle_s: Final = idle_s
        self.lifetime_s: Final = lifetime_s

    async def begin(self, conn: Connection, user_id: int, way: Way, visitor: Visitor) -> str:
        """Begin a session of a user who has just logged in; returns its token.

        The token is always new, whatever the browser had before, so that nobody can be given one in
        advance.
        """
        now = int(self._time.now())
        token = tickets.issue()
        values = {
            "digest": tickets.digest(token),
            "user_id": user_id,
            "created_at": now,
            "seen_at": now,
            "expires_at": now + self.lifetime_s,
            "confirmed_at": now,
            "way": way.value,
            "address": visitor.address[:ADDRESS_CHARS_MAX],
            "agent": _printable(visitor.agent[:AGENT_CHARS_MAX]),
        }
        await store.insert_session(conn, values)
        await store.end_oldest(conn, user_id, SESSIONS_MAX)
        return token

    async def find(self, token: str) -> Session | None:
        """The session of a cookie's token; ``None``: it has ended, or its user is disabled."""
        digest = tickets.digest(token)
        if digest is None:
            return None
        now = int(self._time.now())
        async with self._db.read() as conn:
            found = await store.session(conn, digest, now, self.idle_s)
        if found is not None and now - found.seen_at >= TOUCH_S:
            async with self._db.write() as conn:
                await store.touch(conn, found.id, now)
        return found

    async def of_user(self, user_id: int) -> list[Session]:
        """A user's live sessions, the last used first."""
        async with self._db.read() as conn:
            return await store.sessions_of(conn, user_id, int(self._time.now()), self.idle_s)

    async def renew(self, token: str) -> str:
        """Replace the token of a session, whenever its user may do more than before. The old token
        no longer works. Raises ``AccountError`` (SESSION_GONE).
        """
        async with self._db.write() as conn:
            return await self.renew_in(conn, token)

    async def renew_in(self, conn: Connection, token: str, confirmed: Way | None = None) -> str:
        """As ``renew``; with ``confirmed`` its user has just proved again who they are."""
        fresh = tickets.issue()
        digest, new = tickets.digest(token), tickets.digest(fresh)
        proof = None if confirmed is None else (int(self._time.now()), confirmed.value)
        if digest is None or new is None or not await store.renew(conn, digest, new, proof):
            raise AccountError(AccountRefusal.SESSION_GONE)
        return fresh

    async def end(self, token: str) -> None:
        """End a session, if it has not ended."""
        digest = tickets.digest(token)
        if digest is not None:
            async with self._db.write() as conn:
                await store.end_session(conn, digest=digest)

    async def end_one(self, user_id: int, session_id: int) -> bool:
        """End one session of a user; ``False`` when it was not theirs, or over."""
        async with self._db.write() as conn:
            return await store.end_session(conn, user_id=user_id, session_id=session_id) == 1

    async def end_all(self, user_id: int, but: str | None = None) -> int:
        """End all sessions of a user, but perhaps the one of a token; how many that were."""
        async with self._db.write() as conn:
            return await store.end_sessions(conn, user_id, tickets.digest(but) if but else None)

    async def end_others(self, conn: Connection, user_id: int, token: str) -> None:
        """End all sessions of a user but the one of a token, in a transaction of the caller's."""
        await store.end_sessions(conn, user_id, tickets.digest(token))


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
