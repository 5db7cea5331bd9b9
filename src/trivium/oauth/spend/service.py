"""An access token with the scope ``spend`` into a key of the gateway.

The two are never the same: the token opens what the application may know, the key is presented
with requests to models, and neither is accepted in the other's place. A key belongs to the user, so
the balance, the limits and the price group are theirs; it names the consent, so all keys of one
consent share one budget a month, and all of them end with it.

A consent has at most ``LIVE_MAX`` rows among the keys for ever: an expired one is given another
secret. Rows that vanished would leave entries and records without a name, and rows that only grow
would fill every worker's memory, which has all keys.
"""

import secrets

from trivium.clock import Clock
from trivium.identity import keys
from trivium.ledger.amounts import format_usd
from trivium.oauth import credential
from trivium.oauth.apps.model import App
from trivium.oauth.credential import CredentialKind
from trivium.oauth.errors import OAuthError, RegistrationError
from trivium.oauth.part import NOBODY, OAuthPart, RequestOrigin
from trivium.oauth.scope import SPEND
from trivium.oauth.spend import store
from trivium.oauth.spend.model import LIVE_MAX, SpendKey, budgets, check_cap
from trivium.observe.audit.model import ActKind, Detail
from trivium.observe.audit.service import Audit
from trivium.settings.budget import Period, bounds
from trivium.storage.database import Database


class Spending(OAuthPart):
    """Caps and keys in the database. Storage faults pass through as they are."""

    def __init__(self, db: Database, clock: Clock, audit: Audit, *, enabled: bool) -> None:
        """``enabled``: ``False`` gives no key to any application, whatever users consented to."""
        super().__init__(db, clock, audit)
        self.enabled = enabled

    async def issue(self, app: App, token: str, sender: RequestOrigin = NOBODY) -> SpendKey:
        """A key for an access token of the application's own.

        Raises OAuthError (``invalid_grant``, ``insufficient_scope``, ``unsupported_grant_type``,
        ``temporarily_unavailable`` with how long to wait when there are too many keys).
        """
        if not self.enabled:
            raise OAuthError("unsupported_grant_type", "spending is not switched on here")
        now = self._now()
        invalid = OAuthError("invalid_grant", "the access token is not valid")
        if not credential.looks_like(CredentialKind.ACCESS_TOKEN, token):
            raise invalid
        secret = keys.issue(secrets.token_bytes)
        async with self._db.write() as conn:
            found = await store.held(conn, app.id, credential.digest(token), now)
            if found is None:
                raise invalid
            access, raised = found
            if SPEND not in access.scopes:
                raise OAuthError("insufficient_scope", "the token has not the scope spend", 403)
            cap_nanos = await store.cap_of(conn, access.grant_id)
            if cap_nanos is None:
                raise OAuthError("insufficient_scope", "the user has set no cap", 403)
            wait_s = await store.wait_s(conn, access.grant_id, now, LIVE_MAX)
            if wait_s:
                raise OAuthError(
                    "temporarily_unavailable",
                    f"this consent has {LIVE_MAX} keys that are good already",
                    429,
                    retry_after=wait_s,
                )
            key_id = await store.give(
                conn,
                access,
                raised,
                name=f"app {app.id}: {app.name}",
                digest=keys.digest(secret),
                hint=keys.hint(secret),
                budgets=budgets(cap_nanos),
                now=now,
            )
            detail: Detail = {"key": key_id, "cap": format_usd(cap_nanos)}
            kind, what = ActKind.SPEND_KEY_ISSUED, f"app:{app.id}"
            await self._tell(conn, kind, access.user_id, what, sender, detail, by_user=False)
        return SpendKey(
            key=secret,
            key_id=key_id,
            user_id=access.user_id,
            expires_at=access.expires_at,
            cap_nanos=cap_nanos,
        )

    async def set_cap(
        self, user_id: int, grant_id: int, cap_nanos: int, sender: RequestOrigin = NOBODY
    ) -> None:
        """Change the cap of a consent of the user's that has one; keys follow within two seconds.

        Raises ValueError for a cap out of range, RegistrationError (``app``) for another consent.
        """
        check_cap(cap_nanos)
        async with self._db.write() as conn:
            app_id = await store.capped(conn, user_id, grant_id)
            if app_id is None:
                raise RegistrationError("app", "there is no such application that may spend")
            await store.set_cap(conn, grant_id, cap_nanos, budgets(cap_nanos), self._now())
            detail: Detail = {"cap": format_usd(cap_nanos)}
            kind, what = ActKind.SPEND_CAP_SET, f"app:{app_id}"
            await self._tell(conn, kind, user_id, what, sender, detail)

    async def caps(self, user_id: int) -> dict[int, int]:
        """Nano-dollars a month by the consent's id, for a user's consents that have a cap."""
        async with self._db.read() as conn:
            return await store.caps_of(conn, user_id)

    async def spent(self, user_id: int) -> dict[int, int]:
        """Nano-dollars since the month began (UTC), by the consent's id, as booked by now."""
        since, _ = bounds(Period.MONTH, self._clock.now())
        async with self._db.read() as conn:
            return await store.spent_since(conn, user_id, since)
