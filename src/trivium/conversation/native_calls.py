"""Calls and results that one shape writes as items of their own, as what they are.

OpenAI's models know a shell, patches and a search for tools by heart; their callers run them and
say what came of it. To another vendor's model the result of such a call is a tool's, not the
user's words. Source: openai-python 3.52.0, ``ResponseInputItem``, read 2026-11-23.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.arguments import compact
from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.items import Part, Turn
from trivium.conversation.parts import Text, VendorPart

SHAPE: Final = "responses"

_CALLS: Final = {
    "shell_call": ("shell", "action"),
    "local_shell_call": ("local_shell", "action"),
    "apply_patch_call": ("apply_patch", "operation"),
    "tool_search_call": ("tool_search", "arguments"),
}
"""Kind of an item -> the tool that is called, and the member with what it is told."""
_RESULTS: Final = frozenset(
    {"shell_call_output", "local_shell_call_output", "apply_patch_call_output"}
)
_FOUND: Final = "tool_search_output"
_decode: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode: Final = msgspec.json.Encoder().encode
_decode_any: Final = msgspec.json.Decoder().decode


def spelled_out(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The turns with such items as calls and results; the same ones where there are none."""
    if not any(_is_own(part) for turn in turns for part in turn.parts):
        return turns
    return tuple(
        msgspec.structs.replace(turn, parts=tuple(map(_spelled, turn.parts)))
        if any(map(_is_own, turn.parts))
        else turn
        for turn in turns
    )


def _is_own(part: Part) -> bool:
    return (
        type(part) is VendorPart
        and part.native.shape == SHAPE
        and (part.kind in _CALLS or part.kind in _RESULTS or part.kind == _FOUND)
    )


def _spelled(part: Part) -> Part:
    if not isinstance(part, VendorPart) or not _is_own(part):
        return part
    try:
        item = _decode(part.native.data)
        id_ = _word(item, "call_id") or _word(item, "id")
        if not id_:
            return part
        if part.kind in _CALLS:
            name, member = _CALLS[part.kind]
            return ToolCall(id_, name, _arguments(item.get(member)))
        words = _names(item) if part.kind == _FOUND else part.text
        return ToolResult(
            id_, (Text(words),) if words else (), error=_word(item, "status") == "failed"
        )
    except (ValueError, RecursionError):
        return part


def _arguments(raw: msgspec.Raw | None) -> str:
    """Return a call's content as the arguments of a function, without the kind of action."""
    if raw is None or not bytes(raw).startswith(b"{"):
        return "{}" if raw is None else compact(_encode({"input": raw}))
    members = _decode(raw)
    if bytes(members.get("type", b"")) == b'"exec"':
        del members["type"]
    return compact(_encode(members))


def _word(item: dict[str, msgspec.Raw], name: str) -> str:
    found: Any = _decode_any(item[name]) if name in item else None
    return found if isinstance(found, str) else ""


def _names(item: dict[str, msgspec.Raw]) -> str:
    """Return the tools that a search for tools found, by name. They are declared with all
    others.
    """
    found: Any = _decode_any(item["tools"]) if "tools" in item else None
    rows = [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
    return "\n".join(name for row in rows if isinstance(name := row.get("name"), str))
