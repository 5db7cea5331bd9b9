"""Tools of a conversation as a responses request declares them, and the choice among them.

``strict`` is always said: upstream takes a missing one for true and rewrites the schema. Only a
caller of this very shape who left it out meant just that. Source: openai-python 3.52.0,
``ToolParam``, read 2026-11-21.
"""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from trivium.conversation.custom_tools import CLOSED_PARAMETERS, in_words
from trivium.conversation.member_table import Concept, member
from trivium.conversation.request import Conversation
from trivium.conversation.tools import (
    ChoiceMode,
    CustomTool,
    FunctionTool,
    ServerKind,
    ServerTool,
    Tool,
    ToolChoice,
)
from trivium.wire.responses.read_answer_parts import SHAPE
from trivium.wire.responses.write_content import PartsWriter, Row

_NO_PARAMETERS: Final = msgspec.Raw(b'{"type":"object","properties":{}}')
_MODES: Final = {
    ChoiceMode.AUTO: "auto",
    ChoiceMode.NONE: "none",
    ChoiceMode.REQUIRED: "required",
    ChoiceMode.NAMED: "required",
    ChoiceMode.VALIDATED: "auto",
}
_CHOSEN: Final = {ServerKind.CODE: "code_interpreter"}
"""What a tool that is run here is called in a choice, where not by its kind."""


def tools(conversation: Conversation, content: PartsWriter) -> list[Any]:
    """Return the declarations of the tools, in their order."""
    return [row for tool in conversation.tools if (row := _one(tool, content)) is not None]


def _one(tool: Tool, content: PartsWriter) -> Any | None:
    if tool.cache is not None:
        content.lacks(Concept.CACHE_MARK, "the responses shape marks no tools")
    if isinstance(tool, FunctionTool):
        return _function(tool, content)
    if isinstance(tool, CustomTool):
        return _custom(tool, content)
    if tool.native.shape == SHAPE:
        return msgspec.Raw(tool.native.data)
    if isinstance(tool, ServerTool) and tool.kind in content.facts.server_tools:
        return _server(tool, content)
    content.lacks(Concept.VENDOR_TOOL, f"the tool {tool.name or tool.kind} is another vendor's own")
    return None


def _function(tool: FunctionTool, content: PartsWriter) -> Row:
    row: Row = {"type": "function", "name": content.name(tool.name, tool.namespace)}
    if tool.description:
        row["description"] = tool.description
    row["parameters"] = _NO_PARAMETERS if tool.parameters is None else msgspec.Raw(tool.parameters)
    if tool.strict is not None or content.shape != SHAPE:
        row["strict"] = bool(tool.strict)
    own = content.own(tool.native, SHAPE, Concept.TOOLS)
    return row if own is None else row | msgspec.json.decode(own)


def _custom(tool: CustomTool, content: PartsWriter) -> Row:
    name = content.name(tool.name, tool.namespace)
    row: Row = {"type": "custom", "name": name}
    if tool.description:
        row["description"] = tool.description
    if not content.facts.custom_tools:
        return row | _wrapped(tool, content)
    if tool.grammar is not None:
        row["format"] = {
            "type": "grammar",
            "syntax": tool.grammar.syntax,
            "definition": tool.grammar.definition,
        }
    return row


def _wrapped(tool: CustomTool, content: PartsWriter) -> Row:
    """A function with one string; the grammar stands in its description."""
    row: Row = {"type": "function", "parameters": CLOSED_PARAMETERS, "strict": False}
    if words := in_words(tool, content.report):
        row["description"] = words
    return row


def _server(tool: ServerTool, content: PartsWriter) -> Row:
    if tool.blocked_domains or tool.max_uses is not None:
        # a restriction is policy: searching without it would break it
        raise content.report.refusal(
            member(Concept.TOOLS, content.shape),
            "tools run here know neither blocked domains nor a limit of uses",
        )
    if tool.kind is ServerKind.CODE:
        return {"type": "code_interpreter", "container": {"type": "auto"}}
    row: Row = {"type": "web_search"}
    if tool.allowed_domains:
        row["filters"] = {"allowed_domains": list(tool.allowed_domains)}
    if tool.user_location is not None:
        row["user_location"] = {"type": "approximate", **msgspec.json.decode(tool.user_location)}
    if tool.context_size is not None:
        row["search_context_size"] = tool.context_size
    return row


def choice(
    wanted: ToolChoice | None, conversation: Conversation, content: PartsWriter
) -> Any | None:
    """The ``tool_choice`` member; ``None`` where there is nothing to say or to choose from."""
    if wanted is None or not conversation.tools:
        return None
    if wanted.native is None:
        return _choice(wanted, conversation, content)
    if wanted.native.shape == SHAPE:
        return msgspec.Raw(wanted.native.data)
    content.lacks(Concept.TOOL_CHOICE, "it names another vendor's own tool")
    return None


def _choice(wanted: ToolChoice, conversation: Conversation, content: PartsWriter) -> Any | None:
    forced = wanted.mode in (ChoiceMode.REQUIRED, ChoiceMode.NAMED)
    if forced and not content.facts.forced_calls:
        content.lacks(Concept.TOOL_CHOICE, "this model cannot be made to call a tool")
        return None
    if wanted.mode is ChoiceMode.VALIDATED:
        reason = "the responses shape checks calls only of strict tools"
        content.rewords(Concept.TOOL_CHOICE, reason)
    tools = _by_name(conversation.tools) if wanted.names else {}
    named = [_named(name, tools.get(name), content) for name in wanted.names]
    if wanted.mode is ChoiceMode.NAMED and "name" in named[0]:
        return named[0]
    # not every tool that is run here can be named by itself: it is a subset of one
    mode = _MODES[wanted.mode]
    if not named or wanted.mode is ChoiceMode.NONE:
        return mode
    return {"type": "allowed_tools", "mode": mode, "tools": named}


def _by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    """The tools by what a choice may call them, of one name the first."""
    found: dict[str, Tool] = {}
    for tool in tools:
        if isinstance(tool, FunctionTool | CustomTool):
            found.setdefault(tool.name, tool)
        elif isinstance(tool, ServerTool):
            found.setdefault(tool.name or tool.kind.value, tool)
            found.setdefault(tool.kind.value, tool)
    return found


def _named(name: str, tool: Tool | None, content: PartsWriter) -> Row:
    if isinstance(tool, FunctionTool | CustomTool):
        custom = isinstance(tool, CustomTool) and content.facts.custom_tools
        kind = "custom" if custom else "function"
        return {"type": kind, "name": content.name(name, tool.namespace)}
    if isinstance(tool, ServerTool):
        return {"type": _CHOSEN.get(tool.kind, tool.kind.value)}
    return {"type": "function", "name": content.name(name, None)}
