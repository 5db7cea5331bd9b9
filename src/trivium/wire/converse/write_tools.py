"""Tools and the choice among them for an upstream of the converse shape.

It demands tools wherever the history has calls, and has no choice of none: both are said in words.
Sources, read on 2026-11-28: botocore 1.44's model of the service; that ``toolConfig`` must be
there: https://github.com/aws-samples/bedrock-access-gateway/pull/239; which models cache tools:
https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html; what the vendor runs:
https://docs.aws.amazon.com/nova/latest/nova2-userguide/web-grounding.html.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.custom_tools import PARAMETERS, in_words
from trivium.conversation.items import Part
from trivium.conversation.losses import Rank
from trivium.conversation.member_table import Concept, declared
from trivium.conversation.request import Conversation
from trivium.conversation.target import OwnFields
from trivium.conversation.tool_names import known_as
from trivium.conversation.tools import (
    ChoiceMode,
    CustomTool,
    FunctionTool,
    ServerKind,
    ServerTool,
    Tool,
    ToolChoice,
    VendorTool,
)
from trivium.conversation.turns import calls
from trivium.wire.converse.media import SHAPE
from trivium.wire.converse.write_content import ConverseWriter, shallow
from trivium.wire.converse.write_media import BlockRow
from trivium.wire.lenient import decoded

UNCALLED: Final = "Answer in words. Do not call any tool."
"""Says that no tool is to be called, where the shape has no such choice."""
_GONE: Final = "Was called earlier and is not available any more."
"""Describes a tool that the history calls and the request does not declare."""
_NO_PARAMETERS: Final = msgspec.Raw(b'{"type":"object","properties":{}}')
_SERVER: Final = {
    ServerKind.WEB_SEARCH: "nova_grounding",
    ServerKind.CODE: "nova_code_interpreter",
}
"""Tools that the vendor runs, for models that have them."""
_decode: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode: Final = msgspec.json.Encoder().encode


class SettledTools:
    """What is sent about tools."""

    __slots__ = ("config", "words")

    def __init__(self, config: dict[str, Any] | None = None, words: str = "") -> None:
        self.config = config
        """The ``toolConfig`` member; ``None``: nothing is said of tools."""
        self.words = words
        """What is said in the instructions besides."""


def settle(conversation: Conversation, writing: ConverseWriter) -> SettledTools:
    """The tools and the choice among them."""
    wanted = conversation.tool_choice
    none = wanted is not None and wanted.mode is ChoiceMode.NONE
    called = _called(conversation)
    if none and conversation.tools and not called:
        writing.rewords(Concept.TOOL_CHOICE, "no tools are sent, since there is no choice of none")
        return SettledTools()
    rows = [row for tool in _offered(conversation) for row in _one(tool, writing)]
    if not rows and not called:
        return SettledTools()
    words = ""
    if not rows:
        rows = [
            _specification(name, _GONE, _NO_PARAMETERS) for name in _names(conversation, writing)
        ]
        writing.rewords(Concept.TOOLS, "the tools of earlier calls are declared, as they must be")
        words = UNCALLED
    elif none:
        writing.rewords(Concept.TOOL_CHOICE, "said in words, since there is no choice of none")
        words = UNCALLED
    config: dict[str, Any] = {"tools": rows}
    if conversation.tools and conversation.parallel_calls is False:
        writing.lacks(Concept.PARALLEL, "the converse shape cannot forbid parallel calls")
    if wanted is not None and not none and conversation.tools:
        config["toolChoice"] = _choice(wanted, conversation, writing)
    return SettledTools(config, words)


def _called(conversation: Conversation) -> bool:
    """Whether the history has calls or results of tools."""
    return any(_is_traffic(part) for turn in conversation.turns for part in turn.parts)


def _is_traffic(part: Part) -> bool:
    return type(part) is ToolCall or type(part) is ToolResult


def _names(conversation: Conversation, writing: ConverseWriter) -> list[str]:
    """What the calls of the history are called at the target, each once."""
    found = {
        writing.target_name(call.name, call.namespace): None for call in calls(conversation.turns)
    }
    return list(found) or ["tool"]


def _offered(conversation: Conversation) -> tuple[Tool, ...]:
    """The tools; of an allowed subset only those in it."""
    choice = conversation.tool_choice
    if choice is None or not choice.names or choice.mode in (ChoiceMode.NAMED, ChoiceMode.NONE):
        return conversation.tools
    subset = frozenset(choice.names)
    return tuple(tool for tool in conversation.tools if not subset.isdisjoint(known_as(tool)))


def _one(tool: Tool, writing: ConverseWriter) -> list[BlockRow]:
    if isinstance(tool, FunctionTool):
        row = _function(tool, writing)
    elif isinstance(tool, CustomTool):
        name = writing.name(tool.name, tool.namespace)
        row = _specification(name, in_words(tool, writing.report), PARAMETERS)
    elif tool.native.shape == SHAPE:
        row = shallow(tool.native.data)
    elif isinstance(tool, ServerTool) and _is_known(tool, writing):
        row = _server(tool, writing)
    else:
        name = tool.name or (tool.kind.value if isinstance(tool, ServerTool) else tool.kind)
        writing.lacks(Concept.VENDOR_TOOL, f"the tool {name} is another vendor's own")
        return []
    if tool.cache is not None and writing.facts.own_fields is OwnFields.NOVA:
        writing.lacks(Concept.CACHE_MARK, "this model caches no tools")
        return [row]
    return [row, *writing.mark(tool.cache)]


def _is_known(tool: ServerTool, writing: ConverseWriter) -> bool:
    return tool.kind in writing.facts.server_tools and tool.kind in _SERVER


def _server(tool: ServerTool, writing: ConverseWriter) -> BlockRow:
    """A tool that the vendor runs, of which nothing can be said but its name."""
    name = _SERVER[tool.kind]
    if tool.allowed_domains or tool.blocked_domains or tool.max_uses is not None:
        writing.lacks(Concept.VENDOR_TOOL, f"{name} cannot be restricted")
    where = declared(tool, writing.shape)
    if tool.user_location is not None:
        writing.report.drop(Rank.HINT, f"{where}.user_location", f"{name} takes no place")
    if tool.context_size is not None:
        why = f"{name} has no such choice"
        writing.report.drop(Rank.HINT, f"{where}.search_context_size", why)
    return {"systemTool": {"name": name}}


def _specification(name: str, description: str | None, parameters: msgspec.Raw) -> BlockRow:
    row: BlockRow = {"name": name}
    if description:
        row["description"] = description
    row["inputSchema"] = {"json": parameters}
    return {"toolSpec": row}


def _function(tool: FunctionTool, writing: ConverseWriter) -> BlockRow:
    name = writing.name(tool.name, tool.namespace)
    row = _specification(name, tool.description, _object(tool.parameters))
    if tool.strict and writing.takes(Concept.STRICT_TOOL):
        row["toolSpec"]["strict"] = True
    if (own := writing.own(tool.native, SHAPE, Concept.TOOLS)) is not None:
        row["toolSpec"] |= shallow(own)
    return row


def _object(parameters: bytes | None) -> msgspec.Raw:
    """Parameters as the schema of an object, which models of this shape demand."""
    members = None if parameters is None else decoded(_decode, parameters)
    if parameters is None or members is None:
        return _NO_PARAMETERS
    if "type" in members:
        return msgspec.Raw(parameters)
    return msgspec.Raw(_encode({"type": "object", **members}))


def _choice(
    wanted: ToolChoice, conversation: Conversation, writing: ConverseWriter
) -> dict[str, Any]:
    mode = wanted.mode
    if wanted.native is not None and not wanted.names:
        writing.lacks(Concept.TOOL_CHOICE, "it names another vendor's own tool")
    if mode is ChoiceMode.VALIDATED:
        writing.rewords(Concept.TOOL_CHOICE, "calls are checked where the tool is strict")
    if mode not in (ChoiceMode.REQUIRED, ChoiceMode.NAMED):
        return {"auto": {}}
    if not writing.facts.forced_calls:
        writing.lacks(Concept.TOOL_CHOICE, "this model cannot be made to call a tool")
    if mode is ChoiceMode.NAMED and wanted.names:
        return {"tool": {"name": _target_name(wanted.names[0], conversation, writing)}}
    return {"any": {}}


def _target_name(name: str, conversation: Conversation, writing: ConverseWriter) -> str:
    for tool in conversation.tools:
        if isinstance(tool, FunctionTool | CustomTool) and name in known_as(tool):
            return writing.name(tool.name, tool.namespace)
        if isinstance(tool, VendorTool | ServerTool) and name in known_as(tool):
            if isinstance(tool, ServerTool) and tool.native.shape != SHAPE:
                return _SERVER.get(tool.kind, name)
            return tool.name or name
    return name
