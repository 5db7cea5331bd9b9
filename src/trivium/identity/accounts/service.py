"""Everything about people's accounts, built from its parts: what pages and commands call.

``sessions`` finds, lists and ends logins; ``login`` lets people in and asks again who they are;
``signup`` makes accounts; ``recovery`` has passwords and addresses; ``factor`` asks for more than a
password; ``passkeys`` does without one, ``outside`` by way of a provider.

``Sweeper`` deletes sessions, tickets and counts that are over. Nothing depends on it: whatever is
over counts for nothing from its second on.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from enum import Enum, unique
from typing import Final

from trivium.clock import Clock
from trivium.identity.accounts import store
from trivium.identity.accounts.emails import AccountEmails, Outgoing
from trivium.identity.accounts.hashing import COST, Cost, Hasher
from trivium.identity.accounts.login import PasswordLogin
from trivium.identity.accounts.mfa.service import SecondFactor
from trivium.identity.accounts.part import Foundation
from trivium.identity.accounts.passkeys.service import Passkeys
from trivium.identity.accounts.recovery import Recovery
from trivium.identity.accounts.sessions import Sessions
from trivium.identity.accounts.signup import SignUp
from trivium.identity.accounts.sso.provider import SsoProvider
from trivium.identity.accounts.sso.service import SsoLogins
from trivium.identity.accounts.sso.teams import ClaimedTeams
from trivium.identity.accounts.tickets import KEPT_S, Tickets
from trivium.identity.model import InForce, left_to_others
from trivium.identity.revocation import LogAct, log_nothing
from trivium.identity.teams.invitations.service import TeamInvitations
from trivium.settings.accounts import AccountsSettings as Settings
from trivium.storage.database import Database
from trivium.storage.periodic import PAUSE_S, Sweeper
from trivium.storage.vault import Vault

BATCH: Final = 500
"""Rows a table and transaction."""


class AccountSweeper(Sweeper):
    """Keeps the tables of accounts small."""

    what = "accounts"
    every_s = 900.0

    def __init__(
        self,
        db: Database,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        *,
        idle_s: int,
    ) -> None:
        super().__init__(db, clock, sleep)
        self._idle_s = idle_s

    async def round(self, now: float | None = None) -> int:
        """Delete everything that is over; how many rows that were. Raises the storage errors."""
        swept = 0
        now = self._second(now)
        while True:
            async with self._db.write() as conn:
                done = await store.sweep(conn, now, self._idle_s, KEPT_S, BATCH)
            swept += done
            if not done:
                return swept
            await self._sleep(PAUSE_S)


@unique
class Theme(Enum):
    """The colours in which a user sees the pages."""

    SYSTEM = "system"
    """As the system has it, whatever the browser's cookie says."""
    LIGHT = "light"
    DARK = "dark"


HOUR_S: Final = 3600
DAY_S: Final = 86_400


class Accounts:
    """The parts. Close it when done.

    ``origin``: how the outside sees the pages, without a slash at its end. ``vault``: seals what
    must be read again. ``post``: takes letters; ``None`` when none are sent. ``providers``:
    of outside logins, by name. ``log_act``: logs what logins do to teams; ``in_force``: called
    after each change of keys.
    """

    def __init__(
        self,
        db: Database,
        clock: Clock,
        settings: Settings,
        *,
        origin: str,
        vault: Vault,
        post: Outgoing | None = None,
        providers: Mapping[str, SsoProvider] | None = None,
        cost: Cost = COST,
        log_act: LogAct = log_nothing,
        in_force: InForce = left_to_others,
    ) -> None:
        self._db = db
        self.hasher: Final = Hasher(cost)
        self.emails: Final = AccountEmails(db, clock, post, origin)
        self.sessions: Final = Sessions(
            db,
            clock,
            idle_s=int(settings.idle_hours * HOUR_S),
            lifetime_s=int(settings.session_days * DAY_S),
        )
        on = Foundation(db, clock, self.hasher, self.sessions, Tickets(clock), self.emails)
        self.login: Final = PasswordLogin(on)
        self.signup: Final = SignUp(on, settings.signup, int(settings.invitation_days * DAY_S))
        self.recovery: Final = Recovery(on, self.login)
        self.factor: Final = SecondFactor(on, vault)
        self.passkeys: Final = Passkeys(on, origin)
        self.team_invitations: Final = TeamInvitations(on, self.signup, in_force)
        self.outside: Final = SsoLogins(
            on,
            providers or {},
            self.login,
            self.signup,
            ClaimedTeams(db, clock, log_act, in_force),
        )

    async def prefer(
        self,
        user_id: int,
        *,
        language: str | None = None,
        theme: Theme | None = None,
        budget_letters: bool | None = None,
    ) -> None:
        """Store how a user reads the pages, a tag of ours and a theme, and whether letters about
        budgets come; ``None``: as it is.
        """
        chosen: dict[str, str | bool] = {} if language is None else {"language": language}
        if budget_letters is not None:
            chosen["budget_letters"] = budget_letters
        if theme is not None:
            chosen["theme"] = theme.value
        if chosen:
            async with self._db.write() as conn:
                await store.set_preferences(conn, user_id, chosen)

    def close(self) -> None:
        """Stop the threads that hash passwords."""
        self.hasher.close()
