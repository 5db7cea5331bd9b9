"""Faults of answers of the converse shape: what is none, and exceptions inside a stream.

Sources, read on 2026-11-28: the exceptions of ``ConverseStreamOutput`` in botocore 1.44's model of
the service; "Common errors" of Bedrock's API reference.
"""

from typing import Any, Final, NamedTuple

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.codec import AnswerContext
from trivium.wire.event_stream import EventFrame
from trivium.wire.lenient import decoded, string

_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode
_encode: Final = msgspec.json.Encoder().encode
_WORDS_MAX: Final = 4_096
"""Characters of an exception's own words that are handed on."""


class _Meaning(NamedTuple):
    status: int
    kind: Kind
    words: str


_EXCEPTIONS: Final = {
    "throttlingException": _Meaning(
        429, Kind.UPSTREAM_RATE_LIMITED, "The upstream's rate limit was reached during the answer."
    ),
    "validationException": _Meaning(
        400, Kind.UPSTREAM_REJECTED, "The upstream refused this request after it began to answer."
    ),
    "modelStreamErrorException": _Meaning(
        500, Kind.UPSTREAM_BROKE, "The upstream's model broke off its answer."
    ),
    "internalServerException": _Meaning(
        500, Kind.UPSTREAM_BROKE, "The upstream failed during the answer."
    ),
    "serviceUnavailableException": _Meaning(
        503, Kind.UPSTREAM_OVERLOADED, "The upstream became unavailable during the answer."
    ),
    "modelTimeoutException": _Meaning(
        504, Kind.UPSTREAM_TIMEOUT, "The upstream's model took too long for its answer."
    ),
}
"""Exceptions that may end a stream; the HTTP status that each has outside of one."""


def broke(why: str = "") -> Fault:
    """The fault of an upstream's answer that is none of the protocol; ``why`` ends the sentence."""
    said = f"The upstream's answer is not one of the converse protocol{': ' * bool(why)}{why}."
    return Fault(Kind.UPSTREAM_BROKE, said)


def ended(frame: EventFrame, context: AnswerContext) -> Fault | None:
    """The fault of a frame that ends a stream with an exception or an error; ``None`` for an event.

    The provider says what it means; where that is no more than that the upstream broke, the name of
    the exception does.
    """
    error = told(frame)
    if error is None:
        return None
    fault = context.refused(_encode(error))
    meaning = _EXCEPTIONS.get(error["type"])
    if meaning is None or fault.kind is not Kind.UPSTREAM_BROKE:
        return fault
    return Fault(meaning.kind, meaning.words)


def told(frame: EventFrame) -> dict[str, Any] | None:
    """What such a frame tells as an error object: its name, words and status; ``None`` for an
    event.
    """
    kind = frame.word(":message-type")
    if kind == "exception":
        name = frame.word(":exception-type")
        said = decoded(_decode, frame.payload) or {}
        words = string(said.get("message")) or string(said.get("Message")) or ""
    elif kind == "error":
        name, words = frame.word(":error-code"), frame.word(":error-message")
    else:
        return None
    name = name[:1].lower() + name[1:]
    meaning = _EXCEPTIONS.get(name)
    status = 500 if meaning is None else meaning.status
    return {"type": name, "message": words[:_WORDS_MAX], "status": status}
