"""A whole answer of a responses upstream.

Source: openai-python 3.52.0, ``Response``, read 2026-11-21.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.calls import ToolCall
from trivium.conversation.items import Part
from trivium.conversation.parts import Text
from trivium.wire import caps, openai_shapes
from trivium.wire.codec import AnswerContext
from trivium.wire.errors import nonsense
from trivium.wire.lenient import decoded, error_of
from trivium.wire.responses import read_answer_parts
from trivium.wire.responses.answer_structs import Echoing, Plain, ResponseObject
from trivium.wire.responses.known_members import ANSWER

decode: Final = msgspec.json.Decoder(ResponseObject).decode
_decode_plain: Final[Callable[[bytes], Any]] = msgspec.json.Decoder(Echoing).decode
_COMPLETED: Final = read_answer_parts.finish("completed", None, called=False)

_ENDED: Final = frozenset({None, "completed", "incomplete"})
"""Statuses of a good answer; some servers leave it out."""


def read(body: bytes, ctx: AnswerContext) -> Answer:
    """The answer. Raises ``Fault``: UPSTREAM_BROKE, or what an error in it means."""
    # HOT: one decode of what takes four where there is anything else: 4.6 -> 1.9 us
    # (2026-11-24, bench/hot.py --case answer.responses.text)
    try:
        plain: Plain = _decode_plain(body)
    except (ValueError, RecursionError):
        return _any(body, ctx)
    return Answer(
        (Candidate((Text(plain.output[0].content[0].text),), _COMPLETED),),
        openai_shapes.usage(plain.usage),
        plain.id,
        plain.model,
        plain.service_tier,
    )


def _any(body: bytes, ctx: AnswerContext) -> Answer:
    if (told := decoded(decode, body)) is None:
        raise nonsense()
    if (error := error_of(told.error)) is not None:
        raise ctx.refused(error)
    if told.output is None or told.status not in _ENDED:
        raise nonsense()
    if len(told.output) > caps.PARTS_MAX:
        raise caps.too_many("items", caps.PARTS_MAX)
    ANSWER.look(body, ctx.unread)
    parts: list[Part] = []
    for raw in told.output:
        parts.extend(read_answer_parts.parts(raw, ctx))
    called = any(type(part) is ToolCall for part in parts)
    finish = read_answer_parts.finish(
        told.status or "completed", told.incomplete_details, called=called
    )
    return Answer(
        (Candidate(tuple(parts), finish),),
        openai_shapes.usage(told.usage),
        told.id or "",
        told.model or "",
        told.service_tier,
    )
