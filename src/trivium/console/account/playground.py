"""Trying models out in the browser: asked with the session, booked on a key that the user picks.

The page never holds a key. What it sends is handed over to the relay (``pipeline/hand_over.py``)
after the session, the form's token and the key have been looked at.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from trivium.console import context, forms, render, session
from trivium.console.account.models import usable
from trivium.faults import Fault, Kind
from trivium.identity.errors import IdentityError
from trivium.pipeline.hand_over import MESSAGE, HandOver
from trivium.pipeline.model_operations import products_of
from trivium.routing.model import Model
from trivium.wire import errors
from trivium.wire.operation import Product

CALL: Final = "/account/playground/call"
BILL: Final = "/account/playground/bill"
TOKEN: Final = "x-csrf-token"  # noqa: S105 - a header's name
KEY: Final = "trivium-playground-key"
"""The header with the id of the key that is asked and booked with."""
_DIGITS_MAX: Final = 15


class _HandedOver(Response):
    """In the place of an answer: the relay gives it."""

    def __init__(self, to: HandOver) -> None:
        super().__init__()
        self._to = to

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        await send({"type": MESSAGE, "to": self._to})


class _Bill(msgspec.Struct, frozen=True):
    """What one request came to, in words of the reader's language."""

    cost: str | None
    """``None``: nothing is booked, or not yet, as with a free model."""
    input_tokens: str | None
    """``None``: nobody counted."""
    output_tokens: str | None
    duration: str
    path: str
    """The request's own page."""


@session.signed_in
async def show(request: Request) -> Response:
    """Show what can be asked, and by which key; the model may be named in the query."""
    console = context.of(request)
    user = session.user_of(request)
    keys = [
        key
        for key in await console.own_keys.own(user.id)
        if not key.disabled and not key.paused and not _is_over(key.expires_at, console)
    ]
    models = await asyncio.to_thread(_talking, usable(keys, console.models()))
    asked = request.query_params.get("model", "")[:200]
    return render.page(
        request,
        "account/playground.html",
        keys=keys,
        models=models,
        chosen=asked if asked in models else next(iter(models), ""),
        balance=await console.entries.balance(user.id),
        origin=console.api_origin,
        call_at=CALL,
        bill_at=BILL,
    )


def _talking(models: Sequence[Model]) -> list[str]:
    """Names of those that hold a conversation; of thousands it takes a while to tell."""
    return [model.name for model in models if Product.TEXT in products_of(model)]


def _is_over(expires_at: int | None, console: context.Console) -> bool:
    return expires_at is not None and expires_at <= console.clock.now()


async def call(request: Request) -> Response:
    """Hand a request over to the relay, once it is known who asks and with which key."""
    try:
        digest = await _key(request)
    except Fault as fault:
        return _refused(request, fault)
    path = request.scope["raw_path"].removeprefix(CALL.encode())
    return _HandedOver(HandOver(path, request.scope["query_string"], digest))


async def _key(request: Request) -> bytes:
    """By what the relay knows the key. Raises ``Fault``, and HTTPException for another's form."""
    found = await session.current(request)
    if found is None:
        raise Fault(Kind.KEY_MISSING, "You are not logged in any more: log in and send it again.")
    forms.same_site(request)
    if not session.bears_token(request, request.headers.get(TOKEN, "")):
        raise Fault(Kind.NOT_PERMITTED, f"The header {TOKEN} is not that of your page: reload it.")
    given = request.headers.get(KEY, "")
    if not (given.isascii() and given.isdecimal()) or len(given) > _DIGITS_MAX:
        raise Fault(Kind.INVALID_VALUE, f"The header {KEY} must be the id of one of your keys.")
    try:
        return await context.of(request).own_keys.digest(found.user.id, int(given))
    except IdentityError as error:
        raise Fault(Kind.INVALID_VALUE, f"The header {KEY}: {error}.") from None


async def bill(request: Request) -> Response:
    """What a request of the user's came to, as JSON; 404 until its record is written."""
    found = await session.current(request)
    if found is None:
        fault = Fault(Kind.KEY_MISSING, "You are not logged in any more.")
        return _refused(request, fault)
    request_id = request.path_params["id"]
    record = await context.of(request).history.one(found.user.id, request_id)
    if record is None:
        return _refused(request, Fault(Kind.PATH_UNKNOWN, "There is no such request, or not yet."))
    speaking = render.speech_of(request)

    def count(value: int | None) -> str | None:
        return None if value is None else speaking.number(value)

    told = _Bill(
        cost=None if record.cost_nanos is None else speaking.money(record.cost_nanos),
        input_tokens=count(record.input_tokens),
        output_tokens=count(record.output_tokens),
        duration=speaking.duration(record.total_ms),
        path=f"/account/usage/{record.request_id}",
    )
    return _json(msgspec.json.encode(told))


def _refused(request: Request, fault: Fault) -> Response:
    body = errors.body(fault, request.scope["state"]["request_id"])
    return _json(body, fault.status)


def _json(body: bytes, status: int = 200, **more: Any) -> Response:
    return Response(body, status, media_type="application/json", **more)


PAGES: Final = (Route("/account/playground", show),)
ENDPOINTS: Final[tuple[BaseRoute, ...]] = (
    Route(CALL + "/{path:path}", call, methods=["POST"]),
    Route(BILL + "/{id}", bill),
)
