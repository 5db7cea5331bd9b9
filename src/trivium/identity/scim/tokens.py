"""Tokens of directories: made by administrators, hashed, expiring, revocable.

Whose addresses a directory may vouch for stands with its token: whoever makes one says which
domains are the organisation's own.
"""

import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Final

import msgspec

from trivium.clock import Clock
from trivium.identity.errors import IdentityError
from trivium.identity.revocation import LogAct, log_nothing
from trivium.identity.scim import store
from trivium.identity.scim.model import ScimDirectory, ScimToken
from trivium.identity.teams.store import find_teams
from trivium.identity.terms import name_of
from trivium.observe.audit.model import ActKind, Detail
from trivium.storage.database import Database

PREFIX: Final = "gwscim_"
SECRET_BYTES: Final = 32
HINT_CHARS: Final = 4
DAYS: Final = 365
DAYS_MAX: Final = 3 * 366
DAY_S: Final = 86_400
TOKENS_MAX: Final = 10
"""Live ones of one organisation."""
DOMAINS_MAX: Final = 100
TOUCHED_S: Final = 60
"""When a token was used is known to within a minute."""

_TOKEN: Final = re.compile(r"gwscim_[A-Za-z0-9_-]{43}")
_DOMAIN: Final = re.compile(r"[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}")


class ScimTokens:
    """Tokens of directories in the database. Storage faults pass through as they are."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        random_bytes: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._db = db
        self._clock = clock
        self._random_bytes = random_bytes

    async def create(
        self,
        team_id: int,
        name: str = "default",
        domains: Sequence[str] = (),
        days: int = DAYS,
        log_act: LogAct = log_nothing,
    ) -> tuple[ScimToken, str]:
        """A new token of an organisation or team, and its secret, which is nowhere to be had again.

        Raises ``IdentityError`` (``team``, ``name``, ``domains``, ``days``, ``tokens``).
        """
        if not 1 <= days <= DAYS_MAX:
            raise IdentityError("days", f"are 1 to {DAYS_MAX}")
        now = int(self._clock.now())
        random = self._random_bytes(SECRET_BYTES)
        secret = PREFIX + urlsafe_b64encode(random).rstrip(b"=").decode("ascii")
        token = ScimToken(
            id=0,
            directory_id=team_id,
            hint=secret[-HINT_CHARS:],
            name=name_of(name),
            domains=_domains(domains),
            created_at=now,
            expires_at=now + days * DAY_S,
        )
        async with self._db.write() as conn:
            if (await find_teams(conn)).get(team_id) is None:
                raise IdentityError("team", "is not there")
            own = await store.tokens_of(conn, team_id)
            if sum(each.state(now) == "live" for each in own) >= TOKENS_MAX:
                raise IdentityError("tokens", f"are {TOKENS_MAX} already; revoke one")
            token_id = await store.insert_token(conn, token, _digest(secret))
            detail: Detail = {"token": token_id, "domains": ", ".join(token.domains)[:500]}
            kind = ActKind.SCIM_TOKEN_CREATED
            await log_act(conn, kind, team_id, f"scim_token:{token_id}", detail)
        return msgspec.structs.replace(token, id=token_id), secret

    async def all(self, team_id: int | None = None) -> list[ScimToken]:
        """The tokens of an organisation, or everybody's, ended ones too."""
        async with self._db.read() as conn:
            return await store.tokens_of(conn, team_id)

    async def newest(self, before: int | None, limit: int) -> list[ScimToken]:
        """The newest tokens of all, ended ones too; ``before``: an id to go on from."""
        async with self._db.read() as conn:
            return await store.newest_tokens(conn, before, limit)

    async def revoke(
        self, token_id: int, team_id: int | None = None, log_act: LogAct = log_nothing
    ) -> ScimToken:
        """Refuse a token from now on. ``team_id``: only one of this organisation's. Raises
        ``IdentityError`` (``token``).
        """
        async with self._db.write() as conn:
            own = {each.id: each for each in await store.tokens_of(conn, team_id)}
            found = own.get(token_id)
            if found is None or not await store.end_token(conn, token_id, int(self._clock.now())):
                raise IdentityError("token", "is not there, or was revoked before")
            kind = ActKind.SCIM_TOKEN_REVOKED
            await log_act(conn, kind, found.directory_id, f"scim_token:{token_id}")
        return found

    async def authenticate(self, presented: str) -> ScimDirectory | None:
        """Whose word this token is; ``None``: nobody's, or not any more."""
        if not _TOKEN.fullmatch(presented):
            return None
        now = int(self._clock.now())
        async with self._db.read() as conn:
            found = await store.token_of(conn, _digest(presented))
        if found is None:
            return None
        token, is_off = found
        if is_off or token.state(now) != "live":
            return None
        if token.last_used_at is None or now - token.last_used_at >= TOUCHED_S:
            async with self._db.write() as conn:
                await store.touch_token(conn, token.id, now)
        return ScimDirectory(token_id=token.id, team_id=token.directory_id, domains=token.domains)


def _digest(secret: str) -> bytes:
    return sha256(secret.encode()).digest()


def _domains(texts: Sequence[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(text.strip().lower() for text in texts))
    if len(found) > DOMAINS_MAX:
        raise IdentityError("domains", f"are at most {DOMAINS_MAX}")
    for domain in found:
        if not _DOMAIN.fullmatch(domain):
            raise IdentityError("domains", f"{domain[:80]!r} is none, such as 'example.com'")
    return found
