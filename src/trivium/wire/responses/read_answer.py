"""A whole answer of a responses upstream.

Source: openai-python 3.52.0, ``Response``, read 2026-11-21.
"""

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.calls import ToolCall
from trivium.conversation.items import Part
from trivium.conversation.parts import Text
from trivium.faults import Fault, Kind
from trivium.wire import tokens
from trivium.wire.codec import AnswerContext
from trivium.wire.responses import said
from trivium.wire.responses.unread import ANSWER, ECHOED
from trivium.wire.whole import error_of

_ABSENT: Final = msgspec.Raw()


class Told(msgspec.Struct, gc=False):
    """A response object, whole or in an event."""

    id: str | None = None
    model: str | None = None
    status: str | None = None
    error: msgspec.Raw = _ABSENT
    incomplete_details: said.Why | None = None
    output: list[msgspec.Raw] | None = None
    usage: msgspec.Raw = _ABSENT
    service_tier: str | None = None


_Nothing: TypeAlias = Annotated[list[msgspec.Raw], msgspec.Meta(max_length=0)] | None


class _Words(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    type: Literal["output_text"]
    text: str
    annotations: _Nothing = None
    logprobs: _Nothing = None
    refusal: None = None


class _Message(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    type: Literal["message"]
    content: tuple[_Words]
    id: str | None = None
    role: str | None = None
    status: str | None = None
    phase: None = None


class _Plain(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A response of one text and nothing that anybody would have to be told of: most are."""

    status: Literal["completed"]
    output: tuple[_Message]
    id: str
    model: str
    usage: msgspec.Raw = _ABSENT
    error: None = None
    incomplete_details: None = None
    service_tier: str | None = None
    object: str | None = None
    created_at: float | None = None
    completed_at: float | None = None
    output_text: msgspec.Raw = _ABSENT


decode: Final = msgspec.json.Decoder(Told).decode
_echoing: Final = msgspec.defstruct(
    "_Echoing",
    [(name, msgspec.Raw, _ABSENT) for name in ECHOED],
    bases=(_Plain,),
    gc=False,
    forbid_unknown_fields=True,
)
_decode_plain: Final[Callable[[bytes], Any]] = msgspec.json.Decoder(_echoing).decode
_COMPLETED: Final = said.finish("completed", None, called=False)

_ENDED: Final = frozenset({None, "completed", "incomplete"})
"""Statuses of a good answer; some servers leave it out."""


def read(body: bytes, ctx: AnswerContext) -> Answer:
    """The answer. Raises ``Fault``: UPSTREAM_BROKE, or what an error in it means."""
    # HOT: one decode of what takes four where there is anything else (2026-11-21)
    try:
        plain: _Plain = _decode_plain(body)
    except (ValueError, RecursionError):
        return _any(body, ctx)
    return Answer(
        (Candidate((Text(plain.output[0].content[0].text),), _COMPLETED),),
        tokens.usage(plain.usage),
        plain.id,
        plain.model,
        plain.service_tier,
    )


def _any(body: bytes, ctx: AnswerContext) -> Answer:
    try:
        told = decode(body)
    except (ValueError, RecursionError):
        raise _broke() from None
    if (error := error_of(told.error)) is not None:
        raise ctx.refused(error)
    if told.output is None or told.status not in _ENDED:
        raise _broke()
    ANSWER.look(body, ctx.unread)
    parts: list[Part] = []
    for raw in told.output:
        parts.extend(said.parts(raw, ctx))
    called = any(type(part) is ToolCall for part in parts)
    finish = said.finish(told.status or "completed", told.incomplete_details, called=called)
    return Answer(
        (Candidate(tuple(parts), finish),),
        tokens.usage(told.usage),
        told.id or "",
        told.model or "",
        told.service_tier,
    )


def _broke() -> Fault:
    return Fault(Kind.UPSTREAM_BROKE, "The upstream's answer is not what its protocol says.")
