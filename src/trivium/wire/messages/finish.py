"""Stop reasons of the messages shape and the canonical ones, both ways.

Source: messages reference and SDK types 2.11, read on 2026-11-21.
"""

from collections.abc import Iterable
from typing import Any, Final

from trivium.conversation.calls import ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Part
from trivium.conversation.parts import Refusal
from trivium.wire.lenient import string
from trivium.wire.messages.answer_structs import StopDetails

_READ: Final = {
    "end_turn": Unified.STOP,
    "stop_sequence": Unified.STOP_SEQUENCE,
    "tool_use": Unified.TOOL_CALLS,
    "max_tokens": Unified.LENGTH,
    "model_context_window_exceeded": Unified.CONTEXT_FULL,
    "refusal": Unified.CONTENT_FILTER,
    "pause_turn": Unified.PAUSED,
    "compaction": Unified.PAUSED,
}

_ENDS: Final = {word: Finish(unified, word) for word, unified in _READ.items()}

_WRITTEN: Final = {
    Unified.STOP: "end_turn",
    Unified.STOP_SEQUENCE: "stop_sequence",
    Unified.TOOL_CALLS: "tool_use",
    Unified.LENGTH: "max_tokens",
    Unified.CONTEXT_FULL: "model_context_window_exceeded",
    Unified.CONTENT_FILTER: "refusal",
    Unified.PAUSED: "pause_turn",
    # a reason we do not know: the one word that says "not complete" and blames nobody
    Unified.OTHER: "max_tokens",
}

_STOP: Final = Unified.STOP
_STOP_SEQUENCE: Final = Unified.STOP_SEQUENCE
_CONTENT_FILTER: Final = Unified.CONTENT_FILTER

_CATEGORIES: Final = frozenset(
    {"cyber", "bio", "frontier_llm", "reasoning_extraction", "general_harms"}
)
"""Categories of a refusal that clients know."""


def read(reason: Any, sequence: Any = None, details: StopDetails | None = None) -> Finish:
    """The canonical end for a ``stop_reason``; an unknown or missing one is OTHER."""
    if sequence is None and details is None and type(reason) is str:
        found = _ENDS.get(reason)
        if found is not None:
            return found
    raw = reason if isinstance(reason, str) else ""
    return Finish(
        _READ.get(raw, Unified.OTHER),
        raw,
        sequence if isinstance(sequence, str) else None,
        string(details.category) if details is not None else None,
        string(details.explanation) if details is not None else None,
    )


def written(finish: Finish, kinds: Iterable[type[Part]]) -> dict[str, Any]:
    """``stop_reason`` with its companions, given the classes of the answer's parts.

    Vendors that call every good end the same leave it to the parts to say what it was.
    """
    unified = finish.unified
    if unified is _STOP:
        seen = set(kinds)
        if ToolCall in seen:
            unified = Unified.TOOL_CALLS
        elif Refusal in seen:
            unified = Unified.CONTENT_FILTER
    out: dict[str, Any] = {
        "stop_reason": _WRITTEN[unified],
        "stop_sequence": finish.stop_sequence if unified is _STOP_SEQUENCE else None,
    }
    if unified is _CONTENT_FILTER:
        known = finish.category in _CATEGORIES
        out["stop_details"] = {
            "type": "refusal",
            "category": finish.category if known else None,
            "explanation": finish.explanation or (None if known else finish.category),
        }
    return out
