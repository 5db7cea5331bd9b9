"""Cache marks of a whole request, wherever they stand."""

from collections.abc import Iterator

from trivium.conversation.calls import ToolResult
from trivium.conversation.parts import CacheMark
from trivium.conversation.request import Conversation


def is_marked(conversation: Conversation) -> bool:
    """Whether the request has any cache mark."""
    return any(marks(conversation))


def marks(conversation: Conversation) -> Iterator[CacheMark]:
    """Yield the cache marks of tools, instructions, parts and parts of results, then the one for
    the whole request.
    """
    for tool in conversation.tools:
        if tool.cache is not None:
            yield tool.cache
    for text in conversation.instructions:
        if text.cache is not None:
            yield text.cache
    for turn in conversation.turns:
        for part in turn.parts:
            if part.cache is not None:
                yield part.cache
            if type(part) is ToolResult:
                yield from (inner.cache for inner in part.parts if inner.cache is not None)
    if conversation.cache is not None:
        yield conversation.cache
