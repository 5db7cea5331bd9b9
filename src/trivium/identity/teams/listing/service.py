"""Teams, their people and their budgets, by the page: what a page costs does not grow with what
there is besides.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from trivium.identity.errors import IdentityError
from trivium.identity.model import User
from trivium.identity.teams.listing import store
from trivium.identity.teams.membership import roles_of
from trivium.identity.teams.model import TAG_MARK, Member, Team, TeamMap, TeamRole
from trivium.identity.teams.store import find_budgets
from trivium.settings.budget import Budget
from trivium.storage.database import Database

SEARCH_CHARS_MAX: Final = 254
PAGE_MAX: Final = 200


class ListedBudget(msgspec.Struct, frozen=True, kw_only=True):
    """A budget with whose it is."""

    id: int
    """Of its row; 0 of a key's."""
    budget: Budget
    kind: str
    """``team``, ``member``, ``tag`` or ``key``."""
    team_id: int | None
    """``None``: of a tag everywhere, or of a key."""
    user_id: int | None = None
    """Of a member or a service account."""
    name: str = ""
    """What people call it: a team, a person, a service account, a tag, a key."""
    team: str = ""
    """The name of its team; empty where it is the name itself, or there is none."""


class MyTeam(NamedTuple):
    """A team of somebody's, and as what they are in it."""

    team: Team
    role: TeamRole


class BudgetPlace(NamedTuple):
    """What a scope names."""

    kind: str
    team_id: int | None
    user_id: int | None
    tag: str


def place_of(scope: str) -> BudgetPlace:
    """Read the scope of a budget of a team, a member or a tag."""
    of, marked, tag = scope.partition(TAG_MARK)
    kind, _, rest = of.partition(":")
    if marked:
        return BudgetPlace("tag", int(rest) if rest else None, None, tag)
    if kind == "member":
        team, _, user = rest.partition(":")
        return BudgetPlace("member", int(team), int(user), "")
    return BudgetPlace(kind, int(rest) if kind == "team" else None, None, "")


def _names_above(name: str) -> list[str]:
    """The names of the teams above one: ``acme/research`` lies below ``acme``."""
    parts = name.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


class TeamLists:
    """Lists of teams in the database. Storage faults pass through as they are."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def chain(self, team_id: int) -> TeamMap:
        """A team and those above it, and no others. Raises ``IdentityError`` (``team``)."""
        async with self._db.read() as conn:
            found = await store.chain(conn, team_id)
        if not found:
            raise IdentityError("team", "is not there")
        return TeamMap(found, ())

    async def below(self, team_id: int) -> list[int]:
        """The ids of a team and of all that are below it."""
        async with self._db.read() as conn:
            return await store.below(conn, team_id)

    async def mine(self, user_id: int) -> list[MyTeam]:
        """The teams that somebody is in, in the order of their names."""
        async with self._db.read() as conn:
            roles = await roles_of(conn, user_id)
            found = await store.teams_of(conn, list(roles)) if roles else []
        return [MyTeam(team, roles[team.id]) for team in found]

    async def page(
        self,
        search: str = "",
        after: str = "",
        limit: int = 50,
        parent_id: int | None = None,
        *,
        within: Iterable[int] | None = None,
    ) -> tuple[list[Team], str | None]:
        """Teams whose name holds the text, after a name; and after which the next page begins,
        ``None`` on the last. ``parent_id``: only those right below that one; ``within``: only these
        teams and those below them.
        """
        limit = min(limit, PAGE_MAX)
        async with self._db.read() as conn:
            found = await store.by_name(
                conn,
                search.strip()[:SEARCH_CHARS_MAX],
                after,
                limit + 1,
                parent_id,
                None if within is None else list(within),
            )
        return found[:limit], found[limit - 1].name if len(found) > limit else None

    async def with_those_above(self, teams: Sequence[Team]) -> TeamMap:
        """These teams and all that are above them, and no others."""
        known = {team.name: team for team in teams}
        wanted = {above for name in known for above in _names_above(name)} - known.keys()
        if wanted:
            async with self._db.read() as conn:
                found = await store.of_names(conn, sorted(wanted))
            known |= {team.name: team for team in found}
        return TeamMap(list(known.values()), ())

    async def members(
        self, team_id: int, search: str = "", after: int = 0, limit: int = 50
    ) -> tuple[list[tuple[Member, User]], int | None]:
        """Members of a team in the order of their accounts, as ``page``."""
        limit = min(limit, PAGE_MAX)
        async with self._db.read() as conn:
            found = await store.members(
                conn, team_id, search.strip()[:SEARCH_CHARS_MAX], after, limit + 1
            )
        return found[:limit], found[limit - 1][1].id if len(found) > limit else None

    async def member_count(self, team_id: int) -> int:
        """How many people are in a team."""
        async with self._db.read() as conn:
            return await store.member_count(conn, team_id)

    async def member(self, team_id: int, user_id: int) -> tuple[Member, User]:
        """Somebody in a team. Raises ``IdentityError`` (``user``) where they are not."""
        async with self._db.read() as conn:
            found = await store.member(conn, team_id, user_id)
        if found is None:
            raise IdentityError("user", "is no member of the team")
        return found

    async def services(
        self, team_id: int, after: int = 0, limit: int = 50, search: str = ""
    ) -> tuple[list[User], int | None]:
        """Service accounts of a team in the order they were made, as ``page``."""
        limit = min(limit, PAGE_MAX)
        async with self._db.read() as conn:
            found = await store.services(
                conn, team_id, after, limit + 1, search.strip()[:SEARCH_CHARS_MAX]
            )
        return found[:limit], found[limit - 1].id if len(found) > limit else None

    async def names(self, user_ids: Iterable[int]) -> dict[int, str]:
        """What accounts are called."""
        wanted = list(set(user_ids))
        if not wanted:
            return {}
        async with self._db.read() as conn:
            return await store.named(conn, wanted)

    async def budgets(
        self, team_id: int | None, after: int = 0, limit: int = 50
    ) -> tuple[list[ListedBudget], int | None]:
        """Budgets of a team, its members, service accounts and tags, or with ``None`` those of tags
        everywhere, in the order they were set first; as ``page``.
        """
        limit = min(limit, PAGE_MAX)
        async with self._db.read() as conn:
            found = await store.budgets_after(conn, team_id, after, limit + 1)
        return await self._page(found, limit)

    async def all_budgets(
        self, after: int = 0, limit: int = 50
    ) -> tuple[list[ListedBudget], int | None]:
        """Every budget of whatever is no key, as ``budgets``."""
        limit = min(limit, PAGE_MAX)
        async with self._db.read() as conn:
            found = await store.budgets_everywhere(conn, after, limit + 1)
        return await self._page(found, limit)

    async def budgets_of(self, scopes: Sequence[str]) -> list[ListedBudget]:
        """The budgets of these scopes."""
        if not scopes:
            return []
        async with self._db.read() as conn:
            found = await find_budgets(conn, scopes)
        return await self._named([(0, budget) for budget in found])

    async def _page(
        self, found: list[tuple[int, Budget]], limit: int
    ) -> tuple[list[ListedBudget], int | None]:
        listed = await self._named(found[:limit])
        return listed, found[limit - 1][0] if len(found) > limit else None

    async def _named(self, found: Sequence[tuple[int, Budget]]) -> list[ListedBudget]:
        places = [(id_, budget, place_of(budget.scope)) for id_, budget in found]
        ids = {place.team_id for _, _, place in places} | {place.user_id for _, _, place in places}
        names = await self.names(each for each in ids if each is not None)
        listed = []
        for id_, budget, place in places:
            of = names.get(place.team_id or 0, "")
            own = place.tag or names.get(place.user_id or 0, "") or of
            listed.append(
                ListedBudget(
                    id=id_,
                    budget=budget,
                    kind=place.kind,
                    team_id=place.team_id,
                    user_id=place.user_id,
                    name=own,
                    team="" if own == of else of,
                )
            )
        return listed
