"""An application's server, as it calls the endpoints: the console over a database, in this process."""

import contextlib
from types import SimpleNamespace

import httpx

from console.visiting import ORIGIN, Stated
from trivium.console import app as console_app
from trivium.oauth.consent import request
from trivium.oauth.consent.model import Decision
from trivium.oauth.developer.model import WRITE_APPS

CALLBACK = "https://shop.example/callback?tenant=7"
NO_STORE = {"cache-control": "no-store", "pragma": "no-cache"}


class Caller:
    """Calls as the application `app` of `owner`, for the user `ada`."""

    def __init__(self, console, client):
        self.console = console
        self.oauth = console.oauth
        self.client = client

    @classmethod
    @contextlib.asynccontextmanager
    async def over(cls, console, address="198.51.100.7", origin=ORIGIN):
        """With people, an application and its secret."""
        transport = httpx.ASGITransport(
            Stated(console_app.build(console)), raise_app_exceptions=False, client=(address, 5000)
        )
        async with httpx.AsyncClient(transport=transport, base_url=origin) as client:
            made = cls(console, client)
            made.owner = await console.identity.create_user("owner", "owner@example.org")
            made.ada = await console.identity.create_user("ada", "ada@example.org")
            made.app, made.secret = await made.oauth.apps.create(
                made.owner.id, "Shop", "Sells things.", CALLBACK
            )
            console.clock.advance(1)
            yield made

    @property
    def basic(self):
        """The client's credentials for a header."""
        return (self.app.client_id, self.secret)

    @property
    def post_fields(self):
        """The client's credentials for a form."""
        return {"client_id": self.app.client_id, "client_secret": self.secret}

    async def code(self, scope=b"profile balance", cap_nanos=None, **more):
        """A code that ada agreed to."""
        given = {
            "client_id": self.app.client_id.encode(),
            "redirect_uri": self.app.redirect_uri.encode(),
            "response_type": b"code",
            "scope": scope,
            "state": b"s",
            **more,
        }
        app = await self.oauth.apps.find(self.app.client_id)
        asked = request.check(
            list(given.items()), app, strict_state=False, issuer=ORIGIN, spend=True
        )
        pending = await self.oauth.consents.begin(asked)
        await self.oauth.consents.weigh(pending, self.ada.id, is_framed=False)
        location = await self.oauth.consents.approve(
            pending, self.ada.id, Decision.ASK, cap_nanos=cap_nanos
        )
        return dict(request.parameters(location.partition("?")[2].encode()))["code"].decode()

    def token(self, fields, *, auth=None, **more):
        """POST to the token endpoint."""
        arguments = {"auth": auth} if auth else {}
        return self.client.post("/api/oauth2/token", data=fields, **arguments, **more)

    async def issued(self, **more):
        """Tokens of a code just made."""
        code = await self.code(**more)
        fields = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK}
        answer = await self.token(fields, auth=self.basic)
        assert 200 == answer.status_code, answer.text
        return SimpleNamespace(**answer.json())

    def userinfo(self, token, **more):
        """GET the user's record."""
        headers = {"authorization": f"Bearer {token}"}
        return self.client.get("/api/oauth2/userinfo", headers=headers, **more)

    async def developer_token(self, **more):
        """A developer token of the owner's."""
        return (await self.oauth.developer.create(self.owner.id, "ci", **more))[1]


def said(answer):
    """Status and error code."""
    return answer.status_code, answer.json()["error"]


__all__ = ["CALLBACK", "NO_STORE", "ORIGIN", "WRITE_APPS", "Caller", "said"]
