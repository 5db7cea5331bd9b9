"""What was spent by everybody: by one or two things, within any days, on the page or as a file."""

from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.account import spending
from trivium.console.language import N_, text
from trivium.identity.errors import IdentityError
from trivium.ledger.spending import rendering
from trivium.ledger.spending.model import Dimension, SpendScope

AT: Final = "/admin/statement"
ROWS: Final = 200
"""On the page; an export has all."""
TEXT_MAX: Final = 254
DIMENSIONS: Final = {
    Dimension.TEAM: N_("Team"),
    Dimension.USER: N_("User"),
    Dimension.PAYER: N_("Account that pays"),
    Dimension.CHANNEL: N_("Channel"),
    **spending.DIMENSIONS,
    Dimension.TAGS: N_("All tags together"),
}
_NOBODY: Final = {
    "team": N_("There is no team of this name."),
    "user": N_("Nobody has this name, address or number."),
}


class AskedStatement(msgspec.Struct, frozen=True, kw_only=True):
    """What the query asks for. What it does not say, or says wrongly, is as usual."""

    by: tuple[Dimension, ...]
    since: int
    """The first day, counted from the epoch."""
    until: int
    team: str = ""
    """As it was typed; empty: of all."""
    user: str = ""

    def query(self, since: int | None = None, until: int | None = None, **other: str) -> str:
        """The query of this, perhaps of other days."""
        told = {
            "by": self.by[0].value,
            "and": self.by[1].value if len(self.by) > 1 else "",
            "from": rendering.day_text(self.since if since is None else since),
            "to": rendering.day_text(self.until if until is None else until),
            "team": self.team,
            "user": self.user,
        }
        return urlencode({name: value for name, value in (told | other).items() if value})


def asked(request: Request) -> AskedStatement:
    """What the address asks for: by team and model unless it says otherwise."""
    query = request.query_params
    known = {each.value: each for each in DIMENSIONS}
    first = known.get(query.get("by", ""), Dimension.TEAM)
    second = known.get(query.get("and", "")) if "by" in query else Dimension.MODEL
    since, until = spending.days(query, context.of(request).clock.now())
    return AskedStatement(
        by=(first,) if second is None or second is first else (first, second),
        since=since,
        until=until,
        team=query.get("team", "").strip()[:TEXT_MAX],
        user=query.get("user", "").strip()[:TEXT_MAX],
    )


async def scope_of(request: Request, wanted: AskedStatement) -> SpendScope:
    """Of which days, teams and people it is. Raises ``IdentityError`` (``team``, ``user``)."""
    console = context.of(request)
    team_ids = user_id = None
    if wanted.team:
        team = await console.teams.find(wanted.team)
        team_ids = tuple(await console.team_lists.below(team.id))
    if wanted.user:
        user_id = (await console.identity.find_user(wanted.user)).id
    return SpendScope(since=wanted.since, until=wanted.until, team_ids=team_ids, user_id=user_id)


@session.admin
async def show(request: Request) -> Response:
    """Show the sums, the most expensive first, and how the days went."""
    console = context.of(request)
    wanted = asked(request)
    form = forms.empty(forms.Form, team=wanted.team, user=wanted.user)
    sums: dict[str, Any] = {"rows": [], "total": None, "is_whole": True, "bars": []}
    try:
        scope = await scope_of(request, wanted)
        found, by_day = await console.spending.with_days(scope, wanted.by, ROWS)
        sums = {
            "rows": spending.shown(found),
            "total": found.total,
            "is_whole": found.is_whole,
            "bars": spending.chart(scope, by_day),
        }
    except IdentityError as error:
        form.fail(error.field, text(_NOBODY.get(error.field, _NOBODY["user"])))
    return render.page(
        request,
        "admin/statement.html",
        form=form,
        wanted=wanted,
        second=wanted.by[1] if len(wanted.by) > 1 else None,
        since=rendering.day_text(wanted.since),
        until=rendering.day_text(wanted.until),
        dimensions=DIMENSIONS,
        labels=[DIMENSIONS[each] for each in wanted.by],
        periods=spending.periods(wanted.since, wanted.until, console.clock.now(), wanted.query),
        at=AT,
        **sums,
    )


@session.admin
async def export(request: Request) -> Response:
    """The same as CSV, or as charges in the columns of FOCUS, with all rows there may be."""
    wanted = asked(request)
    is_focus = request.url.path.endswith("focus.csv")
    by = rendering.focus_by(wanted.by) if is_focus else wanted.by
    try:
        scope = await scope_of(request, wanted)
    except IdentityError:
        return render.redirect(
            request,
            f"{AT}?{wanted.query()}",
            N_("Nothing was exported: the search has a mistake."),
            tone="bad",
        )
    found = await context.of(request).spending.statement(scope, by)
    name = "-".join(each.value for each in wanted.by)
    return await spending.csv_file(found, f"statement-by-{name}", is_focus=is_focus)


PAGES: Final = (
    Route(AT, show),
    Route(f"{AT}.csv", export),
    Route(f"{AT}.focus.csv", export),
)
