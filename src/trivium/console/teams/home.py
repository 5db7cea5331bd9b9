"""My teams; a team at a glance; and making one."""

from datetime import UTC, datetime
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import budget_use, context, forms, render, session
from trivium.console.account.spending import shown
from trivium.console.forms import row
from trivium.console.language import N_
from trivium.console.login.team_invitation import ROLES
from trivium.console.teams import access
from trivium.console.teams.access import HOME, PAGE, OpenedTeam, acting, opened
from trivium.identity.errors import IdentityError
from trivium.identity.teams.model import member_scope, team_scope
from trivium.identity.teams.rights import TeamAction
from trivium.ledger.spending.model import DAY_S, Dimension, SpendScope

TOP: Final = 10
"""Rows of who spent most."""


class NewTeamForm(forms.Form, frozen=True, kw_only=True):
    """A team in the one of the path, or an organisation."""

    title: forms.Line
    owner: str = ""
    wallet: bool = False


@session.signed_in
async def mine(request: Request) -> Response:
    """Show the teams that the user is in, with the budgets that their keys there count against."""
    console = context.of(request)
    user = session.user_of(request)
    found = await console.team_lists.mine(user.id)
    # a page of them: hardly anybody is in more
    scopes = [member_scope(each.team.id, user.id) for each in found[:PAGE]]
    scopes += [team_scope(each.team.id) for each in found[:PAGE]]
    budgets = await budget_use.used(console, await console.team_lists.budgets_of(scopes))
    return render.page(
        request,
        "team/mine.html",
        mine=found[:PAGE],
        is_cut=len(found) > PAGE,
        budgets=budgets,
        periods=budget_use.PERIODS,
        roles=ROLES,
    )


@session.signed_in
async def show(request: Request) -> Response:
    """Show a team: who pays, what is spent, its budgets, and the teams in it."""
    console = context.of(request)
    view = await opened(request)
    payer = view.chain.payer(view.team.id)
    sees_money = view.may("see_spending")
    after = request.query_params.get("after", "")[:400]
    below, more = await console.team_lists.page("", after, PAGE, view.team.id)
    scopes = [team_scope(view.team.id), member_scope(view.team.id, view.actor.user_id)]
    listed = await console.team_lists.budgets_of(scopes)
    balance = None
    if sees_money and access.may_see_money(view, payer.id):
        balance = await console.entries.balance(payer.id)
    return render.page(
        request,
        "team/overview.html",
        view=view,
        payer=payer,
        balance=balance,
        members=await console.team_lists.member_count(view.team.id),
        budgets=await budget_use.used(console, listed),
        periods=budget_use.PERIODS,
        below=below,
        spent=await _spent(request, view) if sees_money else None,
        **render.paging(view.path, {}, "after", after, more),
    )


async def _spent(request: Request, view: OpenedTeam) -> dict[str, object]:
    """What the team and those below spent this month, by whom."""
    console = context.of(request)
    today = int(console.clock.now()) // DAY_S
    first = datetime.fromtimestamp(today * DAY_S, UTC).replace(day=1)
    below = await console.team_lists.below(view.team.id)
    scope = SpendScope(
        since=int(first.timestamp()) // DAY_S,
        until=today,
        team_ids=tuple(below),
    )
    by_user = await console.spending.statement(scope, (Dimension.USER,), TOP)
    by_model = await console.spending.statement(scope, (Dimension.MODEL,), TOP)
    return {"total": by_user.total, "by_user": shown(by_user), "by_model": shown(by_model)}


@session.signed_in
async def show_new(request: Request) -> Response:
    """Show the form for a team in another."""
    view = await opened(request, TeamAction.MANAGE_TEAM)
    return _form(request, view, forms.empty(NewTeamForm))


@acting
async def create(request: Request) -> Response:
    """Make a team in another."""
    view = await opened(request, TeamAction.MANAGE_TEAM)
    return await _create(request, view)


@session.admin
async def show_organisation(request: Request) -> Response:
    """Show the form for an organisation."""
    return _form(request, None, forms.empty(NewTeamForm))


@session.admin
@acting
async def create_organisation(request: Request) -> Response:
    """Make an organisation, which has a balance of its own."""
    return await _create(request, None)


async def _create(request: Request, view: OpenedTeam | None) -> Response:
    console = context.of(request)
    form = forms.filled(request, NewTeamForm)
    wanted = form.value
    if wanted is None:
        return _form(request, view, form, 422)
    try:
        owner = (await access.person(request, wanted.owner)).id if wanted.owner else None
    except IdentityError as error:
        form.fail("owner", access.said(error))
        return _form(request, view, form, 422)
    try:
        team = await console.teams.create(
            wanted.title,
            None if view is None else view.team.id,
            owner,
            has_wallet=wanted.wallet,
            log_act=session.act_logger(request),
        )
    except IdentityError as error:
        form.fail("title" if error.field == "name" else "", access.said(error))
        return _form(request, view, form, 422)
    said = N_("The team %(team)s is made.")
    return render.redirect(request, f"{HOME}/{team.id}", said, team=team.name)


def _form(
    request: Request, view: OpenedTeam | None, form: forms.Filled[NewTeamForm], status: int = 200
) -> Response:
    return render.page(
        request,
        "team/new.html",
        status=status,
        view=view,
        form=form,
        action=f"{view.path}/new" if view else "/admin/teams/new",
        back=view.path if view else "/admin/teams",
    )


@acting
async def leave(request: Request) -> Response:
    """End the user's own membership."""
    user = session.user_of(request)
    view = await opened(request)
    try:
        await context.of(request).teams.remove_member(
            view.team.id, user.id, session.act_logger(request)
        )
    except IdentityError as error:
        return access.refused(request, HOME, error)
    said = N_("You have left %(team)s. Your keys for it are revoked.")
    return render.redirect(request, HOME, said, team=view.team.name)


@session.admin
async def everything(request: Request) -> Response:
    """Show all teams, or those whose name holds the text of the search."""
    console = context.of(request)
    query = request.query_params
    search, after = query.get("search", "").strip()[:254], query.get("after", "")[:1000]
    found, more = await console.team_lists.page(search, after, PAGE)
    kept = {"search": search} if search else {}
    return render.page(
        request,
        "team/all.html",
        listed=found,
        search=search,
        **render.paging("/admin/teams", kept, "after", after, more),
    )


_TEAM: Final = f"{HOME}/{row('team')}"
PAGES: Final = (
    Route(HOME, mine),
    Route(_TEAM, show),
    Route(f"{_TEAM}/new", show_new),
    Route(f"{_TEAM}/new", create, methods=["POST"]),
    Route(f"{_TEAM}/leave", leave, methods=["POST"]),
    Route("/admin/teams", everything),
    Route("/admin/teams/new", show_organisation),
    Route("/admin/teams/new", create_organisation, methods=["POST"]),
)
