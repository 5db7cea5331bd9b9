"""A whole answer of generate-content: the same object as a stream's chunk, told at once."""

from typing import Final

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.assemble import assembled
from trivium.conversation.events import Event
from trivium.conversation.parts import Text
from trivium.wire.codec import AnswerContext
from trivium.wire.generate import finish
from trivium.wire.generate.answer_structs import Whole
from trivium.wire.generate.read_usage import counted, usage
from trivium.wire.generate.stream_events import StreamEvents
from trivium.wire.generate.write_usage import tier_of

_UNSAID: Final = frozenset({"", finish.UNSAID})
_whole: Final = msgspec.json.Decoder(Whole).decode


def read(body: bytes, context: AnswerContext) -> Answer:
    """The answer. Raises ``Fault``: UPSTREAM_BROKE, or what an error in the body means."""
    try:
        found = _whole(body)
    except (ValueError, RecursionError):
        return _told(body, context)
    candidate, counters = found.candidates[0], found.usageMetadata
    text, reason = candidate.content.parts[0].text, candidate.finishReason
    if not text or candidate.index or not counted(counters) or reason in _UNSAID:
        return _told(body, context)
    end = finish.read(reason, called=False, said=True)
    return Answer(
        (Candidate((Text(text),), end),),
        usage(counters),
        found.responseId,
        found.modelVersion,
        tier_of(counters),
    )


def _told(body: bytes, context: AnswerContext) -> Answer:
    told: list[Event] = []
    telling = StreamEvents(context)
    telling.chunk(body, told)
    telling.end(None, told)
    return assembled(told)
