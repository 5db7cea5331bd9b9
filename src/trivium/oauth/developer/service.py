"""Making, listing, revoking and recognising developer tokens. Each call is one transaction."""

from typing import Final

import msgspec

from trivium.identity.grants import store as granted
from trivium.identity.model import UserRole
from trivium.oauth import credential
from trivium.oauth.apps import registration
from trivium.oauth.credential import CredentialKind
from trivium.oauth.developer import store
from trivium.oauth.developer.model import ADMIN, WRITE_APPS, DeveloperToken
from trivium.oauth.errors import OAuthError, RegistrationError
from trivium.oauth.part import NOBODY, OAuthPart, RequestOrigin
from trivium.observe.audit.model import ActKind, Detail

DAYS: Final = 90
"""How long a token lives unless its maker says otherwise."""
DAYS_MAX: Final = 366
DAY_S: Final = 86_400
HOUR_S: Final = 3600
PER_HOUR_MAX: Final = 10
"""Tokens a user makes an hour."""
_REVOKED: Final = ActKind.DEVELOPER_TOKEN_REVOKED


class DeveloperTokens(OAuthPart):
    """Developer tokens in the database. Storage faults pass through as they are."""

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
        now = self._now()
        if not 1 <= days <= DAYS_MAX:
            raise RegistrationError("days", f"must be 1 to {DAYS_MAX}")
        secret = credential.issue(CredentialKind.DEVELOPER_TOKEN)
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
            detail: Detail = {"permission": permission}
            await self._tell(conn, kind, user_id, _what(token_id), sender, detail)
        return msgspec.structs.replace(token, id=token_id), secret

    async def owned_by(self, user_id: int) -> list[DeveloperToken]:
        """A user's tokens, newest first, ended ones too until they are swept."""
        async with self._db.read() as conn:
            return await store.owned_by(conn, user_id)

    async def revoke(self, user_id: int, token_id: int, sender: RequestOrigin = NOBODY) -> None:
        """Refuse a token from now on. Raises RegistrationError (``token``)."""
        async with self._db.write() as conn:
            if not await store.revoke(conn, user_id, token_id, self._now()):
                raise RegistrationError("token", "there is no such token of yours")
            await self._tell(conn, _REVOKED, user_id, _what(token_id), sender)

    async def revoke_all(self, user_id: int, sender: RequestOrigin = NOBODY) -> int:
        """Refuse all of a user's tokens from now on; how many there were."""
        async with self._db.write() as conn:
            ended = await granted.end_tokens(conn, user_id, self._now())
            for token_id in ended:
                await self._tell(conn, _REVOKED, user_id, _what(token_id), sender)
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
        now = self._now()
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


def _what(token_id: int) -> str:
    return f"developer_token:{token_id}"
