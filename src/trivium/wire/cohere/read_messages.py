"""Messages of Cohere's shape as turns: one of each, in place.

The plan is words that the model says before its calls: it is text, as the words before a call are
in every other shape. Thinking may carry what we sealed into an answer, in a member that the
official SDK sends back with the message it was given.
Source: cohere-python 7.3.1, ``ChatMessageV2``, read 2026-11-28.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.attachments import opened
from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.items import Part, Role, Turn
from trivium.conversation.losses import Rank
from trivium.conversation.opaque import Open
from trivium.conversation.parts import Citation, Reasoning, ReasoningForm, Text
from trivium.conversation.request import Extension
from trivium.wire.chat import read_content
from trivium.wire.chat.read_values import listed, mapping, string, table, text
from trivium.wire.checks import missing, wrong
from trivium.wire.cohere import citations, documents

_encode: Final = msgspec.json.Encoder().encode

SIGNATURE: Final = "signature"
"""Member of thinking and of calls in which attachments travel sealed."""
_USER: Final = frozenset({"text", "image_url"})
_COMMON: Final = frozenset({"role", "content"})
_KNOWN: Final = {
    "system": _COMMON,
    "user": _COMMON,
    "assistant": _COMMON | {"tool_calls", "tool_plan", "citations"},
    "tool": _COMMON | {"tool_call_id"},
}


class TurnReader:
    """Reads the messages of one request."""

    __slots__ = ("_citable", "_open", "extensions")

    def __init__(self, open_: Open, *, citable: bool) -> None:
        """``citable``: whether the caller wants documents cited."""
        self._open = open_
        self._citable = citable
        self.extensions: list[Extension] = []

    def turns(self, value: Any) -> list[Turn]:
        """All of them. Raises ``Fault`` naming the member."""
        found = listed(value, "messages")
        if not found:
            raise wrong("messages", "have at least one message")
        return [
            self._turn(mapping(message, f"messages[{at}]"), f"messages[{at}]")
            for at, message in enumerate(found)
        ]

    def _turn(self, message: dict[str, Any], path: str) -> Turn:
        role = string(message, "role", path)
        known = _KNOWN.get(role)
        if known is None:
            raise wrong(f"{path}.role", f"be one of {', '.join(_KNOWN)}")
        for name, given in message.items():
            if name not in known and given is not None:
                self.extensions.append(Extension(f"{path}.{name}", _encode(given), Rank.HINT))
        if role == "assistant":
            return Turn(Role.ASSISTANT, tuple(self._assistant(message, path)))
        if message.get("content") is None:
            raise missing(f"{path}.content")
        if role == "tool":
            return Turn(Role.USER, (self._result(message, path),))
        where = f"{path}.content"
        if role == "system":
            return Turn(Role.SYSTEM, read_content.texts(message["content"], where))
        return Turn(Role.USER, tuple(_said(message["content"], where)))

    def _result(self, message: dict[str, Any], path: str) -> ToolResult:
        call_id = string(message, "tool_call_id", path)
        value, where = message["content"], f"{path}.content"
        if isinstance(value, str):
            return ToolResult(call_id, (Text(value),) if value else ())
        parts: list[Any] = []
        for at, one in enumerate(listed(value, where)):
            inner = f"{where}[{at}]"
            block = mapping(one, inner)
            kind = string(block, "type", inner)
            if kind == "text":
                parts.append(Text(string(block, "text", inner)))
            elif kind == "document":
                given = table(block, "document", inner)
                place = f"{inner}.document"
                parts.append(documents.read(given, place, at, citable=self._citable))
            else:
                raise wrong(f"{inner}.type", "be one of text or document")
        return ToolResult(call_id, tuple(parts))

    def _assistant(self, message: dict[str, Any], path: str) -> list[Part]:
        out = self._content(message.get("content"), f"{path}.content")
        blocks = len(out)
        if plan := text(message, "tool_plan", path):
            out.append(Text(plan))
        if message.get("citations") is not None:
            self._cite(out, blocks, listed(message["citations"], f"{path}.citations"), path)
        for at, call in enumerate(listed(message.get("tool_calls"), f"{path}.tool_calls")):
            where = f"{path}.tool_calls[{at}]"
            out.append(self._call(mapping(call, where), where))
        return out

    def _content(self, value: Any, path: str) -> list[Part]:
        if value is None or value == "":
            return []
        if isinstance(value, str):
            return [Text(value)]
        out: list[Part] = []
        for at, one in enumerate(listed(value, path)):
            where = f"{path}[{at}]"
            block = mapping(one, where)
            kind = string(block, "type", where)
            if kind == "text":
                out.append(Text(string(block, "text", where)))
            elif kind == "thinking":
                words = string(block, "thinking", where)
                form = ReasoningForm.FULL if words else ReasoningForm.HIDDEN
                sealed = opened(text(block, SIGNATURE, where) or "", self._open)
                out.append(Reasoning(words, form, opaque=sealed))
            else:
                raise wrong(f"{where}.type", "be one of text or thinking")
        return out

    def _cite(self, out: list[Part], blocks: int, rows: list[Any], path: str) -> None:
        """Put the citations of a message on the texts that they are of."""
        found: dict[int, list[Citation]] = {}
        for at, row in enumerate(rows):
            kind, index = citations.place(mapping(row, f"{path}.citations[{at}]"))
            index = blocks if kind == citations.PLAN else index
            if index < len(out) and isinstance(out[index], Text):
                found.setdefault(index, []).append(citations.read(row))
            else:
                where = f"{path}.citations[{at}]"
                self.extensions.append(Extension(where, _encode(row), Rank.HINT))
        for index, cited in found.items():
            out[index] = msgspec.structs.replace(out[index], citations=tuple(cited))

    def _call(self, call: dict[str, Any], path: str) -> ToolCall:
        function = table(call, "function", path)
        where = f"{path}.function"
        given = function.get("arguments")
        if isinstance(given, dict):
            arguments = _encode(given).decode()
        else:
            arguments = text(function, "arguments", where) or "{}"
        return ToolCall(
            text(call, "id", path) or "",
            string(function, "name", where),
            arguments,
            opaque=opened(text(call, SIGNATURE, path) or "", self._open),
        )


def _said(value: Any, path: str) -> list[Part]:
    """What a user says: words and pictures."""
    if isinstance(value, list):
        for at, one in enumerate(value):
            where = f"{path}[{at}]"
            if string(mapping(one, where), "type", where) not in _USER:
                raise wrong(f"{where}.type", "be one of text or image_url")
    return read_content.content(value, path)
