"""The services of the pages for people. Imported at the first of these pages, with all it needs."""

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path

from trivium.clock import SystemClock
from trivium.console.context import Console
from trivium.identity.directory import Directory
from trivium.identity.force import InForce, left_to_others
from trivium.identity.own_keys import OwnKeys
from trivium.identity.service import Identity
from trivium.ledger.codes.service import Codes
from trivium.ledger.entries import Entries
from trivium.ledger.statement.service import Statement
from trivium.oauth.sharing import Shared
from trivium.observe.audit.service import Audit
from trivium.observe.history.service import History
from trivium.routing.model import Model
from trivium.settings.load import environment
from trivium.settings.model import Settings
from trivium.storage.database import Database
from trivium.storage.root_key import root_keys
from trivium.storage.vault import Vault
from trivium.wiring.accounts import PURPOSE, accounts_of
from trivium.wiring.oauth import oauth_of
from trivium.wiring.payments import payments_of


def console_of(
    settings: Settings,
    database: Database,
    stack: contextlib.AsyncExitStack,
    shared: Shared | None = None,
    in_force: InForce = left_to_others,
    models: Callable[[], Iterable[Model]] = tuple,
) -> Console:
    """Everything the pages may call; closed with the stack. ``shared``: where all workers count;
    ``in_force``: called when keys have changed; ``models``: returns those that can be asked for.
    """
    clock = SystemClock()
    audit = Audit(database, clock)
    keys = root_keys(
        environment().get("TRIVIUM_SECRET"), Path(settings.storage.journal) / "trivium.key"
    )
    accounts = accounts_of(settings, database, Vault(keys.ring(PURPOSE)), stack)
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
        statement=Statement(database),
        history=History(database),
        payments=payments_of(settings, database, audit),
        codes=Codes(database, clock),
        models=models,
        oauth=oauth_of(settings, database, clock, keys, shared, accounts.desk.tokens_stolen),
        audit=audit,
    )
