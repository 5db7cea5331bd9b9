"""What responses are known to have. Source: openai-python 3.52.0, read 2026-11-21."""

from typing import Final

from trivium.wire.unknown_members import NOTED, READ, KnownMembers, Members

ECHOED: Final = (
    "background",
    "billing",
    "conversation",
    "frequency_penalty",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "parallel_tool_calls",
    "presence_penalty",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "store",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
)
"""What the request said, said again."""
_RESPONSE: Final[Members] = {
    "id": READ,
    "object": READ,
    "created_at": READ,
    "completed_at": READ,
    "model": READ,
    "status": READ,
    "error": READ,
    "incomplete_details": {"reason": READ},
    "output": READ,
    "output_text": READ,
    "usage": READ,
    "service_tier": READ,
    **dict.fromkeys(ECHOED, READ),
    "access_programs": NOTED,
    "image": NOTED,
    "input_transformations": NOTED,
    "moderation": NOTED,
    "prompt_cache_diagnostics": NOTED,
    "tool_usage": NOTED,
}
ANSWER: Final = KnownMembers("Response", _RESPONSE)
EVENT: Final = KnownMembers(
    "ResponseEvent",
    {"timings": NOTED}  # llama.cpp
    | dict.fromkeys(
        (
            "type",
            "sequence_number",
            "output_index",
            "item_id",
            "content_index",
            "summary_index",
            "annotation_index",
            "delta",
            "logprobs",
            "obfuscation",
            "text",
            "refusal",
            "arguments",
            "input",
            "name",
            "part",
            "annotation",
            "item",
            "response",
        ),
        READ,
    ),
)
"""Any event of a stream that is read, but for an error."""

_PIECE: Final[Members] = {
    "type": READ,
    "text": READ,
    "refusal": READ,
    "annotations": READ,
    "logprobs": READ,
}
_SECTION: Final[Members] = {"type": READ, "text": READ}
_CALL: Final[Members] = {
    "type": READ,
    "id": READ,
    "call_id": READ,
    "name": READ,
    "namespace": READ,
    "status": READ,
    "caller": NOTED,
    "async": NOTED,
}
ITEMS: Final = {
    "message": KnownMembers(
        "MessageItem",
        {
            "type": READ,
            "id": READ,
            "role": READ,
            "status": READ,
            "content": [_PIECE],
            "phase": NOTED,
        },
    ),
    "function_call": KnownMembers("FunctionCallItem", {**_CALL, "arguments": READ}),
    "custom_tool_call": KnownMembers("CustomToolCallItem", {**_CALL, "input": READ}),
    "reasoning": KnownMembers(
        "ReasoningItem",
        {
            "type": READ,
            "id": READ,
            "status": READ,
            "summary": [_SECTION],
            "content": [_SECTION],
            "encrypted_content": READ,
        },
    ),
}
"""Kinds of item that say what every shape has a word for."""

_OWN: Final = frozenset(
    {
        "additional_tools",
        "compaction",
        "configuration_update",
        "mcp_approval_request",
        "mcp_approval_response",
        "mcp_list_tools",
        "program",
        "program_output",
    }
)
_OWN_ENDS: Final = ("_call", "_call_output")


def is_own(kind: str) -> bool:
    """Whether a kind of item is documented to be the traffic of the vendor's own tools."""
    return kind in _OWN or kind.endswith(_OWN_ENDS)


_TOLD_AT_THE_END: Final = (
    "response.code_interpreter_call",
    "response.content_part.",
    "response.file_search_call.",
    "response.image_generation_call.",
    "response.mcp_",
    "response.reasoning_summary_part.",
    "response.web_search_call.",
)
"""Events of items that ``output_item.done`` tells whole."""


def is_news(kind: str) -> bool:
    """Whether an event that no reader knows may say what nothing else says."""
    return not kind.startswith(_TOLD_AT_THE_END) and kind != "keepalive"
