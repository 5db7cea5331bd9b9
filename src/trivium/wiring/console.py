"""The services of the pages for people. Imported at the first of these pages, with all it needs."""

import contextlib
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import structlog

from trivium.clock import Clock, SystemClock
from trivium.console.context import Console
from trivium.console.gateway import ALONE, GatewayState
from trivium.identity.announcements.service import Announcements
from trivium.identity.directory import Directory
from trivium.identity.erasure.service import Erasure
from trivium.identity.model import InForce, left_to_others
from trivium.identity.scim.service import Provisioning
from trivium.identity.service import Identity
from trivium.identity.teams.listing.service import TeamLists
from trivium.identity.teams.service import Teams
from trivium.identity.user_keys import OwnKeys
from trivium.jobs.listing.service import VideoLists
from trivium.ledger.codes.service import Codes
from trivium.ledger.entries import Entries
from trivium.ledger.spending.service import SpendStatements
from trivium.ledger.statement.service import Statement
from trivium.oauth.addresses import addresses
from trivium.oauth.service import OAuth
from trivium.oauth.shared_rate_limits import SharedCounters
from trivium.oauth.tokens.service import Alarm, unheard
from trivium.oauth.workload.service import Workloads
from trivium.observe.audit.service import Audit
from trivium.observe.history.search.service import AllRequests
from trivium.observe.history.service import History
from trivium.observe.traffic.service import Traffic
from trivium.routing.model import Model
from trivium.secret import Secret
from trivium.settings.model import Settings
from trivium.settings.payments import PaymentsSettings as Given
from trivium.settings.prices import list_price
from trivium.storage.database import Database
from trivium.storage.root_key import RootKeys
from trivium.storage.vault import Vault
from trivium.wiring.accounts import PURPOSE, accounts_of
from trivium.wiring.catalogue import StoredParts, parts_without_file
from trivium.wiring.prices import price_parts
from trivium.wiring.secret import keys_of

if TYPE_CHECKING:
    from trivium.ledger.payments.model import PaymentProvider
    from trivium.ledger.payments.service import Payments


def payments_of(settings: Settings, database: "Database", audit: Audit) -> "Payments":
    """Return payments through the provider of the settings, or through none."""
    from trivium.ledger.payments.service import Payments

    return Payments(database, SystemClock(), audit, settings.payments, _provider(settings))


def _provider(settings: Settings) -> "PaymentProvider | None":
    build = _BUILDERS.get(settings.payments.provider)
    return build(settings.payments) if build else None


def _stripe(given: Given) -> "PaymentProvider":
    from trivium.ledger.payments import stripe

    if not stripe.installed():
        log.error("payment_library_missing", what=stripe.MISSING)
    return stripe.Stripe(
        Secret(given.secret_key),
        Secret(given.webhook_secret),
        base_url=given.base_url,
        page_url=given.page_url,
    )


_BUILDERS: Final = {"stripe": _stripe}
"""One row a provider, by its name in the settings."""


log = structlog.get_logger()


def oauth_of(
    settings: Settings,
    database: "Database",
    clock: Clock,
    keys: RootKeys,
    shared: SharedCounters | None = None,
    alarm: Alarm = unheard,
) -> OAuth:
    """Applications, consent and tokens. ``shared``: where all workers count. ``alarm``: tells a
    user of tokens that seem stolen.
    """
    server = settings.server
    found = addresses(server.public_url, server.auth_url, server.api_url, server.listen)
    if not found.is_safe:
        log.warning("oauth_off", why="its origins are not https", auth=found.auth, api=found.api)
    elif found.is_https and server.tls_certificate is None and not server.trusted_proxies:
        log.warning(
            "visitors_look_alike",
            why="a proxy ends TLS and server.trusted_proxies does not name it: everybody has its "
            "address, and limits by address count all together",
        )
    return OAuth(
        database,
        clock,
        Audit(database, clock),
        settings.oauth,
        found,
        refresh_keys=keys.ring("oauth refresh"),
        topup_keys=keys.ring("oauth topup"),
        shared=shared,
        alarm=alarm,
        workloads=Workloads(settings.workloads, clock),
    )


def console_of(
    settings: Settings,
    database: Database,
    stack: contextlib.AsyncExitStack,
    shared: SharedCounters | None = None,
    in_force: InForce = left_to_others,
    models: Callable[[], Iterable[Model]] = tuple,
    multiplier: Callable[[str], Fraction] = list_price,
    stored: StoredParts | None = None,
    *,
    gateway: GatewayState = ALONE,
) -> Console:
    """Everything the pages may call; closed with the stack. ``shared``: where all workers count;
    ``in_force``: called when keys have changed; ``models``: returns those that can be asked for;
    ``multiplier``: of a price group; ``stored``: the worker's parts of the catalogue in the
    database; ``gateway``: what the workers know of themselves.
    """
    clock = SystemClock()
    audit = Audit(database, clock)
    keys = keys_of(settings)
    stored = stored or parts_without_file(database, keys)
    catalogue = stored.service(clock)
    pricing = price_parts(settings, database, clock, catalogue, models, gateway.listed)
    accounts = accounts_of(settings, database, Vault(keys.ring(PURPOSE)), stack, in_force)
    return Console(
        settings=settings,
        clock=clock,
        database=database,
        ring=keys.ring("pages"),
        identity=Identity(database, clock, in_force=in_force),
        entries=Entries(database, clock),
        accounts=accounts,
        own_keys=OwnKeys(database, clock, in_force),
        directory=Directory(database, clock, in_force),
        erasure=Erasure(database, clock, in_force),
        teams=Teams(database, clock, in_force),
        team_lists=TeamLists(database),
        announcements=Announcements(database, clock),
        scim=Provisioning(database, clock, in_force),
        statement=Statement(database),
        history=History(database, clock),
        requests=AllRequests(database),
        videos=VideoLists(database),
        traffic=Traffic(database),
        spending=SpendStatements(database),
        payments=payments_of(settings, database, audit),
        codes=Codes(database, clock),
        models=models,
        catalogue=catalogue,
        prices=pricing.prices,
        price_looks=pricing.looks,
        multiplier=multiplier,
        gateway=gateway,
        oauth=oauth_of(settings, database, clock, keys, shared, accounts.emails.tokens_stolen),
        audit=audit,
    )
