"""Stop reasons of the Converse shape and the canonical ones, both ways.

Source: ``bedrock-runtime`` of botocore 1.44, read on 2026-11-28.
"""

from collections.abc import Iterable
from typing import Any, Final

from trivium.conversation.calls import ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Part
from trivium.conversation.parts import Refusal

_READ: Final = {
    "end_turn": Unified.STOP,
    "tool_use": Unified.TOOL_CALLS,
    "max_tokens": Unified.LENGTH,
    "stop_sequence": Unified.STOP_SEQUENCE,
    "guardrail_intervened": Unified.CONTENT_FILTER,
    "content_filtered": Unified.CONTENT_FILTER,
    "malformed_model_output": Unified.OTHER,
    "malformed_tool_use": Unified.OTHER,
    "model_context_window_exceeded": Unified.CONTEXT_FULL,
}

_WRITTEN: Final = {
    Unified.STOP: "end_turn",
    Unified.STOP_SEQUENCE: "stop_sequence",
    Unified.TOOL_CALLS: "tool_use",
    Unified.LENGTH: "max_tokens",
    Unified.CONTEXT_FULL: "model_context_window_exceeded",
    Unified.CONTENT_FILTER: "content_filtered",
    # no word for it: what is stopped before its end, and that a higher limit would not help
    Unified.PAUSED: "content_filtered",
    Unified.OTHER: "malformed_model_output",
}
_STOP: Final = Unified.STOP


def read(reason: Any) -> Finish:
    """The canonical end for a ``stopReason``; an unknown or missing one is OTHER."""
    raw = reason if isinstance(reason, str) else ""
    return Finish(_READ.get(raw, Unified.OTHER), raw)


def written(finish: Finish, kinds: Iterable[type[Part]]) -> str:
    """The ``stopReason``, given the classes of the answer's parts.

    Vendors that call every good end the same leave it to the parts to say what it was.
    """
    unified = finish.unified
    if unified is _STOP:
        seen = set(kinds)
        if ToolCall in seen:
            unified = Unified.TOOL_CALLS
        elif Refusal in seen:
            unified = Unified.CONTENT_FILTER
    return _WRITTEN[unified]
