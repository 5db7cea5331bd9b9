"""Making and changing teams, members, service accounts and budgets. Each call is one transaction.

Whatever changes a team raises the revision and gives it to the keys of the team and of those below,
by which every gateway learns of it within seconds (``identity/snapshot.py``).
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from trivium.clock import Clock
from trivium.identity import store as people
from trivium.identity.errors import IdentityError, TakenError
from trivium.identity.model import InForce, Key, User, UserKind, left_to_others
from trivium.identity.revocation import LogAct, log_nothing
from trivium.identity.teams import membership, store
from trivium.identity.teams.model import (
    DEPTH_MAX,
    EVERYWHERE,
    TAG_MARK,
    Member,
    Team,
    TeamMap,
    TeamRole,
    member_scope,
    team_scope,
)
from trivium.identity.terms import BUDGET_NANOS_MAX, allowed_models, folded, limits_of, name_of
from trivium.observe.audit.model import ActKind
from trivium.settings.budget import Budget, Period, zone_of
from trivium.storage.database import Connection, Database
from trivium.wire.attribution import TAG_CHARS_MAX, is_tag

SEPARATOR: Final = "/"
"""Between the parts of a team's name."""
MEMBERS_MAX: Final = 10_000
"""Of one team."""
TEAMS_MAX: Final = 10_000
"""All together: each gateway reads them when one of them, or a key, has changed."""
SERVICES_MAX: Final = 1_000
"""Of one team."""


class Teams:
    """Teams in the database. Storage faults pass through as they are."""

    def __init__(self, db: Database, clock: Clock, in_force: InForce = left_to_others) -> None:
        """``in_force``: called after each change of keys; raises nothing."""
        self._db = db
        self._clock = clock
        self._in_force = in_force

    # --- teams ------------------------------------------------------------------------------------

    async def all(self) -> TeamMap:
        """Every team, with the budgets of teams and members."""
        async with self._db.read() as conn:
            return await store.find_teams(conn)

    async def find(self, name: str) -> Team:
        """The team of that whole name. Raises ``IdentityError`` (``team``)."""
        teams = await self.all()
        team_id = teams.named(folded(name))
        if team_id is None:
            near = name.strip().strip(SEPARATOR).rpartition(SEPARATOR)[2]
            ends = [each.name for each in teams.all() if each.title == near][:3]
            hint = f"; there is {', '.join(ends)}" if ends else ": `trivium team list` shows them"
            raise IdentityError("team", f"there is no team {name[:100]!r}{hint}")
        return _team(teams, team_id)

    async def create(
        self,
        title: str,
        parent_id: int | None = None,
        owner_id: int | None = None,
        *,
        has_wallet: bool = False,
        log_act: LogAct = log_nothing,
    ) -> Team:
        """A new team in another, or an organisation, which always has a balance of its own.

        Raises ``IdentityError`` (``name``, ``team``, ``user``).
        """
        title = name_of(title)
        if SEPARATOR in title or "@" in title:
            raise IdentityError("name", f"of a team has no '{SEPARATOR}' and no '@'")
        async with self._db.write() as conn:
            raised = await people.bump(conn)
            teams = await store.find_teams(conn)
            parent = None if parent_id is None else _team(teams, parent_id)
            if len(teams) >= TEAMS_MAX:
                raise IdentityError("team", f"would be one more than {TEAMS_MAX}, the most here")
            if parent is not None and len(list(teams.above(parent.id))) >= DEPTH_MAX:
                raise IdentityError("team", f"lies {DEPTH_MAX} levels deep, which is the most")
            name = title if parent is None else f"{parent.name}{SEPARATOR}{title}"
            if await store.name_taken(conn, name):
                raise TakenError("name", f"there is a user or a team {name!r} already")
            team = Team(
                id=0,
                name=name,
                title=title,
                parent_id=parent_id,
                has_wallet=has_wallet or parent is None,
                created_at=int(self._clock.now()),
            )
            team = msgspec.structs.replace(team, id=await store.insert_team(conn, team, raised))
            if owner_id is not None:
                await self._put(conn, team, owner_id, TeamRole.OWNER)
            await log_act(conn, ActKind.TEAM_CREATED, team.id, f"team:{team.id}", {"name": name})
        return team

    async def change(
        self, team_id: int, changes: dict[str, object], log_act: LogAct = log_nothing
    ) -> Team:
        """Other models, limits, price group or state of a team: fields of ``Team`` by name.

        Raises ``IdentityError`` (``team``, ``models``, ``limits``, ``wallet``).
        """
        async with self._db.write() as conn:
            raised = await people.bump(conn)
            teams = await store.find_teams(conn)
            before = _team(teams, team_id)
            team = msgspec.structs.replace(before, **changes)
            if team.parent_id is None and not team.has_wallet:
                raise IdentityError("wallet", "of an organisation is its own")
            team = msgspec.structs.replace(
                team, models=allowed_models(team.models), limits=limits_of(team.limits)
            )
            await store.update_team(conn, team, raised)
            await store.touch_keys(conn, teams.below(team_id), raised)
            what = {"changed": ", ".join(sorted(changes))}
            await log_act(conn, ActKind.TEAM_CHANGED, team_id, f"team:{team_id}", what)
        await self._in_force()
        return team

    async def check_wallet(self, user: User) -> None:
        """Raise ``IdentityError`` (``wallet``) for whoever spends another's balance: a team without
        a wallet, or a service account.
        """
        of = user.id if user.kind is UserKind.TEAM else user.team_id
        if of is None:
            return
        payer = (await self.all()).payer(of)
        if payer.id != user.id:
            raise IdentityError("wallet", f"{user.name} spends the balance of {payer.name}")

    # --- members ----------------------------------------------------------------------------------

    async def members(self, team_id: int) -> list[tuple[Member, User]]:
        """The members of a team with their accounts. Raises ``IdentityError`` (``team``)."""
        async with self._db.read() as conn:
            _team(await store.find_teams(conn), team_id)
            return await store.members_of(conn, [team_id])

    async def roles(self, user_id: int) -> dict[int, TeamRole]:
        """The roles of a user by team."""
        async with self._db.read() as conn:
            return await membership.roles_of(conn, user_id)

    async def put_member(
        self,
        team_id: int,
        user_id: int,
        role: TeamRole,
        log_act: LogAct = log_nothing,
    ) -> Member:
        """Make somebody a member by hand, or give a member another role, which counts whatever
        other sources say. A role without keys ends theirs.

        Raises ``IdentityError`` (``team``, ``user``, ``role``).
        """
        async with self._db.write() as conn:
            raised = await people.bump(conn)
            teams = await store.find_teams(conn)
            team = _team(teams, team_id)
            before = (await membership.roles_of(conn, user_id)).get(team_id)
            member = await self._put(conn, team, user_id, role)
            if before is TeamRole.OWNER:
                await membership.check_owner(conn, teams, team_id)
            await membership.end_lost_keys(conn, teams, user_id, [team_id], raised)
            detail = {"user": user_id, "role": role.value}
            await log_act(conn, ActKind.TEAM_MEMBER, user_id, f"team:{team_id}", detail)
        await self._in_force()
        return member

    async def remove_member(
        self, team_id: int, user_id: int, log_act: LogAct = log_nothing
    ) -> None:
        """End a membership, whoever said so, and revoke the keys that spend for the team: requests
        that run end as they began, and are billed as they began. Who comes by a claim or from a
        directory comes back with its next word, unless it says otherwise.

        Raises ``IdentityError`` (``team``, ``user``, ``role``).
        """
        async with self._db.write() as conn:
            raised = await people.bump(conn)
            teams = await store.find_teams(conn)
            team = _team(teams, team_id)
            before = (await membership.roles_of(conn, user_id)).get(team_id)
            if not await store.drop_member(conn, team_id, user_id):
                raise IdentityError("user", f"is no member of {team.name}")
            if before is TeamRole.OWNER:
                await membership.check_owner(conn, teams, team_id)
            await membership.end_lost_keys(conn, teams, user_id, [team_id], raised)
            detail = {"user": user_id}
            await log_act(conn, ActKind.TEAM_MEMBER_REMOVED, user_id, f"team:{team_id}", detail)
        await self._in_force()

    async def _put(self, conn: Connection, team: Team, user_id: int, role: TeamRole) -> Member:
        user = await people.user_by_id(conn, user_id)
        if user is None or user.kind is not UserKind.PERSON:
            raise IdentityError("user", "is no person of this gateway")
        member = Member(
            team_id=team.id,
            user_id=user_id,
            role=role,
            created_at=int(self._clock.now()),
        )
        if await store.member_count(conn, team.id, user_id) >= MEMBERS_MAX:
            raise IdentityError("team", f"has {MEMBERS_MAX} members, the most")
        await store.put_member(conn, member)
        return member

    # --- service accounts -------------------------------------------------------------------------

    async def create_service(self, team_id: int, title: str, log_act: LogAct = log_nothing) -> User:
        """A service account of a team: it has keys and budgets, and nobody can log in as it.

        Raises ``IdentityError`` (``name``, ``team``).
        """
        title = name_of(title)
        if SEPARATOR in title or "@" in title:
            raise IdentityError("name", f"of a service account has no '{SEPARATOR}' and no '@'")
        async with self._db.write() as conn:
            raised = await people.bump(conn)
            team = _team(await store.find_teams(conn), team_id)
            if len(await store.services_of(conn, [team_id])) >= SERVICES_MAX:
                raise IdentityError("team", f"has {SERVICES_MAX} service accounts, the most")
            name = f"{team.name}{SEPARATOR}{title}"
            if await store.name_taken(conn, name):
                raise TakenError("name", f"there is a user or a team {name!r} already")
            user = User(
                id=0,
                name=name,
                email="",
                kind=UserKind.SERVICE,
                team_id=team_id,
                created_at=int(self._clock.now()),
            )
            user = msgspec.structs.replace(user, id=await people.insert_user(conn, user, raised))
            kind, what = ActKind.SERVICE_ACCOUNT_CREATED, f"team:{team_id}"
            await log_act(conn, kind, user.id, what, {"name": name})
        return user

    async def services(self, team_id: int) -> list[User]:
        """The service accounts of a team."""
        async with self._db.read() as conn:
            return await store.services_of(conn, [team_id])

    async def keys(self, team_id: int) -> list[Key]:
        """The keys that spend for a team, revoked ones too, in the order they were made."""
        async with self._db.read() as conn:
            return await people.keys_of_team(conn, team_id)

    # --- budgets ----------------------------------------------------------------------------------

    async def budgets(self, scopes: Sequence[str]) -> list[Budget]:
        """The budgets of these scopes."""
        async with self._db.read() as conn:
            return await store.find_budgets(conn, scopes)

    async def everywhere(self) -> dict[str, str]:
        """The scopes of tags that have budgets over all keys, with names."""
        found = (await self.all()).tag_scopes(None)
        return {scope: f"tag {tag}" for scope, tag in found.items()}

    async def scopes(self, team_ids: Sequence[int]) -> dict[str, str]:
        """The scopes of budgets of these teams, their members, service accounts and tags, with
        names.
        """
        async with self._db.read() as conn:
            teams = await store.find_teams(conn)
            members = await store.members_of(conn, team_ids)
            services = await store.services_of(conn, team_ids)
        found = {team_scope(id_): team.name for id_ in team_ids if (team := teams.get(id_))}
        for member, who in members:
            team = _team(teams, member.team_id)
            found[member_scope(team.id, who.id)] = f"{team.name}: {who.name}"
        for who in services:
            assert who.team_id is not None
            found[member_scope(who.team_id, who.id)] = who.name
        for id_ in team_ids:
            for scope, tag in teams.tag_scopes(id_).items():
                found[scope] = f"{_team(teams, id_).name}, tag {tag}"
        return found

    async def set_budget(
        self, team_id: int | None, budget: Budget, log_act: LogAct = log_nothing
    ) -> Budget:
        """Set the budget of a scope of this team for its period, or of a tag everywhere (``None``).
        What was spent in the period before it was given counts as well, but of a tag everywhere.

        Raises ``IdentityError`` (``team``, ``budgets``, ``tag``).
        """
        check_budget(budget)
        tag = budget.scope.partition(TAG_MARK)[2]
        if TAG_MARK in budget.scope and not is_tag(tag):
            raise IdentityError(
                "tag", f"is 1 to {TAG_CHARS_MAX} printable characters, such as 'nightly'"
            )
        budget = msgspec.structs.replace(budget, since=int(self._clock.now()))
        async with self._db.write() as conn:
            raised = await people.bump(conn)
            teams = await store.find_teams(conn)
            await store.put_budget(conn, budget)
            await _touch(conn, teams, team_id, raised)
            detail = {"scope": budget.scope, "period": budget.period.value}
            what = EVERYWHERE if team_id is None else f"team:{team_id}"
            await log_act(conn, ActKind.BUDGET_SET, team_id, what, detail)
        await self._in_force()
        return budget

    async def drop_budget(
        self, team_id: int | None, scope: str, period: Period, log_act: LogAct = log_nothing
    ) -> None:
        """End a budget of a team's or, with ``None``, of a tag everywhere.

        Raises ``IdentityError`` (``team``, ``budgets``).
        """
        async with self._db.write() as conn:
            raised = await people.bump(conn)
            teams = await store.find_teams(conn)
            if not await store.drop_budget(conn, scope, period.value):
                raise IdentityError("budgets", f"there is none of {scope} for {period.value}")
            await _touch(conn, teams, team_id, raised)
            detail = {"scope": scope, "period": period.value}
            what = EVERYWHERE if team_id is None else f"team:{team_id}"
            await log_act(conn, ActKind.BUDGET_REMOVED, team_id, what, detail)
        await self._in_force()


async def _touch(conn: Connection, teams: TeamMap, team_id: int | None, raised: int) -> None:
    """Have snapshots read the keys below a team again; what is everywhere all callers share.
    Raises ``IdentityError`` (``team``).
    """
    if team_id is not None:
        _team(teams, team_id)
        await store.touch_keys(conn, teams.below(team_id), raised)


def check_budget(budget: Budget) -> None:
    """Raise ``IdentityError`` (``budgets``) for a budget that cannot be kept."""
    if not 0 < budget.amount_nanos <= BUDGET_NANOS_MAX:
        raise IdentityError("budgets", "are amounts above 0 and at most a million dollars")
    try:
        zone_of(budget.zone)
    except ValueError as error:
        raise IdentityError("budgets", str(error)) from None
    if budget.soft and budget.instead:
        raise IdentityError("budgets", "that are soft refuse nobody: no model answers instead")


def _team(teams: TeamMap, team_id: int) -> Team:
    found = teams.get(team_id)
    if found is None:
        raise IdentityError("team", "is not there")
    return found
