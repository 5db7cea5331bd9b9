"""The services of the pages for people. Imported at the first of these pages, with all it needs."""

import contextlib
from pathlib import Path

from trivium.clock import SystemClock
from trivium.console.context import Console
from trivium.identity.accounts.service import Accounts
from trivium.identity.directory import Directory
from trivium.identity.own_keys import OwnKeys
from trivium.identity.service import Identity
from trivium.ledger.codes.service import Codes
from trivium.ledger.entries import Entries
from trivium.ledger.statement.service import Statement
from trivium.mail.outbox import Outbox
from trivium.mail.smtp import Smtp
from trivium.observe.audit.service import Audit
from trivium.observe.history.service import History
from trivium.settings.load import environment
from trivium.settings.model import Settings
from trivium.storage.database import Database
from trivium.storage.root_key import root_keys
from trivium.storage.vault import Vault
from trivium.wiring.oauth import oauth_of
from trivium.wiring.payments import payments_of


def console_of(settings: Settings, database: Database, stack: contextlib.AsyncExitStack) -> Console:
    """Everything the pages may call; closed with the stack."""
    clock = SystemClock()
    audit = Audit(database, clock)
    keys = root_keys(
        environment().get("TRIVIUM_SECRET"), Path(settings.storage.journal) / "trivium.key"
    )
    return Console(
        settings=settings,
        clock=clock,
        database=database,
        ring=keys.ring("pages"),
        identity=Identity(database, clock),
        entries=Entries(database, clock),
        accounts=accounts_of(settings, database, Vault(keys.ring("accounts")), stack),
        own_keys=OwnKeys(database),
        directory=Directory(database),
        statement=Statement(database),
        history=History(database),
        payments=payments_of(settings, database, audit),
        codes=Codes(database, clock),
        oauth=oauth_of(settings, database, clock, keys),
        audit=audit,
    )


def accounts_of(
    settings: Settings, database: Database, vault: Vault, stack: contextlib.AsyncExitStack
) -> Accounts:
    """People's accounts; letters are sent if there is a server for them."""
    clock = SystemClock()
    outbox = None
    if settings.mail.host:
        outbox = Outbox(Smtp(settings.mail, clock).send, settings.mail.queue_max)
        outbox.start()
        stack.push_async_callback(outbox.close)
    server = settings.server
    accounts = Accounts(
        database,
        clock,
        settings.accounts,
        origin=(server.public_url or f"http://{server.listen}").rstrip("/"),
        post=outbox,
        vault=vault,
    )
    stack.callback(accounts.close)
    return accounts
