"""Somebody's teams after a login at a provider: as the groups of its ID token have them.

It is done after the login, in a transaction of its own: a login needs no team, and the row that all
writers of identities queue at is held for a moment only, if anything changes at all.
"""

from typing import Final

import structlog

from trivium.clock import Clock
from trivium.identity import store as people
from trivium.identity.accounts.sso.claimed import claimed_roles
from trivium.identity.accounts.sso.model import SsoIdentity
from trivium.identity.model import InForce, left_to_others
from trivium.identity.revocation import LogAct, log_nothing
from trivium.identity.teams import membership, store
from trivium.identity.teams.membership import MemberOrigin
from trivium.identity.teams.model import MemberSource
from trivium.settings.accounts import LoginEntry
from trivium.storage.database import Database
from trivium.storage.errors import StorageError

log = structlog.get_logger()


class ClaimedTeams:
    """Brings teams in line with claims."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        log_act: LogAct = log_nothing,
        in_force: InForce = left_to_others,
    ) -> None:
        """``in_force``: called after each change of keys; raises nothing."""
        self._db: Final = db
        self._clock: Final = clock
        self._log_act: Final = log_act
        self._in_force: Final = in_force

    async def follow(self, entry: LoginEntry, said: SsoIdentity, user_id: int) -> None:
        """Make a user a member of the teams that the login's groups name, and of no other that came
        by this issuer before. Raises nothing: a login holds whatever becomes of teams.
        """
        told: dict[str, object] = {"login": entry.name, "user": user_id, "claim": entry.teams_claim}
        if said.groups is None:
            if said.groups_trouble:
                log.warning("teams_claim_unread", why=said.groups_trouble, **told)
            return
        try:
            kept, unknown = await self._follow(entry, said, user_id)
        except StorageError as error:
            log.warning("teams_claim_not_followed", why=str(error), **told)
            return
        if kept or unknown:
            log.warning("teams_claim_followed_in_part", last_owner=kept, no_team=unknown, **told)

    async def _follow(
        self, entry: LoginEntry, said: SsoIdentity, user_id: int
    ) -> tuple[list[str], tuple[str, ...]]:
        origin = MemberOrigin(MemberSource.SSO, said.issuer)
        groups = said.groups or frozenset()
        async with self._db.read() as conn:
            teams = await store.find_teams(conn)
            wanted = claimed_roles(groups, entry.teams, teams)
            rows = await store.said_of(conn, user_id)
        if membership.said_by(rows, origin) == wanted.roles:
            return [], wanted.unknown
        async with self._db.write() as conn:
            raised = await people.bump(conn)
            teams = await store.find_teams(conn)
            wanted = claimed_roles(groups, entry.teams, teams)
            now = int(self._clock.now())
            done = await membership.follow(
                conn, teams, user_id, origin, wanted.roles, raised, now, self._log_act
            )
        await self._in_force()
        names = [team.name for each in done.kept if (team := teams.get(each))]
        return names, wanted.unknown
