"""A whole answer as the caller's response object: what the stream of it would end with."""

from trivium.conversation.answer import Answer
from trivium.conversation.replay import replayed
from trivium.wire.codec import WriteContext
from trivium.wire.responses.write_stream import Writer


def write(answer: Answer, ctx: WriteContext) -> bytes:
    """The body."""
    writer = Writer(ctx)
    writer.feed(replayed(answer))
    return writer.answer()
