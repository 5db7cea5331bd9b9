"""What messages are known to have.

Source: messages reference and SDK types 2.11, read on 2026-11-21.
"""

from typing import Final

from trivium.wire.unknown_members import TOLD, KnownMembers, Members, all_noted, all_read

_EDITED: Final[Members] = {"applied_edits": TOLD}
"""What the vendor took out of the history before it answered."""
_MESSAGE: Final[Members] = {
    **all_read("id type role model content stop_reason stop_sequence usage error"),
    "stop_details": {
        **all_read("type category explanation"),
        **all_noted("recommended_model fallback_credit_token"),
    },
    "container": TOLD,
    "context_management": _EDITED,
}
ANSWER: Final = KnownMembers("Message", _MESSAGE)
BEGINNING: Final = KnownMembers("MessageStart", {**all_read("type"), "message": _MESSAGE})
"""A ``message_start``."""
END: Final = KnownMembers(
    "MessageEnd",
    {
        **all_read("type usage"),
        "delta": {
            **all_read("stop_reason stop_sequence"),
            "stop_details": _MESSAGE["stop_details"],
            "container": TOLD,
        },
        "context_management": _EDITED,
    },
)
"""A ``message_delta``."""
DELTA: Final = KnownMembers(
    "MessageDelta",
    {
        **all_read("type index"),
        "delta": {
            **all_read("type text partial_json thinking signature citation"),
            **all_noted("estimated_tokens"),
        },
    },
)
"""A ``content_block_delta`` of a block that every shape has a word for."""
BLOCKS: Final = {
    "text": KnownMembers("TextBlock", all_read("type text citations")),
    "thinking": KnownMembers("ThinkingBlock", all_read("type thinking signature")),
    "redacted_thinking": KnownMembers("RedactedBlock", all_read("type data")),
    "tool_use": KnownMembers("ToolUseBlock", all_read("type id name input caller toolset_name")),
}
"""Kinds of block that say what every shape has a word for."""

_OWN: Final = frozenset(
    {"server_tool_use", "mcp_tool_use", "mcp_tool_listing"}
    | {"container_upload", "compaction", "fallback"}
)
_RESULT: Final = "_tool_result"


def is_own(kind: str) -> bool:
    """Whether a kind of block is documented to be the traffic of the vendor's own tools."""
    return kind in _OWN or kind.endswith(_RESULT)
