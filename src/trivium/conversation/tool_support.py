"""Tools of a request as a target can declare them: its own, others as functions, or not at all."""

from typing import Final, NamedTuple

import msgspec

from trivium.conversation.client_tools import as_function
from trivium.conversation.losses import DropAction, Rank, Report
from trivium.conversation.member_table import Concept, declared, lacking
from trivium.conversation.request import Conversation
from trivium.conversation.server_tools import unsaid
from trivium.conversation.strict_schema import is_closed, named
from trivium.conversation.target import TargetFacts
from trivium.conversation.tools import (
    ChoiceMode,
    CustomTool,
    FunctionTool,
    ServerKind,
    ServerTool,
    Tool,
    VendorTool,
)

_CLOSED: Final = frozenset({"chat", "responses"})
"""Shapes whose strict tools may have none, and whose tools must name their members."""


def offered(conversation: Conversation, target: TargetFacts, report: Report) -> tuple[Tool, ...]:
    """The tools as they can be declared. Raises ``Fault`` (UNREPRESENTABLE) for those that cannot
    and must be.
    """
    tools = conversation.tools
    beside = _Beside(any(map(_is_function, tools)), any(map(_is_own, tools)))
    found = (_offered(tool, conversation, target, report, beside) for tool in tools)
    return tuple(tool for tool in found if tool is not None)


class _Beside(NamedTuple):
    """Facts about all tools of a request together, found once."""

    functions: bool
    """Whether any is the caller's to run, in other shapes as well."""
    own: bool
    """Whether any is a function or a free-text tool as it stands."""


def _offered(
    tool: Tool, conversation: Conversation, target: TargetFacts, report: Report, beside: _Beside
) -> Tool | None:
    """A tool as it can be declared; those of other vendors are left out if the operator says so.

    Raises ``Fault`` (UNREPRESENTABLE) for any other that the target has not.
    """
    if isinstance(tool, FunctionTool):
        return _held(tool, conversation.shape, target, report)
    if isinstance(tool, CustomTool) or tool.native.shape == target.origin.shape:
        return tool
    kind, lacks = tool.kind, "it has no {} of its own"
    if isinstance(kind, ServerKind):
        if kind in target.server_tools:
            if target.mixed_tools or not beside.functions:
                _condition(tool, conversation, report)
                return tool
            lacks = "its own {} cannot stand beside functions"
        kind = kind.value
    name = tool.name or kind
    where = declared(tool, conversation.shape)
    if not target.drop_tools.isdisjoint({kind, name}):
        report.drop(Rank.HINT, where, f"{name} is left out, as the profile of this model says")
        return None
    if beside.own and _is_spare(tool, conversation):
        report.drop(Rank.HINT, where, f"{name} is left out: {lacks.format(name)}")
        return None
    function = as_function(tool) if isinstance(tool, VendorTool) else None
    if function is not None:
        report.drop(Rank.HINT, where, f"{name} is described as a function", DropAction.CHANGED)
        return function
    raise report.refusal(
        where,
        f"{lacks.format(name)}; drop_tools in the binding's profile can leave the tool out",
    )


def _held(tool: FunctionTool, shape: str, target: TargetFacts, report: Report) -> FunctionTool:
    """A function with a schema as the target takes it, strict only where that may be strict.

    What callers of OpenAI's own shapes write is between them and their vendor.
    """
    if shape in _CLOSED or target.origin.shape not in _CLOSED or tool.parameters is None:
        return tool
    parameters = named(tool.parameters)
    if parameters != tool.parameters:
        tool = msgspec.structs.replace(tool, parameters=parameters)
    if not tool.strict or is_closed(parameters):
        return tool
    lacking(report, Concept.STRICT_TOOL, shape, "strict schemas have no optional members there")
    return msgspec.structs.replace(tool, strict=None)


def _is_function(tool: Tool) -> bool:
    """Whether a tool is the caller's to run, in other shapes as well."""
    if isinstance(tool, VendorTool):
        return as_function(tool) is not None
    return isinstance(tool, FunctionTool | CustomTool)


def _is_own(tool: Tool) -> bool:
    return isinstance(tool, FunctionTool | CustomTool)


def _condition(tool: Tool, conversation: Conversation, report: Report) -> None:
    """Report conditions of a tool that the target's own tool cannot keep."""
    if isinstance(tool, ServerTool):
        for name, rank in unsaid(tool):
            where = f"{declared(tool, conversation.shape)}.{name}"
            report.drop(rank, where, "its own tool knows no such thing")


def _is_spare(tool: Tool, conversation: Conversation) -> bool:
    """Whether a search is merely offered, beside tools of the caller's own, and without conditions.

    Agents declare one in every request (Codex does) and work without it; whoever asks for nothing
    but a search, forces one or restricts where it may look depends on it.
    """
    if not isinstance(tool, ServerTool) or tool.kind is not ServerKind.WEB_SEARCH:
        return False
    if tool.allowed_domains or tool.blocked_domains or tool.max_uses is not None:
        return False
    choice = conversation.tool_choice
    return choice is None or (choice.mode is ChoiceMode.AUTO and not choice.names)
