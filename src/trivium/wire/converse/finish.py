"""Stop reasons of the converse shape and the canonical ones, both ways.

Source: ``StopReason`` of botocore 1.44's model of the service, read on 2026-11-28.
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
    "model_context_window_exceeded": Unified.CONTEXT_FULL,
    # what the model said could not be read by the vendor: nothing that a caller could act on
    "malformed_model_output": Unified.OTHER,
    "malformed_tool_use": Unified.OTHER,
}
_WRITTEN: Final = {
    Unified.STOP: "end_turn",
    Unified.STOP_SEQUENCE: "stop_sequence",
    Unified.TOOL_CALLS: "tool_use",
    Unified.LENGTH: "max_tokens",
    Unified.CONTEXT_FULL: "model_context_window_exceeded",
    Unified.CONTENT_FILTER: "content_filtered",
    # no word for it: neither complete nor a limit, which callers answer with a higher one
    Unified.PAUSED: "content_filtered",
    # a reason we do not know: the one word that says "not complete" and blames nobody
    Unified.OTHER: "max_tokens",
}
_GUARDRAIL: Final = "guardrail_intervened"


def read(reason: Any, sequence: Any = None) -> Finish:
    """The canonical end for a ``stopReason``; an unknown or missing one is OTHER. ``sequence``: the
    one that fired, where the model says so.
    """
    raw = reason if isinstance(reason, str) else ""
    return Finish(
        _READ.get(raw, Unified.OTHER),
        raw,
        sequence if isinstance(sequence, str) and sequence else None,
        "guardrail" if raw == _GUARDRAIL else None,
    )


def written(finish: Finish, kinds: Iterable[type[Part]]) -> str:
    """The ``stopReason`` of an end, given the classes of the answer's parts.

    Vendors that call every good end the same leave it to the parts to say what it was; the shape's
    own word is kept where it means the same.
    """
    unified = finish.unified
    if unified is Unified.STOP:
        seen = set(kinds)
        if ToolCall in seen:
            unified = Unified.TOOL_CALLS
        elif Refusal in seen:
            unified = Unified.CONTENT_FILTER
    elif _READ.get(finish.raw) is unified:
        return finish.raw
    return _WRITTEN[unified]
