"""A history's turns together: which lead, which belong to one another, what is called in them."""

from collections.abc import Iterable, Iterator

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
    out = [turns[0]]
    for turn in turns[1:]:
        last = out[-1]
        if _belong(last, turn):
            out[-1] = msgspec.structs.replace(last, parts=last.parts + turn.parts)
        else:
            out.append(turn)
    return tuple(out)


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
