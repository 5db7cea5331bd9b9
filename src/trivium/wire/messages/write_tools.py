"""Tools and the choice among them for an upstream of the messages shape.

Source: messages reference and SDK types 2.11, read on 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.custom_tools import PARAMETERS, in_words
from trivium.conversation.losses import Rank
from trivium.conversation.member_table import Concept, declared
from trivium.conversation.request import Conversation
from trivium.conversation.tools import (
    ChoiceMode,
    CustomTool,
    FunctionTool,
    ServerKind,
    ServerTool,
    Tool,
)
from trivium.wire.lenient import decoded
from trivium.wire.messages import write_schema
from trivium.wire.messages.citations import SHAPE
from trivium.wire.messages.write_content import ContentWriter, shallow

_NO_PARAMETERS: Final = b'{"type":"object","properties":{}}'
_decode: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode: Final = msgspec.json.Encoder().encode

_SERVER: Final = {
    ServerKind.WEB_SEARCH: ("web_search_20250305", "web_search"),
    ServerKind.WEB_FETCH: ("web_fetch_20250910", "web_fetch"),
    ServerKind.CODE: ("code_execution_20250825", "code_execution"),
}
"""The version of each that asks for no beta header, and the name it must have."""

_MODES: Final = {
    ChoiceMode.AUTO: "auto",
    ChoiceMode.VALIDATED: "auto",
    ChoiceMode.REQUIRED: "any",
    ChoiceMode.NAMED: "tool",
    ChoiceMode.NONE: "none",
}

FORCED: Final = frozenset({ChoiceMode.REQUIRED, ChoiceMode.NAMED})
"""Choices that leave the model no way around a call."""


def tools(conversation: Conversation, writing: ContentWriter) -> list[dict[str, Any]]:
    """The ``tools`` member; of an allowed subset only the tools in it."""
    choice = conversation.tool_choice
    subset = (
        frozenset(choice.names)
        if choice is not None and choice.names and choice.mode is not ChoiceMode.NAMED
        else None
    )
    return [
        _one(tool, writing)
        for tool in conversation.tools
        if subset is None or not subset.isdisjoint(_known_as(tool))
    ]


def _known_as(tool: Tool) -> tuple[str, ...]:
    """What a choice may call a tool: a vendor's own by its kind too."""
    return (tool.name, tool.kind.value) if isinstance(tool, ServerTool) else (tool.name,)


def _one(tool: Tool, writing: ContentWriter) -> dict[str, Any]:
    if isinstance(tool, FunctionTool):
        row = _function(tool, writing)
    elif isinstance(tool, CustomTool):
        row = _custom(tool, writing)
    elif tool.native.shape == SHAPE:
        row = shallow(tool.native.data)
        row.pop("cache_control", None)
    elif isinstance(tool, ServerTool) and tool.kind in writing.facts.server_tools:
        row = _server(tool, writing)
    else:
        writing.lacks(
            Concept.VENDOR_TOOL, f"the tool {tool.name or tool.kind} is another vendor's own"
        )
        return {}
    return row | writing.mark(tool.cache)


def _function(tool: FunctionTool, writing: ContentWriter) -> dict[str, Any]:
    row: dict[str, Any] = {"name": writing.name(tool.name, tool.namespace)}
    if tool.description:
        row["description"] = tool.description
    strict = bool(tool.strict) and writing.takes(Concept.STRICT_TOOL)
    parameters = _object(tool.parameters)
    if strict and not writing.facts.schema_full:
        parameters, folded = write_schema.closed(parameters)
        if folded:
            writing.changes(Concept.STRICT_TOOL, f"{', '.join(folded)} became words")
    row["input_schema"] = msgspec.Raw(parameters)
    if strict:
        row["strict"] = True
    if (own := writing.own(tool.native, SHAPE, Concept.TOOLS)) is not None:
        row |= shallow(own)
    return row


def _object(parameters: bytes | None) -> bytes:
    """Parameters as the schema of an object, which this shape demands."""
    members = None if parameters is None else decoded(_decode, parameters)
    if parameters is None or members is None:
        return _NO_PARAMETERS
    if "type" in members:
        return parameters
    return _encode({"type": "object", **members})


def _custom(tool: CustomTool, writing: ContentWriter) -> dict[str, Any]:
    """A free-text tool as a function with one string."""
    row: dict[str, Any] = {"name": writing.name(tool.name, tool.namespace)}
    if words := in_words(tool, writing.report):
        row["description"] = words
    row["input_schema"] = PARAMETERS
    return row


def _server(tool: ServerTool, writing: ContentWriter) -> dict[str, Any]:
    kind, name = _SERVER[tool.kind]
    row: dict[str, Any] = {"type": kind, "name": name}
    if tool.allowed_domains:
        row["allowed_domains"] = list(tool.allowed_domains)
    if tool.blocked_domains:
        row["blocked_domains"] = list(tool.blocked_domains)
    if tool.max_uses is not None:
        row["max_uses"] = tool.max_uses
    if tool.user_location is not None:
        if tool.kind is ServerKind.WEB_SEARCH:
            row["user_location"] = {"type": "approximate", **shallow(tool.user_location)}
        else:
            where = f"{declared(tool, writing.shape)}.user_location"
            writing.report.drop(Rank.HINT, where, f"{name} takes no place")
    if tool.context_size is not None:
        where = f"{declared(tool, writing.shape)}.search_context_size"
        writing.report.drop(Rank.HINT, where, "the messages shape has no such choice")
    return row


def choice(conversation: Conversation, writing: ContentWriter) -> dict[str, Any] | None:
    """The ``tool_choice`` member; ``None`` where there is nothing to say or to choose from."""
    wanted, parallel = conversation.tool_choice, conversation.parallel_calls
    if not conversation.tools or (wanted is None and parallel is None):
        return None
    mode = ChoiceMode.AUTO if wanted is None else wanted.mode
    if wanted is not None and wanted.native is not None and not wanted.names:
        writing.lacks(Concept.TOOL_CHOICE, "it names another vendor's own tool")
    if mode in FORCED and not writing.facts.forced_calls:
        writing.lacks(Concept.TOOL_CHOICE, "this model cannot be made to call a tool")
    if mode is ChoiceMode.VALIDATED:
        writing.rewords(Concept.TOOL_CHOICE, "calls are checked where the tool is strict")
    row: dict[str, Any] = {"type": _MODES[mode]}
    if mode is ChoiceMode.NAMED and wanted is not None and wanted.names:
        row["name"] = _target_name(wanted.names[0], conversation, writing)
    if parallel is not None and mode is not ChoiceMode.NONE:
        row["disable_parallel_tool_use"] = not parallel
    return row


def _target_name(name: str, conversation: Conversation, writing: ContentWriter) -> str:
    for tool in conversation.tools:
        if isinstance(tool, FunctionTool | CustomTool) and tool.name == name:
            return writing.name(name, tool.namespace)
        if isinstance(tool, ServerTool) and name in _known_as(tool):
            return tool.name if tool.native.shape == SHAPE else _SERVER[tool.kind][1]
    return name
