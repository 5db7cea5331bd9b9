"""Whole answers of the converse shape, read tolerantly."""

from typing import Any, Final

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.finish import Finish
from trivium.conversation.parts import Text
from trivium.wire import caps
from trivium.wire.codec import AnswerContext
from trivium.wire.converse import finish
from trivium.wire.converse.answer_structs import (
    ConverseAnswer,
    ConversePlain,
    ConverseUncounted,
)
from trivium.wire.converse.failure import broke
from trivium.wire.converse.known_members import ANSWER
from trivium.wire.converse.read_answer_parts import part
from trivium.wire.converse.read_usage import usage
from trivium.wire.lenient import string
from trivium.wire.text_repair import sound

_decode: Final = msgspec.json.Decoder(ConverseAnswer).decode
_decode_uncounted: Final = msgspec.json.Decoder(ConverseUncounted).decode
_decode_plain: Final = msgspec.json.Decoder(ConversePlain).decode


def read(body: bytes, context: AnswerContext) -> Answer:
    """The answer in a body. Raises ``Fault`` for an error in its place and for nonsense."""
    try:
        plain = _decode_plain(body)
    except (ValueError, RecursionError):
        return _any(body, context)
    text = plain.output.message.content[0].text
    return Answer((Candidate((Text(text),), finish.read(plain.stopReason)),), usage(plain.usage))


def _any(body: bytes, context: AnswerContext) -> Answer:
    try:
        answer = _answer(body)
        output = answer.output
        message = output.message if output is not None else None
        if message is None or message.content is None:
            if output is None:
                raise context.refused(body)
            raise broke()
        if len(message.content) > caps.PARTS_MAX:
            raise caps.too_many("parts", caps.PARTS_MAX)
        ANSWER.look(body, context.unread)
        parts = tuple(part(raw, context) for raw in message.content)
    except (ValueError, RecursionError):
        raise broke() from None
    return Answer(
        candidates=(Candidate(parts, ended(answer.stopReason, answer)),),
        usage=usage(getattr(answer, "usage", None)),
        service_tier=tier(answer.serviceTier),
    )


def _answer(body: bytes) -> ConverseUncounted:
    try:
        return _decode(body)
    except (ValueError, RecursionError):
        pass
    return _decode_uncounted(sound(body))


def ended(reason: Any, holder: Any) -> Finish:
    """The end of an answer, with the stop sequence that a model's own members name."""
    fields = holder.additionalModelResponseFields
    sequence = fields.get("stop_sequence") if isinstance(fields, dict) else None
    return finish.read(reason, sequence)


def tier(reported: Any) -> str | None:
    """The tier that a ``serviceTier`` object names: OpenAI's words are these as well."""
    return string(reported.get("type")) if isinstance(reported, dict) else None
