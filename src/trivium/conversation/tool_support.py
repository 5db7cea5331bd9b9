"""Tools of a request as a target can declare them: its own, others as functions, or not at all.

A condition that another vendor's own tool cannot keep is policy: which pages may be read, what the
code may reach, which files it sees. Anything else is a matter of quality or cost. Sources: messages
reference with SDK types 2.11, openai-python 3.52.0; both read on 2026-11-21.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from trivium.conversation.client_tools import as_function
from trivium.conversation.losses import DropAction, Rank, Report
from trivium.conversation.member_table import Concept, declared, lacking
from trivium.conversation.request import Conversation
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
_KNOWN: Final = {
    "chat": {"user_location", "search_context_size"},
    "responses": {"type", "user_location", "search_context_size"},
    "messages": {
        "type",
        "name",
        "cache_control",
        "allowed_domains",
        "blocked_domains",
        "max_uses",
        "user_location",
    },
}
"""Members that ``ServerTool`` has fields for; generate's reader looks at its own."""
_FILTERS: Final = frozenset({"allowed_domains", "blocked_domains"})
_POLICY: Final = frozenset({"url_sources", "external_web_access", "filters", "container"})
_NEUTRAL: Final[tuple[Any, ...]] = (None, [], {}, "")
_decode: Final = msgspec.json.Decoder().decode


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
        where, f"{lacks.format(name)}; drop_tools in the binding's profile can leave the tool out"
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


def unsaid(tool: ServerTool) -> Iterator[tuple[str, Rank]]:
    """Yield the members of a declaration that no other shape has, each with its rank."""
    known = _KNOWN.get(tool.native.shape)
    members = _decode(tool.native.data) if known else None
    if not isinstance(members, dict) or known is None:
        return
    for name, value in members.items():
        if name not in known and value not in _NEUTRAL:
            yield from _one(name, value)


def _one(name: str, value: Any) -> Iterator[tuple[str, Rank]]:
    if name == "filters" and isinstance(value, dict):
        value = {key: one for key, one in value.items() if key not in _FILTERS}
    elif name == "container" and isinstance(value, dict):
        value = {key: one for key, one in value.items() if key != "type"}
        if value.pop("memory_limit", None) is not None:
            yield "container.memory_limit", Rank.HINT
    elif name == "external_web_access" and value is True:
        return  # as everywhere
    elif name == "allowed_callers" and value == ["direct"]:
        return
    if isinstance(value, dict):
        value = {key: one for key, one in value.items() if one not in _NEUTRAL}
    if value not in _NEUTRAL:
        yield name, Rank.CONTRACT if name in _POLICY else Rank.HINT
