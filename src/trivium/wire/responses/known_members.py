"""What responses are known to have. Source: openai-python 3.52.0, read 2026-11-21."""

from typing import Final

from trivium.wire.unknown_members import KnownMembers, Members, all_noted, all_read

ECHOED: Final[Members] = all_read(
    "background billing conversation frequency_penalty instructions max_output_tokens"
    " max_tool_calls metadata parallel_tool_calls presence_penalty previous_response_id prompt"
    " prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier"
    " store temperature text tool_choice tools top_logprobs top_p truncation user"
)
"""What the request said, said again."""
_RESPONSE: Final[Members] = {
    **all_read(
        "id object created_at completed_at model status error output output_text usage service_tier"
    ),
    "incomplete_details": all_read("reason"),
    **ECHOED,
    **all_noted(
        "access_programs image input_transformations moderation prompt_cache_diagnostics tool_usage"
    ),
}
ANSWER: Final = KnownMembers("Response", _RESPONSE)
EVENT: Final = KnownMembers(
    "ResponseEvent",
    {
        **all_noted("timings"),  # llama.cpp
        **all_read(
            "type sequence_number output_index item_id content_index summary_index"
            " annotation_index delta logprobs obfuscation text refusal arguments input name part"
            " annotation item response"
        ),
    },
)
"""Any event of a stream that is read, but for an error."""

_SECTION: Final[Members] = all_read("type text")
_CALL: Final[Members] = {
    **all_read("type id call_id name namespace status"),
    **all_noted("caller async"),
}
ITEMS: Final = {
    "message": KnownMembers(
        "MessageItem",
        {
            **all_read("type id role status"),
            "content": [all_read("type text refusal annotations logprobs")],
            **all_noted("phase"),
        },
    ),
    "function_call": KnownMembers("FunctionCallItem", {**_CALL, **all_read("arguments")}),
    "custom_tool_call": KnownMembers("CustomToolCallItem", {**_CALL, **all_read("input")}),
    "reasoning": KnownMembers(
        "ReasoningItem",
        {
            **all_read("type id status encrypted_content"),
            "summary": [_SECTION],
            "content": [_SECTION],
        },
    ),
}
"""Kinds of item that say what every shape has a word for."""

_OWN: Final = frozenset(
    {"additional_tools", "compaction", "configuration_update", "program", "program_output"}
    | {"mcp_approval_request", "mcp_approval_response", "mcp_list_tools"}
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
