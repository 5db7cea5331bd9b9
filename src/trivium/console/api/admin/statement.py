"""``/api/admin/statement``: what was spent, for administrators, for whoever may see a team's
spending, and of one's own for everybody.
"""

from datetime import UTC, datetime
from typing import Any, Final

from trivium.console.api.admin.base import AdminRequest, ApiMethod, resource, whole
from trivium.console.api.admin.teams import actor_of
from trivium.console.api.answer import ApiError
from trivium.identity.teams.rights import TeamAction, may
from trivium.ledger.spending import rendering
from trivium.ledger.spending.model import DAY_S, Dimension, SpendScope
from trivium.ledger.spending.service import SpendStatements, dimensions
from trivium.settings.prices import day

ROWS_MAX: Final = 10_000
ROWS: Final = 1_000
"""Unless more are asked for."""


async def show(asked: AdminRequest) -> Any:
    """Sums of what was spent within some days, the most expensive first."""
    by = dimensions(asked.query.get("by", "team,model"))
    if Dimension.CHANNEL in by and not asked.is_admin:
        raise ApiError(403, "by: only administrators see channels")
    limit = _whole(asked, "limit", "a number of rows")
    if limit is not None and not 1 <= limit <= ROWS_MAX:
        raise ApiError(400, f"limit: must be from 1 to {ROWS_MAX}")
    since, until = _days(asked)
    team_ids, user_id = await _whose(asked)
    scope = SpendScope(since=since, until=until, team_ids=team_ids, user_id=user_id)
    found = await SpendStatements(asked.console.database).statement(scope, by, limit or ROWS)
    return rendering.plain(found)


async def _whose(asked: AdminRequest) -> tuple[tuple[int, ...] | None, int | None]:
    """Of which teams, and of whom; ``None``: of all. Raises ApiError."""
    team_id = _whole(asked, "team", "the id of a team")
    user_id = _whole(asked, "user", "the id of a user")
    team_ids = None
    may_see_all = asked.is_admin
    if team_id is not None:
        teams, actor = await asked.console.teams.all(), await actor_of(asked)
        if teams.get(team_id) is None or not may(actor, TeamAction.SEE, teams, team_id):
            raise ApiError(404, "team: there is no team of this id")
        team_ids = tuple(teams.below(team_id))
        may_see_all = may(actor, TeamAction.SEE_SPENDING, teams, team_id)
    if may_see_all:
        return team_ids, user_id
    if user_id not in (None, asked.by):
        raise ApiError(403, "user: your role lets you see what you spend yourself")
    return team_ids, asked.by


def _days(asked: AdminRequest) -> tuple[int, int]:
    until = _day(asked, "to")
    last = int(asked.console.clock.now()) // DAY_S if until is None else until
    since = _day(asked, "from")
    if since is None:
        month = datetime.fromtimestamp(last * DAY_S, UTC).replace(day=1)
        since = int(month.timestamp()) // DAY_S
    return since, last


def _day(asked: AdminRequest, name: str) -> int | None:
    text = asked.query.get(name)
    if text is None:
        return None
    try:
        return day(text) // DAY_S
    except ValueError:
        raise ApiError(400, f"{name}: must be a day in UTC, such as 2027-01-01") from None


def _whole(asked: AdminRequest, name: str, what: str) -> int | None:
    text = asked.query.get(name)
    if text is None:
        return None
    found = whole(text)
    if found is None:
        raise ApiError(400, f"{name}: must be {what}")
    return found


_QUERY: Final = frozenset({"by", "from", "to", "team", "user", "limit"})
ENDPOINTS: Final = (
    resource("/api/admin/statement", for_members=True, GET=ApiMethod(show, query=_QUERY)),
)
