"""Functions over the turns of a history: leading instructions, neighbours of one role, calls."""

from collections.abc import Iterable, Iterator
from itertools import chain

import msgspec

from trivium.conversation.calls import ToolCall
from trivium.conversation.items import INSTRUCTING, Turn


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
