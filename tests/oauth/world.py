"""The OAuth service with a user and an application, on a real database and a clock that stands."""

import msgspec

from trivium.identity.revocation import ActLog
from trivium.identity.service import Identity
from trivium.oauth.admin.service import AdminTokens
from trivium.oauth.apps.service import Apps
from trivium.oauth.consent import request
from trivium.oauth.consent.model import Decision
from trivium.oauth.consent.service import Consents
from trivium.oauth.developer.service import DeveloperTokens
from trivium.oauth.part import NOBODY
from trivium.oauth.spend.service import Spending
from trivium.oauth.tokens.model import CodeGrant, RefreshGrant
from trivium.oauth.tokens.service import Tokens
from trivium.observe.audit.service import Audit
from trivium.secret import Keyring

ISSUER = "https://login.example"
CALLBACK = "https://shop.example/callback?tenant=7"
FAMILY_S = 365 * 86_400
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
"""Of RFC 7636, appendix B."""


class World:
    """Services, a user `ada` and an application of `owner`."""

    def __init__(self, database, clock):
        self.database = database
        self.clock = clock
        self.audit = Audit(database, clock)
        self.people = Identity(database, clock)
        self.apps = Apps(
            database,
            clock,
            self.audit,
            apps_max=20,
            apps_per_hour=10,
            allow_insecure_redirect=False,
        )
        self.developer = DeveloperTokens(database, clock, self.audit)
        self.machines = AdminTokens(database, clock)
        self.act_log = ActLog(self.audit)
        self.consents = Consents(database, clock, self.audit, issuer=ISSUER, code_s=60)
        self.spending = Spending(database, clock, self.audit, enabled=True)
        self.alarms = []
        self.tokens = Tokens(
            database,
            clock,
            self.audit,
            Keyring(b"k" * 32),
            family_s=FAMILY_S,
            alarm=lambda user_id, language: self.alarms.append((user_id, language)),
        )

    @classmethod
    async def made(cls, database, clock):
        """With its people and its application."""
        world = cls(database, clock)
        world.owner = await world.people.create_user("owner", "owner@example.org")
        world.ada = await world.people.create_user("ada", "ada@example.org")
        world.app, world.secret = await world.apps.create(
            world.owner.id, "Shop", "Sells things.", CALLBACK
        )
        # consent counts from the second after the application was last changed
        clock.advance(1)
        return world

    async def another(self, name="Rival", redirect_uri="https://rival.example/cb"):
        """One more application."""
        return (await self.apps.create(self.owner.id, name, "", redirect_uri))[0]

    def asked(self, app=None, scope=b"profile balance", **more):
        """A request that passed the checks."""
        app = app or self.app
        given = {
            "client_id": app.client_id.encode(),
            "redirect_uri": app.redirect_uri.encode(),
            "response_type": b"code",
            "scope": scope,
            "state": b"s-1",
            **more,
        }
        return request.check(
            list(given.items()), app, strict_state=False, issuer=ISSUER, spend=True
        )

    async def code(self, app=None, user=None, cap_nanos=None, sender=NOBODY, **more):
        """A code that the user agreed to."""
        user_id = (user or self.ada).id
        pending = await self.consents.begin(self.asked(app, **more))
        await self.consents.weigh(pending, user_id, is_framed=False)
        location = await self.consents.approve(
            pending, user_id, Decision.ASK, sender, cap_nanos=cap_nanos
        )
        return answered(location)["code"]

    async def issued(self, app=None, **more):
        """Tokens of a code just made."""
        app = app or self.app
        code = await self.code(app, **more)
        return await self.exchange(code, app)

    async def exchange(self, code, app=None, **more):
        """Tokens for a code."""
        app = app or self.app
        given = {"redirect_uri": app.redirect_uri, "verifier": None, **more}
        return await self.tokens.exchange(app, CodeGrant(code=code, **given))

    async def refresh(self, token, app=None, scopes=None):
        """Tokens for a refresh token."""
        return await self.tokens.refresh(
            app or self.app, RefreshGrant(refresh_token=token, scopes=scopes)
        )

    async def acts(self):
        """Kinds of the acts that were told, oldest first."""
        return [act.kind for act in (await self.audit.everything(limit=200))[::-1]]


def answered(location):
    """The parameters of a redirect, of which none is repeated."""
    pairs = request.parameters(location.partition("?")[2].encode())
    assert len(dict(pairs)) == len(pairs)
    return {name: value.decode() for name, value in pairs}


def changed(struct, **fields):
    """A struct with other fields."""
    return msgspec.structs.replace(struct, **fields)
