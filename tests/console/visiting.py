"""A browser without a screen: the whole console application over a real database, in this process.

async with visiting(database) as visitor:
    page = await visitor.get("/login")
    answer = await visitor.post("/login", name="ada", password="…")   # the token comes along
"""

import contextlib
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import httpx

from trivium.clock import FixedClock
from trivium.console import app
from trivium.console.context import Console
from trivium.identity.service import Identity
from trivium.ledger.codes.service import Codes
from trivium.ledger.entries import Entries
from trivium.ledger.payments.service import Payments
from trivium.observe.audit.service import Audit
from trivium.secret import Keyring
from trivium.settings.model import Server, Settings
from trivium.settings.oauth import OAuth as Rules
from trivium.settings.payments import Payments as Limits
from trivium.storage.root_key import RootKeys
from trivium.wiring.oauth import oauth_of

ORIGIN = "https://gateway.example"
TOKEN = re.compile(r'name="csrf" value="([^"]+)"')


class MemorySessions:
    """Sessions by token, put there by a test."""

    def __init__(self):
        self.open = {}

    async def find(self, token):
        return self.open.get(token)

    async def end(self, token):
        self.open.pop(token, None)


class Stated:
    """What the edge adds to every request."""

    def __init__(self, application):
        self.application = application

    async def __call__(self, scope, receive, send):
        scope["state"] = {"request_id": "req_test"}
        await self.application(scope, receive, send)


class Visitor:
    """One browser with its cookies."""

    def __init__(self, console, client):
        self.console = console
        self.client = client
        self.token = ""

    async def get(self, path, **headers):
        answer = await self.client.get(path, headers=_names(headers))
        return self._seen(answer)

    async def post(self, path, *, headers=None, csrf=None, **fields):
        """Send a form with the token of the page seen last."""
        data = {"csrf": self.token if csrf is None else csrf, **fields}
        said = {"sec-fetch-site": "same-origin", "origin": ORIGIN} | (headers or {})
        answer = await self.client.post(
            path, data=data, headers={k: v for k, v in said.items() if v is not None}
        )
        return self._seen(answer)

    def _seen(self, answer):
        found = TOKEN.search(answer.text)
        if found:
            self.token = found[1]
        return answer

    def log_in(self, user, token="session-of-a-test"):
        """Be logged in as that user, without the login page."""
        at = int(self.console.clock.now())
        self.console.accounts.sessions.open[token] = SimpleNamespace(
            id=1, user=user, confirmed_at=at, is_confirmed=lambda now: now - at <= 600
        )
        self.client.cookies.set("__Host-gw_session", token, domain="gateway.example")


def console_over(database, clock=None, oauth=Rules(), **server):  # noqa: B008 - immutable
    """The services of the pages over a test's database."""
    clock = clock or FixedClock()
    settings = Settings(server=Server(**{"public_url": ORIGIN} | server), oauth=oauth)
    return Console(
        settings=settings,
        clock=clock,
        database=database,
        ring=Keyring(b"k" * 32),
        identity=Identity(database, clock),
        entries=Entries(database, clock),
        accounts=SimpleNamespace(sessions=MemorySessions()),
        payments=Payments(database, clock, Audit(database, clock), Limits(), None),
        codes=Codes(database, clock),
        audit=Audit(database, clock),
        oauth=oauth_of(settings, database, clock, RootKeys(b"k" * 32)),
    )


@contextlib.asynccontextmanager
async def visiting(database, console=None, address="198.51.100.7"):
    """A browser that looks at the pages."""
    console = console or console_over(database)
    transport = httpx.ASGITransport(
        Stated(app.build(console)), raise_app_exceptions=False, client=(address, 5000)
    )
    async with httpx.AsyncClient(
        transport=transport, base_url=ORIGIN, headers={"accept": "text/html"}
    ) as client:
        yield Visitor(console, client)


class Seen(HTMLParser):
    """The words of a page, and its elements by name."""

    def __init__(self, html):
        super().__init__()
        self.words = []
        self.elements = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        if data.strip():
            self.words.append(" ".join(data.split()))

    @property
    def text(self):
        return " ".join(self.words)


def _names(headers):
    return {name.replace("_", "-"): value for name, value in headers.items()}
