"""A user's own keys: made with limits, shown once, renamed, revoked."""

import datetime as dt
from typing import Annotated, Final, Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.language import N_, Text
from trivium.identity.errors import IdentityError
from trivium.identity.model import Budget, Key, Period
from trivium.identity.own_keys import KEYS_MAX
from trivium.ledger.entries import parse_usd
from trivium.ledger.errors import LedgerError
from trivium.observe.audit.model import ActKind
from trivium.settings.limits import LIMIT_MAX, limits

Count = Annotated[int, msgspec.Meta(ge=1, le=LIMIT_MAX)]
Lines = Annotated[str, msgspec.Meta(max_length=20_000)]


class NewKey(forms.Form, frozen=True, kw_only=True):
    """What a key may do; what is left empty is not limited."""

    name: forms.Line
    expires: Literal["never", "30", "90", "365"] = "never"
    models: Lines = ""
    budget: str = ""
    period: Literal["day", "week", "month", "total"] = "month"
    requests: Count | None = None
    tokens: Count | None = None
    concurrency: Count | None = None
    networks: Lines = ""
    strict: bool = False


class Rename(forms.Form, frozen=True, kw_only=True):
    """Another name for a key."""

    key: int
    name: forms.Line


class Which(forms.Form, frozen=True, kw_only=True):
    """One key."""

    key: int


_WRONG: Final = {
    "models": N_("One of these is no model name; only a star at the end matches more."),
    "networks": N_("One of these is no network, such as 10.0.0.0/8 or 203.0.113.9."),
    "budgets": N_("Please give an amount above 0 and at most a million dollars."),
    "name": N_("Please use 1 to 100 printable characters."),
}
_FIELDS: Final = {"budgets": "budget", "limits": "requests", "expires_at": "expires"}


@session.signed_in
async def show(request: Request) -> Response:
    """The list."""
    return await _list(request)


async def _list(request: Request, status: int = 200, wrong: Text | None = None) -> Response:
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
    """The form for a new one."""
    return _form(request, forms.empty(NewKey))


@session.signed_in
async def create(request: Request) -> Response:
    """Make it, and show it this once."""
    console = context.of(request)
    user = session.user_of(request)
    form = forms.filled(request, NewKey)
    budgets = _budgets(form)
    if form.value is None:
        return _form(request, form, 422)
    wanted = form.value
    days = 0 if wanted.expires == "never" else int(wanted.expires)
    try:
        await console.own_keys.check_room(user.id)
        key, secret = await console.identity.create_key(
            user.email,
            wanted.name,
            wanted.models.replace(",", " ").split(),
            int(console.clock.now()) + days * 86_400 if days else None,
            strict=wanted.strict,
            limits=limits(wanted.requests, wanted.tokens, wanted.concurrency),
            budgets=budgets,
            networks=wanted.networks.replace(",", " ").split(),
        )
    except IdentityError as error:
        _refuse(form, error)
        return _form(request, form, 422)
    await session.tell(request, ActKind.KEY_CREATED, user.id, f"key:{key.id}", name=key.name)
    return render.page(
        request,
        "account/key_made.html",
        key=key,
        secret=secret,
        origin=console.api_origin,
        model=_example(key),
    )


@session.signed_in
async def rename(request: Request) -> Response:
    """Give a key another name."""
    user = session.user_of(request)
    form = forms.filled(request, Rename)
    if form.value is None:
        return await _list(request, 422, form.errors.get("name"))
    try:
        key = await context.of(request).own_keys.rename(user.id, form.value.key, form.value.name)
    except IdentityError as error:
        return await _list(request, 422, _said(error))
    await session.tell(request, ActKind.KEY_CHANGED, user.id, f"key:{key.id}", name=key.name)
    return render.redirect(request, "/account/keys", N_("The key has a new name."))


@session.signed_in
async def revoke(request: Request) -> Response:
    """Disable a key for good."""
    user = session.user_of(request)
    form = forms.filled(request, Which)
    if form.value is None:
        return await _list(request, 422)
    try:
        key = await context.of(request).own_keys.revoke(user.id, form.value.key)
    except IdentityError as error:
        return await _list(request, 422, _said(error))
    await session.tell(request, ActKind.KEY_REVOKED, user.id, f"key:{key.id}", name=key.name)
    return render.redirect(
        request,
        "/account/keys",
        N_("The key “%(name)s” is revoked. It is refused everywhere within two seconds."),
        name=key.name,
    )


def _form(request: Request, form: forms.Filled[NewKey], status: int = 200) -> Response:
    today = dt.datetime.fromtimestamp(context.of(request).clock.now(), dt.UTC).date()
    return render.page(
        request, "account/key_new.html", status=status, form=form, today=today.isoformat()
    )


def _budgets(form: forms.Filled[NewKey]) -> tuple[Budget, ...]:
    """The budget that was typed; what is wrong with it is said in the form."""
    typed = form.first("budget").strip().removeprefix("$")
    if not typed or form.value is None:
        return ()
    try:
        nanos = parse_usd(typed)
    except LedgerError:
        form.fail("budget", N_("Please give an amount in dollars, such as 10.00."))
        return ()
    return (Budget(amount_nanos=nanos, period=Period(form.value.period)),)


def _refuse(form: forms.Filled[NewKey], error: IdentityError) -> None:
    field = _FIELDS.get(error.field, error.field)
    form.fail(field if field in NewKey.__struct_fields__ else "", _said(error))


def _said(error: IdentityError) -> Text:
    if error.field == "keys":
        said = N_("You have %(count)s keys, which is as many as there can be. Revoke one first.")
        return Text(said, {"count": KEYS_MAX})
    if error.field == "key":
        return Text(N_("There is no such key, or it has been revoked."))
    return Text(_WRONG.get(error.field, N_("This is not written as it should be.")))


def _example(key: Key) -> str:
    """A model to show in the example call; empty: whichever the gateway has."""
    return next((name for name in key.models if not name.endswith("*")), "")


PAGES: Final = (
    Route("/account/keys", show),
    Route("/account/keys/new", show_new),
    Route("/account/keys/new", create, methods=["POST"]),
    Route("/account/keys/rename", rename, methods=["POST"]),
    Route("/account/keys/revoke", revoke, methods=["POST"]),
)
