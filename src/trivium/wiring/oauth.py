"""The OAuth service over the gateway's database and keys."""

from typing import TYPE_CHECKING

from trivium.clock import Clock
from trivium.oauth.addresses import addresses
from trivium.oauth.service import OAuth
from trivium.observe.audit.service import Audit
from trivium.settings.model import Settings
from trivium.storage.root_key import RootKeys

if TYPE_CHECKING:
    from trivium.storage.database import Database


def oauth_of(settings: Settings, database: "Database", clock: Clock, keys: RootKeys) -> OAuth:
    """Applications, consent and tokens."""
    server = settings.server
    return OAuth(
        database,
        clock,
        Audit(database, clock),
        settings.oauth,
        addresses(server.public_url, server.auth_url, server.api_url, server.listen),
        refresh_keys=keys.ring("oauth refresh"),
        topup_keys=keys.ring("oauth topup"),
    )
