"""People's accounts, with the mail server their letters go by."""

import contextlib
from typing import TYPE_CHECKING, Final

from trivium.clock import SystemClock
from trivium.identity.model import InForce, left_to_others
from trivium.oauth.addresses import addresses
from trivium.settings.model import Settings
from trivium.wiring.secret import keys_of

if TYPE_CHECKING:
    from trivium.identity.accounts.emails import Outgoing
    from trivium.identity.accounts.service import Accounts, AccountSweeper
    from trivium.identity.teams.letters import BudgetLetters
    from trivium.mail.outbox import Outbox
    from trivium.storage.database import Database
    from trivium.storage.vault import Vault

PURPOSE: Final = "accounts"
"""Of the keys that seal what accounts must read again."""


def accounts_of(
    settings: Settings,
    database: "Database",
    vault: "Vault",
    stack: contextlib.AsyncExitStack,
    in_force: InForce = left_to_others,
) -> "Accounts":
    """Everything about accounts; closed with the stack, after letters that wait were sent.

    ``vault``: as ``vault_of`` has it, where the keys are at hand already.
    """
    post = outbox(settings)
    if post is not None:
        post.start()
        stack.push_async_callback(post.close)
    accounts = build(settings, database, vault, post, in_force)
    stack.callback(accounts.close)
    return accounts


def build(
    settings: Settings,
    database: "Database",
    vault: "Vault",
    post: "Outgoing | None",
    in_force: InForce = left_to_others,
) -> "Accounts":
    """Build accounts, with letters left to the caller. Close it when done. ``in_force``: called
    when keys have changed.
    """
    from trivium.identity.accounts.service import Accounts
    from trivium.identity.accounts.sso.provider import by_name
    from trivium.identity.revocation import ActLog
    from trivium.observe.audit.service import Audit

    return Accounts(
        database,
        SystemClock(),
        settings.accounts,
        origin=origin(settings),
        vault=vault,
        post=post,
        providers=by_name(settings.logins, SystemClock()),
        log_act=ActLog(Audit(database, SystemClock())).within,
        in_force=in_force,
    )


def vault_of(settings: Settings) -> "Vault":
    """Return the vault for what accounts must read again."""
    from trivium.storage.vault import Vault

    return Vault(keys_of(settings).ring(PURPOSE))


def origin(settings: Settings) -> str:
    """Return the origin under which browsers reach the pages, which are with the OAuth service."""
    server = settings.server
    return addresses(server.public_url, server.auth_url, server.api_url, server.listen).auth


def outbox(settings: Settings) -> "Outbox | None":
    """Return the queue of letters; ``None`` when none are sent."""
    if not settings.mail.host:
        return None
    from trivium.mail.outbox import Outbox
    from trivium.mail.smtp import Smtp

    return Outbox(Smtp(settings.mail, SystemClock()).send, settings.mail.queue_max)


def budget_letters(
    settings: Settings, database: "Database", stack: contextlib.AsyncExitStack
) -> "BudgetLetters | None":
    """Letters about budgets of teams; ``None`` when none are sent. Closed with the stack."""
    post = outbox(settings)
    if post is None:
        return None
    from trivium.identity.teams.letters import BudgetLetters

    post.start()
    stack.push_async_callback(post.close)
    return BudgetLetters(database, SystemClock(), post, origin(settings) + "/account/profile")


def caretaker(settings: Settings, database: "Database") -> "AccountSweeper":
    """Return the sweeper that removes expired sessions, links and counts."""
    from trivium.identity.accounts.service import AccountSweeper

    return AccountSweeper(database, SystemClock(), idle_s=int(settings.accounts.idle_hours * 3600))
