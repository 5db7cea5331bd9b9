"""The whole OAuth service: what the endpoints and the pages call, built once."""

from typing import Final

from trivium.clock import Clock
from trivium.oauth import account, store
from trivium.oauth.account import Attribution, Members, userinfo
from trivium.oauth.addresses import ServiceOrigins
from trivium.oauth.admin.service import AdminTokens
from trivium.oauth.apps import store as apps_store
from trivium.oauth.apps.model import App
from trivium.oauth.apps.service import Apps
from trivium.oauth.consent.service import Consents
from trivium.oauth.developer.service import DeveloperTokens
from trivium.oauth.errors import OAuthError
from trivium.oauth.part import NOBODY, RequestOrigin
from trivium.oauth.scope import BALANCE, PROFILE
from trivium.oauth.shared_rate_limits import Rate, SharedCounters, SharedRate
from trivium.oauth.spend.service import Spending
from trivium.oauth.tokens.model import Access
from trivium.oauth.tokens.service import Alarm, Tokens, unheard
from trivium.oauth.workload.service import Workloads
from trivium.observe.audit.service import Audit
from trivium.secret import Keyring
from trivium.settings.section import OAuthSettings as Rules
from trivium.storage.database import Database

DAY_S: Final = 86_400


class OAuth:
    """Applications, consent and tokens over one database. Storage faults pass as they are."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        audit: Audit,
        rules: Rules,
        addresses: ServiceOrigins,
        *,
        refresh_keys: Keyring,
        topup_keys: Keyring,
        shared: SharedCounters | None = None,
        alarm: Alarm = unheard,
        workloads: Workloads | None = None,
    ) -> None:
        """``refresh_keys``, ``topup_keys``: of the gateway, one ring for each purpose. ``shared``:
        where all workers count; ``None``: each counts for itself. ``alarm``: tells a user of
        tokens that seem stolen. ``workloads``: of the settings; ``None``: there are none.
        """

        def rate(name: str, limit: int) -> SharedRate:
            return SharedRate(Rate(limit, clock), name, shared)

        self.rules = rules
        self.addresses = addresses
        self.apps = Apps(
            db,
            clock,
            audit,
            apps_max=rules.apps_max,
            apps_per_hour=rules.apps_per_hour,
            allow_insecure_redirect=rules.allow_insecure_redirect,
        )
        self.developer = DeveloperTokens(db, clock, audit)
        self.machines = AdminTokens(db, clock)
        self.workloads = workloads if workloads is not None else Workloads((), clock)
        self.consents = Consents(db, clock, audit, issuer=addresses.auth, code_s=rules.code_s)
        self.tokens = Tokens(
            db, clock, audit, refresh_keys, family_s=rules.family_days * DAY_S, alarm=alarm
        )
        self.spending = Spending(db, clock, audit, enabled=rules.spend)
        self.authorizations = rate("authorize", rules.authorize_per_minute)
        """Authorization requests by address."""
        self.exchanges = rate("token", rules.token_per_minute)
        """Token and revocation requests by application."""
        self.failures = rate("failures", rules.failures_per_minute)
        """Failed authentications by address: of clients, and of tokens at the admin API."""
        self._db = db
        self._clock = clock
        self._topup_keys = topup_keys

    async def userinfo(self, access: Access) -> Members:
        """What a token tells. Raises OAuthError (``insufficient_scope``, ``invalid_token``)."""
        if not access.scopes & {PROFILE, BALANCE}:
            raise OAuthError("insufficient_scope", "the token has neither profile nor balance", 403)
        async with self._db.read() as conn:
            found = await store.account(conn, access.user_id)
        if found is None:
            raise OAuthError("invalid_token", "the access token is not valid", 401)
        return userinfo(
            found, access.scopes, decimals=self.rules.balance_decimals, sub=self.rules.userinfo_sub
        )

    def topup_url(self, access: Access) -> str:
        """Return where the user tops up, with the application that sent them there."""
        who = Attribution(user_id=access.user_id, app_id=access.app_id)
        value = account.sealed(self._topup_keys, who, self._clock.now())
        return f"{self.addresses.auth}/topup?app={access.client_id}&t={value}"

    async def shut_out(self, user_id: int, sender: RequestOrigin = NOBODY) -> None:
        """End everything that programs may do for a user: consents and developer tokens."""
        await self.consents.revoke_all(user_id, sender)
        await self.developer.revoke_all(user_id, sender)

    async def programs(self, user_id: int) -> int:
        """Return how many consents and developer tokens a user has."""
        consents = await self.consents.authorized(user_id)
        return len(consents) + await self.developer.live(user_id)

    async def app_of(self, app_id: int) -> App | None:
        """An application by its id; ``None`` when it has been deleted."""
        async with self._db.read() as conn:
            return await apps_store.by_id(conn, app_id)

    async def topup_of(self, client_id: str, value: str) -> tuple[Attribution, App] | None:
        """Who sent whom to the top-up page; ``None``: the address is not ours, or too old."""
        who = account.opened(self._topup_keys, value, self._clock.now())
        if who is None:
            return None
        async with self._db.read() as conn:
            app = await apps_store.by_id(conn, who.app_id)
        return None if app is None or app.client_id != client_id else (who, app)
