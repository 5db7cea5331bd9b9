"""The OAuth service over the gateway's database and keys."""

from typing import TYPE_CHECKING

import structlog

from trivium.clock import Clock
from trivium.oauth.addresses import addresses
from trivium.oauth.service import OAuth
from trivium.oauth.sharing import Shared
from trivium.oauth.tokens.service import Alarm, unheard
from trivium.observe.audit.service import Audit
from trivium.settings.model import Settings
from trivium.storage.root_key import RootKeys

if TYPE_CHECKING:
    from trivium.storage.database import Database

log = structlog.get_logger()


def oauth_of(
    settings: Settings,
    database: "Database",
    clock: Clock,
    keys: RootKeys,
    shared: Shared | None = None,
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
    )
