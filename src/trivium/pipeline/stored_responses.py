"""Requests about stored responses: read, delete, cancel, list the input.

What we keep is answered from the store; what an upstream keeps is asked of it, with the operator's
account and only for the owner. Nothing of this is billed.
"""

from collections.abc import Mapping
from functools import partial
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode

import msgspec
import structlog

from trivium.faults import Fault, Kind
from trivium.pipeline import request_admission
from trivium.pipeline.guard import Guard
from trivium.pipeline.services import Exchange, Services
from trivium.pipeline.structs import StoredResponseRoute
from trivium.providers.base import VendorRefusal
from trivium.response_store.model import StoredResponse
from trivium.response_store.page import input_items
from trivium.response_store.policy import unknown_response
from trivium.routing.model import Channel
from trivium.upstream.buffered_call import BufferedCall, run

_PASSED: Final = frozenset({"after", "include", "include[]", "limit", "order"})
"""Query parameters that travel to an upstream."""

_encode: Final = msgspec.json.Encoder().encode

log = structlog.get_logger()


async def serve(
    exchange: Exchange, target: StoredResponseRoute, query: bytes, services: Services
) -> None:
    """Answer one authenticated request to its end. Never raises."""
    with Guard(exchange, partial(log.error, "request_crashed")) as guard:
        guard.given = await request_admission.visit(exchange, services)
        kept = await _find(exchange, target, services)
        named = dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True))
        _check(target, named)
        if kept.response is None:
            body = await _ask(target, kept, named, services)
        else:
            body = _answer(target, kept, kept.response, named)
        if target.action == "delete":
            assert services.response_store is not None
            await services.response_store.forget(kept.user_id, kept.id)
        exchange.answer(200, body)


def _check(target: StoredResponseRoute, query: Mapping[str, str]) -> None:
    """What only answers that run in the background can be asked for."""
    if target.action == "cancel":
        raise Fault(
            Kind.INVALID_VALUE,
            "Only a response that was created with `background` can be cancelled; to stop "
            "another, close its connection.",
            param="response_id",
        )
    if query.get("stream", "").lower() in ("true", "1"):
        raise Fault(
            Kind.UNREPRESENTABLE,
            "`stream` must be false: only a response that was created with `background` can "
            "be streamed again.",
            param="stream",
        )


async def _find(
    exchange: Exchange, target: StoredResponseRoute, services: Services
) -> StoredResponse:
    caller = exchange.caller
    assert caller is not None
    kept = None
    if services.response_store is not None:
        kept = await services.response_store.find(caller.owner_id, target.response_id)
    if kept is None:
        raise unknown_response(target.response_id, "response_id")
    return kept


def _answer(
    target: StoredResponseRoute, kept: StoredResponse, response: bytes, query: Mapping[str, str]
) -> bytes:
    """Return the body that answers a request about a stored response."""
    if target.action == "input_items":
        return input_items(kept, query)
    if target.action == "delete":
        return _encode({"id": kept.id, "object": "response", "deleted": True})
    return response


async def _ask(
    target: StoredResponseRoute, kept: StoredResponse, query: Mapping[str, str], services: Services
) -> bytes:
    """What the upstream keeps, in its own words."""
    channel = services.router.channel(kept.channel)
    if channel is None:
        if target.action == "delete":
            return _answer(target, kept, b"", query)
        raise Fault(
            Kind.NOT_FOUND,
            f"The response `{kept.id}` is kept by an upstream that this gateway does not call any "
            "more.",
            param="response_id",
        )
    suffix = "/input_items" if target.action == "input_items" else ""
    passed = urlencode([(name, value) for name, value in query.items() if name in _PASSED])
    request = services.composer.buffered_call(
        channel,
        b"DELETE" if target.action == "delete" else b"GET",
        f"/{quote(kept.id, safe='')}{suffix}" + (f"?{passed}" if passed else ""),
    )
    vendor_call = BufferedCall(services.future())
    await run(services.client, request, vendor_call)
    return _told(vendor_call, channel, target, kept)


def _told(
    vendor_call: BufferedCall, channel: Channel, target: StoredResponseRoute, kept: StoredResponse
) -> bytes:
    body = b"".join(vendor_call.parts)
    if 200 <= vendor_call.status < 300:
        return body
    if vendor_call.status == 404 and target.action == "delete":
        return _answer(target, kept, b"", {})  # gone is gone
    if vendor_call.status == 404:
        raise unknown_response(kept.id, "response_id")
    headers = {n.decode("latin-1"): v.decode("latin-1") for n, v in vendor_call.headers}
    raise channel.provider.failure(
        VendorRefusal(status=vendor_call.status, headers=headers, body=body)
    )
