"""Groups of a directory: teams below its organisation, and whom it puts there. Each call is one
transaction.

A directory makes members and nothing more: owners, managers and readers of bills are made by hand.
What others say about who is in a team it neither sees nor changes.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import msgspec

from trivium.clock import Clock
from trivium.identity import store as accounts
from trivium.identity.model import InForce, left_to_others
from trivium.identity.revocation import LogAct, log_nothing
from trivium.identity.scim import store
from trivium.identity.scim.filters import Filter, FilterComparison, Junction
from trivium.identity.scim.model import (
    CHANGES_MAX,
    MEMBERS_MAX,
    ScimDirectory,
    ScimError,
    ScimGroup,
)
from trivium.identity.scim.patches import PatchStep, check_read_only
from trivium.identity.scim.resources import member_id, read_group, read_members
from trivium.identity.scim.users import checked_by_nobody, free_key
from trivium.identity.teams import membership
from trivium.identity.teams.membership import MemberOrigin
from trivium.identity.teams.model import DEPTH_MAX, MemberSource, Team, TeamMap, TeamRole
from trivium.identity.teams.store import find_teams, insert_team, name_taken
from trivium.identity.terms import NAME_CHARS_MAX
from trivium.observe.audit.model import ActKind
from trivium.storage.database import Connection, Database

TITLE_CHARS_MAX: Final = 64


class GroupChange(msgspec.Struct, frozen=True, kw_only=True):
    """What a group is to be from now on."""

    display_name: str
    external_id: str | None
    members: frozenset[int] | None
    """``None``: as they are."""


class ScimGroups:
    """Groups as directories see them. Storage faults pass through as they are."""

    def __init__(self, db: Database, clock: Clock, in_force: InForce = left_to_others) -> None:
        """``in_force``: called after each change of keys; raises nothing."""
        self._db = db
        self._clock = clock
        self._in_force = in_force

    async def one(
        self, directory: ScimDirectory, team_id: int | None, *, members: bool = True
    ) -> ScimGroup:
        """A group of a directory. ``members``: whether they are looked up. Raises ``ScimError``
        (404).
        """
        async with self._db.read() as conn:
            found = await _found(conn, directory, team_id)
            return (await _with_members(conn, directory, [found]))[0] if members else found

    async def page(
        self,
        directory: ScimDirectory,
        wanted: Filter | None,
        start: int,
        count: int,
        *,
        members: bool = True,
    ) -> tuple[list[ScimGroup], int]:
        """Groups of a directory from the ``start``-th on, and how many there are; fewer than asked
        for where they have very many members.
        """
        async with self._db.read() as conn:
            found, total = await store.page_groups(conn, directory.team_id, wanted, start, count)
            if members and found:
                ids = [group.id for group in found]
                counts = await store.member_counts(conn, directory.team_id, ids)
                found = await _with_members(conn, directory, _fitting(found, counts))
            return found, total

    async def create(
        self, directory: ScimDirectory, resource: dict[str, Any], log_act: LogAct = log_nothing
    ) -> ScimGroup:
        """A new group: of a team that is made, or of one that is there under that name. Raises
        ``ScimError`` (uniqueness, invalidValue).
        """
        name, external_id = read_group(resource)
        wanted = read_members(resource.get("members"))
        async with self._db.write() as conn:
            now = int(self._clock.now())
            raised = await accounts.bump(conn)
            teams = await find_teams(conn)
            if await store.group_named(conn, directory.team_id, name.casefold()) is not None:
                raise ScimError(409, f"displayName: {name!r} is there already", "uniqueness")
            team_id = await self._team(conn, directory, teams, name, raised, log_act)
            teams = await find_teams(conn)
            is_new = await store.directory_of_group(conn, team_id) is None
            values = {
                "directory_id": directory.team_id,
                "display_name": name,
                "display_key": name.casefold(),
                "external_id": external_id,
                "gone_at": None,
                "created_at": now,
                "changed_at": now,
            }
            await store.put_group(conn, team_id, values, is_new=is_new)
            await self._put(conn, directory, teams, team_id, set(wanted), raised, log_act)
            found = await _with_members(conn, directory, [await _found(conn, directory, team_id)])
        await self._in_force()
        return found[0]

    async def replace(
        self,
        directory: ScimDirectory,
        team_id: int | None,
        resource: dict[str, Any],
        check: Callable[[ScimGroup], None] = checked_by_nobody,
        log_act: LogAct = log_nothing,
    ) -> ScimGroup:
        """A group as it is said to be, whole. ``check``: of how it is, with its members; raises
        what speaks against it. Raises ``ScimError``.
        """
        name, external_id = read_group(resource)
        members = frozenset(read_members(resource.get("members")))

        async with self._db.write() as conn:
            raised = await accounts.bump(conn)
            before = await _checked(conn, directory, team_id, check)
            kept = external_id or before.external_id
            change = GroupChange(display_name=name, external_id=kept, members=members)
            found = await self._change(conn, directory, before, change, raised, log_act)
        await self._in_force()
        return found

    async def patch(
        self,
        directory: ScimDirectory,
        team_id: int | None,
        steps: Sequence[PatchStep],
        check: Callable[[ScimGroup], None] = checked_by_nobody,
        log_act: LogAct = log_nothing,
    ) -> ScimGroup:
        """A group after some changes. ``check``: as of ``replace``. Raises ``ScimError``."""
        async with self._db.write() as conn:
            raised = await accounts.bump(conn)
            before = await _checked(conn, directory, team_id, check)
            present = frozenset(each for each, _ in before.members or ())
            change = patched(before, present, steps)
            found = await self._change(conn, directory, before, change, raised, log_act)
        await self._in_force()
        return found

    async def delete(
        self,
        directory: ScimDirectory,
        team_id: int | None,
        check: Callable[[ScimGroup], None] = checked_by_nobody,
        log_act: LogAct = log_nothing,
    ) -> None:
        """Take everybody out whom the directory put there. The team stays, with its bills, its
        service accounts and its other members. ``check``: as of ``replace``. Raises ``ScimError``
        (404).
        """
        async with self._db.write() as conn:
            now = int(self._clock.now())
            raised = await accounts.bump(conn)
            before = await _checked(conn, directory, team_id, check)
            teams = await find_teams(conn)
            await self._put(conn, directory, teams, before.id, set(), raised, log_act, MEMBERS_MAX)
            values = {"gone_at": now, "changed_at": now, "display_key": free_key(before.id)}
            await store.put_group(conn, before.id, values, is_new=False)
        await self._in_force()

    async def _change(
        self,
        conn: Connection,
        directory: ScimDirectory,
        before: ScimGroup,
        change: GroupChange,
        raised: int,
        log_act: LogAct,
    ) -> ScimGroup:
        key = change.display_name.casefold()
        taken = await store.group_named(conn, directory.team_id, key)
        if taken not in (None, before.id):
            message = f"displayName: {change.display_name!r} is there already"
            raise ScimError(409, message, "uniqueness")
        values = {
            "display_name": change.display_name,
            "display_key": key,
            "external_id": change.external_id,
            "changed_at": int(self._clock.now()),
        }
        await store.put_group(conn, before.id, values, is_new=False)
        if change.members is not None:
            teams = await find_teams(conn)
            wanted = set(change.members)
            await self._put(conn, directory, teams, before.id, wanted, raised, log_act)
        return (await _with_members(conn, directory, [await _found(conn, directory, before.id)]))[0]

    async def _put(
        self,
        conn: Connection,
        directory: ScimDirectory,
        teams: TeamMap,
        team_id: int,
        wanted: set[int],
        raised: int,
        log_act: LogAct,
        changes_max: int = CHANGES_MAX,
    ) -> None:
        """Have just these people in a team, as far as the directory says. Raises ``ScimError``."""
        rows = (await store.members(conn, directory.team_id, [team_id]))[team_id]
        present = {each for each, _ in rows}
        added, gone = sorted(wanted - present), sorted(present - wanted)
        if len(wanted) > MEMBERS_MAX:
            raise ScimError(413, f"members: a group has at most {MEMBERS_MAX}", "tooMany")
        if len(added) + len(gone) > changes_max:
            message = f"members: one request adds and removes at most {changes_max}"
            raise ScimError(413, message, "tooMany")
        strangers = set(added) - await store.known(conn, directory.team_id, added)
        if strangers:
            message = f"members: there is no user {min(strangers)}"
            raise ScimError(400, message, "invalidValue")
        origin = MemberOrigin(MemberSource.SCIM, directory.via)
        now = int(self._clock.now())
        for user_id in added:
            role = TeamRole.MEMBER
            await membership.say(conn, team_id, user_id, origin, role, now, log_act)
        for user_id in gone:
            await membership.say(conn, team_id, user_id, origin, None, now, log_act)
            await membership.end_lost_keys(conn, teams, user_id, [team_id], raised)

    async def _team(
        self,
        conn: Connection,
        directory: ScimDirectory,
        teams: TeamMap,
        name: str,
        raised: int,
        log_act: LogAct,
    ) -> int:
        """The team of a group: the one of that name below the organisation, or a new one. Raises
        ``ScimError`` (uniqueness, invalidValue).
        """
        top = teams.get(directory.team_id)
        assert top is not None
        title = title_of(name)
        whole = f"{top.name}/{title}"
        there = teams.named(whole)
        if there is not None:
            of = await store.directory_of_group(conn, there)
            if of is not None and (of[0] != directory.team_id or not of[1]):
                raise ScimError(
                    409, f"displayName: the team {whole!r} is a group already", "uniqueness"
                )
            return there
        if (
            len(list(teams.above(top.id))) >= DEPTH_MAX
            or len(whole) > 2 * NAME_CHARS_MAX * DEPTH_MAX
        ):
            raise ScimError(400, "the organisation lies too deep for more teams", "invalidValue")
        if await name_taken(conn, whole):
            raise ScimError(409, f"displayName: {whole!r} is a service account", "uniqueness")
        team = Team(
            id=0,
            name=whole,
            title=title,
            parent_id=top.id,
            created_at=int(self._clock.now()),
        )
        team_id = await insert_team(conn, team, raised)
        detail = {"name": whole, "source": MemberSource.SCIM.value}
        await log_act(conn, ActKind.TEAM_CREATED, team_id, f"team:{team_id}", detail)
        return team_id


def title_of(name: str) -> str:
    """The last part of a team's name for a group's: without what separates parts or marks
    addresses. Raises ``ScimError`` (invalidValue).
    """
    bare = "".join("-" if sign in "/@" else sign for sign in " ".join(name.split()))
    title = bare[:TITLE_CHARS_MAX].strip()
    if not title.strip("- "):
        raise ScimError(400, f"displayName: {name[:40]!r} makes no name of a team", "invalidValue")
    return title


def patched(before: ScimGroup, present: frozenset[int], steps: Iterable[PatchStep]) -> GroupChange:
    """What a group is to be after some changes. Pure, and linear in what was sent. Raises
    ``ScimError`` (noTarget, invalidPath, invalidValue, mutability).
    """
    found: dict[str, Any] = {
        "displayName": before.display_name,
        "externalId": before.external_id,
    }
    members = set(present)
    for step in steps:
        name = step.path.attribute
        if name == "members":
            _members_after(members, step)
        elif name in found:
            if step.path.where is not None or step.path.part is not None:
                raise ScimError(400, f"{name} is no list", "invalidPath")
            found[name] = None if step.op == "remove" else step.value
        elif name in ("id", "meta", "groups", "schemas"):
            check_read_only(name, step.value, {"id": str(before.id)})
        elif name is not None:
            raise ScimError(400, f"a group has no {name}", "invalidPath")
    title, external_id = read_group(found)
    is_same = members == present
    return GroupChange(
        display_name=title,
        external_id=external_id,
        members=None if is_same else frozenset(members),
    )


def _members_after(members: set[int], step: PatchStep) -> None:
    where = step.path.where
    if step.path.part is not None:
        raise ScimError(400, "members: are added and removed, not changed", "mutability")
    if where is not None:
        if step.op != "remove":
            raise ScimError(400, "members: with a filter they can only be removed", "invalidPath")
        members -= _named(where)
    elif step.op == "add":
        members |= set(read_members(step.value))
    elif step.op == "replace":
        members.clear()
        members |= set(read_members(step.value))
    elif step.value is None or step.value == []:
        members.clear()
    else:  # as Entra writes it: whom to remove, as a value
        members -= set(read_members(step.value))


def _named(where: Filter) -> set[int]:
    """The members whom ``value eq "1"``, or several with ``or``, name."""
    terms = where.terms if isinstance(where, Junction) and not where.is_and else (where,)
    found = set()
    for term in terms:
        is_one = isinstance(term, FilterComparison) and term.operator == "eq"
        if not is_one or not isinstance(term, FilterComparison) or term.attribute != "value":
            raise ScimError(400, 'path: is written as members[value eq "ID"]', "invalidPath")
        found.add(member_id(term.value))
    return found


def _fitting(groups: list[ScimGroup], counts: dict[int, int]) -> list[ScimGroup]:
    """As many of the first as have few enough members together; at least one."""
    kept: list[ScimGroup] = []
    left = MEMBERS_MAX
    for group in groups:
        left -= counts.get(group.id, 0)
        if kept and left < 0:
            break
        kept.append(group)
    return kept


async def _found(conn: Connection, directory: ScimDirectory, team_id: int | None) -> ScimGroup:
    found = team_id and await store.find_group(conn, directory.team_id, team_id)
    if not found:
        raise ScimError(404, "there is no group of this id")
    return found


async def _checked(
    conn: Connection,
    directory: ScimDirectory,
    team_id: int | None,
    check: Callable[[ScimGroup], None],
) -> ScimGroup:
    found = await _found(conn, directory, team_id)
    (whole,) = await _with_members(conn, directory, [found])
    check(whole)
    return whole


async def _with_members(
    conn: Connection, directory: ScimDirectory, groups: list[ScimGroup]
) -> list[ScimGroup]:
    found = await store.members(conn, directory.team_id, [group.id for group in groups])
    return [msgspec.structs.replace(group, members=tuple(found[group.id])) for group in groups]
