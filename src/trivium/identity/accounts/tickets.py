"""What works once: links in letters, invitations, and the steps of a login under way.

A ticket is known by the SHA-256 of its token, works for its purpose alone and for a while, and is
used up by one conditional update, whoever tries it at once. Showing a page does not use it up: mail
programs look at links before people do.

Tokens of sessions and tickets are 256 random bits, of which only the SHA-256 is kept. High entropy
needs no slow hash, and a digest is looked up by index: no comparison of secrets takes place that
could be timed.
"""

import base64
import secrets
from collections.abc import Callable, Mapping
from enum import Enum, unique
from hashlib import sha256
from typing import Any, Final

import msgspec

from trivium.clock import Clock
from trivium.identity.accounts import store
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.store import Ticket
from trivium.storage.database import Connection

TOKEN_BYTES: Final = 32
TOKEN_CHARS: Final = 43
"""Of URL-safe base64 without its padding."""


def issue(random_bytes: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """A new token. ``random_bytes``: what nobody can predict."""
    return base64.urlsafe_b64encode(random_bytes(TOKEN_BYTES)).decode().rstrip("=")


def digest(token: str) -> bytes | None:
    """What is stored of a token; ``None`` for a text that cannot be one."""
    if len(token) != TOKEN_CHARS:
        return None
    return sha256(token.encode("utf-8", "replace")).digest()


@unique
class TicketPurpose(Enum):
    """What a ticket is for."""

    SIGN_UP = "sign_up"
    INVITATION = "invitation"
    RESET = "reset"
    VERIFY_EMAIL = "verify_email"
    CHANGE_EMAIL = "change_email"
    SECOND_FACTOR = "second_factor"
    PASSKEY = "passkey"
    OUTSIDE = "outside"
    SETUP = "setup"


LIFETIME_S: Final[Mapping[TicketPurpose, int]] = {
    TicketPurpose.SIGN_UP: 24 * 3600,
    TicketPurpose.INVITATION: 7 * 86_400,
    TicketPurpose.RESET: 1800,
    TicketPurpose.VERIFY_EMAIL: 24 * 3600,
    TicketPurpose.CHANGE_EMAIL: 24 * 3600,
    TicketPurpose.SECOND_FACTOR: 600,
    TicketPurpose.PASSKEY: 300,
    TicketPurpose.OUTSIDE: 600,
    TicketPurpose.SETUP: 24 * 3600,
}
KEPT_S: Final = 86_400
"""An expired ticket is deleted after a day."""
OF_USERS: Final = (
    TicketPurpose.RESET,
    TicketPurpose.VERIFY_EMAIL,
    TicketPurpose.CHANGE_EMAIL,
    TicketPurpose.SECOND_FACTOR,
    TicketPurpose.PASSKEY,
)
"""Whatever is issued to a user that exists."""
TO_USERS: Final = (TicketPurpose.RESET, TicketPurpose.VERIFY_EMAIL, TicketPurpose.CHANGE_EMAIL)
"""What somebody with access to an old mailbox could still use."""

_NO_DATA: Final[Mapping[str, Any]] = {}


class Tickets:
    """Issues, shows and takes tickets, in transactions of whoever calls."""

    def __init__(
        self, clock: Clock, random_bytes: Callable[[int], bytes] = secrets.token_bytes
    ) -> None:
        self._clock = clock
        self._random_bytes = random_bytes

    async def issue(
        self,
        conn: Connection,
        purpose: TicketPurpose,
        *,
        user_id: int | None = None,
        email: str | None = None,
        data: Mapping[str, Any] = _NO_DATA,
        lifetime_s: int | None = None,
    ) -> str:
        """A new ticket's token."""
        now = int(self._clock.now())
        token = issue(self._random_bytes)
        values = {
            "digest": digest(token),
            "purpose": purpose.value,
            "user_id": user_id,
            "email": email,
            "data": msgspec.json.encode(data).decode(),
            "created_at": now,
            "expires_at": now + (LIFETIME_S[purpose] if lifetime_s is None else lifetime_s),
        }
        await store.insert_ticket(conn, values)
        return token

    async def show(self, conn: Connection, purpose: TicketPurpose, token: str) -> Ticket:
        """An open ticket, left open. Raises ``AccountError`` (TICKET_GONE)."""
        hashed = digest(token)
        found = hashed and await store.ticket(conn, purpose.value, hashed, int(self._clock.now()))
        if not found:
            raise AccountError(AccountRefusal.TICKET_GONE)
        return found

    async def take(self, conn: Connection, purpose: TicketPurpose, token: str) -> Ticket:
        """An open ticket, used up with the transaction. Raises ``AccountError`` (TICKET_GONE)."""
        hashed = digest(token)
        found = hashed and await store.claim(conn, purpose.value, hashed, int(self._clock.now()))
        if not found:
            raise AccountError(AccountRefusal.TICKET_GONE)
        return found

    async def void(self, conn: Connection, user_id: int, *purposes: TicketPurpose) -> None:
        """Use up a user's open tickets for nothing."""
        now = int(self._clock.now())
        await store.void(conn, [p.value for p in purposes], now, user_id=user_id)
