"""Adding passkeys and logging in with them: verification is `webauthn`'s, what follows is ours.

The user is always verified by the device (PIN, finger, face): a passkey is two factors, and no
second one is asked for. A challenge works once, whatever becomes of it. A device whose counter runs
backwards was copied, and is refused.
"""

import secrets
from typing import Final

import msgspec
import structlog

from trivium.identity.accounts import store as accounts_store
from trivium.identity.accounts import throttle
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.model import LoggedIn, Session, Visitor, Way
from trivium.identity.accounts.part import AccountPart, Foundation
from trivium.identity.accounts.passkeys import store
from trivium.identity.accounts.passkeys.model import Challenge, Passkey, party_of
from trivium.identity.accounts.passkeys.store import StoredPasskey
from trivium.identity.accounts.tickets import TicketPurpose
from trivium.storage.database import Connection
from trivium.storage.errors import Conflict

PASSKEYS_MAX: Final = 20
"""Of one user."""
NAME_CHARS_MAX: Final = 60
ANSWER_CHARS_MAX: Final = 20_000
"""An answer with a long attestation has some 6 KB."""
HANDLE_BYTES: Final = 32
PARTY_NAME: Final = "Trivium"
TRANSPORTS: Final = frozenset({"usb", "nfc", "ble", "internal", "hybrid", "smart-card", "cable"})

log = structlog.get_logger()


class _Response(msgspec.Struct, frozen=True, rename="camel"):
    user_handle: str | None = None
    transports: tuple[str, ...] = ()


class _Answer(msgspec.Struct, frozen=True, rename="camel"):
    """The members of a browser's answer that are read before it is verified."""

    raw_id: str = ""
    response: _Response = _Response()


class Passkeys(AccountPart):
    """Adds passkeys and logs in with them. Storage faults pass through as they are."""

    def __init__(self, on: Foundation, origin: str) -> None:
        super().__init__(on)
        self._origin = origin
        self.party: Final = party_of(origin)
        """The name they are bound to; ``None``: the gateway's address allows none."""

    async def of_user(self, user_id: int) -> list[Passkey]:
        """A user's passkeys, in the order they were added."""
        async with self._db.read() as conn:
            return await store.of_user(conn, user_id)

    # --- adding and removing -----------------------------------------------------------------

    async def begin(self, session: Session) -> Challenge:
        """Begin to add one. Raises ``AccountError`` (CONFIRM_FIRST, PASSKEY_BAD, PASSKEY_MANY)."""
        from webauthn import generate_registration_options, options_to_json
        from webauthn.helpers import structs

        party = self._checked(session)
        user = session.user
        async with self._db.write() as conn:
            known = await store.credentials(conn, user.id)
            if len(known) >= PASSKEYS_MAX:
                raise AccountError(AccountRefusal.PASSKEY_MANY)
            handle = await store.handle_of(conn, user.id) or secrets.token_bytes(HANDLE_BYTES)
            options = generate_registration_options(
                rp_id=party,
                rp_name=PARTY_NAME,
                user_name=user.name,
                user_id=handle,
                challenge=secrets.token_bytes(32),
                authenticator_selection=structs.AuthenticatorSelectionCriteria(
                    resident_key=structs.ResidentKeyRequirement.REQUIRED,
                    user_verification=structs.UserVerificationRequirement.REQUIRED,
                ),
                exclude_credentials=[
                    structs.PublicKeyCredentialDescriptor(id=one) for one, _ in known
                ],
            )
            data = {"challenge": options.challenge, "handle": handle}
            step = await self._tickets.issue(
                conn, TicketPurpose.PASSKEY, user_id=user.id, data=data
            )
        return Challenge(step=step, options=options_to_json(options))

    async def finish(
        self, session: Session, step: str, answer: str, name: str, visitor: Visitor
    ) -> Passkey:
        """Store the passkey that the browser made, and notify the user by letter. Raises
        ``AccountError`` (CONFIRM_FIRST, TICKET_GONE, PASSKEY_BAD).
        """
        from webauthn import verify_registration_response

        party = self._checked(session)
        asked = await self._take(step, session.user.id)
        read = _read(answer)
        try:
            made = verify_registration_response(
                credential=answer,
                expected_challenge=asked.challenge,
                expected_rp_id=party,
                expected_origin=self._origin,
                require_user_verification=True,
            )
        except Exception as error:
            raise _bad(error) from error
        now = self._now()
        values = {
            "user_id": session.user.id,
            "credential": made.credential_id,
            "public_key": made.credential_public_key,
            "handle": asked.handle,
            "sign_count": made.sign_count,
            "transports": msgspec.json.encode(
                sorted(TRANSPORTS & set(read.response.transports))
            ).decode(),
            "synced": made.credential_backed_up,
            "name": _name(name),
            "created_at": now,
        }
        try:
            async with self._db.write() as conn:
                await store.insert_passkey(conn, values)
        except Conflict as error:
            raise AccountError(AccountRefusal.PASSKEY_BAD) from error
        self._emails.notify("passkey_added", visitor.language, session.user.email)
        return (await self.of_user(session.user.id))[-1]

    async def remove(self, session: Session, passkey_id: int) -> bool:
        """Delete a passkey of the user; ``False`` when there was none. Raises ``AccountError``
        (CONFIRM_FIRST, LAST_WAY_IN).
        """
        user_id = session.user.id
        self._check_confirmed(session)
        async with self._db.write() as conn:
            # holds the user: two that are removed at once are not both the last but one
            await accounts_store.account(conn, user_id=user_id, hold=True)
            removed = await store.remove(conn, user_id, passkey_id)
            if removed and not await accounts_store.ways_in(conn, user_id):
                raise AccountError(AccountRefusal.LAST_WAY_IN)
        return removed

    # --- logging in --------------------------------------------------------------------------

    async def ask(self, visitor: Visitor) -> Challenge:
        """Ask for any passkey of ours. Raises ``AccountError`` (PASSKEY_BAD, TOO_MANY_TRIES)."""
        from webauthn import generate_authentication_options, options_to_json
        from webauthn.helpers.structs import UserVerificationRequirement

        if self.party is None:
            raise AccountError(AccountRefusal.PASSKEY_BAD)
        options = generate_authentication_options(
            rp_id=self.party,
            challenge=secrets.token_bytes(32),
            user_verification=UserVerificationRequirement.REQUIRED,
        )
        step = ""
        async with self._db.write() as conn:
            now = self._now()
            refused = await throttle.count(conn, now, throttle.of_challenges(visitor.address))
            if refused is None:
                data = {"challenge": options.challenge}
                step = await self._tickets.issue(conn, TicketPurpose.PASSKEY, data=data)
        if refused is not None:
            raise refused
        return Challenge(step=step, options=options_to_json(options))

    async def enter(self, step: str, answer: str, visitor: Visitor) -> LoggedIn:
        """Log in. Raises ``AccountError`` (TICKET_GONE, PASSKEY_BAD, TOO_MANY_TRIES)."""
        there = throttle.of_address(visitor.address)
        async with self._db.write() as conn:
            refused = await throttle.count(conn, self._now(), there)
        if refused is not None:
            raise refused
        asked = await self._take(step, None)
        async with self._db.write() as conn:
            stored = await self._verified(conn, asked, answer)
            bad = AccountRefusal.PASSKEY_BAD
            account = await self._enabled(conn, stored.user_id, bad, hold=True)
            await throttle.forgive(conn, there)
            token = await self._sessions.begin(conn, account.user.id, Way.PASSKEY, visitor)
        return LoggedIn(user=account.user, token=token)

    async def confirm(self, token: str, session: Session, step: str, answer: str) -> str:
        """Check a passkey again; returns a new token for the session, which allows sensitive acts.
        Raises ``AccountError`` (TICKET_GONE, PASSKEY_BAD, SESSION_GONE).
        """
        asked = await self._take(step, None)
        async with self._db.write() as conn:
            stored = await self._verified(conn, asked, answer)
            if stored.user_id != session.user.id:
                raise AccountError(AccountRefusal.PASSKEY_BAD)
            return await self._sessions.renew_in(conn, token, Way.PASSKEY)

    async def _verified(self, conn: Connection, asked: "_Ticket", answer: str) -> StoredPasskey:
        """The passkey that signed a challenge, its counter moved on."""
        from webauthn import verify_authentication_response
        from webauthn.helpers import base64url_to_bytes

        read = _read(answer)
        try:
            credential = base64url_to_bytes(read.raw_id)
            handle = base64url_to_bytes(read.response.user_handle or "")
        except ValueError as error:
            raise _bad(error) from error
        stored = await store.find(conn, credential)
        # a discoverable credential says whose it is; one that says another is not what it seems
        if stored is None or self.party is None or handle != stored.handle:
            raise AccountError(AccountRefusal.PASSKEY_BAD)
        try:
            found = verify_authentication_response(
                credential=answer,
                expected_challenge=asked.challenge,
                expected_rp_id=self.party,
                expected_origin=self._origin,
                credential_public_key=stored.public_key,
                credential_current_sign_count=stored.sign_count,
                require_user_verification=True,
            )
        except Exception as error:
            raise _bad(error) from error
        now = self._now()
        synced = found.credential_backed_up
        await store.used(conn, stored.id, found.new_sign_count, now, synced=synced)
        return stored

    async def _take(self, step: str, user_id: int | None) -> "_Ticket":
        """Use a challenge up in any case. One for adding a passkey belongs to its user."""
        async with self._db.write() as conn:
            ticket = await self._tickets.take(conn, TicketPurpose.PASSKEY, step)
        if ticket.user_id != user_id:
            raise AccountError(AccountRefusal.TICKET_GONE)
        return msgspec.json.decode(ticket.data, type=_Ticket)

    def _checked(self, session: Session) -> str:
        self._check_confirmed(session)
        if self.party is None:
            raise AccountError(AccountRefusal.PASSKEY_BAD)
        return self.party


class _Ticket(msgspec.Struct):
    """The data of a challenge's ticket."""

    challenge: bytes
    handle: bytes = b""


def _read(answer: str) -> _Answer:
    try:
        if len(answer) > ANSWER_CHARS_MAX:
            raise AccountError(AccountRefusal.PASSKEY_BAD)
        return msgspec.json.decode(answer, type=_Answer)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise _bad(error) from error


def _bad(error: Exception) -> AccountError:
    """Return one error for whatever a verifier finds, and log what it was."""
    log.info("passkey_refused", reason=type(error).__name__, said=str(error)[:200])
    return AccountError(AccountRefusal.PASSKEY_BAD)


def _name(text: str) -> str:
    bare = "".join(c for c in text.strip() if c.isprintable())[:NAME_CHARS_MAX]
    return bare or "Passkey"
