"""Which letters accounts cause, and where the links in them lead.

Letters are *written* by whoever sends them, not by the request that asked: looking up an address,
counting and issuing a ticket take as long as they take, and the page has answered before. Nothing
about the answer or its time tells whether the address is known.
"""

import contextlib
from typing import Final, Protocol

from trivium.clock import Clock
from trivium.identity.accounts import store, throttle
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.model import Visitor
from trivium.mail import templates
from trivium.mail.outbox import MailMessage, Writer
from trivium.storage.database import Connection, Database

SIGN_UP: Final = "/sign-up/"
INVITATION: Final = "/invitation/"
RESET: Final = "/password/reset/"
TEAM: Final = "/team-invitation/"
EMAIL: Final = "/email/"
APPLICATIONS: Final = "/account/applications"
"""Where links lead; of the others the token follows. The pages of ``console`` are there."""


class Outgoing(Protocol):
    """Takes letters for later; see ``mail/outbox.py``."""

    def put(self, write: Writer) -> bool:
        """Have a letter written and sent soon; ``False`` when too many wait."""
        ...


class AccountEmails:
    """Writes the letters of accounts. ``post``: ``None`` when the gateway sends none."""

    def __init__(self, db: Database, clock: Clock, post: Outgoing | None, origin: str) -> None:
        self._db = db
        self._clock = clock
        self._post = post
        self._origin = origin

    @property
    def is_open(self) -> bool:
        """Whether letters can be sent."""
        return self._post is not None

    def check(self) -> None:
        """Raise ``AccountError`` (MAIL_OFF) when letters cannot be sent."""
        if self._post is None:
            raise AccountError(AccountRefusal.MAIL_OFF)

    async def admit(self, visitor: Visitor) -> None:
        """Count a request by network. Raises ``AccountError`` (MAIL_OFF, TOO_MANY_TRIES)."""
        self.check()
        async with self._db.write() as conn:
            now = int(self._clock.now())
            refused = await throttle.count(conn, now, throttle.of_sender(visitor.address))
        if refused is not None:
            raise refused

    async def may_write_to(self, conn: Connection, email: str) -> bool:
        """Count a letter that a stranger caused; ``False`` when the mailbox has had too many."""
        refused = await throttle.count(conn, int(self._clock.now()), throttle.of_mailbox(email))
        return refused is None

    def put(self, write: Writer) -> None:
        """Have a letter written and sent soon. Raises ``AccountError`` (MAIL_OFF, BUSY)."""
        self.check()
        if self._post is not None and not self._post.put(write):
            raise AccountError(AccountRefusal.BUSY, 60)

    def send(self, kind: str, language: str, email: str, path: str = "") -> None:
        """Send a letter to somebody known. Raises ``AccountError`` (MAIL_OFF, BUSY)."""

        async def write() -> MailMessage:
            return self.letter(kind, language, email, path)

        self.put(write)

    def notify(self, kind: str, language: str, email: str) -> None:
        """Notify a user of a change, which stands in any case, if letters can be sent."""
        if self._post is not None:
            with contextlib.suppress(AccountError):
                self.send(kind, language, email)

    def tokens_stolen(self, user_id: int, language: str) -> None:
        """Warn a user that somebody else seems to have tokens of one of their applications."""
        if self._post is not None:
            with contextlib.suppress(AccountError):
                self.put(lambda: self._warning("tokens_stolen", user_id, language, APPLICATIONS))

    async def _warning(
        self, kind: str, user_id: int, language: str, path: str
    ) -> MailMessage | None:
        """The letter; ``None`` after too many: no application shall fill a mailbox."""
        async with self._db.write() as conn:
            found = await store.account(conn, user_id=user_id)
            if found is None or found.user.disabled:
                return None
            now = int(self._clock.now())
            if await throttle.count(conn, now, throttle.of_warnings(user_id)) is not None:
                return None
        return self.letter(kind, language, found.user.email, path)

    def letter(self, kind: str, language: str, email: str, path: str = "") -> MailMessage:
        """One letter of the catalogue, with a link to a page of ours."""
        return templates.letter(kind, language, to=email, link=self.url(path))

    def url(self, path: str) -> str:
        """Return the public address of a page. It never depends on what a request says."""
        return self._origin + path
