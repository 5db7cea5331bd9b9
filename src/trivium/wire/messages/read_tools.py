"""Tools and the choice among them, of a request, read strictly.

A tool with an ``input_schema`` is the caller's own whatever its ``type``: most clients leave that
out. Source: messages reference and SDK types 2.11, read on 2026-11-21.
"""

import re
from typing import Any, Final

import msgspec

from trivium.conversation.parts import Native
from trivium.conversation.tools import (
    ChoiceMode,
    FunctionTool,
    ServerKind,
    ServerTool,
    Tool,
    ToolChoice,
    VendorTool,
)
from trivium.wire.messages import request_structs as forms
from trivium.wire.messages.citations import SHAPE
from trivium.wire.messages.paths import missing, view, wrong
from trivium.wire.messages.read_content import Blocks

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")


_any: Final = msgspec.json.Decoder()
_rows: Final = msgspec.json.Decoder(list[msgspec.Raw])
_tool: Final = msgspec.json.Decoder(forms.Tool)
_choice: Final = msgspec.json.Decoder(forms.Choice)
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_encode: Final = msgspec.json.Encoder().encode

_OWN: Final = ("input_examples", "eager_input_streaming", "defer_loading", "allowed_callers")
"""Members of a function tool that no other shape has."""

_SERVER: Final = (
    ("web_search_", ServerKind.WEB_SEARCH),
    ("web_fetch_", ServerKind.WEB_FETCH),
    ("code_execution_", ServerKind.CODE),
)
_MODES: Final = {
    "auto": ChoiceMode.AUTO,
    "any": ChoiceMode.REQUIRED,
    "tool": ChoiceMode.NAMED,
    "none": ChoiceMode.NONE,
}


def tools(raw: msgspec.Raw, blocks: Blocks) -> tuple[Tool, ...]:
    """The ``tools`` member. Names must be legal and used once."""
    out: list[Tool] = []
    seen: set[str] = set()
    for at, row in enumerate(view(_rows, raw, "tools")):
        path = f"tools.{at}"
        found = _one(row, path, blocks)
        if found.name and found.name in seen:
            raise wrong(f"{path}.name", f"{found.name} is declared twice.")
        seen.add(found.name)
        out.append(found)
    return tuple(out)


def _one(row: msgspec.Raw, path: str, blocks: Blocks) -> FunctionTool | ServerTool | VendorTool:
    tool: forms.Tool = view(_tool, row, path)
    cache = blocks.mark(tool.cache_control, path)
    kind = tool.type or "custom"
    if bytes(tool.input_schema) or kind == "custom":
        return _function(tool, row, path, cache)
    view(_any, row, path)  # what others read of it later can be read
    native = Native(SHAPE, bytes(row))
    for prefix, server in _SERVER:
        if kind.startswith(prefix):
            if tool.allowed_domains and tool.blocked_domains:
                raise wrong(path, "has both allowed_domains and blocked_domains; take one.")
            place = bytes(tool.user_location)
            return ServerTool(
                server,
                native,
                name=tool.name or "",
                allowed_domains=tuple(tool.allowed_domains or ()),
                blocked_domains=tuple(tool.blocked_domains or ()),
                max_uses=tool.max_uses,
                user_location=None if place in (b"", b"null") else place,
                cache=cache,
            )
    return VendorTool(kind, native, name=tool.name or "", cache=cache)


def _function(tool: forms.Tool, row: msgspec.Raw, path: str, cache: Any) -> FunctionTool:
    if tool.name is None:
        raise missing(f"{path}.name")
    if not _NAME.fullmatch(tool.name):
        raise wrong(f"{path}.name", "must have 1 to 128 of A-Z, a-z, 0-9, _ and -.")
    schema = bytes(tool.input_schema)
    if schema in (b"", b"null"):
        raise missing(f"{path}.input_schema")
    if not schema.startswith(b"{"):
        raise wrong(f"{path}.input_schema", "must be an object.")
    every = view(_members, row, path)
    own = {name: every[name] for name in _OWN if name in every}
    return FunctionTool(
        tool.name,
        tool.description,
        schema,
        tool.strict,
        cache=cache,
        native=Native(SHAPE, _encode(own)) if own else None,
    )


def choice(raw: msgspec.Raw, declared: tuple[Tool, ...]) -> tuple[ToolChoice, bool | None]:
    """The ``tool_choice`` member, and whether calls may be parallel (``None``: not said)."""
    found: forms.Choice = view(_choice, raw, "tool_choice")
    mode = _MODES.get(found.type)
    if mode is None:
        raise wrong("tool_choice.type", f"must be one of {', '.join(_MODES)}.")
    parallel = found.disable_parallel_tool_use
    names: tuple[str, ...] = ()
    if mode is ChoiceMode.NAMED:
        if found.name is None:
            raise missing("tool_choice.name")
        if found.name not in {getattr(tool, "name", "") for tool in declared}:
            raise wrong("tool_choice.name", f"names no tool of this request: {found.name[:128]}.")
        names = (found.name,)
    return ToolChoice(mode, names), None if parallel is None else not parallel
