"""Making, listing, revoking and recognising developer tokens. Each call is one transaction."""

import secrets
from collections.abc import Callable
from typing import Final

import msgspec

from trivium.clock import Clock
from trivium.identity.grants import store as granted
from trivium.identity.model import UserRole
from trivium.oauth import credential
from trivium.oauth.apps import registration
from trivium.oauth.credential import CredentialKind
from trivium.oauth.developer import store
from trivium.oauth.developer.model import ADMIN, WRITE_APPS, DeveloperToken
from trivium.oauth.errors import OAuthError, RegistrationError
from trivium.oauth.request_origin import NOBODY, RequestOrigin
from trivium.observe.audit.model import ActKind, Detail
from trivium.observe.audit.service import Audit
from trivium.storage.database import Connection, Database

DAYS: Final = 90
"""How long a token lives unless its maker says otherwise."""
DAYS_MAX: Final = 366
DAY_S: Final = 86_400
HOUR_S: Final = 3600
PER_HOUR_MAX: Final = 10
"""Tokens a user makes an hour."""


class DeveloperTokens:
    """Developer tokens in the database. Storage faults pass through as they are."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        audit: Audit,
        random_bytes: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._db = db
        self._clock = clock
        self._audit = audit
        self._random_bytes = random_bytes

    async def create(
        self,
        user_id: int,
        name: str,
        days: int = DAYS,
        sender: RequestOrigin = NOBODY,
        *,
        permission: str = WRITE_APPS,
    ) -> tuple[DeveloperToken, str]:
        """A new token and its secret, which is nowhere to be had again. ``permission``: the one
        thing it may do; ``ADMIN`` is for administrators.

        Raises RegistrationError (``name``, ``days``, ``permission``, ``rate``).
        """
        now = int(self._clock.now())
        if not 1 <= days <= DAYS_MAX:
            raise RegistrationError("days", f"must be 1 to {DAYS_MAX}")
        secret = credential.issue(CredentialKind.DEVELOPER_TOKEN, self._random_bytes)
        token = DeveloperToken(
            id=0,
            user_id=user_id,
            name=registration.name(name),
            hint=credential.hint(secret),
            permissions=frozenset({permission}),
            created_at=now,
            expires_at=now + days * DAY_S,
        )
        async with self._db.write() as conn:
            role = await store.hold_owner(conn, user_id)
            if permission == ADMIN and role is not UserRole.ADMIN:
                raise RegistrationError("permission", "only administrators make such tokens")
            if await store.count_since(conn, user_id, now - HOUR_S + 1) >= PER_HOUR_MAX:
                raise RegistrationError("rate", f"at most {PER_HOUR_MAX} tokens are made an hour")
            token_id = await store.insert(conn, token, credential.digest(secret))
            kind = ActKind.DEVELOPER_TOKEN_CREATED
            await self._tell(conn, kind, user_id, token_id, sender, {"permission": permission})
        return msgspec.structs.replace(token, id=token_id), secret

    async def owned_by(self, user_id: int) -> list[DeveloperToken]:
        """A user's tokens, newest first, ended ones too until they are swept."""
        async with self._db.read() as conn:
            return await store.owned_by(conn, user_id)

    async def revoke(self, user_id: int, token_id: int, sender: RequestOrigin = NOBODY) -> None:
        """Refuse a token from now on. Raises RegistrationError (``token``)."""
        async with self._db.write() as conn:
            if not await store.revoke(conn, user_id, token_id, int(self._clock.now())):
                raise RegistrationError("token", "there is no such token of yours")
            await self._tell(conn, ActKind.DEVELOPER_TOKEN_REVOKED, user_id, token_id, sender)

    async def revoke_all(self, user_id: int, sender: RequestOrigin = NOBODY) -> int:
        """Refuse all of a user's tokens from now on; how many there were."""
        async with self._db.write() as conn:
            ended = await granted.end_tokens(conn, user_id, int(self._clock.now()))
            for token_id in ended:
                await self._tell(conn, ActKind.DEVELOPER_TOKEN_REVOKED, user_id, token_id, sender)
        return len(ended)

    async def live(self, user_id: int) -> int:
        """How many tokens of a user's are good now."""
        now = self._clock.now()
        return sum(token.state(now) == "live" for token in await self.owned_by(user_id))

    async def authenticate(self, presented: str, permission: str) -> DeveloperToken:
        """The token that was presented, if it lets its user do something.

        Raises OAuthError: 401 (``invalid_token``) for one that is none or no longer, 403
        (``insufficient_scope``, ``access_denied``) for one without the permission, whose user is
        disabled, or, for ``ADMIN``, is no administrator now.
        """
        now = int(self._clock.now())
        found = None
        if credential.looks_like(CredentialKind.DEVELOPER_TOKEN, presented):
            async with self._db.read() as conn:
                found = await store.find(conn, credential.digest(presented))
        invalid = OAuthError("invalid_token", "the developer token is not valid", 401)
        if found is None:
            raise invalid
        token, owner = found
        # said first: it is why the token has ended
        if owner.is_disabled:
            raise OAuthError("access_denied", "this account is disabled", 403)
        if token.state(now) != "live":
            raise invalid
        if permission not in token.permissions:
            raise OAuthError("insufficient_scope", f"the token lacks {permission}", 403)
        if permission == ADMIN and owner.role is not UserRole.ADMIN:
            raise OAuthError("access_denied", "this account is no administrator's", 403)
        async with self._db.write() as conn:
            await store.touch(conn, token.id, now)
        return token

    async def _tell(
        self,
        conn: Connection,
        kind: ActKind,
        user_id: int,
        token_id: int,
        sender: RequestOrigin,
        detail: Detail | None = None,
    ) -> None:
        await self._audit.within(
            conn,
            kind,
            actor=user_id,
            subject=user_id,
            what=f"developer_token:{token_id}",
            address=sender.address,
            agent=sender.agent,
            detail=detail,
        )
