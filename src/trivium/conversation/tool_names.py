"""Tool names in an answer, back to what the caller calls its tools.

A writer shortens names that its target does not take (``names.py``); the model then calls the
short one. Only names that were changed are touched: a name that the model made up stays.
"""

from collections.abc import Mapping

import msgspec

from trivium.conversation.answer import Answer
from trivium.conversation.assemble import each_part
from trivium.conversation.calls import ToolCall
from trivium.conversation.events import Event, PartStart
from trivium.conversation.items import Part
from trivium.conversation.names import qualified, short
from trivium.conversation.request import Conversation
from trivium.conversation.target import TargetFacts
from trivium.conversation.tools import CustomTool, FunctionTool, ServerTool, Tool


def shortened(conversation: Conversation, facts: TargetFacts) -> Mapping[str, str]:
    """The target's name of every tool that has another there, with the caller's flat name."""
    found: dict[str, str] = {}
    for tool in conversation.tools:
        if isinstance(tool, FunctionTool | CustomTool):
            name = qualified(tool.name, tool.namespace)
            out = short(name, facts.tool_name_max, first=facts.tool_name_first)
            if out != name:
                found[out] = name
    return found


def known_as(tool: Tool) -> tuple[str, ...]:
    """What a choice may call a tool: a vendor's own by its kind too."""
    if isinstance(tool, FunctionTool | CustomTool):
        return (tool.name, f"{tool.namespace}.{tool.name}") if tool.namespace else (tool.name,)
    return (tool.name, tool.kind.value if isinstance(tool, ServerTool) else tool.kind)


def restored(answer: Answer, names: Mapping[str, str]) -> Answer:
    """Return the answer with the caller's names of tools."""
    return each_part(answer, lambda part: _part(part, names))


def restored_events(events: list[Event], names: Mapping[str, str]) -> list[Event]:
    """Return the events with the caller's names of tools."""
    return [
        PartStart(event.index, _part(event.part, names), event.candidate)
        if type(event) is PartStart
        else event
        for event in events
    ]


def _part(part: Part, names: Mapping[str, str]) -> Part:
    if type(part) is ToolCall and part.name in names:
        return msgspec.structs.replace(part, name=names[part.name])
    return part
