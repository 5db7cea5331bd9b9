"""What messages are known to have.

Source: messages reference and SDK types 2.11, read on 2026-11-21.
"""

from typing import Final

from trivium.wire.unknown_members import NOTED, READ, TOLD, KnownMembers, Members

_EDITED: Final[Members] = {"applied_edits": TOLD}
"""What the vendor took out of the history before it answered."""
_MESSAGE: Final[Members] = {
    "id": READ,
    "type": READ,
    "role": READ,
    "model": READ,
    "content": READ,
    "stop_reason": READ,
    "stop_sequence": READ,
    "stop_details": {
        "type": READ,
        "category": READ,
        "explanation": READ,
        "recommended_model": NOTED,
        "fallback_credit_token": NOTED,
    },
    "usage": READ,
    "error": READ,
    "container": TOLD,
    "context_management": _EDITED,
}
ANSWER: Final = KnownMembers("Message", _MESSAGE)
BEGINNING: Final = KnownMembers("MessageStart", {"type": READ, "message": _MESSAGE})
"""A ``message_start``."""
END: Final = KnownMembers(
    "MessageEnd",
    {
        "type": READ,
        "delta": {
            "stop_reason": READ,
            "stop_sequence": READ,
            "stop_details": _MESSAGE["stop_details"],
            "container": TOLD,
        },
        "usage": READ,
        "context_management": _EDITED,
    },
)
"""A ``message_delta``."""
DELTA: Final = KnownMembers(
    "MessageDelta",
    {
        "type": READ,
        "index": READ,
        "delta": {
            "type": READ,
            "text": READ,
            "partial_json": READ,
            "thinking": READ,
            "signature": READ,
            "citation": READ,
            "estimated_tokens": NOTED,
        },
    },
)
"""A ``content_block_delta`` of a block that every shape has a word for."""
BLOCKS: Final = {
    "text": KnownMembers("TextBlock", {"type": READ, "text": READ, "citations": READ}),
    "thinking": KnownMembers("ThinkingBlock", {"type": READ, "thinking": READ, "signature": READ}),
    "redacted_thinking": KnownMembers("RedactedBlock", {"type": READ, "data": READ}),
    "tool_use": KnownMembers(
        "ToolUseBlock",
        {
            "type": READ,
            "id": READ,
            "name": READ,
            "input": READ,
            "caller": READ,
            "toolset_name": READ,
        },
    ),
}
"""Kinds of block that say what every shape has a word for."""

_OWN: Final = frozenset(
    {
        "server_tool_use",
        "mcp_tool_use",
        "mcp_tool_listing",
        "container_upload",
        "compaction",
        "fallback",
    }
)
_RESULT: Final = "_tool_result"


def is_own(kind: str) -> bool:
    """Whether a kind of block is documented to be the traffic of the vendor's own tools."""
    return kind in _OWN or kind.endswith(_RESULT)
