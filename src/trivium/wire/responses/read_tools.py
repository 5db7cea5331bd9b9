"""Tools of a responses request: declarations, and the choice among them.

They are flat here, unlike on the chat shape; a namespace holds others, and its name stays with
each of them. Source: openai-python 3.52.0, ``ToolParam`` and ``ToolChoice``, read 2026-11-21, and
Codex CLI 0.169.0 on the wire.
"""

from typing import Final

import msgspec

from trivium.conversation.losses import Rank
from trivium.conversation.parts import Native
from trivium.conversation.request import Extension
from trivium.conversation.tools import (
    ChoiceMode,
    CustomTool,
    FunctionTool,
    Grammar,
    ServerKind,
    ServerTool,
    Tool,
    ToolChoice,
    VendorTool,
)
from trivium.wire.checks import check, missing, require_long_name, wrong
from trivium.wire.peek import decode
from trivium.wire.responses import request_structs as forms
from trivium.wire.responses.read_answer_parts import SHAPE

_NULL: Final = frozenset({b"", b"null"})

Raws = dict[str, msgspec.Raw]


_rows: Final = msgspec.json.Decoder(list[msgspec.Raw])
_tool: Final = msgspec.json.Decoder(forms.Tool)
_kind: Final = msgspec.json.Decoder(forms.ToolKind)
_raws: Final = msgspec.json.Decoder(Raws)
_schema: Final = msgspec.json.Decoder(Raws)
_choice: Final = msgspec.json.Decoder(forms.Choice)
_string: Final = msgspec.json.Decoder(str)
_encode: Final = msgspec.json.Encoder().encode

_SERVER: Final = {
    "web_search": ServerKind.WEB_SEARCH,
    "web_search_2025_08_26": ServerKind.WEB_SEARCH,
    "web_search_preview": ServerKind.WEB_SEARCH,
    "web_search_preview_2025_03_11": ServerKind.WEB_SEARCH,
    "code_interpreter": ServerKind.CODE,
}
_FUNCTION: Final = frozenset({"type", "name", "description", "parameters", "strict"})
_MODES: Final = {"auto": ChoiceMode.AUTO, "none": ChoiceMode.NONE, "required": ChoiceMode.REQUIRED}
_CALLED: Final = frozenset({"function", "custom"})
_SUBSET: Final = frozenset({"auto", "required"})


def tools(raw: bytes | msgspec.Raw, path: str, extensions: list[Extension]) -> list[Tool]:
    """Declared tools, in order. Raises ``Fault`` naming the member."""
    out: list[Tool] = []
    for at, one in enumerate(check(_rows, bytes(raw), path)):
        out += _one(bytes(one), f"{path}[{at}]", None, extensions)
    return out


def _one(raw: bytes, path: str, namespace: str | None, extensions: list[Extension]) -> list[Tool]:
    kind = check(_kind, raw, path).type
    if kind is None:
        raise missing(f"{path}.type")
    if kind == "function":
        return [_function(raw, path, namespace)]
    if kind == "custom":
        return [_custom(raw, path, namespace)]
    if namespace is not None:
        raise wrong(f"{path}.type", "be function or custom inside a namespace")
    if kind == "namespace":
        return _namespace(raw, path, extensions)
    decode(raw, path)  # what others read of it later can be read
    native = Native(SHAPE, raw)
    if kind in _SERVER:
        return [_server(check(_tool, raw, path), kind, native)]
    name = check(_kind, raw, path).name
    return [VendorTool(kind, native, name or "")]


def _function(raw: bytes, path: str, namespace: str | None) -> FunctionTool:
    tool = check(_tool, raw, path)
    require_long_name(tool.name, f"{path}.name")
    own = {
        name: value
        for name, value in check(_raws, raw, path).items()
        if name not in _FUNCTION and bytes(value) != b"null"
    }
    parameters: bytes | None = bytes(tool.parameters)
    if parameters in _NULL:
        parameters = None
    else:
        check(_schema, bytes(tool.parameters), f"{path}.parameters")
    return FunctionTool(
        tool.name or "",
        tool.description,
        parameters,
        tool.strict,
        namespace,
        native=Native(SHAPE, _encode(own)) if own else None,
    )


def _custom(raw: bytes, path: str, namespace: str | None) -> CustomTool:
    tool = check(_tool, raw, path)
    require_long_name(tool.name, f"{path}.name")
    grammar = None
    if tool.format is not None and tool.format.type == "grammar":
        if tool.format.syntax is None:
            raise missing(f"{path}.format.syntax")
        if tool.format.definition is None:
            raise missing(f"{path}.format.definition")
        grammar = Grammar(tool.format.syntax, tool.format.definition)
    return CustomTool(tool.name or "", tool.description, grammar, namespace)


def _namespace(raw: bytes, path: str, extensions: list[Extension]) -> list[Tool]:
    tool = check(_tool, raw, path)
    require_long_name(tool.name, f"{path}.name")
    if tool.description:
        data = _encode(tool.description)
        extensions.append(Extension(f"{path}.description", data, Rank.HINT))
    out: list[Tool] = []
    for at, inner in enumerate(tool.tools or ()):
        out += _one(bytes(inner), f"{path}.tools[{at}]", tool.name, extensions)
    return out


def _server(tool: forms.Tool, kind: str, native: Native) -> ServerTool:
    place = {
        name: value
        for name, value in (tool.user_location or {}).items()
        if name != "type" and value is not None
    }
    filters = tool.filters or forms.Filters()
    return ServerTool(
        _SERVER[kind],
        native,
        allowed_domains=tuple(filters.allowed_domains or ()),
        blocked_domains=tuple(filters.blocked_domains or ()),
        user_location=_encode(place) if place else None,
        context_size=tool.search_context_size,
    )


def choice(raw: bytes | msgspec.Raw) -> ToolChoice:
    """The caller's choice. Raises ``Fault`` naming the member."""
    data = bytes(raw)
    if data.startswith(b'"'):
        word = check(_string, data, "tool_choice")
        if word not in _MODES:
            raise wrong("tool_choice", "be none, auto, required or an object")
        return ToolChoice(_MODES[word])
    decode(data, "tool_choice")
    found = check(_choice, data, "tool_choice")
    if found.type is None:
        raise missing("tool_choice.type")
    if found.type in _CALLED:
        require_long_name(found.name, "tool_choice.name")
        return ToolChoice(ChoiceMode.NAMED, (found.name or "",))
    if found.type != "allowed_tools":
        name = _choosable(found)
        return ToolChoice(ChoiceMode.NAMED, (name,) if name else (), Native(SHAPE, data))
    if found.mode not in _SUBSET:
        raise wrong("tool_choice.mode", "be auto or required")
    if not found.tools:
        raise missing("tool_choice.tools")
    names = tuple(name for one in found.tools if (name := _choosable(one)))
    # a vendor's own tool in the subset is told by its type, and in this shape alone
    plain = names and all(one.type in _CALLED for one in found.tools)
    own = None if plain else Native(SHAPE, data)
    return ToolChoice(_MODES[found.mode], names, own)


def _choosable(tool: forms.Choice | forms.ToolKind) -> str:
    """What other shapes call a tool that is chosen; empty for what only this one can name."""
    if tool.type in _CALLED:
        return tool.name or ""
    known = _SERVER.get(tool.type or "")
    return "" if known is None else known.value
