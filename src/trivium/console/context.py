"""What the pages call: one object, built once by the wiring and handed to every page."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from urllib.parse import urlsplit

import msgspec
from starlette.requests import Request

from trivium.catalogue.pricing.looks import PriceLooks
from trivium.catalogue.pricing.service import PriceService
from trivium.catalogue.service import CatalogueService
from trivium.clock import Clock
from trivium.console.gateway import ALONE, GatewayState
from trivium.identity.accounts.service import Accounts
from trivium.identity.announcements.service import Announcements
from trivium.identity.directory import Directory
from trivium.identity.erasure.service import Erasure
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
from trivium.oauth.service import OAuth
from trivium.observe.audit.service import Audit
from trivium.observe.history.search.service import AllRequests
from trivium.observe.history.service import History
from trivium.observe.traffic.service import Traffic
from trivium.routing.model import Model
from trivium.secret import Keyring
from trivium.settings.model import Settings
from trivium.storage.database import Database


class Console(msgspec.Struct, frozen=True, kw_only=True):
    """The services of the pages. A part that has pages adds its own here."""

    settings: Settings
    clock: Clock
    database: Database
    ring: Keyring
    """Seals what travels through a browser and must come back unchanged."""
    identity: Identity
    entries: Entries
    accounts: Accounts
    announcements: Announcements
    payments: Payments
    codes: Codes
    own_keys: OwnKeys
    directory: Directory
    erasure: Erasure
    teams: Teams
    team_lists: TeamLists
    scim: Provisioning
    statement: Statement
    history: History
    requests: AllRequests
    videos: VideoLists
    traffic: Traffic
    spending: SpendStatements
    audit: Audit
    oauth: OAuth
    catalogue: CatalogueService
    prices: PriceService
    price_looks: PriceLooks
    models: Callable[[], Iterable[Model]]
    """Returns the models that can be asked for now, in the order of the file."""
    multiplier: Callable[[str], Fraction]
    """Returns what users of a price group pay of the list price; 1 for those of none."""
    gateway: GatewayState = ALONE
    """What can be asked of the worker that serves the pages."""

    @property
    def origin(self) -> str:
        """How the outside sees the pages and the OAuth service; never taken from ``Host``."""
        return self.oauth.addresses.auth

    @property
    def api_origin(self) -> str:
        """Where the models are asked; the pages show it in examples."""
        return (self.settings.server.api_url or self.oauth.addresses.public).rstrip("/")

    @property
    def secure(self) -> bool:
        """Whether browsers speak TLS to us: cookies are then ``Secure``, and HSTS is sent."""
        return urlsplit(self.origin).scheme == "https"


def of(request: Request) -> Console:
    """Return the services, from the request of any page."""
    found = request.scope["console"]
    assert isinstance(found, Console)
    return found
