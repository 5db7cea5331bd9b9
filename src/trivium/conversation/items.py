"""Turns: who says something, and the parts of it in order.

A reader makes one turn of each message as it stands in the body, in place: system text in the
middle stays in the middle. Tool results are parts of a user turn, calls and reasoning parts of an
assistant turn, in every shape. ``fit.py`` joins neighbours and orders results afterwards.
"""

from collections.abc import Iterable, Iterator
from enum import Enum, unique
from typing import Final

import msgspec

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Reasoning,
    Refusal,
    SearchResult,
    Text,
    VendorPart,
    Video,
)

Part = (
    Text
    | Image
    | Audio
    | Video
    | Document
    | SearchResult
    | Refusal
    | Reasoning
    | ToolCall
    | ToolResult
    | VendorPart
)
"""Everything a turn may be made of."""


@unique
class Role(Enum):
    """Who says it."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    ASSISTANT = "assistant"

    __hash__ = object.__hash__  # HOT: as in members.Concept


INSTRUCTING: Final = frozenset({Role.SYSTEM, Role.DEVELOPER})
"""Roles that instruct the model instead of talking to it."""


class Turn(msgspec.Struct, frozen=True, gc=False):
    """One message of the history."""

    role: Role
    parts: tuple[Part, ...]
    name: str | None = None
    """The participant's name, chat only."""
    phase: str | None = None
    """Responses only: ``commentary`` or ``final_answer``."""


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
