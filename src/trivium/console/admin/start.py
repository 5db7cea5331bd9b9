"""First steps of an empty gateway: a vendor, a model, a key with balance, an answer."""

import asyncio
import re
import secrets
from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.catalogue.model import CatalogueKind
from trivium.console import context, forms, render, session
from trivium.console.account import key_terms
from trivium.console.catalogue import entries
from trivium.console.language import N_, text
from trivium.console.topup.credit import book
from trivium.identity.errors import IdentityError
from trivium.identity.model import Key
from trivium.ledger.amounts import parse_usd
from trivium.ledger.errors import LedgerError
from trivium.observe.audit.model import ActKind
from trivium.pipeline.model_operations import products_of
from trivium.routing.model import Model
from trivium.wire.operation import Product

PATH: Final = "/admin/start"
AMOUNT: Final = "10"
"""US dollars that are suggested."""
AMOUNT_MAX: Final = 1_000 * 10**9
"""In nano-dollars: more is booked where it is asked twice."""
NAMES_MAX: Final = 3
_ONCE: Final = re.compile(r"[0-9A-Za-z_-]{22}")


class FirstKeyForm(forms.Form, frozen=True, kw_only=True):
    """Balance and a key for the administrator's own account. ``once``: as in the form of credit."""

    amount: Annotated[str, msgspec.Meta(max_length=20)] = ""
    name: Annotated[str, msgspec.Meta(max_length=100)] = ""
    once: str = ""


class FirstSteps(msgspec.Struct, frozen=True, kw_only=True):
    """How far somebody has come."""

    channels: tuple[str, ...]
    """The first of them."""
    model: str
    """The first that can be talked to; empty: there is none."""
    balance_nanos: int
    has_key: bool
    has_asked: bool


@session.admin
async def show(request: Request) -> Response:
    """Show the steps, and what each asks for next."""
    return await _page(request, forms.empty(FirstKeyForm, amount=AMOUNT, name="Playground"))


@session.admin
@session.recent
async def give(request: Request) -> Response:
    """Book balance for the administrator's own account, and make a key where there is none."""
    user = session.user_of(request)
    form = forms.filled(request, FirstKeyForm)
    given = form.value
    if given is None or not _ONCE.fullmatch(given.once):
        if given is not None:
            form.fail("", N_("This form is too old. Please send it again."))
        return await _page(request, form, 422)
    amount_nanos = _amount(form, given.amount)
    steps = await _steps(request)
    secret = ""
    if form.errors:
        return await _page(request, form, 422)
    try:
        if amount_nanos:
            await book(request, user, amount_nanos, "First steps", f"credit:{given.once}")
        if not steps.has_key:
            key, secret = await _key(request, given.name)
            await session.log_act(
                request, ActKind.KEY_CREATED, user.id, f"key:{key.id}", name=key.name
            )
    except LedgerError as error:
        form.fail("", text(N_("Nothing was booked: %(why)s."), why=str(error)))
    except IdentityError as error:
        form.fail("name", key_terms.said(error))
    if form.errors:
        return await _page(request, form, 422)
    if not secret:
        return render.redirect(request, PATH)
    return await _page(request, forms.empty(FirstKeyForm), secret=secret)


def _amount(form: forms.Filled[FirstKeyForm], typed: str) -> int:
    """Nano-dollars; 0: none are wanted. What is wrong with it is said in the form."""
    if not typed.strip():
        return 0
    try:
        nanos = parse_usd(typed.strip().removeprefix("$").replace(",", ""))
    except LedgerError:
        nanos = -1
    if not 0 <= nanos <= AMOUNT_MAX:
        form.fail("amount", N_("Please give an amount in dollars of at most 1,000, such as 10.00."))
    return nanos


async def _key(request: Request, name: str) -> tuple[Key, str]:
    """A new key of the user's own. Raises IdentityError."""
    console, user = context.of(request), session.user_of(request)
    await console.own_keys.check_room(user.id)
    return await console.identity.create_key(user.email, name or "Playground")


async def _steps(request: Request) -> FirstSteps:
    console, user = context.of(request), session.user_of(request)
    channels = await entries.names(console, CatalogueKind.CHANNEL)
    keys = await console.own_keys.own(user.id)
    page = await console.history.page(user.id, limit=1)
    return FirstSteps(
        channels=tuple(channels)[:NAMES_MAX],
        model=await asyncio.to_thread(_first, tuple(console.models())),
        balance_nanos=await console.entries.balance(user.id),
        has_key=any(not key.disabled and not key.paused for key in keys),
        has_asked=bool(page.requests),
    )


def _first(models: Sequence[Model]) -> str:
    """The first that holds a conversation, else any that is served."""
    served = [model for model in models if model.bindings]
    talking = (model.name for model in served if Product.TEXT in products_of(model))
    return next(talking, served[0].name if served else "")


async def _page(
    request: Request, form: forms.Filled[FirstKeyForm], status: int = 200, secret: str = ""
) -> Response:
    once = form.first("once")
    return render.page(
        request,
        "admin/start.html",
        status=status,
        form=form,
        once=once if _ONCE.fullmatch(once) else secrets.token_urlsafe(16),
        steps=await _steps(request),
        secret=secret,
    )


PAGES: Final = (
    Route(PATH, show, methods=["GET"]),
    Route(PATH, give, methods=["POST"]),
)
