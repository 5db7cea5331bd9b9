"""Tools, and the choice among them, for an upstream of Cohere's shape.

The shape can force a call and forbid one, and not name a tool: of a tool that must be called, or of
those that may be, no others are declared.
Source: cohere-python 7.3.1, ``ToolV2``, ``V2Client.chat``, read 2026-11-28.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.custom_tools import PARAMETERS, in_words
from trivium.conversation.member_table import Concept
from trivium.conversation.request import Conversation
from trivium.conversation.tool_names import known_as
from trivium.conversation.tools import ChoiceMode, CustomTool, FunctionTool, Tool
from trivium.conversation.writer_base import WriterBase
from trivium.wire.cohere.documents import SHAPE

_NO_PARAMETERS: Final = msgspec.Raw(b'{"type":"object","properties":{}}')
_FORCED: Final = frozenset({ChoiceMode.REQUIRED, ChoiceMode.NAMED})


def write(conversation: Conversation, writing: WriterBase, body: dict[str, Any]) -> None:
    """Put tools and what belongs to them into the body."""
    choice = conversation.tool_choice
    names = frozenset(choice.names) if choice is not None else frozenset()
    chosen = [
        tool for tool in conversation.tools if not names or not names.isdisjoint(known_as(tool))
    ]
    if not chosen:
        return  # the choice is refused where there are no tools
    if len(chosen) < len(conversation.tools):
        writing.rewords(Concept.TOOLS, "those that may not be called are left out")
    body["tools"] = [{"type": "function", "function": _one(tool, writing)} for tool in chosen]
    _strict(chosen, writing, body)
    if conversation.parallel_calls is False:
        writing.lacks(Concept.PARALLEL, "calls cannot be kept to one at a time")
    if choice is None:
        return
    if choice.native is not None and not names:
        writing.lacks(Concept.TOOL_CHOICE, "it names another vendor's own tool")
    if choice.mode is ChoiceMode.VALIDATED:
        writing.rewords(Concept.TOOL_CHOICE, "calls are checked where the tool is strict")
    if choice.mode is ChoiceMode.NONE:
        body["tool_choice"] = "NONE"
    elif choice.mode in _FORCED:
        if not writing.facts.forced_calls:
            writing.lacks(Concept.TOOL_CHOICE, "this model cannot be made to call a tool")
        body["tool_choice"] = "REQUIRED"


def _strict(chosen: list[Tool], writing: WriterBase, body: dict[str, Any]) -> None:
    """One switch for all tools: on where all of them are to be strict."""
    wanted = [tool.strict for tool in chosen if isinstance(tool, FunctionTool)]
    if not any(wanted) or not writing.takes(Concept.STRICT_TOOL):
        return
    if all(wanted) and len(wanted) == len(chosen):
        body["strict_tools"] = True
    else:
        writing.lacks(Concept.STRICT_TOOL, "either all tools are strict there or none is")


def _one(tool: Tool, writing: WriterBase) -> dict[str, Any]:
    if tool.cache is not None:
        writing.lacks(Concept.CACHE_MARK, "Cohere's shape has no marks")
    if isinstance(tool, FunctionTool):
        row: dict[str, Any] = {"name": writing.name(tool.name, tool.namespace)}
        if tool.description is not None:
            row["description"] = tool.description
        given = tool.parameters
        row["parameters"] = _NO_PARAMETERS if given is None else msgspec.Raw(given)
        writing.own(tool.native, SHAPE, Concept.TOOLS)
        return row
    if isinstance(tool, CustomTool):
        row = {"name": writing.name(tool.name, tool.namespace)}
        if words := in_words(tool, writing.report):
            row["description"] = words
        row["parameters"] = PARAMETERS
        return row
    writing.lacks(Concept.VENDOR_TOOL, f"the tool {tool.name or tool.kind} is another vendor's own")
    return {}
