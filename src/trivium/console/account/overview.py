"""The first page: what there is, what was spent, what happened last."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, render, session
from trivium.identity.model import Key, User
from trivium.ledger.statement.service import Day
from trivium.oauth.consent.model import Authorized
from trivium.pipeline.model_operations import products_of
from trivium.routing.model import Model
from trivium.wire.operation import Product


class FirstCall(msgspec.Struct, frozen=True, kw_only=True):
    """The model, address and key names of the example call."""

    model: str
    """A model that answers chats and that one of the keys may use; empty: there is none yet."""
    needs_credit: bool
    """Whether the account must be topped up before the call is answered."""


def first_call(
    keys: Sequence[Key], user: User, balance_nanos: int, models: Iterable[Model]
) -> FirstCall:
    """The first call that works with one of ``keys``, or any; a free one where no money is."""
    spends = user.unlimited or balance_nanos > 0
    first = ""
    for model in models:
        is_affordable = spends or model.free
        if (first and not is_affordable) or not model.bindings:
            continue
        if keys and not any(may_use(key, model.name) for key in keys):
            continue
        if Product.TEXT in products_of(model):
            if is_affordable:
                return FirstCall(model=model.name, needs_credit=False)
            first = model.name
    return FirstCall(model=first, needs_credit=bool(first))


def may_use(key: Key, model: str) -> bool:
    """Return whether ``key`` may be used for ``model``; a key without a list may use every one."""
    return not key.models or any(
        model.startswith(name[:-1]) if name.endswith("*") else model == name for name in key.models
    )


DAYS: Final = 14
WIDTH: Final = 960
HEIGHT: Final = 160
INCIDENT_S: Final = 14 * 86_400
"""How long the first page tells of tokens that seemed stolen."""
_GAP: Final = 20
_LEAST: Final = 2
"""A day that cost anything is seen."""


class Bar(msgspec.Struct, frozen=True):
    """One day of the chart, in the chart's own units."""

    day: Day
    x: float
    y: float
    width: float
    height: float


def bars(days: Sequence[Day]) -> list[Bar]:
    """Return a bar for each day; the most expensive day has the chart's full height."""
    step = WIDTH / max(1, len(days))
    gap = min(_GAP, 0.3 * step)
    most = max((day.nanos for day in days), default=0)
    found = []
    for number, day in enumerate(days):
        height = round(HEIGHT * day.nanos / most, 1) if most else 0.0
        if day.nanos > 0:
            height = max(height, _LEAST)
        x = round(number * step + gap / 2, 1)
        found.append(Bar(day, x, round(HEIGHT - height, 1), round(step - gap, 1), height))
    return found


@session.signed_in
async def show(request: Request) -> Response:
    """Balance, spend by day, keys, last requests."""
    console = context.of(request)
    user = session.user_of(request)
    now = console.clock.now()
    days = await console.statement.days(user.id, now, DAYS)
    keys = [key for key in await console.own_keys.own(user.id) if not key.disabled]
    balance = await console.entries.balance(user.id)
    recent = await console.history.page(user.id, limit=6)
    return render.page(
        request,
        "account/overview.html",
        balance=balance,
        call=first_call(keys, user, balance, console.models()),
        days=days,
        bars=bars(days),
        spent=sum(day.nanos for day in days),
        made=sum(day.requests for day in days),
        keys=keys,
        key_names={key.id: key.name for key in keys},
        recent=recent.requests,
        incidents=await _incidents(request, user.id, now),
        origin=console.api_origin,
    )


async def _incidents(request: Request, user_id: int, now: float) -> list[Authorized]:
    """Applications with access of whose tokens one was lately used twice."""
    found = await context.of(request).oauth.consents.authorized(user_id)
    return [each for each in found if each.incident_at and now - each.incident_at < INCIDENT_S]


PAGES: Final = (Route("/account", show),)
