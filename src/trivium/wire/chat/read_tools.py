"""Tools of a chat request: declarations, the choice among them, the old functions, web search.

Flat declarations (the responses shape's) and Anthropic's are taken too, for agents send them on
this route (BerriAI/litellm#34029). Source: OpenAI's API reference, chat completions, ``tools``,
read 2026-11-21.
"""

from typing import Any, Final

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
from trivium.wire.chat.read_content import SHAPE, mark
from trivium.wire.chat.read_values import listed, mapping, string, table, text, wrong_type
from trivium.wire.checks import check, missing, wrong
from trivium.wire.peek import decode

Raws = dict[str, msgspec.Raw]

_list: Final = msgspec.json.Decoder(list[Raws])
_raws: Final = msgspec.json.Decoder(Raws)
_encode: Final = msgspec.json.Encoder().encode

_FUNCTION: Final = frozenset(
    {
        "type",
        "name",
        "description",
        "parameters",
        "input_schema",
        "strict",
        "cache_control",
        "prompt_cache_breakpoint",
    }
)
_MODES: Final = {
    "auto": ChoiceMode.AUTO,
    "none": ChoiceMode.NONE,
    "required": ChoiceMode.REQUIRED,
    "any": ChoiceMode.REQUIRED,
}


def tools(raw: bytes, extensions: list[Extension]) -> list[Tool]:
    """Declared tools, in order. Raises ``Fault`` naming the member."""
    return [
        _tool(members, f"tools[{at}]", extensions)
        for at, members in enumerate(check(_list, raw, "tools"))
    ]


def _tool(raws: Raws, path: str, extensions: list[Extension]) -> Tool:
    shell = {
        name: decode(raw, f"{path}.{name}")
        for name, raw in raws.items()
        if name not in ("function", "custom")
    }
    kind = text(shell, "type", path)
    if _there(raws, "function"):
        inner = check(_raws, bytes(raws["function"]), f"{path}.function")
        return _function(inner, shell, f"{path}.function", extensions)
    if kind == "custom" or (kind is None and _there(raws, "custom")):
        there = _there(raws, "custom")
        given = decode(raws["custom"], f"{path}.custom") if there else shell
        return _custom(mapping(given, f"{path}.custom"), shell, path)
    if kind == "function" and "name" not in shell:
        raise missing(f"{path}.function")
    if kind in (None, "function") or _there(raws, "input_schema"):
        return _function(raws, shell, path, extensions)
    return VendorTool(kind or "", Native(SHAPE, _encode(raws)), text(shell, "name", path) or "")


def _there(raws: Raws, name: str) -> bool:
    raw = raws.get(name)
    return raw is not None and bytes(raw) != b"null"


def _function(
    raws: Raws, shell: dict[str, Any], path: str, extensions: list[Extension]
) -> FunctionTool:
    schema = next((raws[one] for one in ("parameters", "input_schema") if _there(raws, one)), None)
    members = {
        name: decode(raw, f"{path}.{name}")
        for name, raw in raws.items()
        if name not in ("parameters", "input_schema")
    }
    if schema is not None and bytes(schema)[:1] != b"{":
        given = decode(schema, f"{path}.parameters")
        raise wrong_type(f"{path}.parameters", "an object", given)
    strict = members.get("strict")
    if strict is not None and not isinstance(strict, bool):
        raise wrong_type(f"{path}.strict", "a boolean", strict)
    for name, raw in raws.items():
        if name not in _FUNCTION and _there(raws, name):
            extensions.append(Extension(f"{path}.{name}", bytes(raw), Rank.HINT))
    name = string(members, "name", path)
    if not name:
        raise wrong(f"{path}.name", "not be empty")
    return FunctionTool(
        name,
        text(members, "description", path),
        None if schema is None else bytes(schema),
        strict,
        cache=mark(members) or mark(shell),
    )


def _custom(custom: dict[str, Any], shell: dict[str, Any], path: str) -> CustomTool:
    grammar = None
    where = f"{path}.custom"
    form = custom.get("format")
    if form is not None:
        members = mapping(form, f"{where}.format")
        if members.get("type") == "grammar":
            # the responses shape has syntax and definition beside the type
            inner = members.get("grammar")
            place = f"{where}.format" if inner is None else f"{where}.format.grammar"
            given = members if inner is None else mapping(inner, place)
            grammar = Grammar(string(given, "syntax", place), string(given, "definition", place))
    return CustomTool(
        string(custom, "name", where),
        text(custom, "description", where),
        grammar,
        cache=mark(custom) or mark(shell),
    )


def functions(raw: bytes, extensions: list[Extension]) -> list[Tool]:
    """The tools of the deprecated ``functions``."""
    return [
        _function(members, {}, f"functions[{at}]", extensions)
        for at, members in enumerate(check(_list, raw, "functions"))
    ]


def choice(raw: bytes, member: str = "tool_choice") -> ToolChoice:
    """The choice among tools. Raises ``Fault`` naming the member."""
    value = decode(raw, member)
    if isinstance(value, str):
        return ToolChoice(_mode(value, member))
    given = mapping(value, member)
    kind = given.get("type")
    if kind == "allowed_tools":
        inner = given.get("allowed_tools")
        place = member if inner is None else f"{member}.allowed_tools"
        return _allowed(given if inner is None else mapping(inner, place), place)
    if isinstance(kind, str) and kind in _MODES:
        # Anthropic's spelling
        return ToolChoice(_MODES[kind])
    if kind in (None, "function", "custom", "tool"):
        return ToolChoice(ChoiceMode.NAMED, (_named(given, member),))
    return ToolChoice(ChoiceMode.NAMED, (), Native(SHAPE, raw))


def _mode(word: str, path: str) -> ChoiceMode:
    found = _MODES.get(word)
    if found is None:
        raise wrong(path, "be one of none, auto or required, or name a tool")
    return found


def _named(given: dict[str, Any], path: str) -> str:
    for kind in ("function", "custom"):
        if given.get(kind) is not None:
            return string(table(given, kind, path), "name", f"{path}.{kind}")
    if given.get("name") is None:
        raise missing(f"{path}.function")
    return string(given, "name", path)


def _allowed(given: dict[str, Any], path: str) -> ToolChoice:
    mode = string(given, "mode", path)
    if mode not in ("auto", "required"):
        raise wrong(f"{path}.mode", "be one of auto or required")
    named = listed(given.get("tools"), f"{path}.tools")
    if not named:
        raise missing(f"{path}.tools")
    names = tuple(
        _named(mapping(one, f"{path}.tools[{at}]"), f"{path}.tools[{at}]")
        for at, one in enumerate(named)
    )
    return ToolChoice(_MODES[mode], names)


def search(raw: bytes) -> ServerTool:
    """The tool that ``web_search_options`` asks for."""
    options = mapping(decode(raw, "web_search_options"), "web_search_options")
    location = None
    place = options.get("user_location")
    if place is not None:
        where = "web_search_options.user_location"
        given = mapping(place, where)
        location = _encode(mapping(given.get("approximate") or {}, f"{where}.approximate"))
    return ServerTool(
        ServerKind.WEB_SEARCH,
        Native(SHAPE, raw),
        user_location=location,
        context_size=text(options, "search_context_size", "web_search_options"),
    )
