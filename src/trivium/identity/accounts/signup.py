"""Making an account: by whoever can read a mailbox, by invitation, or by the link that a gateway
without an administrator prints (``first_run.py``).

The address comes first, the name and password after its owner has opened the letter. The other way
round somebody could make an account for another's address and wait, with a password they know, for
the owner to confirm it. It also makes the answer to "sign me up" the same for every address: a
known one gets a letter, too, which says that there is an account.
"""

from typing import Final

import msgspec

from trivium.identity import store as users_store
from trivium.identity.accounts import emails, names, passwords, store
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.model import Invitation, LoggedIn, Offer, Visitor, Way
from trivium.identity.accounts.part import AccountPart, Foundation
from trivium.identity.accounts.store import Ticket
from trivium.identity.accounts.tickets import TicketPurpose
from trivium.identity.model import User, UserRole
from trivium.mail.outbox import MailMessage
from trivium.storage.database import Connection

OPEN: Final = "open"
INVITED: Final = "invitation"


class SignUp(AccountPart):
    """Makes new accounts. Storage faults pass through as they are."""

    def __init__(self, on: Foundation, mode: str, invitation_s: int) -> None:
        super().__init__(on)
        self.mode: Final = mode
        """``open``, ``invitation`` or ``closed``."""
        self._invitation_s = invitation_s

    async def ask(self, email: str, visitor: Visitor) -> None:
        """Have a letter sent to somebody who wants an account, or has one.

        Raises ``AccountError`` (SIGN_UP_CLOSED, EMAIL_BAD, MAIL_OFF, TOO_MANY_TRIES, BUSY), none
        of which depends on whether the address is known.
        """
        if self.mode != OPEN:
            raise AccountError(AccountRefusal.SIGN_UP_CLOSED)
        email = names.email(email)
        await self._emails.admit(visitor)
        self._emails.put(lambda: self._letter(email, visitor.language))

    async def _letter(self, email: str, language: str) -> MailMessage | None:
        async with self._db.write() as conn:
            if not await self._emails.may_write_to(conn, email):
                return None
            if await store.account(conn, name_or_email=email) is not None:
                return self._emails.letter("sign_up_known", language, email)
            token = await self._tickets.issue(conn, TicketPurpose.SIGN_UP, email=email)
        return self._emails.letter("sign_up", language, email, emails.SIGN_UP + token)

    async def offer(self, token: str) -> Offer:
        """What a link holds, left good. Raises ``AccountError`` (TICKET_GONE, SIGN_UP_CLOSED)."""
        async with self._db.read() as conn:
            purpose, ticket = await self._shown(conn, token)
        return _offer(purpose, ticket)

    async def finish(
        self, token: str, name: str, password: str, visitor: Visitor, email: str = ""
    ) -> LoggedIn:
        """Make the account of a link, and log in. ``email``: where the link has none.

        Raises ``AccountError`` (TICKET_GONE, SIGN_UP_CLOSED, NAME_BAD, NAME_TAKEN, EMAIL_BAD,
        EMAIL_TAKEN, PASSWORD_SHORT, PASSWORD_LONG, PASSWORD_COMMON, BUSY); the link stays good.
        """
        name = names.name(name)
        async with self._db.read() as conn:
            purpose, ticket = await self._shown(conn, token)
        offer = _offer(purpose, ticket)
        address = offer.email or names.email(email)
        password = passwords.check(password, (name, address))
        stored = await self._hasher.hash(password)
        async with self._db.write() as conn:
            await self._tickets.take(conn, purpose, token)
            if purpose is TicketPurpose.SETUP:
                await users_store.bump(conn)  # of two who finish at once one waits here
                await _check_none(conn)
            user = await self._insert(conn, name, address, offer, stored)
            session = await self._sessions.begin(conn, user.id, Way.LETTER, visitor)
        return LoggedIn(user=user, token=session)

    async def _insert(
        self, conn: Connection, name: str, email: str, offer: Offer, stored: str | None
    ) -> User:
        now = self._now()
        # from here on nobody else writes identities: what is free now stays free
        raised = await users_store.bump(conn)
        if await users_store.like_named(conn, name) or await users_store.find_users(conn, name):
            raise AccountError(AccountRefusal.NAME_TAKEN)
        if await users_store.find_users(conn, email):
            raise AccountError(AccountRefusal.EMAIL_TAKEN)
        user = User(
            id=0,
            name=name,
            email=email,
            email_verified=offer.proven,
            role=offer.role,
            created_at=now,
        )
        user_id = await users_store.insert_user(conn, user, raised)
        if stored is not None:
            await store.set_password(conn, user_id, stored)
        if offer.proven:
            await store.verify_email(conn, user_id, email, now)
        return msgspec.structs.replace(user, id=user_id)

    async def vouched(self, conn: Connection, wanted: str, email: str) -> User:
        """An account without a password, for an address that a trusted provider vouches for.

        It gets the wanted name or one like it. Raises ``AccountError`` (EMAIL_TAKEN).
        """
        offer = Offer(email=email, role=UserRole.USER, proven=True)
        for name in names.alike(wanted, email):
            try:
                return await self._insert(conn, name, email, offer, None)
            except AccountError as error:
                if error.why is not AccountRefusal.NAME_TAKEN:
                    raise
        raise AccountError(AccountRefusal.NAME_TAKEN)

    # --- invitations -------------------------------------------------------------------------

    async def invite(
        self,
        email: str | None = None,
        role: UserRole = UserRole.USER,
        *,
        language: str = "en",
        by_mail: bool = False,
        lifetime_s: int | None = None,
    ) -> tuple[Invitation, str]:
        """Leave to make one account, and the address of its link, which is nowhere to be had again.

        ``by_mail``: the link is also sent to ``email``, and using it then proves the address. It is
        not returned in that case: whoever invites must not be able to use it instead.
        Raises ``AccountError`` (EMAIL_BAD, EMAIL_TAKEN, MAIL_OFF, BUSY).
        """
        email = names.email(email) if email else None
        if by_mail:
            self._emails.check()
        lifetime_s = self._invitation_s if lifetime_s is None else lifetime_s
        data = {"role": role.value, "proven": by_mail and email is not None}
        async with self._db.write() as conn:
            if email and await store.account(conn, name_or_email=email) is not None:
                raise AccountError(AccountRefusal.EMAIL_TAKEN)
            token = await self._tickets.issue(
                conn, TicketPurpose.INVITATION, email=email, data=data, lifetime_s=lifetime_s
            )
            found = await self._tickets.show(conn, TicketPurpose.INVITATION, token)
        path = emails.INVITATION + token
        if by_mail and email:
            self._emails.send("invitation", language, email, path)
            return _invitation(found), ""
        return _invitation(found), self._emails.url(path)

    async def invitations(self, after: int = 0, limit: int | None = None) -> list[Invitation]:
        """Those that can still be used, after an id, oldest first; ``limit``: ``None``: all."""
        now = self._now()
        async with self._db.read() as conn:
            purpose = TicketPurpose.INVITATION.value
            found = await store.open_tickets(conn, purpose, now, after, limit)
        return [_invitation(ticket) for ticket in found]

    async def withdraw(self, invitation_id: int) -> bool:
        """Void an invitation; ``False`` when it was used, expired or never was."""
        now = self._now()
        async with self._db.write() as conn:
            purposes = [TicketPurpose.INVITATION.value]
            return await store.void(conn, purposes, now, ticket_id=invitation_id) == 1

    async def _shown(self, conn: Connection, token: str) -> tuple[TicketPurpose, Ticket]:
        """The ticket of any kind of link, as far as the mode allows it."""
        for purpose, modes in (
            (TicketPurpose.SETUP, (self.mode,)),
            (TicketPurpose.INVITATION, (OPEN, INVITED)),
            (TicketPurpose.SIGN_UP, (OPEN,)),
        ):
            try:
                ticket = await self._tickets.show(conn, purpose, token)
            except AccountError:
                continue
            if self.mode not in modes:
                raise AccountError(AccountRefusal.SIGN_UP_CLOSED)
            if purpose is TicketPurpose.SETUP:
                await _check_none(conn)
            return purpose, ticket
        raise AccountError(AccountRefusal.TICKET_GONE)


async def _check_none(conn: Connection) -> None:
    """Raise ``AccountError`` (TICKET_GONE) once there is an administrator."""
    if await users_store.has_administrator(conn):
        raise AccountError(AccountRefusal.TICKET_GONE)


class _Data(msgspec.Struct):
    """The data of an invitation's ticket."""

    role: str = UserRole.USER.value
    proven: bool = False


def _offer(purpose: TicketPurpose, ticket: Ticket) -> Offer:
    if purpose is TicketPurpose.SIGN_UP:
        return Offer(email=ticket.email, role=UserRole.USER, proven=True)
    if purpose is TicketPurpose.SETUP:
        return Offer(email=None, role=UserRole.ADMIN, proven=False)
    data = msgspec.json.decode(ticket.data, type=_Data)
    return Offer(email=ticket.email, role=UserRole(data.role), proven=data.proven)


def _invitation(ticket: Ticket) -> Invitation:
    return Invitation(
        id=ticket.id,
        email=ticket.email,
        role=UserRole(msgspec.json.decode(ticket.data, type=_Data).role),
        created_at=ticket.created_at,
        expires_at=ticket.expires_at,
    )
