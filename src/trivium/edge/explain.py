"""``POST /api/explain``: what would become of a request, without making it.

Served by the relay plane though its path is not one of a shape: it is asked with a gateway key and
runs the relay's own steps over the relay's own snapshot, of which the pages plane has neither.
"""

from functools import partial
from typing import Final

import msgspec
import structlog

from trivium.edge.credentials import HEADERS
from trivium.edge.exchange import Exchange
from trivium.faults import Fault, Kind
from trivium.pipeline import request_admission
from trivium.pipeline.explain import ExplainRequest, explain
from trivium.pipeline.guard import Guard
from trivium.pipeline.services import Services
from trivium.wire.operation import EXPLAINED, STREAMED_AS, TITLES, Operation


class ExplainBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ``POST`` of an explanation takes: a request and its shape."""

    body: msgspec.Raw
    """The request as it would be posted."""
    shape: Operation = Operation.CHAT
    """One of ``EXPLAINED``."""
    model: str = ""
    """Instead of the body's own; for ``generate`` and ``converse``, whose path names it, required.
    """
    stream: bool = False
    """For those two, whose path says it: whether the answer is to be streamed."""
    strict: bool = False
    """As the header ``trivium-strict: true``."""


_decode: Final = msgspec.json.Decoder(ExplainBody).decode
_encode: Final = msgspec.json.Encoder().encode

log = structlog.get_logger()


async def serve(exchange: Exchange, services: Services) -> None:
    """Answer with the rehearsal; a refusal of the request is a 200 that says so. Never raises."""
    caller = exchange.caller
    assert caller is not None
    with Guard(exchange, partial(log.error, "explain_crashed")) as guard:
        # a rehearsal is as much work for us as the request
        guard.given = await request_admission.visit(exchange, services)
        asked = read(exchange.body, exchange.headers)
        told = await explain(asked, caller, services, exchange.request_id)
        exchange.answer(200, _encode(told))


def read(body: bytes, headers: dict[bytes, bytes]) -> ExplainRequest:
    """What is asked for. Raises ``Fault`` (INVALID_VALUE, MISSING_MEMBER)."""
    try:
        question = _decode(body)
    except msgspec.DecodeError as exc:
        raise _unreadable(str(exc)) from None
    operation = question.shape
    if operation not in EXPLAINED:
        raise _unreadable(f"Invalid enum value '{operation.value}' - at `$.shape`")
    if operation in STREAMED_AS:
        if not question.model:
            raise Fault(
                Kind.MISSING_MEMBER,
                f"`model` is missing: a {TITLES[operation]} request has it in its path.",
                param="model",
            )
        if question.stream:
            operation = STREAMED_AS[operation]
    return ExplainRequest(
        operation=operation,
        body=bytes(question.body),
        model=question.model,
        headers={name: value for name, value in headers.items() if name not in HEADERS},
        strict=question.strict,
    )


def _unreadable(why: str) -> Fault:
    return Fault(
        Kind.INVALID_VALUE,
        f"{why}. A request to explain looks like "
        '{"shape": "chat", "body": {"model": "…", "messages": […]}}.',
    )
