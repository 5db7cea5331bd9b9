"""The token endpoint's work: codes into tokens, refresh, revocation. Each call is one transaction.

What is found wrong with a grant may have to be remembered (a code is used up, a family revoked), so
a refusal is decided inside the transaction and raised after it.

The access token of a request (RFC 6750 section 2) is taken from the header only: what stands in an
address or a form ends up in logs and histories.
"""

import os
import re
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import parse_qsl

import structlog

from trivium.clock import Clock
from trivium.oauth import credential
from trivium.oauth.apps.model import App, GrantType
from trivium.oauth.credential import CredentialKind
from trivium.oauth.errors import OAuthError
from trivium.oauth.part import NOBODY, OAuthPart, RequestOrigin
from trivium.oauth.tokens import policy, store
from trivium.oauth.tokens.model import Access, CodeGrant, Issued, RefreshGrant, RevocationReason
from trivium.oauth.tokens.policy import RefreshRow, Use
from trivium.observe.audit.model import ActKind
from trivium.observe.audit.service import Audit
from trivium.secret import KEY_ID_BYTES, Keyring
from trivium.storage.database import Connection, Database

REALM: Final = "gateway"

_B64TOKEN: Final = re.compile(r"[A-Za-z0-9\-._~+/]+=*")


class NoToken(Exception):  # noqa: N818 - an answer, not a failure of ours
    """No token was presented: the answer names no error (RFC 6750 section 3.1)."""


def presented(authorization: Sequence[str], query: bytes, form: bytes = b"") -> str:
    """The token. Raises NoToken, and OAuthError (``invalid_request``) for a request that carries
    one elsewhere, several, or something else in its place.
    """
    for place in (query, form):
        names = [name for name, _ in parse_qsl(place.decode("latin-1"), keep_blank_values=True)]
        if "access_token" in names:
            raise OAuthError("invalid_request", "the access token belongs in the header")
    if not authorization:
        raise NoToken
    if len(authorization) > 1:
        raise OAuthError("invalid_request", "there are several Authorization headers")
    scheme, _, token = authorization[0].partition(" ")
    if scheme.lower() != "bearer":
        raise NoToken
    token = token.strip(" ")
    if not _B64TOKEN.fullmatch(token):
        raise OAuthError("invalid_request", "the header must be: Authorization: Bearer <token>")
    return token


def challenge(error: OAuthError | None = None, needed: str = "") -> str:
    """The ``WWW-Authenticate`` header; ``needed``: the scope that would have done."""
    parts = [f'Bearer realm="{REALM}"']
    if error is not None:
        parts.append(f'error="{error.code}"')
        if error.code != "invalid_request":
            parts.append(f'error_description="{error.description}"')
    if needed:
        parts.append(f'scope="{needed}"')
    return ", ".join(parts)


ACCESS_S: Final = 7200
REFRESH_S: Final = 30 * 86_400
ACCESS_LIVE_MAX: Final = 10
"""Access tokens of a family; the oldest go."""
TOUCH_S: Final = 60
"""How exactly the last use of a consent is kept."""
_SEED_BYTES: Final = 16
_CHAIN_MAX: Final = 100
"""Refresh tokens within one grace; more is no client."""

log = structlog.get_logger()


Alarm = Callable[[int, str], None]
"""Tells a user, by id and in their language, that tokens of theirs seem to have been stolen."""


def unheard(user_id: int, language: str) -> None:
    """Warn nobody; where no letters are sent."""
    del user_id, language


class Tokens(OAuthPart):
    """Tokens in the database. Storage faults pass through as they are."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        audit: Audit,
        keys: Keyring,
        *,
        family_s: int,
        alarm: Alarm = unheard,
    ) -> None:
        """``keys``: of the gateway, for refresh tokens that can be given again. ``family_s``: after
        so long the user has to agree anew, however often the tokens were refreshed. ``alarm``:
        called when a refresh token was used again, which is how stolen ones show. Not for a code
        that was: who loads an application's callback page twice is no thief.
        """
        super().__init__(db, clock, audit)
        self._keys = keys
        self._family_s = family_s
        self.alarm = alarm

    async def exchange(self, app: App, given: CodeGrant, sender: RequestOrigin = NOBODY) -> Issued:
        """Tokens for a code. Raises OAuthError (``invalid_grant``, ``unauthorized_client``).

        Whatever else is wrong, the first presentation by its own application uses a code up, and
        the second revokes what came of the first (RFC 6749 section 4.1.2).
        """
        _check_allowed(app, GrantType.CODE)
        refused = OAuthError("invalid_grant", policy.CODE_INVALID)
        if not credential.looks_like(CredentialKind.CODE, given.code):
            raise refused
        digest = credential.digest(given.code)
        now = self._now()
        issued = None
        async with self._db.write() as conn:
            row = await store.find_code(conn, digest)
            if row is not None and row.app_id == app.id:
                if not await store.claim_code(conn, digest, now):
                    await self._replayed(conn, app, digest, now, sender)
                elif policy.code_is_good(row, given, now):
                    ends = now + self._family_s
                    family_id = await store.insert_family(conn, row.grant_id, row.scopes, now, ends)
                    await store.name_family(conn, digest, family_id)
                    refresh = credential.issue(CredentialKind.REFRESH_TOKEN)
                    await store.insert_refresh(
                        conn,
                        credential.digest(refresh),
                        family_id,
                        None,
                        now,
                        min(now + REFRESH_S, ends),
                    )
                    issued = await self._issue(
                        conn, refresh, row.scopes, family_id, row.user_id, now, ends
                    )
                    await self._tell_of(conn, ActKind.TOKENS_ISSUED, app, row.user_id, sender)
        if issued is None:
            raise refused
        return issued

    async def refresh(
        self, app: App, given: RefreshGrant, sender: RequestOrigin = NOBODY
    ) -> Issued:
        """Tokens for a refresh token.

        Raises OAuthError (``invalid_grant``, ``invalid_scope``, ``unauthorized_client``).
        """
        _check_allowed(app, GrantType.REFRESH)
        refused = OAuthError("invalid_grant", policy.REFRESH_INVALID)
        if not credential.looks_like(CredentialKind.REFRESH_TOKEN, given.refresh_token):
            raise refused
        now = self._now()
        issued, is_stolen = None, False
        async with self._db.write() as conn:
            digest = credential.digest(given.refresh_token)
            row = await store.find_refresh(conn, digest, hold=True)
            use = policy.use_of(row, app.id, now)
            if row is None or use is Use.INVALID:
                pass
            elif use is Use.REUSE:
                is_stolen = await store.revoke_family(
                    conn, row.family_id, RevocationReason.REUSE, now
                )
                log.warning("oauth_refresh_reuse", app=app.client_id, user_id=row.user_id)
                await self._tell_of(conn, ActKind.TOKENS_REUSED, app, row.user_id, sender)
            else:
                scopes = policy.narrowed(row.scopes, given.scopes)
                token: str | None = given.refresh_token
                if use is Use.GRACE:
                    token = await self._successor(conn, given.refresh_token, row)
                elif app.rotate_refresh:
                    token = await self._rotate(conn, given.refresh_token, row, now)
                if token is not None:
                    issued = await self._issue(
                        conn, token, scopes, row.family_id, row.user_id, now, row.family_expires_at
                    )
                    await self._tell_of(conn, ActKind.TOKENS_REFRESHED, app, row.user_id, sender)
        if is_stolen and row is not None:
            self.alarm(row.user_id, row.language)
        if issued is None:
            raise refused
        return issued

    async def revoke(self, app: App, token: str, sender: RequestOrigin = NOBODY) -> None:
        """What an application no longer needs: a refresh token takes its whole family with it, an
        access token itself. Nothing happens to unknown ones and to those of others.

        Raises OAuthError (``unsupported_token_type``) for what is no token to be revoked here.
        """
        if token.startswith(_OTHERS):
            raise OAuthError("unsupported_token_type", "access and refresh tokens are revoked here")
        now = self._now()
        digest = credential.digest(token)
        if credential.looks_like(CredentialKind.REFRESH_TOKEN, token):
            async with self._db.write() as conn:
                row = await store.find_refresh(conn, digest, hold=True)
                if row is not None and row.app_id == app.id:
                    await store.revoke_family(conn, row.family_id, RevocationReason.CLIENT, now)
                    await self._tell_of(conn, ActKind.TOKENS_REVOKED, app, row.user_id, sender)
        elif credential.looks_like(CredentialKind.ACCESS_TOKEN, token):
            async with self._db.write() as conn:
                if await store.owner_of_access(conn, digest) == app.id:
                    await store.remove_access(conn, digest)

    async def access(self, token: str) -> Access:
        """What an access token opens. Raises OAuthError (``invalid_token``)."""
        now = self._now()
        found = None
        if credential.looks_like(CredentialKind.ACCESS_TOKEN, token):
            async with self._db.read() as conn:
                found = await store.find_access(conn, credential.digest(token), now)
        if found is None:
            raise OAuthError("invalid_token", "the access token is not valid", 401)
        if found.last_used_at is None or now - found.last_used_at >= TOUCH_S:
            async with self._db.write() as conn:
                await store.touch(conn, found.grant_id, now)
        return found

    # --- own ------------------------------------------------------------------------------------

    async def _tell_of(
        self, conn: Connection, kind: ActKind, app: App, user_id: int, sender: RequestOrigin
    ) -> None:
        await self._tell(conn, kind, user_id, f"app:{app.id}", sender, by_user=False)

    async def _replayed(
        self, conn: Connection, app: App, digest: bytes, now: int, sender: RequestOrigin
    ) -> None:
        # read again: what came of the first presentation may be a moment old
        row = await store.find_code(conn, digest)
        if row is None:
            return
        if row.family_id is not None:
            await store.revoke_family(conn, row.family_id, RevocationReason.CODE_REPLAY, now)
        log.warning("oauth_code_replay", app=app.client_id, user_id=row.user_id)
        await self._tell_of(conn, ActKind.CODE_REPLAY, app, row.user_id, sender)

    async def _rotate(self, conn: Connection, presented: str, row: RefreshRow, now: int) -> str:
        seed = self._keys.id + os.urandom(_SEED_BYTES)
        token = _written(presented, seed, self._keys.key)
        until = min(now + REFRESH_S, row.family_expires_at)
        await store.rotate(conn, row.id, seed, now)
        await store.insert_refresh(
            conn, credential.digest(token), row.family_id, row.id, now, until
        )
        return token

    async def _successor(self, conn: Connection, presented: str, row: RefreshRow) -> str | None:
        """The newest token that follows a used one; ``None`` when it cannot be made again."""
        token, at = presented, row
        for _ in range(_CHAIN_MAX):
            if at.rotated_at is None:
                return token
            key = self._keys.get((at.seed or b"")[:KEY_ID_BYTES])
            if key is None:
                return None
            token = _written(token, at.seed or b"", key)
            follower = await store.find_refresh(conn, credential.digest(token))
            if follower is None:
                return None
            at = follower
        return None

    async def _issue(
        self,
        conn: Connection,
        refresh: str,
        scopes: frozenset[str],
        family_id: int,
        user_id: int,
        now: int,
        ends: int,
    ) -> Issued:
        token = credential.issue(CredentialKind.ACCESS_TOKEN)
        until = min(now + ACCESS_S, ends)
        await store.insert_access(
            conn, credential.digest(token), family_id, scopes, now, until, live_max=ACCESS_LIVE_MAX
        )
        return Issued(
            access_token=token,
            refresh_token=refresh,
            expires_in=until - now,
            scopes=scopes,
            user_id=user_id,
            family_id=family_id,
        )


_OTHERS: Final = tuple(
    kind.value
    for kind in CredentialKind
    if kind not in (CredentialKind.ACCESS_TOKEN, CredentialKind.REFRESH_TOKEN)
)


def _check_allowed(app: App, grant: GrantType) -> None:
    if grant not in app.grants:
        raise OAuthError("unauthorized_client", f"the application may not use {grant.value}")


def _written(presented: str, seed: bytes, key: bytes) -> str:
    return credential.written(
        CredentialKind.REFRESH_TOKEN, policy.successor_secret(presented, seed, key)
    )
