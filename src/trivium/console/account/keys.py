"""A user's own keys: listed, made with limits, shown once; what follows is ``key_edit.py``'s."""

import datetime as dt
from typing import Final, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.account import key_edit, key_terms
from trivium.console.account.key_terms import DAY_S, Bounds
from trivium.console.account.overview import first_call
from trivium.console.language import LazyText
from trivium.identity.errors import IdentityError
from trivium.observe.audit.model import ActKind
from trivium.settings.budget import Budget, Period


class NewKeyForm(Bounds, frozen=True, kw_only=True):
    """A new one is given an end in so many days, and one budget at most."""

    expires: Literal["never", "30", "90", "365"] = "never"
    budget: str = ""
    period: Literal["day", "week", "month", "total"] = "month"


@session.signed_in
async def show(request: Request) -> Response:
    """Show the list of the user's keys."""
    return await _list(request)


async def _list(request: Request, status: int = 200, wrong: LazyText | None = None) -> Response:
    console = context.of(request)
    every = await console.own_keys.own(session.user_of(request).id)
    return render.page(
        request,
        "account/keys.html",
        status=status,
        keys=[key for key in reversed(every) if not key.disabled],
        revoked=[key for key in reversed(every) if key.disabled],
        wrong=wrong,
        clock=console.clock.now(),
    )


@session.signed_in
async def show_new(request: Request) -> Response:
    """Show the form for a new key."""
    return _form(request, forms.empty(NewKeyForm))


@session.signed_in
async def create(request: Request) -> Response:
    """Make it, and show it this once."""
    console = context.of(request)
    user = session.user_of(request)
    form = forms.filled(request, NewKeyForm)
    nanos = key_terms.amount(form, "budget")
    wanted = form.value
    if wanted is None:
        return _form(request, form, 422)
    days = 0 if wanted.expires == "never" else int(wanted.expires)
    budget = () if nanos is None else (Budget(amount_nanos=nanos, period=Period(wanted.period)),)
    try:
        await console.own_keys.check_room(user.id)
        key, secret = await console.identity.create_key(
            user.email,
            expires_at=int(console.clock.now()) + days * DAY_S if days else None,
            budgets=budget,
            **key_terms.bounds(wanted),
        )
    except IdentityError as error:
        key_terms.refuse(form, error)
        return _form(request, form, 422)
    await session.log_act(request, ActKind.KEY_CREATED, user.id, f"key:{key.id}", name=key.name)
    return render.page(
        request,
        "account/key_made.html",
        key=key,
        secret=secret,
        origin=console.api_origin,
        call=first_call((key,), user, await console.entries.balance(user.id), console.models()),
    )


async def _refused(request: Request, wrong: LazyText) -> Response:
    return await _list(request, 422, wrong)


async def _desk(request: Request) -> key_edit.KeyPages:
    return key_edit.KeyPages(
        session.user_of(request).id, "/account/keys", "/account/keys", _refused
    )


def _form(request: Request, form: forms.Filled[NewKeyForm], status: int = 200) -> Response:
    today = dt.datetime.fromtimestamp(context.of(request).clock.now(), dt.UTC).date()
    return render.page(
        request, "account/key_new.html", status=status, form=form, today=today.isoformat()
    )


PAGES: Final = (
    Route("/account/keys", show),
    Route("/account/keys/new", show_new),
    Route("/account/keys/new", create, methods=["POST"]),
    *key_edit.routes("/account/keys", session.signed_in, session.signed_in, _desk),
)
