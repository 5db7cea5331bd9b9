"""A browser that an application sends to us, and what comes back to the application."""

import contextlib
from urllib.parse import urlencode

from console.visiting import console_over, visiting
from trivium.clock import FixedClock
from trivium.oauth.consent import request
from trivium.oauth.consent.model import Decision
from trivium.oauth.tokens.model import CodeGrant

CALLBACK = "https://shop.example/callback?tenant=7"
AUTHORIZE = "/api/oauth2/authorize"


class Asking:
    """The browser `visitor`, the application `app` of `owner`, the user `ada`."""

    def __init__(self, console, visitor):
        self.console = console
        self.oauth = console.oauth
        self.visitor = visitor

    @classmethod
    @contextlib.asynccontextmanager
    async def over(cls, database, **settings):
        """With people and an application; nobody is logged in."""
        console = console_over(database, FixedClock(), **settings)
        async with visiting(database, console) as visitor:
            made = cls(console, visitor)
            made.owner = await console.identity.create_user("owner", "owner@example.org")
            made.ada = await console.identity.create_user("ada", "ada@example.org")
            made.app, made.secret = await made.oauth.apps.create(
                made.owner.id, "Shop & Co", "Sells <b>things</b>.", CALLBACK
            )
            console.clock.advance(1)
            yield made

    def query(self, **changes):
        """The application's query; ``None`` leaves a parameter out."""
        given = {
            "client_id": self.app.client_id,
            "redirect_uri": self.app.redirect_uri,
            "response_type": "code",
            "scope": "profile balance",
            "state": "s-1",
            **changes,
        }
        return urlencode({name: value for name, value in given.items() if value is not None})

    async def sent(self, **changes):
        """The browser follows the application's link."""
        return await self.visitor.get(f"{AUTHORIZE}?{self.query(**changes)}")

    async def page(self, **changes):
        """The path of our page that the browser is sent on to."""
        answer = await self.sent(**changes)
        assert 303 == answer.status_code
        assert answer.headers["location"].startswith("/authorize/gwar_")
        return answer.headers["location"]


def came_back(answer):
    """What the application is told, of a redirect to its address."""
    location = answer.headers["location"]
    assert (303, CALLBACK) == (answer.status_code, location[: len(CALLBACK)])
    pairs = request.parameters(location[len(CALLBACK) + 1 :].encode())
    assert len(dict(pairs)) == len(pairs)
    return {name: value.decode() for name, value in pairs}


async def let_in(asking, *, automatic=False, cap_nanos=None, **more):
    """Tokens that ada agreed to."""
    page = (await asking.page(**more)).removeprefix("/authorize/")
    await asking.oauth.consents.weigh(page, asking.ada.id, is_framed=False)
    decision = Decision.AUTOMATIC if automatic else Decision.ASK
    location = await asking.oauth.consents.approve(
        page, asking.ada.id, decision, cap_nanos=cap_nanos
    )
    code = location.partition("&code=")[2].partition("&")[0]
    grant = CodeGrant(code=code, redirect_uri=asking.app.redirect_uri, verifier=None)
    return await asking.oauth.tokens.exchange(asking.app, grant)
