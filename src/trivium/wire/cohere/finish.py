"""Finish reasons of Cohere's shape and the canonical ones, both ways.

Source: cohere-python 7.3.1, ``ChatFinishReason`` (and ``FinishReason`` of the first version), read
2026-11-28.
"""

from collections.abc import Iterable
from typing import Any, Final

from trivium.conversation.calls import ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Part

FAILED: Final = "ERROR"
"""The word with which a vendor ends an answer that failed."""

_READ: Final = {
    "COMPLETE": Unified.STOP,
    "STOP_SEQUENCE": Unified.STOP_SEQUENCE,
    "TOOL_CALL": Unified.TOOL_CALLS,
    "MAX_TOKENS": Unified.LENGTH,
    # of the first version
    "ERROR_LIMIT": Unified.CONTEXT_FULL,
    "ERROR_TOXIC": Unified.CONTENT_FILTER,
}
_ENDS: Final = {word: Finish(unified, word) for word, unified in _READ.items()}

_WRITTEN: Final = {
    Unified.STOP: "COMPLETE",
    Unified.STOP_SEQUENCE: "STOP_SEQUENCE",
    Unified.TOOL_CALLS: "TOOL_CALL",
    Unified.LENGTH: "MAX_TOKENS",
    Unified.CONTEXT_FULL: "MAX_TOKENS",
}
"""All others are ``ERROR``: the only word for an answer that is not complete, and that no higher
limit completes."""
ENDS: Final = frozenset(_WRITTEN) - {Unified.CONTEXT_FULL}
"""Reasons that the shape has a word of its own for."""


def read(reason: Any) -> Finish:
    """The canonical end for a ``finish_reason``; an unknown or missing one is OTHER."""
    if not isinstance(reason, str):
        return Finish(Unified.OTHER)
    return _ENDS.get(reason) or Finish(Unified.OTHER, reason)


def written(finish: Finish, kinds: Iterable[type[Part]]) -> str:
    """The ``finish_reason``, given the classes of the answer's parts.

    Vendors that call every good end the same leave it to the parts to say what it was.
    """
    unified = finish.unified
    if unified is Unified.STOP and ToolCall in set(kinds):
        unified = Unified.TOOL_CALLS
    return _WRITTEN.get(unified, FAILED)
