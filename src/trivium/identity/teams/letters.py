"""Letters about budgets and low balances to those whose they are: of a team to its owners and the
readers of its bills, of a key to whoever has it.

A team that has neither is the business of the nearest above that has; the keys of a service account
are that of its team. The ledger says once a level and period that a budget is nearly or wholly
spent, whichever worker of whichever node took it there (``ledger/budgets/store.py`` notes it in the
same transaction), and so there is one letter for each who wants any; of windows, which are spent
and free again by turns, and of many keys at once, no more than a mailbox bears.
"""

from typing import Final

import structlog

from trivium.clock import Clock
from trivium.identity import store as people
from trivium.identity.accounts import throttle
from trivium.identity.accounts.emails import Outgoing
from trivium.identity.model import User, UserKind
from trivium.identity.teams import store
from trivium.identity.teams.model import DEPTH_MAX, TeamRole
from trivium.mail import templates
from trivium.mail.outbox import MailMessage, Writer
from trivium.settings.budget import Budget
from trivium.storage.database import Connection, Database
from trivium.storage.errors import StorageError

READERS_MAX: Final = 50
"""Of one letter."""
TOLD: Final = frozenset({TeamRole.OWNER, TeamRole.BILLING})
_NANOS: Final = 10**9

log = structlog.get_logger()


class BudgetLetters:
    """Writes letters about budgets. ``link``: of the page where people read about them."""

    def __init__(self, db: Database, clock: Clock, post: Outgoing, link: str) -> None:
        self._db = db
        self._clock = clock
        self._post = post
        self._link = link

    async def tell(self, budget: Budget, per_cent: int) -> None:
        """Have letters sent about the budget of a team or a key, to whoever wants them; raises
        nothing.
        """
        kind, _, number = budget.scope.partition(":")
        if kind not in ("team", "key") or not number.isdecimal():
            return
        find = _readers if kind == "team" else _holders
        try:
            async with self._db.read() as conn:
                name, readers = await find(conn, int(number))
        except StorageError as error:
            log.warning("budget_letters_not_written", why=str(error), budget=budget.scope)
            return
        about = f"{name}: {_usd(budget.amount_nanos)} USD/{budget.period.value}"
        which = "spent" if per_cent >= 100 else "near"
        if kind == "key":
            which = f"key_{which}"
        for reader in readers:
            if not self._post.put(self._writer(f"budget_{which}", reader, about, budget.scope)):
                log.warning("budget_letter_dropped", user=reader.id, budget=budget.scope)

    async def tell_low(self, account_id: int) -> None:
        """Have letters sent about a balance that ran low: to the person, or, of a team, to those
        who are told of its budgets; raises nothing.
        """
        try:
            async with self._db.read() as conn:
                name, readers = await _owners(conn, account_id)
        except StorageError as error:
            log.warning("balance_letters_not_written", why=str(error), account=account_id)
            return
        for reader in readers:
            about = name or reader.name
            if not self._post.put(self._writer("balance_low", reader, about)):
                log.warning("balance_letter_dropped", user=reader.id, account=account_id)

    def _writer(self, which: str, reader: User, about: str, scope: str = "") -> Writer:
        async def write() -> MailMessage | None:
            counted = [throttle.of_budget(reader.id, about)]
            if scope.startswith("key:"):
                counted.append(throttle.of_key_budgets(reader.id))
            async with self._db.write() as conn:
                refused = await throttle.count(conn, int(self._clock.now()), *counted)
            if refused is not None:
                log.info("budget_letter_held_back", user=reader.id, budget=scope or None)
                return None
            language = reader.language or templates.FALLBACK
            return templates.letter(which, language, to=reader.email, link=self._link, about=about)

        return write


def _usd(nanos: int) -> str:
    """An amount with two decimals, and more where there are more."""
    dollars, rest = divmod(nanos, _NANOS)
    return f"{dollars}.{f'{rest:09d}'.rstrip('0').ljust(2, '0')}"


async def _holders(conn: Connection, key_id: int) -> tuple[str, list[User]]:
    """What a key is called, and who is told of its budgets: its owner, or of a service account
    those of the team. Nobody of one that was revoked.
    """
    key = await people.key_by_id(conn, key_id)
    owner = None if key is None or key.disabled else await people.user_by_id(conn, key.user_id)
    if key is None or owner is None:
        return "", []
    called = f"{key.name} (…{key.hint})"
    if owner.kind is UserKind.SERVICE and owner.team_id is not None:
        _, readers = await _readers(conn, owner.team_id)
        return f"{owner.name}: {called}", readers
    is_read = owner.kind is UserKind.PERSON and not owner.disabled and owner.email_verified
    return called, [owner] if is_read and owner.budget_letters else []


async def _owners(conn: Connection, account_id: int) -> tuple[str, list[User]]:
    """The name of the team whose account it is, empty for a person's, and who is told."""
    user = await people.user_by_id(conn, account_id)
    if user is None or user.unlimited:
        return "", []
    if user.kind is UserKind.TEAM:
        return await _readers(conn, account_id)
    is_read = user.kind is UserKind.PERSON and not user.disabled and user.email_verified
    return "", [user] if is_read else []


async def _readers(conn: Connection, team_id: int) -> tuple[str, list[User]]:
    """The name of a team, and who is told of it."""
    name, at = "", team_id
    for _ in range(DEPTH_MAX):
        team = await store.name_and_parent(conn, at)
        if team is None:
            break
        name = name or team[0]
        found = await store.members_of(conn, [at])
        told = [who for member, who in found if member.role in TOLD and not who.disabled]
        if told:
            wanting = [who for who in told if who.budget_letters and who.email_verified]
            return name, wanting[:READERS_MAX]
        if team[1] is None:
            break
        at = team[1]
    return "", []
