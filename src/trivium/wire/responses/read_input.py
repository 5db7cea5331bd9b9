"""The items of a responses request as turns, one for each, in place.

Calls and reasoning are the assistant's, outputs the user's. Attachments of parts that have no slot
here come back in reasoning items without words (``write_stream.py`` put them there): they return to
the call that follows, or to the text before. Source: openai-python 3.52.0, ``ResponseInputItem``,
read 2026-11-21, and Codex CLI 0.169.0 on the wire.
"""

from typing import Final

import msgspec

from trivium.conversation.attachments import opened, wordless
from trivium.conversation.calls import CallKind, ResultPart, ToolCall, ToolResult
from trivium.conversation.items import Part, Role, Turn
from trivium.conversation.losses import Rank
from trivium.conversation.opaque import EXTRA_CONTENT, THOUGHT_SIGNATURE, Opaque, Open
from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Native,
    Reasoning,
    ReasoningForm,
    Text,
    VendorPart,
)
from trivium.conversation.request import Extension
from trivium.conversation.tools import Tool
from trivium.faults import Fault
from trivium.wire.answer_structs import TypeOnly
from trivium.wire.checks import check, missing, mistyped, wrong
from trivium.wire.responses import read_answer_parts, read_content, read_tools
from trivium.wire.responses.media import unresolved
from trivium.wire.responses.request_structs import InputItem
from trivium.wire.responses.tool_text import words

_rows: Final = msgspec.json.Decoder(list[msgspec.Raw])
_string: Final = msgspec.json.Decoder(str)
_item: Final = msgspec.json.Decoder(InputItem)
_type: Final = msgspec.json.Decoder(TypeOnly)
_encode: Final = msgspec.json.Encoder().encode

_ROLES: Final = {role.value: role for role in Role}
_OUTPUTS: Final = {
    "function_call_output": CallKind.FUNCTION,
    "custom_tool_call_output": CallKind.CUSTOM,
}
_OURS: Final = frozenset(
    {
        "message",
        "reasoning",
        "item_reference",
        "additional_tools",
        *read_answer_parts.CALLS,
        *_OUTPUTS,
    }
)
_SEARCHED: Final = "tool_search_output"
_COMPACTED: Final = frozenset({"compaction", "compaction_trigger"})
"""Items that stand for a history, or ask for one to be shortened: nobody else can."""
_RIDERS: Final = frozenset({THOUGHT_SIGNATURE, EXTRA_CONTENT})
"""Attachments of calls and texts, which have no slot of their own."""


_QUOTE, _BRACKET = b'"['


class InputReader:
    """Reads ``input``; what it finds besides turns is added to ``tools`` and ``extensions``."""

    __slots__ = ("_declared", "_extensions", "_open", "_tools")

    def __init__(self, open_: Open, tools: list[Tool], extensions: list[Extension]) -> None:
        self._open = open_
        self._tools = tools
        self._extensions = extensions
        self._declared: set[tuple[str, str | None]] | None = None

    def turns(self, raw: bytes | msgspec.Raw) -> tuple[Turn, ...]:
        """The history. Raises ``Fault`` naming the member."""
        first = memoryview(raw)[0] if len(raw) else 0
        if first == _QUOTE:
            return (Turn(Role.USER, (Text(check(_string, raw, "input")),)),)
        if first != _BRACKET:
            raise mistyped("input", "be a string or an array of items")
        out: list[Turn] = []
        for at, one in enumerate(check(_rows, raw, "input")):
            out += self._turns(one, f"input[{at}]")
        return _settled(out)

    def _turns(self, raw: msgspec.Raw, path: str) -> list[Turn]:
        try:
            found = _item.decode(raw)
        except (ValueError, RecursionError):
            found = None
        kind = check(_type, raw, path).type if found is None else found.type
        if kind is not None and kind not in _OURS:
            return [self._foreign(bytes(raw), kind, path)]
        item = found or check(_item, raw, path)
        if kind is None:
            if item.role is None and item.id is None:
                raise missing(f"{path}.type")
            kind = "item_reference" if item.role is None else "message"
        if kind == "message":
            return [_message(item, path)]
        if kind in read_answer_parts.CALLS:
            return [Turn(Role.ASSISTANT, (_call(item, kind, path),))]
        if kind in _OUTPUTS:
            return [Turn(Role.USER, (_output(item, kind, path),))]
        if kind == "reasoning":
            parts = self._reasoning(item, bytes(raw), path)
            return [Turn(Role.ASSISTANT, parts)] if parts else []
        if kind == "additional_tools":
            self._tools += read_tools.tools(item.tools, f"{path}.tools", self._extensions)
            return []
        raise unresolved(f"{path}.id", "an item of an earlier response")

    def _reasoning(self, item: InputItem, raw: bytes, path: str) -> tuple[Part, ...]:
        try:
            found = read_answer_parts.any_item(raw)
        except Fault:
            # the caller's item, not an upstream's
            raise wrong(path, "be a reasoning item: `summary` and `content` are lists") from None
        shown = read_answer_parts.thoughts(found) if found is not None else []
        opaque, signed = wordless(opened(item.encrypted_content or "", self._open))
        if signed and not shown:
            shown.append(Reasoning(signed))
        if opaque and shown:
            shown[-1] = msgspec.structs.replace(shown[-1], opaque=opaque)
        elif opaque:
            shown.append(Reasoning("", ReasoningForm.HIDDEN, opaque=opaque))
        return tuple(shown)

    def _found(self, item: InputItem, path: str) -> None:
        """Declare the tools that a search of the caller's found: the model may call them now."""
        if bytes(item.tools) in (b"", b"null"):
            return
        if self._declared is None:
            self._declared = set(map(_key, self._tools))
        for tool in read_tools.tools(item.tools, f"{path}.tools", self._extensions):
            key = _key(tool)
            if key not in self._declared:
                self._declared.add(key)
                self._tools.append(tool)

    def _foreign(self, raw: bytes, kind: str, path: str) -> Turn:
        if kind in _COMPACTED:
            self._extensions.append(Extension(path, raw, Rank.CONTRACT))
        if kind == _SEARCHED:
            self._found(check(_item, raw, path), path)
        found = read_answer_parts.any_item(raw)
        text = ("" if found is None else read_answer_parts.rendering(found)) or words(raw)
        user = kind.endswith(("_output", "_response"))
        part = VendorPart(Native(read_answer_parts.SHAPE, raw), kind, text)
        return Turn(Role.USER if user else Role.ASSISTANT, (part,))


def _key(tool: Tool) -> tuple[str, str | None]:
    """What tells a tool from all others."""
    return tool.name, getattr(tool, "namespace", None)


def _message(item: InputItem, path: str) -> Turn:
    if item.role is None:
        raise missing(f"{path}.role")
    role = _ROLES.get(item.role)
    if role is None:
        raise wrong(f"{path}.role", "be user, assistant, system or developer")
    content = read_content.content(item.content, f"{path}.content")
    return Turn(role, content, phase=item.phase if role is Role.ASSISTANT else None)


def _call(item: InputItem, kind: str, path: str) -> ToolCall:
    if item.call_id is None:
        raise missing(f"{path}.call_id")
    if not item.name:
        raise missing(f"{path}.name")
    member = "arguments" if kind == "function_call" else "input"
    text = item.arguments if kind == "function_call" else item.input
    if text is None:
        raise missing(f"{path}.{member}")
    native = None
    if bytes(item.caller) not in (b"", b"null"):
        native = Native(read_answer_parts.SHAPE, _encode({"caller": item.caller}))
    return ToolCall(
        item.call_id, item.name, text, read_answer_parts.CALLS[kind], item.namespace, native
    )


def _output(item: InputItem, kind: str, path: str) -> ToolResult:
    if item.call_id is None:
        raise missing(f"{path}.call_id")
    parts: list[ResultPart] = []
    for at, part in enumerate(read_content.content(item.output, f"{path}.output")):
        if not isinstance(part, Text | Image | Audio | Document):
            raise wrong(f"{path}.output[{at}].type", "be input_text, input_image or input_file")
        parts.append(part)
    return ToolResult(item.call_id, tuple(parts), kind=_OUTPUTS[kind])


def _settled(turns: list[Turn]) -> tuple[Turn, ...]:
    """The turns with riding attachments given back to the parts they belong to."""
    if not any(map(_riding, turns)):
        return tuple(turns)
    out: list[Turn] = []
    riding: tuple[Opaque, ...] = ()
    late: list[Opaque] = []  # of the text that was said last
    for at, turn in enumerate(turns):
        found = _riding(turn)
        following = turns[at + 1].parts if at + 1 < len(turns) else ()
        if found and following and type(following[0]) is ToolCall:
            riding += found
        elif found and out and out[-1].role is Role.ASSISTANT and _ends_in_text(out[-1]):
            late += found
        else:
            _attach_late(out, late)
            out.append(_attached(turn, 0, riding) if riding else turn)
            riding = ()
    _attach_late(out, late)
    return tuple(out)


def _attach_late(out: list[Turn], late: list[Opaque]) -> None:
    if late:
        out[-1] = _attached(out[-1], len(out[-1].parts) - 1, tuple(late))
        late.clear()


def _riding(turn: Turn) -> tuple[Opaque, ...]:
    if len(turn.parts) != 1:
        return ()
    part = turn.parts[0]
    if type(part) is not Reasoning:
        return ()
    if part.form is ReasoningForm.HIDDEN and all(one.kind in _RIDERS for one in part.opaque):
        return part.opaque
    return ()


def _ends_in_text(turn: Turn) -> bool:
    return bool(turn.parts) and type(turn.parts[-1]) is Text


def _attached(turn: Turn, at: int, opaque: tuple[Opaque, ...]) -> Turn:
    part = turn.parts[at]
    grown = msgspec.structs.replace(part, opaque=part.opaque + opaque)
    return msgspec.structs.replace(turn, parts=(*turn.parts[:at], grown, *turn.parts[at + 1 :]))
