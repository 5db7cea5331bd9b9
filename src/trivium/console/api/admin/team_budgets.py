"""``/api/admin/teams/{team}/budgets``: what a team, its members and its service accounts may spend.

The budgets of the team itself are of whoever owns one above it; those inside it of its managers.
"""

from typing import Any, Final

from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource, usd, whole
from trivium.console.api.admin.teams import TeamView, seen
from trivium.console.api.answer import ApiError
from trivium.identity.teams.model import member_scope, tag_scope, team_scope
from trivium.identity.teams.rights import TeamAction
from trivium.ledger.amounts import format_usd
from trivium.ledger.budgets import store
from trivium.settings.budget import FOREVER, UTC_NAME, Budget, CounterId, Period, bounds

_WORDS: Final = ", ".join(period.value for period in Period)


class TeamBudgetBody(ApiBody, frozen=True, kw_only=True):
    """A budget of the period of the path."""

    amount: str
    """US dollars."""
    zone: str = UTC_NAME
    soft: bool = False
    instead: str = ""
    user_id: int | None = None
    """A member or a service account; ``None``: the team itself."""
    tag: str | None = None
    """What requests with this tag may cost, in the team and those below; not with ``user_id``."""


async def listing(asked: AdminRequest) -> Any:
    """The budgets of a team, its members and its service accounts, with what is spent of each."""
    view = await seen(asked)
    teams = asked.console.teams
    named = await teams.scopes([view.team.id])
    budgets = await teams.budgets(list(named))
    if not view.may(TeamAction.SEE_SPENDING):  # members see the team's and their own
        own = {team_scope(view.team.id), member_scope(view.team.id, view.actor.user_id)}
        budgets = [each for each in budgets if each.scope in own]
    async with asked.console.database.read() as conn:
        spent = await store.counted(conn, list(named))
    now = asked.console.clock.now()
    out = []
    for each in budgets:
        starts_at, _ = bounds(each.period, now, each.zone)
        nanos, _ = spent.get(CounterId(each.scope, each.period.value, starts_at), (0, 0))
        out.append({**_shown(each, named[each.scope], now), "spent": format_usd(nanos)})
    return {"budgets": out}


async def put(asked: AdminRequest) -> Any:
    """Set a budget; answers with it."""
    view = await seen(asked)
    wanted: TeamBudgetBody = asked.body
    scope, name = await _scope(asked, view, wanted.user_id, wanted.tag)
    budget = Budget(
        amount_nanos=usd("amount", wanted.amount),
        period=_period(asked),
        zone=wanted.zone,
        soft=wanted.soft,
        instead=wanted.instead,
        scope=scope,
    )
    made = await asked.console.teams.set_budget(view.team.id, budget, asked.log.within)
    return _shown(made, name, asked.console.clock.now())


async def clear(asked: AdminRequest) -> Any:
    """End a budget; answers with nothing."""
    view = await seen(asked)
    user_id = None
    if "user_id" in asked.query and (user_id := whole(asked.query["user_id"])) is None:
        raise ApiError(400, "user_id: must be the id of a member or of a service account")
    scope, _ = await _scope(asked, view, user_id, asked.query.get("tag"))
    await asked.console.teams.drop_budget(view.team.id, scope, _period(asked), asked.log.within)


async def _scope(
    asked: AdminRequest, view: TeamView, user_id: int | None, tag: str | None
) -> tuple[str, str]:
    """Whose budget, as counters name it and for people. Raises ApiError."""
    if tag is not None:
        if user_id is not None:
            raise ApiError(400, "tag: and user_id exclude each other")
        view.check(TeamAction.MANAGE_BUDGETS)
        return tag_scope(view.team.id, tag), f"{view.team.name}, tag {tag}"
    if user_id is None:
        view.check(TeamAction.FUND)
        return team_scope(view.team.id), view.team.name
    view.check(TeamAction.MANAGE_BUDGETS)
    scope = member_scope(view.team.id, user_id)
    name = (await asked.console.teams.scopes([view.team.id])).get(scope)
    if name is None:
        raise ApiError(404, "user_id: there is no member and no service account of this id")
    return scope, name


def _period(asked: AdminRequest) -> Period:
    try:
        return Period(asked.request.path_params["period"])
    except ValueError:
        raise ApiError(404, f"there is no such period; there are {_WORDS}") from None


def _shown(budget: Budget, name: str, now: float) -> dict[str, Any]:
    ends_at = bounds(budget.period, now, budget.zone).ends_at
    return {
        "of": name,
        "amount": format_usd(budget.amount_nanos),
        "period": budget.period.value,
        "zone": budget.zone,
        "soft": budget.soft,
        "instead": budget.instead,
        "resets_at": None if ends_at >= FOREVER else ends_at,
    }


_BUDGETS: Final = "/api/admin/teams/{team}/budgets"
ENDPOINTS: Final = (
    resource(_BUDGETS, for_members=True, GET=ApiMethod(listing)),
    resource(
        f"{_BUDGETS}/{{period}}",
        for_members=True,
        PUT=ApiMethod(put, TeamBudgetBody),
        DELETE=ApiMethod(clear, query=frozenset({"user_id", "tag"})),
    ),
)
