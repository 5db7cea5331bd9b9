"""A browser without a screen: the whole console application over a real database, in this process.

async with visiting(database) as visitor:
    page = await visitor.get("/login")
    answer = await visitor.post("/login", name="ada", password="…")   # the token comes along
"""

import contextlib
import re
from html.parser import HTMLParser
from urllib.parse import urlsplit

import httpx
import msgspec

from trivium.clock import FixedClock
from trivium.console import app, cookies, session
from trivium.console.context import Console
from trivium.console.gateway import ALONE, WorkerStanding
from trivium.identity.accounts.hashing import Cost
from trivium.identity.accounts.model import Visitor as Somebody
from trivium.identity.accounts.model import Way
from trivium.identity.accounts.service import Accounts
from trivium.identity.announcements.service import Announcements
from trivium.identity.directory import Directory
from trivium.identity.erasure.service import Erasure
from trivium.identity.model import UserRole
from trivium.identity.scim.service import Provisioning
from trivium.identity.service import Identity
from trivium.identity.teams.listing.service import TeamLists
from trivium.identity.teams.service import Teams
from trivium.identity.user_keys import OwnKeys
from trivium.jobs.listing.service import VideoLists
from trivium.ledger.codes.service import Codes
from trivium.ledger.entries import Entries
from trivium.ledger.payments.service import Payments
from trivium.ledger.spending.service import SpendStatements
from trivium.ledger.statement.service import Statement
from trivium.observe.audit.service import Audit
from trivium.observe.history.search.service import AllRequests
from trivium.observe.history.service import History
from trivium.observe.traffic.service import Traffic
from trivium.secret import Keyring
from trivium.settings.accounts import AccountsSettings as AccountSettings
from trivium.settings.model import ServerSettings, Settings
from trivium.settings.payments import PaymentsSettings as Limits
from trivium.settings.prices import list_price
from trivium.settings.section import OAuthSettings as Rules
from trivium.settings.source import SettingsSource
from trivium.storage.root_key import RootKeys
from trivium.storage.vault import Vault
from trivium.wiring.catalogue import parts_without_file
from trivium.wiring.console import oauth_of
from trivium.wiring.prices import price_parts

ORIGIN = "https://gateway.example"
TOKEN = re.compile(r'name="csrf" value="([^"]+)"')


CHEAP = Cost(memory_kib=64, passes=1, lanes=1)
PASSWORD = "correct horse battery staple"


class MemoryPost:
    """Keeps letters where a test can read them."""

    def __init__(self):
        self.letters = []

    def put(self, write):
        self.letters.append(write)
        return True

    async def last(self):
        """The text of the letter that was put last; ``None`` where there is nobody to write to."""
        letter = await self.letters[-1]()
        return None if letter is None else letter.text


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

    async def log_in(self, user):
        """Be logged in as that user, without the login page."""
        sessions = self.console.accounts.sessions
        async with self.console.database.write() as conn:
            token = await sessions.begin(conn, user.id, Way.PASSWORD, Somebody(address="::1"))
        name = cookies.name(self.console, session.SESSION)
        self.client.cookies.set(name, token, domain=urlsplit(self.console.origin).hostname)
        return token


async def user_of(console, name="ada", role=UserRole.USER, *, password=None):
    """A user, with a password if one is given."""
    user = await console.identity.create_user(name, f"{name}@example.com", role)
    if password:
        await console.accounts.recovery.set_password(user, password)
    return user


class SeenWorker:
    """What can be seen of a worker: a test changes it."""

    def __init__(self, settings):
        self.read = settings, SettingsSource(name="")
        self.parts = {"accepting": True, "database": True}
        self.channels, self.identities = [], []

    async def standing(self):
        """As it stands."""
        return WorkerStanding(
            status="ok",
            parts=self.parts,
            version="1",
            started_at=7,
            worker={"running": 1},
            workers=None,
            stale_secrets=(),
        )

    async def listed(self):
        """The channels."""
        return self.channels

    def beside(self, gateway):
        """What can be asked of a gateway, and this worker seen."""
        seen = {} if gateway.identities is not ALONE.identities else {"identities": self.logins}
        return msgspec.structs.replace(
            gateway,
            standing=self.standing,
            overview=self.listed,
            settings=lambda: self.read,
            **seen,
        )

    def logins(self):
        """At vendors."""
        return self.identities


def console_over(
    database,
    clock=None,
    oauth=Rules(),  # noqa: B008 - immutable
    *,
    signup="closed",
    letters=True,
    models=(),
    seen=None,
    multiplier=list_price,
    gateway=ALONE,
    **server,
):
    """The services of the pages over a test's database."""
    clock = clock or FixedClock()
    settings = Settings(
        server=ServerSettings(**{"public_url": ORIGIN} | server),
        accounts=AccountSettings(signup=signup),
        oauth=oauth,
    )
    catalogue = parts_without_file(database, RootKeys(b"k" * 32)).service(clock)
    pricing = price_parts(settings, database, clock, catalogue, lambda: models, gateway.listed)
    return Console(
        settings=settings,
        clock=clock,
        database=database,
        ring=Keyring(b"k" * 32),
        identity=Identity(database, clock),
        entries=Entries(database, clock),
        payments=Payments(database, clock, Audit(database, clock), Limits(), None),
        codes=Codes(database, clock),
        accounts=Accounts(
            database,
            clock,
            settings.accounts,
            origin=ORIGIN,
            post=MemoryPost() if letters else None,
            cost=CHEAP,
            vault=Vault(Keyring(b"v" * 32)),
        ),
        own_keys=OwnKeys(database, clock),
        directory=Directory(database, clock),
        erasure=Erasure(database, clock),
        teams=Teams(database, clock),
        team_lists=TeamLists(database),
        announcements=Announcements(database, clock),
        scim=Provisioning(database, clock),
        statement=Statement(database),
        history=History(database, clock),
        requests=AllRequests(database),
        videos=VideoLists(database),
        traffic=Traffic(database),
        spending=SpendStatements(database),
        audit=Audit(database, clock),
        oauth=oauth_of(settings, database, clock, RootKeys(b"k" * 32)),
        models=lambda: models,
        catalogue=catalogue,
        prices=pricing.prices,
        price_looks=pricing.looks,
        multiplier=multiplier,
        gateway=(seen or SeenWorker(settings)).beside(gateway),
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
