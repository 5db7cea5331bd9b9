"""A user's own keys: listed, made with limits, shown once; what follows is ``key_edit.py``'s."""

from typing import Final, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import budget_use, context, forms, render, session
from trivium.console.account import key_edit, key_terms
from trivium.console.account.key_terms import DAY_S, Bounds
from trivium.console.account.overview import first_call
from trivium.console.language import LazyText
from trivium.identity.errors import IdentityError
from trivium.identity.model import Key
from trivium.identity.teams.model import SPENDING
from trivium.observe.audit.model import ActKind
from trivium.settings.budget import Budget, Period


class NewKeyForm(Bounds, frozen=True, kw_only=True):
    """A new one is given an end in so many days, and one budget at most."""

    team: str = ""
    expires: Literal["never", "30", "90", "365"] = "never"
    budget: str = ""
    period: Literal["day", "week", "month", "total", "5h", "7d"] = "month"


@session.signed_in
async def show(request: Request) -> Response:
    """Show the list of the user's keys."""
    return await _list(request)


async def _list(request: Request, status: int = 200, wrong: LazyText | None = None) -> Response:
    console = context.of(request)
    every = await console.own_keys.own(session.user_of(request).id)
    enabled = [key for key in reversed(every) if not key.disabled]
    return render.page(
        request,
        "account/keys.html",
        status=status,
        keys=enabled,
        budgets=await budget_use.used(console, budget_use.of_keys(enabled)),
        periods=budget_use.PERIODS,
        revoked=[key for key in reversed(every) if key.disabled],
        wrong=wrong,
        clock=console.clock.now(),
    )


@session.signed_in
async def show_new(request: Request) -> Response:
    """Show the form for a new key; ``?team=`` says which team it would spend for."""
    wanted = request.query_params.get("team", "")[: forms.DIGITS_MAX]
    return await _form(request, forms.empty(NewKeyForm, team=wanted))


@session.signed_in
async def create(request: Request) -> Response:
    """Make it, and show it this once."""
    console = context.of(request)
    user = session.user_of(request)
    form = forms.filled(request, NewKeyForm)
    try:
        team = await _team(request, form)
        await console.own_keys.check_room(user.id)
        made = await make(request, form, user.email, team)
    except IdentityError as error:
        key_terms.refuse(form, error)
        made = None
    if made is None:
        return await _form(request, form, 422)
    key, secret = made
    await session.log_act(request, ActKind.KEY_CREATED, user.id, f"key:{key.id}", name=key.name)
    if key.team_id is not None:
        return key_edit.show_secret(request, key, secret, "/account/keys")
    return render.page(
        request,
        "account/key_made.html",
        key=key,
        secret=secret,
        origin=console.api_origin,
        call=first_call((key,), user, await console.entries.balance(user.id), console.models()),
    )


async def make(
    request: Request, form: forms.Filled[NewKeyForm], owner: str, team: str | None
) -> tuple[Key, str] | None:
    """Make the key of a form for somebody, perhaps for a team; ``None`` when something is wrong,
    which is said in the form. Raises ``IdentityError`` as ``Identity.create_key``.
    """
    console = context.of(request)
    nanos = key_terms.amount(form, "budget")
    asked, wanted = key_terms.bounds(form), form.value
    if asked is None or wanted is None:
        return None
    days = 0 if wanted.expires == "never" else int(wanted.expires)
    budget = () if nanos is None else (Budget(amount_nanos=nanos, period=Period(wanted.period)),)
    return await console.identity.create_key(
        owner,
        expires_at=int(console.clock.now()) + days * DAY_S if days else None,
        budgets=budget,
        team=team,
        **asked,
    )


async def _team(request: Request, form: forms.Filled[NewKeyForm]) -> str | None:
    """The name of the team that was picked. Raises ``IdentityError`` (``team``)."""
    wanted = form.first("team")
    if not wanted:
        return None
    mine = await context.of(request).team_lists.mine(session.user_of(request).id)
    name = next((each.team.name for each in mine if str(each.team.id) == wanted), None)
    if name is None:
        raise IdentityError("team", "is none of yours")
    return name


async def _refused(request: Request, wrong: LazyText) -> Response:
    return await _list(request, 422, wrong)


async def _desk(request: Request) -> key_edit.KeyPages:
    return key_edit.KeyPages(
        session.user_of(request).id, "/account/keys", "/account/keys", _refused
    )


async def _form(request: Request, form: forms.Filled[NewKeyForm], status: int = 200) -> Response:
    mine = await context.of(request).team_lists.mine(session.user_of(request).id)
    return render.page(
        request,
        "account/key_new.html",
        status=status,
        form=form,
        action="/account/keys/new",
        back="/account/keys",
        teams=[(str(each.team.id), each.team.name) for each in mine if each.role in SPENDING],
        owner="",
    )


PAGES: Final = (
    Route("/account/keys", show),
    Route("/account/keys/new", show_new),
    Route("/account/keys/new", create, methods=["POST"]),
    *key_edit.routes("/account/keys", session.signed_in, session.signed_in, _desk),
)
