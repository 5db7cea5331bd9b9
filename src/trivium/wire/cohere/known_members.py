"""What Cohere's answers are known to have. Source: cohere-python 7.3.1, types of the answer and of
the events of a stream, read 2026-11-28.
"""

from typing import Final

from trivium.wire.unknown_members import KnownMembers, Members, all_noted, all_read

_COUNTS: Final[Members] = {
    **all_read("input_tokens output_tokens image_tokens text_tokens"),
    **all_noted("search_units classifications images pages"),
}
_USAGE: Final[Members] = {**all_read("tokens cached_tokens"), "billed_units": _COUNTS}
_CALL: Final[Members] = {**all_read("id type"), "function": all_read("name arguments")}
_CONTENT: Final[Members] = all_read("type text thinking signature")
_LIKELY: Final[Members] = {**all_read("text logprobs"), **all_noted("token_ids")}
ANSWER: Final = KnownMembers(
    "CohereAnswer",
    {
        **all_read("id finish_reason error"),
        **all_noted("prompt meta response_type warnings"),
        "message": {
            **all_read("role content tool_plan citations"),
            "tool_calls": [_CALL],
        },
        "usage": _USAGE,
        "logprobs": [_LIKELY],
    },
)
"""A whole answer."""
BLOCK: Final = KnownMembers("CohereBlock", _CONTENT)
"""One entry of its content."""
EVENTS: Final = {
    "message-start": KnownMembers(
        "CohereStart",
        {
            **all_read("type id"),
            "delta": {"message": all_read("role content tool_plan tool_calls citations")},
        },
    ),
    "content-start": KnownMembers(
        "CohereContentStart",
        {**all_read("type index"), "delta": {"message": {"content": _CONTENT}}},
    ),
    "content-delta": KnownMembers(
        "CohereContentDelta",
        {
            **all_read("type index"),
            "delta": {"message": {"content": _CONTENT}},
            "logprobs": _LIKELY,
        },
    ),
    "content-end": KnownMembers("CohereContentEnd", all_read("type index")),
    "tool-plan-delta": KnownMembers(
        "CoherePlan", {**all_read("type index"), "delta": {"message": all_read("tool_plan")}}
    ),
    "tool-call-start": KnownMembers(
        "CohereCallStart", {**all_read("type index"), "delta": {"message": {"tool_calls": _CALL}}}
    ),
    "tool-call-delta": KnownMembers(
        "CohereCallDelta", {**all_read("type index"), "delta": {"message": {"tool_calls": _CALL}}}
    ),
    "tool-call-end": KnownMembers("CohereCallEnd", all_read("type index")),
    "citation-start": KnownMembers(
        "CohereCitation", {**all_read("type index"), "delta": {"message": all_read("citations")}}
    ),
    "citation-end": KnownMembers("CohereCitationEnd", all_read("type index")),
    "message-end": KnownMembers(
        "CohereEnd",
        {**all_read("type id"), "delta": {**all_read("finish_reason error"), "usage": _USAGE}},
    ),
    "debug": KnownMembers("CohereDebug", {**all_read("type"), **all_noted("prompt")}),
}
"""Events of a stream."""
