"""Tools and the choice among them, for an upstream of this shape."""

from typing import Any, Final

import msgspec

from trivium.conversation.custom_tools import PARAMETERS, in_words
from trivium.conversation.losses import Rank
from trivium.conversation.member_table import Concept, declared
from trivium.conversation.request import Conversation
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
from trivium.conversation.writer_base import WriterBase
from trivium.wire.generate import write_schema
from trivium.wire.generate.read_answer_parts import SHAPE

_encode: Final = msgspec.json.Encoder().encode
_SERVER: Final = {
    ServerKind.WEB_SEARCH: "googleSearch",
    ServerKind.WEB_FETCH: "urlContext",
    ServerKind.CODE: "codeExecution",
}
_MODES: Final = {
    ChoiceMode.AUTO: "AUTO",
    ChoiceMode.NONE: "NONE",
    ChoiceMode.REQUIRED: "ANY",
    ChoiceMode.NAMED: "ANY",
    ChoiceMode.VALIDATED: "VALIDATED",
}
_FORCED: Final = frozenset({ChoiceMode.REQUIRED, ChoiceMode.NAMED})


def tools(conversation: Conversation, writing: WriterBase) -> list[dict[str, Any]]:
    """The ``tools`` member: all functions in one entry, at the place of the first.

    Of an allowed subset only the tools in it: the shape names one only where a call is forced.
    """
    out: list[dict[str, Any]] = []
    functions: list[dict[str, Any]] = []
    wanted = conversation.tool_choice
    subset = frozenset(
        wanted.names if wanted is not None and wanted.mode is ChoiceMode.AUTO else ()
    )
    for tool in conversation.tools:
        if subset and subset.isdisjoint(known_as(tool)):
            continue
        if isinstance(tool, FunctionTool | CustomTool):
            if not functions:
                out.append({"functionDeclarations": functions})
            functions.append(_function(tool, writing))
        else:
            out.extend(_vendor(tool, writing))
    return out


def _function(tool: FunctionTool | CustomTool, writing: WriterBase) -> dict[str, Any]:
    row: dict[str, Any] = {"name": writing.name(tool.name, tool.namespace)}
    words = tool.description
    if isinstance(tool, CustomTool):
        words = in_words(tool, writing.report)
        parameters: bytes | None = bytes(PARAMETERS)
    else:
        parameters = tool.parameters
        if tool.strict:
            writing.lacks(Concept.STRICT_TOOL, "the generate shape has no such switch")
    if words:
        row["description"] = words
    if parameters is not None:
        row |= _parameters(parameters, writing)
    if isinstance(tool, FunctionTool):
        own = writing.own(tool.native, SHAPE, Concept.TOOLS)
        row |= {} if own is None else msgspec.json.decode(own)
    return row


def _parameters(parameters: bytes, writing: WriterBase) -> dict[str, Any]:
    if writing.facts.schema_full:
        return {"parametersJsonSchema": msgspec.Raw(parameters)}
    found, folded = write_schema.restricted(parameters)
    if folded:
        words = f"{', '.join(sorted(folded))} became words of the schema"
        writing.rewords(Concept.TOOLS, words)
    # the vendor refuses an object without properties
    return {} if found == b'{"type":"OBJECT"}' else {"parameters": msgspec.Raw(found)}


def _vendor(tool: ServerTool | VendorTool, writing: WriterBase) -> list[dict[str, Any]]:
    if tool.native.shape == SHAPE:
        return [msgspec.json.decode(tool.native.data)]
    if isinstance(tool, ServerTool) and tool.kind in writing.facts.server_tools:
        if tool.allowed_domains or tool.blocked_domains or tool.max_uses is not None:
            writing.lacks(
                Concept.VENDOR_TOOL, "the generate shape cannot limit its tools to domains or uses"
            )
        if tool.user_location is not None or tool.context_size is not None:
            writing.report.drop(
                Rank.HINT,
                declared(tool, writing.shape),
                "the generate shape takes no place or size for a search",
            )
        return [{_SERVER[tool.kind]: {}}]
    name = tool.name or (tool.kind.value if isinstance(tool, ServerTool) else tool.kind)
    writing.lacks(Concept.VENDOR_TOOL, f"the tool {name} is another vendor's own")
    return []


def choice(wanted: ToolChoice | None, offered: tuple[Tool, ...], writing: WriterBase) -> Any:
    """The ``toolConfig`` member; ``None`` where there is nothing to say or to choose from."""
    if wanted is None or not offered:
        return None
    if not any(isinstance(one, FunctionTool | CustomTool) for one in offered):
        if wanted.mode not in (ChoiceMode.AUTO, ChoiceMode.VALIDATED):
            writing.lacks(Concept.TOOL_CHOICE, "only functions can be chosen")
        return None
    if wanted.native is not None:
        writing.lacks(Concept.TOOL_CHOICE, "only functions can be chosen")
        return None
    if wanted.mode in _FORCED and not writing.facts.forced_calls:
        writing.lacks(Concept.TOOL_CHOICE, "this model cannot be made to call a tool")
        return None
    config: dict[str, Any] = {"mode": _MODES[wanted.mode]}
    if wanted.names and wanted.mode not in (ChoiceMode.AUTO, ChoiceMode.NONE):
        config["allowedFunctionNames"] = [writing.name(name) for name in wanted.names]
    return {"functionCallingConfig": config}
