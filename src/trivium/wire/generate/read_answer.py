"""A whole answer of generate-content: the same object as a stream's chunk, told at once."""

from trivium.conversation.answer import Answer
from trivium.conversation.assemble import assembled
from trivium.conversation.events import Event
from trivium.wire.codec import AnswerContext
from trivium.wire.generate.telling import Telling


def read(body: bytes, context: AnswerContext) -> Answer:
    """The answer. Raises ``Fault``: UPSTREAM_BROKE, or what an error in the body means."""
    told: list[Event] = []
    telling = Telling(context)
    telling.chunk(body, told)
    telling.end(None, told)
    return assembled(told)
