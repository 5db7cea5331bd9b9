"""A forgotten password, a new one, and addresses: shown to be somebody's, or changed.

A reset ends every session and voids every open link; it does not log in, and leaves second factors
as they are: whoever reads a mailbox has one factor, not two.
"""

from trivium.identity import store as users_store
from trivium.identity.accounts import emails, names, passwords, store, throttle
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.login import PasswordLogin
from trivium.identity.accounts.model import Session, Visitor
from trivium.identity.accounts.part import AccountPart, Foundation
from trivium.identity.accounts.tickets import TO_USERS, TicketPurpose
from trivium.identity.model import User
from trivium.mail.outbox import MailMessage
from trivium.storage.database import Connection


class Recovery(AccountPart):
    """Passwords and addresses of users that exist. Storage faults pass through as they are."""

    def __init__(self, on: Foundation, login: PasswordLogin) -> None:
        super().__init__(on)
        self._login = login

    # --- forgotten ---------------------------------------------------------------------------

    async def ask_reset(self, name_or_email: str, visitor: Visitor) -> None:
        """Have a link sent to the user of that name or address, if there is one.

        Raises ``AccountError`` (MAIL_OFF, TOO_MANY_TRIES, BUSY), none of which depends on that.
        """
        await self._emails.admit(visitor)
        typed = names.typed(name_or_email)
        self._emails.put(lambda: self._reset_letter(typed, visitor.language))

    async def _reset_letter(self, typed: str, language: str) -> MailMessage | None:
        async with self._db.write() as conn:
            found = await store.account(conn, name_or_email=typed)
            if found is None or found.user.disabled:
                return None
            user = found.user
            if not await self._emails.may_write_to(conn, user.email):
                return None
            token = await self._tickets.issue(
                conn, TicketPurpose.RESET, user_id=user.id, email=user.email
            )
        return self._emails.letter("reset", language, user.email, emails.RESET + token)

    async def show_reset(self, token: str) -> None:
        """Check that a link is good, without using it up. Raises ``AccountError`` (TICKET_GONE)."""
        async with self._db.read() as conn:
            await self._tickets.show(conn, TicketPurpose.RESET, token)

    async def reset(self, token: str, password: str, visitor: Visitor) -> User:
        """Set a new password by a link, which is then used up. Every session ends.

        Raises ``AccountError`` (TICKET_GONE, PASSWORD_SHORT, PASSWORD_LONG, PASSWORD_COMMON, BUSY);
        but for the first the link stays good.
        """
        async with self._db.read() as conn:
            ticket = await self._tickets.show(conn, TicketPurpose.RESET, token)
            account = await self._enabled(conn, ticket.user_id, AccountRefusal.TICKET_GONE)
        user = account.user
        password = passwords.check(password, (user.name, user.email))
        stored = await self._hasher.hash(password)
        async with self._db.write() as conn:
            ticket = await self._tickets.take(conn, TicketPurpose.RESET, token)
            await self._set(conn, user, stored)
            await store.end_sessions(conn, user.id)
            # the letter arrived, if the address is still the one it was sent to
            await store.verify_email(conn, user.id, ticket.email or "", self._now())
        self._emails.notify("password_changed", visitor.language, user.email)
        return user

    # --- known -------------------------------------------------------------------------------

    async def change_password(
        self, token: str, session: Session, current: str, new: str, visitor: Visitor
    ) -> str:
        """Set another password; every other session ends. A new token for this one.

        A user without a password (passkeys, outside logins) gives an empty ``current`` and needs a
        recent proof instead. Raises ``AccountError`` (PASSWORD_WRONG, CONFIRM_FIRST,
        TOO_MANY_TRIES, PASSWORD_SHORT, PASSWORD_LONG, PASSWORD_COMMON, BUSY, SESSION_GONE).
        """
        user = session.user
        new = passwords.check(new, (user.name, user.email))
        async with self._db.read() as conn:
            account = await store.account(conn, user_id=user.id)
        if account is not None and account.password_hash is not None:
            await self._login.check_password(user.id, current)
        else:
            self._check_confirmed(session)
        stored = await self._hasher.hash(new)
        async with self._db.write() as conn:
            fresh = await self._sessions.renew_in(conn, token)
            await self._set(conn, user, stored)
            await self._sessions.end_others(conn, user.id, fresh)
        self._emails.notify("password_changed", visitor.language, user.email)
        return fresh

    async def set_password(self, user: User, password: str) -> None:
        """Set a password as an operator; logins end. Raises ``AccountError`` (PASSWORD_…, BUSY)."""
        password = passwords.check(password, (user.name, user.email))
        stored = await self._hasher.hash(password)
        async with self._db.write() as conn:
            await self._set(conn, user, stored)
            await store.end_sessions(conn, user.id)

    async def _set(self, conn: Connection, user: User, stored: str) -> None:
        await store.set_password(conn, user.id, stored)
        await self._tickets.void(conn, user.id, *TO_USERS, TicketPurpose.SECOND_FACTOR)
        names_of = (throttle.of_typed(user.name), throttle.of_typed(user.email))
        await throttle.forget(conn, throttle.of_user(user.id), *names_of)

    # --- addresses ---------------------------------------------------------------------------

    async def ask_verify(self, user: User, visitor: Visitor) -> None:
        """Have a link sent to a user's own address. Raises ``AccountError`` (MAIL_OFF, BUSY)."""
        self._emails.put(
            lambda: self._email_letter(
                user, user.email, TicketPurpose.VERIFY_EMAIL, visitor.language
            )
        )

    async def ask_email(self, session: Session, email: str, visitor: Visitor) -> None:
        """Have a link sent to the address a user wants to have from now on.

        Neither the answer nor the page tells whether another user has it: the letter does.
        Raises ``AccountError`` (CONFIRM_FIRST, EMAIL_BAD, MAIL_OFF, TOO_MANY_TRIES, BUSY).
        """
        email = names.email(email)
        self._check_confirmed(session)
        await self._emails.admit(visitor)
        user = session.user
        self._emails.put(
            lambda: self._email_letter(user, email, TicketPurpose.CHANGE_EMAIL, visitor.language)
        )

    async def _email_letter(
        self, user: User, email: str, purpose: TicketPurpose, language: str
    ) -> MailMessage | None:
        async with self._db.write() as conn:
            if not await self._emails.may_write_to(conn, email):
                return None
            holder = await store.account(conn, name_or_email=email)
            if holder is not None and holder.user.id != user.id:
                return self._emails.letter("email_taken", language, email)
            token = await self._tickets.issue(conn, purpose, user_id=user.id, email=email)
        return self._emails.letter(purpose.value, language, email, emails.EMAIL + token)

    async def show_email(self, token: str) -> tuple[User, str]:
        """Return the user of a link and the address it would give them, so that somebody who did
        not ask sees it. The link stays good. Raises ``AccountError`` (TICKET_GONE).
        """
        async with self._db.read() as conn:
            try:
                ticket = await self._tickets.show(conn, TicketPurpose.CHANGE_EMAIL, token)
            except AccountError:
                ticket = await self._tickets.show(conn, TicketPurpose.VERIFY_EMAIL, token)
            account = await self._enabled(conn, ticket.user_id, AccountRefusal.TICKET_GONE)
        return account.user, ticket.email or ""

    async def prove_email(self, token: str, visitor: Visitor) -> User:
        """Use the link of either letter: the address is the user's, and verified.

        Whoever has the link need not be logged in: it shows that they read the mailbox, and gives
        them nothing. Raises ``AccountError`` (TICKET_GONE, EMAIL_TAKEN).
        """
        now = self._now()
        async with self._db.write() as conn:
            # holds other writes of identities off: the address stays as free as it is found
            await users_store.bump(conn)
            try:
                ticket = await self._tickets.take(conn, TicketPurpose.CHANGE_EMAIL, token)
            except AccountError:
                ticket = await self._tickets.take(conn, TicketPurpose.VERIFY_EMAIL, token)
            account = await self._enabled(conn, ticket.user_id, AccountRefusal.TICKET_GONE)
            email = ticket.email or ""
            holder = await store.account(conn, name_or_email=email)
            if holder is not None and holder.user.id != account.user.id:
                raise AccountError(AccountRefusal.EMAIL_TAKEN)
            await store.set_email(conn, account.user.id, email, now)
            if email != account.user.email:
                # links in the old mailbox, a password reset among them, are worth nothing now
                await self._tickets.void(conn, account.user.id, *TO_USERS)
        if email != account.user.email:
            self._emails.notify("email_changed", visitor.language, account.user.email)
        return account.user

    async def rename(self, user: User, name: str) -> str:
        """Give a user another free name. Raises ``AccountError`` (NAME_BAD, NAME_TAKEN)."""
        name = names.name(name)
        async with self._db.write() as conn:
            await users_store.bump(conn)
            holders = {other.id for other in await users_store.find_users(conn, name)}
            if (holders | await users_store.like_named(conn, name)) - {user.id}:
                raise AccountError(AccountRefusal.NAME_TAKEN)
            await store.set_name(conn, user.id, name)
        return name
