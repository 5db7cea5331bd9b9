"""What a team, its members, its service accounts and tags may spend: seen, set and ended.

Also the budgets of tags over all keys, and all there are, for administrators.
"""

from typing import Final, Literal

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import budget_use, context, forms, render, session
from trivium.console.account import key_terms
from trivium.console.forms import row
from trivium.console.language import N_
from trivium.console.teams import access
from trivium.console.teams.access import HOME, PAGE, OpenedTeam, acting, opened
from trivium.identity.errors import IdentityError
from trivium.identity.model import UserKind
from trivium.identity.teams.listing.service import ListedBudget, place_of
from trivium.identity.teams.model import member_scope, tag_scope, team_scope
from trivium.identity.teams.rights import TeamAction
from trivium.settings.budget import UTC_NAME, Budget, Period

EVERYWHERE: Final = "/admin/budgets"
PeriodWord = Literal["day", "week", "month", "total", "5h", "7d"]


class BudgetForm(forms.Form, frozen=True, kw_only=True):
    """A budget and whose it is."""

    kind: Literal["team", "member", "tag"]
    who: str = ""
    amount: forms.Line
    period: PeriodWord = "month"
    zone: str = UTC_NAME
    soft: bool = False
    instead: str = ""


class BudgetNameForm(forms.Form, frozen=True, kw_only=True):
    """The form by which a budget ends: its scope and its period."""

    scope: forms.Line
    period: PeriodWord


@session.signed_in
async def show(request: Request) -> Response:
    """Show the budgets of a team with what is used of each."""
    view = await opened(request)
    return await _page(request, view, _prefilled(request, "team" if view.may("fund") else "member"))


@acting
async def put(request: Request) -> Response:
    """Set a budget; another amount for the same period replaces the first."""
    view = await opened(request)
    form = forms.filled(request, BudgetForm)
    budget = await _asked(request, view, form)
    if budget is None:
        return await _page(request, view, form, 422)
    try:
        log_act = session.act_logger(request)
        await context.of(request).teams.set_budget(view.team.id, budget, log_act)
    except IdentityError as error:
        form.fail("who" if error.field == "tag" else "", access.said(error))
        return await _page(request, view, form, 422)
    return render.redirect(request, f"{view.path}/budgets", N_("The budget is set."))


@acting
async def clear(request: Request) -> Response:
    """End the budget that the form names, of the team of the path."""
    view = await opened(request)
    wanted = forms.filled(request, BudgetNameForm).value
    back = f"{view.path}/budgets"
    if wanted is None or not _is_inside(view.team.id, wanted.scope):
        return _gone(request, back)
    view.check(_needed(place_of(wanted.scope).kind))
    return await _end(request, view.team.id, wanted, back)


@session.admin
async def show_everywhere(request: Request) -> Response:
    """Show all budgets there are, and a form for those of tags over all keys."""
    return await _everywhere(request, _prefilled(request, "tag"))


@session.admin
@acting
async def put_everywhere(request: Request) -> Response:
    """Set the budget of a tag over all keys."""
    form = forms.filled(request, BudgetForm)
    if form.value is not None and form.value.kind != "tag":
        raise HTTPException(400)
    budget = await _asked(request, None, form)
    if budget is None:
        return await _everywhere(request, form, 422)
    try:
        log_act = session.act_logger(request)
        await context.of(request).teams.set_budget(None, budget, log_act)
    except IdentityError as error:
        form.fail("who" if error.field == "tag" else "", access.said(error))
        return await _everywhere(request, form, 422)
    return render.redirect(request, EVERYWHERE, N_("The budget is set."))


@session.admin
@acting
async def clear_everywhere(request: Request) -> Response:
    """End the budget of a tag over all keys."""
    wanted = forms.filled(request, BudgetNameForm).value
    if wanted is None or not wanted.scope.startswith(tag_scope(None, "")):
        return _gone(request, EVERYWHERE)
    return await _end(request, None, wanted, EVERYWHERE)


def _needed(kind: str) -> TeamAction:
    return TeamAction.FUND if kind == "team" else TeamAction.MANAGE_BUDGETS


def _is_inside(team_id: int, scope: str) -> bool:
    own = team_scope(team_id)
    starts = (tag_scope(team_id, ""), member_scope(team_id, 0)[:-1])
    return scope == own or scope.startswith(starts)


async def _end(
    request: Request, team_id: int | None, wanted: BudgetNameForm, back: str
) -> Response:
    try:
        await context.of(request).teams.drop_budget(
            team_id, wanted.scope, Period(wanted.period), session.act_logger(request)
        )
    except IdentityError:
        return _gone(request, back)
    return render.redirect(request, back, N_("The budget has ended."))


def _gone(request: Request, back: str) -> Response:
    said = N_("There is no such budget any more.")
    return render.redirect(request, back, said, tone="bad")


def _prefilled(request: Request, kind: str) -> forms.Filled[BudgetForm]:
    """The form, as the link of a budget that is there fills it in."""
    given = {
        name: value[:200]
        for name, value in request.query_params.items()
        if name in BudgetForm.__struct_fields__
    }
    return forms.empty(BudgetForm, **({"kind": kind, "period": "month", "zone": UTC_NAME} | given))


async def _asked(
    request: Request, view: OpenedTeam | None, form: forms.Filled[BudgetForm]
) -> Budget | None:
    """The budget that a form asks for; ``None`` when something is wrong, which is said in it.
    Raises HTTPException (403).
    """
    nanos = key_terms.amount(form, "amount")
    wanted = form.value
    if wanted is None or nanos is None:
        return None
    if view is not None:
        view.check(_needed(wanted.kind))
    try:
        scope = await _scope(request, view, wanted)
    except IdentityError as error:
        form.fail("who", access.said(error))
        return None
    return Budget(
        amount_nanos=nanos,
        period=Period(wanted.period),
        zone=wanted.zone or UTC_NAME,
        soft=wanted.soft,
        instead=wanted.instead,
        scope=scope,
    )


async def _scope(request: Request, view: OpenedTeam | None, wanted: BudgetForm) -> str:
    """Whose budget, as counters name it. Raises ``IdentityError`` (``user``)."""
    if view is None or wanted.kind == "tag":
        return tag_scope(None if view is None else view.team.id, wanted.who)
    if wanted.kind == "team":
        return team_scope(view.team.id)
    console = context.of(request)
    who = await console.identity.find_user(wanted.who)
    if who.kind is UserKind.SERVICE:
        if who.team_id != view.team.id:
            raise IdentityError("user", "is no service account of the team")
    else:
        await console.team_lists.member(view.team.id, who.id)
    return member_scope(view.team.id, who.id)


async def _page(
    request: Request, view: OpenedTeam, form: forms.Filled[BudgetForm], status: int = 200
) -> Response:
    console = context.of(request)
    after = access.number(request, "after")
    more: int | None = None
    if view.may("see_spending"):
        listed, more = await console.team_lists.budgets(view.team.id, after, PAGE)
    else:  # members see the team's and their own
        own = [team_scope(view.team.id), member_scope(view.team.id, view.actor.user_id)]
        listed = await console.team_lists.budgets_of(own)
    kinds = [
        *([("team", N_("The team"))] if view.may("fund") else []),
        ("member", N_("A member or service account")),
        ("tag", N_("A tag")),
    ]
    path = f"{view.path}/budgets"
    return render.page(
        request,
        "team/budgets.html",
        status=status,
        view=view,
        form=form,
        at=path,
        budgets=await budget_use.used(console, listed),
        periods=budget_use.PERIODS,
        kinds=kinds,
        may_change=_changeable(view),
        **render.paging(path, {}, "after", after, more),
    )


def _changeable(view: OpenedTeam) -> dict[str, bool]:
    return {kind: view.may(_needed(kind).value) for kind in ("team", "member", "tag", "key")}


async def _everywhere(
    request: Request, form: forms.Filled[BudgetForm], status: int = 200
) -> Response:
    console = context.of(request)
    after = access.number(request, "after")
    listed, more = await console.team_lists.all_budgets(after, PAGE)
    return render.page(
        request,
        "team/budgets.html",
        status=status,
        view=None,
        form=form,
        at=EVERYWHERE,
        budgets=await budget_use.used(console, listed),
        periods=budget_use.PERIODS,
        kinds=[("tag", N_("A tag"))],
        may_change={"team": True, "member": True, "tag": True, "key": False},
        **render.paging(EVERYWHERE, {}, "after", after, more),
    )


def owner_path(listed: ListedBudget) -> str:
    """Where a budget is changed."""
    return EVERYWHERE if listed.team_id is None else f"{HOME}/{listed.team_id}/budgets"


_BUDGETS: Final = f"{HOME}/{row('team')}/budgets"
PAGES: Final = (
    Route(_BUDGETS, show),
    Route(_BUDGETS, put, methods=["POST"]),
    Route(f"{_BUDGETS}/clear", clear, methods=["POST"]),
    Route(EVERYWHERE, show_everywhere),
    Route(EVERYWHERE, put_everywhere, methods=["POST"]),
    Route(f"{EVERYWHERE}/clear", clear_everywhere, methods=["POST"]),
)
