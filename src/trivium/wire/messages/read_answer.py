"""Whole answers of the messages shape, read tolerantly."""

from typing import Any, Final

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.parts import Text
from trivium.wire import caps
from trivium.wire.codec import AnswerContext
from trivium.wire.lenient import error_of
from trivium.wire.messages import finish
from trivium.wire.messages.answer_structs import AnswerMessage, Plain, UncountedMessage
from trivium.wire.messages.known_members import ANSWER
from trivium.wire.messages.paths import broke
from trivium.wire.messages.read_answer_parts import part, words
from trivium.wire.messages.read_usage import usage

TIERS: Final = {"standard": "default", "priority": "priority", "batch": "batch"}
"""Tiers that served an answer, in OpenAI's words."""


_decode: Final = msgspec.json.Decoder(AnswerMessage).decode
_decode_uncounted: Final = msgspec.json.Decoder(UncountedMessage).decode
_decode_plain: Final = msgspec.json.Decoder(Plain).decode


def read(body: bytes, context: AnswerContext) -> Answer:
    """The answer in a message. Raises ``Fault`` for an error in its place and for nonsense."""
    # HOT: one decode of what takes four where there is anything else: 2.2 -> 1.1 us
    # (2026-11-24, bench/hot.py --case answer.messages.text)
    try:
        plain = _decode_plain(body)
    except (ValueError, RecursionError):
        return _any(body, context)
    end = finish.read(plain.stop_reason, plain.stop_sequence)
    return Answer(
        (Candidate((Text(plain.content[0].text),), end),),
        usage(plain.usage),
        plain.id,
        plain.model,
        tier(plain.usage),
    )


def _any(body: bytes, context: AnswerContext) -> Answer:
    try:
        message = _message(body)
        if (error := error_of(message.error)) is not None:
            raise context.refused(error)
        if message.content is None:
            raise broke()
        if len(message.content) > caps.PARTS_MAX:
            raise caps.too_many("parts", caps.PARTS_MAX)
        ANSWER.look(body, context.unread)
        parts = tuple(part(raw, context) for raw in message.content)
    except (ValueError, RecursionError, AttributeError):
        raise broke() from None
    return Answer(
        candidates=(
            Candidate(
                parts, finish.read(message.stop_reason, message.stop_sequence, message.stop_details)
            ),
        ),
        usage=usage(counters := getattr(message, "usage", None)),
        id=words(message.id),
        model=words(message.model),
        service_tier=tier(counters),
    )


def _message(body: bytes) -> UncountedMessage:
    try:
        return _decode(body)
    except (ValueError, RecursionError):
        return _decode_uncounted(body)


def tier(reported: Any) -> str | None:
    """The tier a ``usage`` object names."""
    name = reported.get("service_tier") if isinstance(reported, dict) else None
    return TIERS.get(name) if isinstance(name, str) else None
