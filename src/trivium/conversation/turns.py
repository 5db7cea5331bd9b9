"""What is found all over a request: leading instructions, neighbours of one role, calls, marks."""

from collections.abc import Iterable, Iterator
from itertools import chain

import msgspec

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.items import INSTRUCTING, Turn
from trivium.conversation.parts import CacheMark
from trivium.conversation.request import Conversation


def leading(turns: tuple[Turn, ...]) -> int:
    """How many turns at the start instruct: only these may go to a top-level slot.

    Hoisting a later one would rewrite everything before it: caches miss, signatures fail.
    """
    for at, turn in enumerate(turns):
        if turn.role not in INSTRUCTING:
            return at
    return len(turns)


def joined(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """Neighbours of one role as one turn: parts are put side by side, texts never glued.

    The same turns where no two belong together.
    """
    if not any(map(_belong, turns, turns[1:])):
        return turns
    out: list[Turn] = []
    start = 0
    for end in range(1, len(turns) + 1):
        if end == len(turns) or not _belong(turns[end - 1], turns[end]):
            out.append(_one(turns[start:end]))
            start = end
    return tuple(out)


def _one(turns: tuple[Turn, ...]) -> Turn:
    """Turns that belong together as one, their parts copied once."""
    first = turns[0]
    if len(turns) == 1:
        return first
    parts = tuple(chain.from_iterable([turn.parts for turn in turns]))
    return msgspec.structs.replace(first, parts=parts)


def _belong(last: Turn, turn: Turn) -> bool:
    role = turn.role
    return (
        last.role is role
        and role not in INSTRUCTING
        and last.name == turn.name
        and last.phase == turn.phase
    )


def calls(turns: Iterable[Turn]) -> Iterator[ToolCall]:
    """Every tool call of a history, in order."""
    for turn in turns:
        for part in turn.parts:
            if type(part) is ToolCall:
                yield part


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
