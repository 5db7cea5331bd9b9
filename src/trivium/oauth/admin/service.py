"""Making, rotating, listing, revoking and recognising tokens for machines.

Each call is one transaction, and each request asks the database: what one worker revokes is refused
at all others, on every node, from the next request on. Storage faults pass through as they are.
"""

from typing import Final

import msgspec

from trivium.clock import Clock
from trivium.identity.model import UserRole
from trivium.identity.revocation import ActLog
from trivium.oauth import credential
from trivium.oauth.admin import store
from trivium.oauth.admin.model import AdminToken, Machine, words
from trivium.oauth.apps import registration
from trivium.oauth.credential import CredentialKind
from trivium.oauth.errors import OAuthError, RegistrationError
from trivium.observe.audit.model import ActKind, Detail
from trivium.settings.workloads import AdminScope
from trivium.storage.database import Connection, Database

DAYS: Final = 90
"""How long a token lives unless its maker says otherwise."""
DAYS_MAX: Final = 366
DAY_S: Final = 86_400
HOUR_S: Final = 3600
LIVE_MAX: Final = 200
"""Tokens that are good at once, of all administrators together."""
PER_HOUR_MAX: Final = 60
"""Tokens that are made an hour, of all administrators together."""
OVERLAP_S: Final = DAY_S
"""For how long the secret before a rotation works as well, unless said otherwise."""
OVERLAP_S_MAX: Final = 30 * DAY_S
TOUCH_S: Final = 60
"""How exactly the last use is kept."""
_INVALID: Final = "the token is not valid"


class AdminTokens:
    """Tokens for machines in the database."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def create(
        self,
        name: str,
        scopes: frozenset[AdminScope],
        acts: ActLog,
        *,
        days: int | None = None,
        user_id: int | None = None,
        maker: Machine | None = None,
    ) -> tuple[AdminToken, str]:
        """A new token and its secret, which is nowhere to be had again. ``user_id``: the
        administrator that it is of. ``maker``: the token that makes it, beyond which it may not go.

        Raises RegistrationError (``name``, ``scopes``, ``days``, ``user``, ``limit``, ``rate``,
        ``reach``).
        """
        now = int(self._clock.now())
        secret = credential.issue(CredentialKind.ADMIN_TOKEN)
        token = AdminToken(
            id=0,
            user_id=user_id if maker is None else maker.user_id,
            parent_id=None if maker is None else maker.token_id,
            name=registration.name(name),
            hint=credential.hint(secret),
            scopes=_checked(scopes, maker),
            created_at=now,
            expires_at=_end(now, days, maker),
        )
        async with self._db.write() as conn:
            await self._check(conn, token, now)
            token_id = await store.insert(conn, token, credential.digest(secret))
            token = msgspec.structs.replace(token, id=token_id)
            told = {"name": token.name, "scopes": words(scopes)}
            await acts.within(conn, ActKind.ADMIN_TOKEN_CREATED, token.user_id, token.what, told)
        return token, secret

    async def everything(self) -> list[AdminToken]:
        """All tokens, newest first, ended ones too until they are swept."""
        async with self._db.read() as conn:
            return await store.everything(conn)

    async def newest(self, before: int | None = None, limit: int = 50) -> list[AdminToken]:
        """At most so many tokens before an id, newest first, ended ones too until they are gone."""
        async with self._db.read() as conn:
            return await store.newest(conn, before, limit)

    async def rotate(
        self,
        token_id: int,
        acts: ActLog,
        *,
        overlap_s: int = OVERLAP_S,
        days: int | None = None,
        maker: Machine | None = None,
    ) -> tuple[AdminToken, str]:
        """Give a token another secret; the one before works for ``overlap_s`` seconds more.
        ``days``: it lives so long from now on; ``None``: as long as before. ``maker``: the token
        that asks, which rotates itself and those it made, and prolongs none.

        Raises RegistrationError (``token``, ``overlap_s``, ``days``, ``state``, ``reach``).
        """
        now = int(self._clock.now())
        if not 0 <= overlap_s <= OVERLAP_S_MAX:
            raise RegistrationError("overlap_s", f"must be 0 to {OVERLAP_S_MAX}")
        _check_current(maker)
        if days is not None and maker is not None:
            raise RegistrationError("days", "a token prolongs none: an administrator does")
        secret = credential.issue(CredentialKind.ADMIN_TOKEN)
        hint, until = credential.hint(secret), now + overlap_s if overlap_s else None
        async with self._db.write() as conn:
            token = await self._within_reach(conn, token_id, maker)
            if token.state(now) != "live":
                raise RegistrationError("state", f"the token is {token.state(now)}: make another")
            end = token.expires_at if days is None else _end(now, days, None)
            token = msgspec.structs.replace(token, hint=hint, expires_at=end, former_until=until)
            await store.rotate(conn, token, credential.digest(secret), hint, until)
            told: Detail = {"name": token.name, "overlap_s": overlap_s}
            await acts.within(conn, ActKind.ADMIN_TOKEN_ROTATED, token.user_id, token.what, told)
        return token, secret

    async def revoke(
        self, token_id: int, acts: ActLog, *, maker: Machine | None = None
    ) -> AdminToken:
        """Refuse a token, and those it made, from now on. Repeating the call changes nothing.
        ``maker``: as of ``rotate``. Raises RegistrationError (``token``).
        """
        now = int(self._clock.now())
        async with self._db.write() as conn:
            token = await self._within_reach(conn, token_id, maker)
            for ended in await store.revoke(conn, token_id, now):
                what = f"admin_token:{ended}"
                await acts.within(conn, ActKind.ADMIN_TOKEN_REVOKED, token.user_id, what)
        at = now if token.revoked_at is None else token.revoked_at
        return msgspec.structs.replace(token, revoked_at=at)

    async def authenticate(self, presented: str) -> Machine:
        """The machine that presented a token.

        Raises OAuthError: 401 (``invalid_token``) for one that is none or no longer, 403
        (``access_denied``) where its owner is disabled or no administrator now.
        """
        now = int(self._clock.now())
        found = None
        if credential.looks_like(CredentialKind.ADMIN_TOKEN, presented):
            async with self._db.read() as conn:
                found = await store.find(conn, credential.digest(presented), now)
        if found is None:
            raise OAuthError("invalid_token", _INVALID, 401)
        token, owner, is_former = found
        # said first: it is why the token has ended
        if owner is not None and owner.is_disabled:
            raise OAuthError("access_denied", "the account of this token is disabled", 403)
        if (state := token.state(now)) != "live":
            raise OAuthError("invalid_token", f"token {token.id} is {state}", 401)
        if owner is not None and owner.role is not UserRole.ADMIN:
            message = "the account of this token is no administrator's"
            raise OAuthError("access_denied", message, 403)
        if token.last_used_at is None or token.last_used_at <= now - TOUCH_S:
            async with self._db.write() as conn:
                await store.touch(conn, token.id, now)
        return Machine(
            name=f"token {token.id} ({token.name})",
            scopes=token.scopes,
            user_id=token.user_id,
            token_id=token.id,
            expires_at=token.expires_at,
            is_former=is_former,
        )

    async def _check(self, conn: Connection, token: AdminToken, now: int) -> None:
        """Raises RegistrationError where the database says that no such token may be made."""
        if token.user_id is not None:
            owner = await store.owner(conn, token.user_id)
            if owner.is_disabled or owner.role is not UserRole.ADMIN:
                raise RegistrationError("user", "only administrators have such tokens")
        if token.parent_id is not None:
            parent = await store.held(conn, token.parent_id)
            if parent is None or parent.state(now) != "live":
                raise RegistrationError("token", "the token that asks has ended")
        live, made = await store.counts(conn, now, now - HOUR_S + 1)
        if live >= LIVE_MAX:
            raise RegistrationError("limit", f"at most {LIVE_MAX} tokens are good at once")
        if made >= PER_HOUR_MAX:
            raise RegistrationError("rate", f"at most {PER_HOUR_MAX} tokens are made an hour")

    async def _within_reach(
        self, conn: Connection, token_id: int, maker: Machine | None
    ) -> AdminToken:
        """The token of an id, held, if whoever asks may end it. Raises RegistrationError."""
        token = await store.held(conn, token_id)
        if token is None:
            raise RegistrationError("token", "there is no token of this id")
        if maker is not None and maker.token_id != token_id:
            above = maker.token_id
            if above is None or not await store.is_below(conn, token_id, above):
                message = "a token rotates and revokes itself and those that it made"
                raise RegistrationError("reach", message)
        return token


def _checked(scopes: frozenset[AdminScope], maker: Machine | None) -> frozenset[AdminScope]:
    """The scopes of a new token. Raises RegistrationError."""
    if not scopes:
        raise RegistrationError("scopes", "must name a scope")
    if maker is None:
        return scopes
    if maker.token_id is None:
        raise RegistrationError("reach", "the token of a workload makes no others")
    _check_current(maker)
    if not scopes <= maker.scopes:
        lacking = words(scopes - maker.scopes)
        raise RegistrationError("reach", f"the token that asks has no {lacking} itself")
    return scopes


def _check_current(maker: Machine | None) -> None:
    """Refuse the secret before the last rotation: whoever found it would keep what it makes.

    Raises RegistrationError.
    """
    if maker is not None and maker.is_former:
        message = "the secret before the last rotation makes and rotates none: present the new one"
        raise RegistrationError("reach", message)


def _end(now: int, days: int | None, maker: Machine | None) -> int:
    """When a new token ends. Raises RegistrationError."""
    if days is not None and not 1 <= days <= DAYS_MAX:
        raise RegistrationError("days", f"must be 1 to {DAYS_MAX}")
    end = now + (DAYS if days is None else days) * DAY_S
    if maker is None or end <= maker.expires_at:
        return end
    if days is None:
        return maker.expires_at
    raise RegistrationError("days", "would outlive the token that asks")
