"""Switching a second factor on and off, and asking for it.

A code works once: the step it belongs to and all before it are used up with it, in one conditional
update. The secret is sealed with the gateway's own key and bound to its user.

An authenticator app's codes go by the clock (RFC 6238, by `pyotp`): six digits, thirty seconds,
SHA-1: the one combination that every app knows (others are ignored by some without a word). HMAC-
SHA-1 is not what fails here: a code is one of a million whatever the hash, which is why tries are
counted and a code works once.
"""

import base64
import hmac
import secrets
from collections.abc import Callable
from hashlib import sha256
from typing import Final

import msgspec
import structlog

from trivium.identity.accounts import throttle
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.mfa import store
from trivium.identity.accounts.model import LoggedIn, Session, Visitor, Way
from trivium.identity.accounts.part import AccountPart, Foundation
from trivium.identity.accounts.tickets import TicketPurpose
from trivium.storage.database import Connection
from trivium.storage.vault import Vault, VaultError

STEP_S: Final = 30
SKEW: Final = 1
"""Steps that a phone's clock may be off, either way."""
SECRET_BYTES: Final = 20
"""The length of the hash, as RFC 4226 section 4 recommends."""
RECOVERY_CODES: Final = 10
RECOVERY_CHARS: Final = 16
"""Of 32 kinds: 80 bits, which need no slow hash."""

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O or U."""
_LOOKALIKE: Final = str.maketrans("OIL", "011", "- ")


def matching_step(secret: str, typed: str, now: float) -> int | None:
    """The time step whose code was typed; ``None`` when it is that of no step around now.

    ``secret`` is in base 32. Every step is compared, in constant time.
    """
    from pyotp.totp import TOTP

    typed = typed.replace(" ", "")
    if len(typed) != 6 or not (typed.isascii() and typed.isdigit()):
        return None
    app = TOTP(secret)
    found = None
    current = int(now) // STEP_S
    for step in range(current - SKEW, current + SKEW + 1):
        if hmac.compare_digest(app.at(step * STEP_S), typed):
            found = step
    return found


def address(secret: str, account: str, issuer: str) -> str:
    """Return the text of the QR code: an ``otpauth`` address."""
    from pyotp.totp import TOTP

    return TOTP(secret).provisioning_uri(name=account, issuer_name=issuer)


def recovery_code(random_bytes: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """A new code, in groups of four."""
    # 256 is a multiple of 32: every character is equally likely
    plain = "".join(_ALPHABET[byte % 32] for byte in random_bytes(RECOVERY_CHARS))
    return "-".join(plain[i : i + 4] for i in range(0, RECOVERY_CHARS, 4))


def recovery_digest(typed: str) -> bytes | None:
    """What is stored of a recovery code; ``None`` for a text that cannot be one."""
    plain = typed.strip().upper().translate(_LOOKALIKE)
    if len(plain) != RECOVERY_CHARS or not set(plain) <= set(_ALPHABET):
        return None
    return sha256(plain.encode()).digest()


ISSUER: Final = "Trivium"
"""What authenticator apps show above the account."""

log = structlog.get_logger()


class FactorState(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a user has a second factor."""

    since: int | None
    """Seconds since the epoch; ``None``: there is none."""
    codes_left: int
    """Recovery codes that were not used."""


class Enrolment(msgspec.Struct, frozen=True, kw_only=True):
    """What an authenticator app needs; shown once."""

    secret: str
    """Base 32, to be typed where no picture can be taken."""
    address: str
    """What the picture says."""

    def __repr__(self) -> str:
        """Leave out the secret, which must not reach a log."""
        return "Enrolment(...)"


class _Step(msgspec.Struct):
    """What the ticket of a half-way login says."""

    way: str


class SecondFactor(AccountPart):
    """Authenticator apps and recovery codes. Storage faults pass through as they are."""

    def __init__(self, on: Foundation, vault: Vault) -> None:
        super().__init__(on)
        self._vault = vault

    async def state(self, user_id: int) -> FactorState:
        """Return whether the factor is on, and how many recovery codes are left."""
        async with self._db.read() as conn:
            found = await store.find(conn, user_id)
            left = await store.codes_left(conn, user_id)
        return FactorState(since=found.confirmed_at if found else None, codes_left=left)

    # --- on and off --------------------------------------------------------------------------

    async def begin(self, session: Session) -> Enrolment:
        """A secret, in use after ``finish``. Raises ``AccountError`` (CONFIRM_FIRST, FACTOR_ON)."""
        self._check_confirmed(session)
        user = session.user
        secret = base64.b32encode(secrets.token_bytes(SECRET_BYTES)).decode()
        async with self._db.write() as conn:
            found = await store.find(conn, user.id)
            if found is not None and found.confirmed_at is not None:
                raise AccountError(AccountRefusal.FACTOR_ON)
            sealed = self._vault.seal(secret.encode(), _place(user.id))
            await store.begin(conn, user.id, sealed, self._now())
        return Enrolment(secret=secret, address=address(secret, user.name, ISSUER))

    async def pending(self, session: Session) -> Enrolment:
        """The enrolment under way. Raises ``AccountError`` (CONFIRM_FIRST, FACTOR_OFF)."""
        self._check_confirmed(session)
        async with self._db.read() as conn:
            found = await store.find(conn, session.user.id)
        if found is None or found.confirmed_at is not None:
            raise AccountError(AccountRefusal.FACTOR_OFF)
        secret = self._vault.open(found.secret, _place(session.user.id)).decode()
        return Enrolment(secret=secret, address=address(secret, session.user.name, ISSUER))

    async def finish(
        self, token: str, session: Session, code: str, visitor: Visitor
    ) -> tuple[str, list[str]]:
        """Switch it on with a first code: a new token for the session, and the recovery codes,
        which are nowhere to be had again. Other sessions, begun with one factor, end.

        Raises ``AccountError`` (CONFIRM_FIRST, CODE_WRONG, TOO_MANY_TRIES, FACTOR_OFF,
        SESSION_GONE).
        """
        self._check_confirmed(session)
        user_id = session.user.id
        fresh, made = "", []
        async with self._db.write() as conn:
            found = await store.find(conn, user_id)
            if found is None or found.confirmed_at is not None:
                raise AccountError(AccountRefusal.FACTOR_OFF)
            now = self._now()
            refused = await throttle.count(conn, now, throttle.of_factor(user_id))
            if refused is None and await self._uses_step(conn, user_id, found.secret, code):
                await throttle.forget(conn, throttle.of_factor(user_id))
                await store.confirm(conn, user_id, now)
                made = await self._new_codes(conn, user_id)
                fresh = await self._sessions.renew_in(conn, token)
                await self._sessions.end_others(conn, user_id, fresh)
        if refused is not None:
            raise refused
        if not made:
            raise AccountError(AccountRefusal.CODE_WRONG)
        self._emails.notify("factor_on", visitor.language, session.user.email)
        return fresh, made

    async def off(self, token: str, session: Session, visitor: Visitor) -> str:
        """Switch it off; a new token. Raises ``AccountError`` (CONFIRM_FIRST, SESSION_GONE)."""
        self._check_confirmed(session)
        async with self._db.write() as conn:
            await store.remove(conn, session.user.id)
            fresh = await self._sessions.renew_in(conn, token)
        self._emails.notify("factor_off", visitor.language, session.user.email)
        return fresh

    async def remove(self, user_id: int) -> None:
        """Switch it off as an operator, for a user who lost the phone and the recovery codes."""
        async with self._db.write() as conn:
            await store.remove(conn, user_id)

    async def new_codes(self, session: Session) -> list[str]:
        """Replace the recovery codes. Raises ``AccountError`` (CONFIRM_FIRST, FACTOR_OFF)."""
        self._check_confirmed(session)
        async with self._db.write() as conn:
            found = await store.find(conn, session.user.id)
            if found is None or found.confirmed_at is None:
                raise AccountError(AccountRefusal.FACTOR_OFF)
            return await self._new_codes(conn, session.user.id)

    # --- asking for it -----------------------------------------------------------------------

    async def enter(self, step: str, typed: str, visitor: Visitor) -> LoggedIn:
        """The second step. Raises ``AccountError`` (TICKET_GONE, CODE_WRONG, TOO_MANY_TRIES)."""
        token, recovery = "", False
        async with self._db.write() as conn:
            ticket = await self._tickets.show(conn, TicketPurpose.SECOND_FACTOR, step)
            gone = AccountRefusal.TICKET_GONE
            user = (await self._enabled(conn, ticket.user_id, gone, hold=True)).user
            ours, there = throttle.of_factor(user.id), throttle.of_address(visitor.address)
            refused = await throttle.count(conn, self._now(), ours, there)
            if refused is None:
                recovery = await self._uses_recovery(conn, user.id, typed)
                if recovery or await self._is_code(conn, user.id, typed):
                    await self._tickets.take(conn, TicketPurpose.SECOND_FACTOR, step)
                    await throttle.forget(conn, ours)
                    await throttle.forgive(conn, there)
                    way = Way(msgspec.json.decode(ticket.data, type=_Step).way)
                    token = await self._sessions.begin(conn, user.id, way, visitor)
        if refused is not None:
            raise refused
        if not token:
            raise AccountError(AccountRefusal.CODE_WRONG)
        if recovery:
            self._emails.notify("recovery_code_used", visitor.language, user.email)
        return LoggedIn(user=user, token=token)

    async def _is_code(self, conn: Connection, user_id: int, typed: str) -> bool:
        found = await store.find(conn, user_id)
        if found is None or found.confirmed_at is None:
            return False
        return await self._uses_step(conn, user_id, found.secret, typed)

    async def _uses_step(self, conn: Connection, user_id: int, sealed: bytes, typed: str) -> bool:
        """Whether a code is right and was not used before; used up if so."""
        try:
            secret = self._vault.open(sealed, _place(user_id)).decode()
        except VaultError as error:
            # recovery codes still work, and so does `trivium user factor-off`
            log.warning("second_factor_unreadable", user_id=user_id, error=str(error))
            return False
        step = matching_step(secret, typed, self._clock.now())
        if step is None or not await store.use_step(conn, user_id, step):
            return False
        if not self._vault.is_current(sealed):
            # it has no end of its own: without this an older key could never be let go
            fresh = self._vault.seal(secret.encode(), _place(user_id))
            await store.reseal(conn, user_id, sealed, fresh)
        return True

    async def _uses_recovery(self, conn: Connection, user_id: int, typed: str) -> bool:
        digest = recovery_digest(typed)
        if digest is None:
            return False
        return await store.use_code(conn, user_id, digest, self._now())

    async def _new_codes(self, conn: Connection, user_id: int) -> list[str]:
        made = [recovery_code() for _ in range(RECOVERY_CODES)]
        digests = [digest for code in made if (digest := recovery_digest(code))]
        await store.replace_codes(conn, user_id, digests)
        return made


def _place(user_id: int) -> bytes:
    return b"totp %d" % user_id
