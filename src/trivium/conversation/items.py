"""Turns: who says something, and the parts of it in order.

A reader makes one turn of each message as it stands in the body, in place: system text in the
middle stays in the middle. Tool results are parts of a user turn, calls and reasoning parts of an
assistant turn, in every shape. ``fit.py`` joins neighbours and orders results afterwards.
"""

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
    """The author of a turn."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    ASSISTANT = "assistant"

    __hash__ = object.__hash__


INSTRUCTING: Final = frozenset({Role.SYSTEM, Role.DEVELOPER})
"""Roles that instruct the model instead of talking to it."""


class Turn(msgspec.Struct, frozen=True, gc=False):
    """One message of the history: its role and its parts."""

    role: Role
    parts: tuple[Part, ...]
    name: str | None = None
    """The participant's name, chat only."""
    phase: str | None = None
    """Responses only: ``commentary`` or ``final_answer``."""
