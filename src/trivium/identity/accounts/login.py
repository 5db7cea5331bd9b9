"""Login by password, and proof of a password again before sensitive acts.

Whatever is wrong, the answer and the work are the same: one look-up, one count, one Argon2id hash.
A user that does not exist is checked against a hash that no known password has. Tries are counted
before the password is looked at, so that a hundred at once are a hundred.
"""

from trivium.identity.accounts import names, store, throttle
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.model import HalfWay, LoggedIn, Session, Visitor, Way
from trivium.identity.accounts.part import AccountPart
from trivium.identity.accounts.passwords import CHARS_MAX
from trivium.identity.accounts.store import LoginAccount
from trivium.identity.accounts.tickets import TicketPurpose
from trivium.storage.database import Connection


class PasswordLogin(AccountPart):
    """Logins by password. Storage faults pass through as they are."""

    async def with_password(
        self, name_or_email: str, password: str, visitor: Visitor
    ) -> LoggedIn | HalfWay:
        """A session or a step. Raises ``AccountError`` (WRONG_LOGIN, TOO_MANY_TRIES, BUSY)."""
        typed = names.typed(name_or_email)
        async with self._db.write() as conn:
            found = await store.account(conn, name_or_email=typed)
            ours, from_there = _counted(typed, found, visitor)
            refused = await throttle.count(conn, self._now(), ours, from_there)
        if refused is not None:
            raise refused
        if not await self._is_right(found, password) or found is None:
            raise AccountError(AccountRefusal.WRONG_LOGIN)
        renewed = await self._rehashed(found, password)
        async with self._db.write() as conn:
            user = found.user
            await throttle.forget(
                conn, ours, throttle.of_typed(user.name), throttle.of_typed(user.email)
            )
            await throttle.forgive(conn, from_there)
            if renewed is not None:
                await store.set_password(conn, found.user.id, renewed, found.password_hash)
            # what was checked took a while: a new password or an end of the account counts
            now_there = await store.account(conn, user_id=found.user.id, hold=True)
            if now_there is None or now_there.password_hash != (renewed or found.password_hash):
                raise AccountError(AccountRefusal.WRONG_LOGIN)
            return await self.proven(conn, now_there, Way.PASSWORD, visitor)

    async def proven(
        self, conn: Connection, account: LoginAccount, way: Way, visitor: Visitor
    ) -> LoggedIn | HalfWay:
        """Continue after a first factor: begin a session, or ask for the second factor. ``account``
        was read to be held. Raises ``AccountError`` (WRONG_LOGIN) for a disabled user.
        """
        if account.user.disabled:
            raise AccountError(AccountRefusal.WRONG_LOGIN)
        if account.has_factor:
            data = {"way": way.value}
            token = await self._tickets.issue(
                conn, TicketPurpose.SECOND_FACTOR, user_id=account.user.id, data=data
            )
            return HalfWay(token=token)
        token = await self._sessions.begin(conn, account.user.id, way, visitor)
        return LoggedIn(user=account.user, token=token)

    async def confirm(self, token: str, session: Session, password: str) -> str:
        """Check the password again; returns a new token for the session, which allows sensitive
        acts. Raises ``AccountError`` (PASSWORD_WRONG, TOO_MANY_TRIES, BUSY, SESSION_GONE).
        """
        await self.check_password(session.user.id, password)
        async with self._db.write() as conn:
            return await self._sessions.renew_in(conn, token, Way.PASSWORD)

    async def has_password(self, user_id: int) -> bool:
        """Whether a user can log in with a password at all."""
        async with self._db.read() as conn:
            found = await store.account(conn, user_id=user_id)
        return found is not None and found.password_hash is not None

    async def check_password(self, user_id: int, password: str) -> None:
        """Check the password of a user who is logged in; counted like a login. Raises
        ``AccountError`` (PASSWORD_WRONG, TOO_MANY_TRIES, BUSY).
        """
        # not by address: who is logged in is known, and others there may have failed
        ours = throttle.of_user(user_id)
        async with self._db.write() as conn:
            found = await store.account(conn, user_id=user_id)
            refused = await throttle.count(conn, self._now(), ours)
        if refused is not None:
            raise refused
        if not await self._is_right(found, password):
            raise AccountError(AccountRefusal.PASSWORD_WRONG)
        async with self._db.write() as conn:
            await throttle.forget(conn, ours)

    async def _is_right(self, account: LoginAccount | None, password: str) -> bool:
        """Check a password with one hash, also without an account. Never right if disabled."""
        stored = None if account is None else account.password_hash
        if len(password) > CHARS_MAX:
            stored = None  # never set, and hashing its beginning would make two passwords of one
        right = await self._hasher.verify(stored, password)
        return right and account is not None and not account.user.disabled

    async def _rehashed(self, account: LoginAccount, password: str) -> str | None:
        """A hash at today's cost, when the stored one was made at another."""
        stored = account.password_hash
        if stored is None or not self._hasher.is_outdated(stored):
            return None
        return await self._hasher.hash(password)


def _counted(
    typed: str, found: LoginAccount | None, visitor: Visitor
) -> tuple[throttle.Subject, throttle.Subject | None]:
    """Return what a password is counted by: its user's own browser, else the name and the address.

    So nobody is kept out of their browser by what others typed for their name or in their network.
    """
    device = visitor.device
    if device is not None and found is not None and found.user.id == device.user_id:
        return throttle.of_device(device), None
    return throttle.of_typed(typed), throttle.of_address(visitor.address)
