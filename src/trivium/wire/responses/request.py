"""What a responses request says about itself, and what is replaced on its way.

Source: OpenAI's API reference and openai-python 3.52.0, read 2026-11-21; limits on names and
required members from the service specification. Tools are flat here, unlike on the chat shape.
"""

from typing import Final

import msgspec

from trivium.faults import Fault
from trivium.wire.checks import check, missing, mistyped, require_long_name, uncarried
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import Members
from trivium.wire.request_structs import AllowedTools
from trivium.wire.responses.request_structs import LimitedText, LimitedTool, ToolKind

_tools: Final = msgspec.json.Decoder(list[LimitedTool])
_choice: Final = msgspec.json.Decoder(ToolKind)
_allowed: Final = msgspec.json.Decoder(AllowedTools)
_text: Final = msgspec.json.Decoder(LimitedText)

_SOURCES: Final = ("prompt", "previous_response_id", "conversation")
"""Members that can supply the input instead of ``input``."""

_INPUT: Final = frozenset(b'"[')
_NAMED: Final = frozenset({"function", "custom"})


def facts(body: Members) -> RequestFacts:
    """Read and check a responses request. Raises ``Fault`` naming the member."""
    model = body.needed("model")
    if opening := body.opening("input"):
        if opening not in _INPUT:
            raise mistyped("input", "be a string or an array of items")
    elif all(body.raw(name) is None for name in _SOURCES):
        raise missing("input")
    if body.flag("background"):
        # it would be answered before it has run: there is no usage yet to bill by
        raise in_background()
    _check_limited(body)
    return RequestFacts(
        model=model,
        stream=body.flag("stream"),
        output_max=body.integer("max_output_tokens", 1),
    )


def in_background() -> Fault:
    """The refusal of an answer that is finished after its request."""
    return uncarried(
        "background",
        "`background` must be false: an answer that is finished after its request could not be "
        "billed. Use `stream` for long answers.",
    )


_LIMITED: Final = frozenset({"tools", "tool_choice", "text"})
"""Members whose content the specification limits. Most requests have none of them."""


def _check_limited(body: Members) -> None:
    if (raw := body.raw("tools")) is not None:
        _check_tools(raw)
    if (raw := body.raw("tool_choice")) is not None and not raw.startswith(b'"'):
        _check_choice(raw)
    if (raw := body.raw("text")) is not None:
        text = check(_text, raw, "text")
        if text.format and text.format.type == "json_schema" and text.format.name is None:
            raise missing("text.format.name")


def _check_tools(raw: bytes) -> None:
    for i, tool in enumerate(check(_tools, raw, "tools")):
        if tool.type in _NAMED:
            require_long_name(tool.name, f"tools[{i}].name")
        for j, inner in enumerate(tool.tools or ()):
            if inner.type in _NAMED:
                require_long_name(inner.name, f"tools[{i}].tools[{j}].name")


def _check_choice(raw: bytes) -> None:
    choice = check(_choice, raw, "tool_choice")
    if choice.type in _NAMED:
        require_long_name(choice.name, "tool_choice.name")
    if choice.type == "allowed_tools":
        check(_allowed, raw, "tool_choice")
