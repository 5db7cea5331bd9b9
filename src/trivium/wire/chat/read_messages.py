"""Messages of a chat request as turns: one of each, in place.

Lenient where real clients are odd: content null beside calls, empty ``tool_calls``, the role
``function``, members of an answer that was appended as it came, Anthropic's tool blocks.
Source: OpenAI's API reference, chat completions, messages, read 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.attachments import opened
from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.items import Part, Role, Turn
from trivium.conversation.losses import Rank
from trivium.conversation.opaque import EXTRA_CONTENT, REASONING_DETAILS, Opaque, Open
from trivium.conversation.parts import SECTION, Audio, Reasoning, ReasoningForm, Refusal, Text
from trivium.conversation.request import Extension
from trivium.wire.chat.citations import citations
from trivium.wire.chat.read_content import MARKS, content, mark, part, texts
from trivium.wire.chat.read_values import listed, mapping, string, table, text
from trivium.wire.checks import missing, wrong

_encode: Final = msgspec.json.Encoder().encode

_ROLES: Final = {"system": Role.SYSTEM, "developer": Role.DEVELOPER, "user": Role.USER}
_SPEAKING: Final = {**_ROLES, "assistant": Role.ASSISTANT}
_COMMON: Final = frozenset({"role", "content", "name"})
_ASSISTANT: Final = _COMMON.union(
    {
        "refusal",
        "tool_calls",
        "function_call",
        "audio",
        "annotations",
        "reasoning",
        "reasoning_content",
        "reasoning_details",
    }
)
_RESULT: Final = _COMMON | {"tool_call_id"}
_ECHOED: Final = frozenset({"id", "type", "status", "parsed", "logprobs", "finish_reason"})
"""Members that clients leave on messages they got or stored: nobody misses them."""


class MessageReader:
    """Reads the messages of one request."""

    __slots__ = ("_kinds", "_open", "extensions")

    def __init__(self, open_: Open) -> None:
        self._open = open_
        self._kinds: dict[str, CallKind] = {}
        self.extensions: list[Extension] = []

    def turns(self, messages: Any) -> tuple[Turn, ...]:
        """All of them. Raises ``Fault`` naming the member."""
        found = listed(messages, "messages")
        if not found:
            raise wrong("messages", "have at least one message")
        out: list[Turn] = []
        for at, message in enumerate(found):
            turn = _plain(message)
            if turn is None:
                path = f"messages[{at}]"
                turn = self._marked(mapping(message, path), path)
            out.append(turn)
        return tuple(out)

    def _marked(self, message: dict[str, Any], path: str) -> Turn:
        """A message's turn, its last part with the cache mark that stands beside the content."""
        turn = self._turn(message, path)
        found = mark(message)
        if found is None:
            return turn
        for at in range(len(turn.parts) - 1, -1, -1):
            part_ = turn.parts[at]
            if type(part_) is Reasoning:
                continue
            if part_.cache is None:
                part_ = msgspec.structs.replace(part_, cache=found)
            return msgspec.structs.replace(
                turn, parts=(*turn.parts[:at], part_, *turn.parts[at + 1 :])
            )
        name = next(name for name in MARKS if isinstance(message.get(name), dict))
        self.extensions.append(Extension(f"{path}.{name}", _encode(message[name]), Rank.HINT))
        return turn

    def _turn(self, message: dict[str, Any], path: str) -> Turn:
        role = string(message, "role", path)
        if role == "assistant":
            return self._assistant(message, path)
        if role in ("tool", "function"):
            return self._result(message, role, path)
        known = _ROLES.get(role)
        if known is None:
            raise wrong(
                f"{path}.role", "be one of developer, system, user, assistant, tool or function"
            )
        if message.get("content") is None:
            raise missing(f"{path}.content")
        self._unknown(message, _COMMON, path)
        where = f"{path}.content"
        parts: list[Part]
        if known is Role.USER:
            parts = self._blocks(message["content"], where)
        else:
            parts = [*texts(message["content"], where)]
        return Turn(known, tuple(parts), text(message, "name", path))

    def _unknown(self, message: dict[str, Any], known: frozenset[str], path: str) -> None:
        for name, value in message.items():
            if name in MARKS and isinstance(value, dict):
                continue  # as relays that speak to Anthropic's models are sent it
            if name not in known and value is not None:
                rank = Rank.BOOKKEEPING if name in _ECHOED else Rank.HINT
                member = f"{path}.{name}"
                self.extensions.append(Extension(member, _encode(value), rank))

    def _blocks(self, value: Any, path: str) -> list[Part]:
        """Content in which Anthropic's tool and thinking blocks may stand too."""
        if not isinstance(value, list):
            return content(value, path)
        out: list[Part] = []
        for at, one in enumerate(value):
            where = f"{path}[{at}]"
            block = mapping(one, where)
            kind = block.get("type")
            if kind == "tool_use":
                call = ToolCall(
                    string(block, "id", where),
                    string(block, "name", where),
                    _encode(block.get("input") or {}).decode(),
                    cache=mark(block),
                )
                self._kinds[call.id] = call.kind
                out.append(call)
            elif kind == "tool_result":
                inner = block.get("content")
                out.append(
                    ToolResult(
                        string(block, "tool_use_id", where),
                        _of_result(inner, f"{where}.content"),
                        error=block.get("is_error") is True,
                        cache=mark(block),
                    )
                )
            elif kind == "thinking":
                words = text(block, "thinking", where) or ""
                sealed = opened(text(block, "signature", where) or "", self._open)
                out.append(
                    Reasoning(
                        words, ReasoningForm.FULL if words else ReasoningForm.HIDDEN, opaque=sealed
                    )
                )
            elif kind == "redacted_thinking":
                sealed = opened(text(block, "data", where) or "", self._open)
                out.append(Reasoning("", ReasoningForm.HIDDEN, opaque=sealed))
            else:
                out.append(part(block, where))
        return out

    def _result(self, message: dict[str, Any], role: str, path: str) -> Turn:
        self._unknown(message, _RESULT, path)
        if role == "function":
            call_id, name = "", string(message, "name", path)
        else:
            call_id = string(message, "tool_call_id", path)
            name = text(message, "name", path) or ""
        result = ToolResult(
            call_id,
            _of_result(message.get("content"), f"{path}.content"),
            name,
            kind=self._kinds.get(call_id, CallKind.FUNCTION),
        )
        return Turn(Role.USER, (result,))

    def _assistant(self, message: dict[str, Any], path: str) -> Turn:
        self._unknown(message, _ASSISTANT, path)
        out: list[Part] = self._reasoning(message, path)
        said = message.get("content")
        parts = [] if said is None or said == "" else self._blocks(said, f"{path}.content")
        if message.get("annotations") and parts and type(parts[0]) is Text:
            cited = citations(listed(message["annotations"], f"{path}.annotations"), 0)
            parts[0] = msgspec.structs.replace(parts[0], citations=tuple(cited))
        out.extend(parts)
        refusal = text(message, "refusal", path)
        if refusal:
            out.append(Refusal(refusal))
        audio = message.get("audio")
        if audio is not None:
            members = mapping(audio, f"{path}.audio")
            spoken = text(members, "transcript", f"{path}.audio") or ""
            out.append(Audio(None, spoken, string(members, "id", f"{path}.audio")))
        # the content of some agents says in Anthropic's words what ``tool_calls`` says again
        said_once = {one.id for one in parts if type(one) is ToolCall and one.id}
        for at, call in enumerate(listed(message.get("tool_calls"), f"{path}.tool_calls")):
            where = f"{path}.tool_calls[{at}]"
            found = self._call(mapping(call, where), where)
            if found.id not in said_once:
                out.append(found)
        if message.get("function_call") is not None:
            function = table(message, "function_call", path)
            where = f"{path}.function_call"
            out.append(ToolCall("", string(function, "name", where), _arguments(function, where)))
        return Turn(Role.ASSISTANT, tuple(out), text(message, "name", path))

    def _call(self, call: dict[str, Any], path: str) -> ToolCall:
        id_ = text(call, "id", path) or ""
        opaque = self._extra(call.get("extra_content"))
        custom = call.get("custom")
        if call.get("type") == "custom" or (custom is not None and call.get("function") is None):
            inner = table(call, "custom", path)
            self._kinds[id_] = CallKind.CUSTOM
            return ToolCall(
                id_,
                string(inner, "name", f"{path}.custom"),
                text(inner, "input", f"{path}.custom") or "",
                CallKind.CUSTOM,
                opaque=opaque,
                cache=mark(call),
            )
        function = table(call, "function", path)
        name = string(function, "name", f"{path}.function")
        self._kinds[id_] = CallKind.FUNCTION
        arguments = _arguments(function, f"{path}.function")
        return ToolCall(id_, name, arguments, opaque=opaque, cache=mark(call))

    def _extra(self, extra: Any) -> tuple[Opaque, ...]:
        if not isinstance(extra, dict):
            return ()
        google = extra.get("google")
        signature = google.get("thought_signature") if isinstance(google, dict) else None
        found = self._open(signature) if isinstance(signature, str) else None
        return (Opaque(EXTRA_CONTENT, _encode(extra)),) if found is None else found

    def _reasoning(self, message: dict[str, Any], path: str) -> list[Part]:
        words = text(message, "reasoning_content", path)
        if not words:
            words = text(message, "reasoning", path) or ""
        details = listed(message.get("reasoning_details"), f"{path}.reasoning_details")
        sealed: list[tuple[int, int, tuple[Opaque, ...]]] = []
        foreign: list[Any] = []
        for entry in details:
            found = None
            if isinstance(entry, dict) and isinstance(data := entry.get("data"), str):
                found = self._open(data)
            if found is None:
                foreign.append(entry)
            else:
                sealed.append((*_place(entry, len(words)), found))
        if foreign:
            sealed.append((0, len(words), (Opaque(REASONING_DETAILS, _encode(foreign)),)))
        return _cut(words, sealed)


def _plain(message: Any) -> Turn | None:
    """A message of nothing but words, as most are; ``None`` for any other."""
    if type(message) is dict and len(message) == 2:
        words, role = message.get("content"), message.get("role")
        if type(words) is str and words and type(role) is str:
            speaker = _SPEAKING.get(role)
            return None if speaker is None else Turn(speaker, (Text(words),))
    return None


def _place(entry: dict[str, Any], size: int) -> tuple[int, int]:
    start, length = entry.get("start"), entry.get("length")
    if type(start) is int and type(length) is int and 0 <= start <= start + length <= size:
        return start, length
    return 0, size


def _cut(words: str, sealed: list[tuple[int, int, tuple[Opaque, ...]]]) -> list[Part]:
    """Reasoning parts as they were: each attachment on the stretch it came with."""
    out: list[Part] = []
    at = 0
    for start, length, opaque in sealed:
        between = words[at : max(at, start)].removeprefix(SECTION).removesuffix(SECTION)
        if between:
            out.append(Reasoning(between))
        own = words[max(at, start) : start + length]
        out.append(
            Reasoning(own, ReasoningForm.FULL if own else ReasoningForm.HIDDEN, opaque=opaque)
        )
        at = max(at, start + length)
    rest = words[at:].removeprefix(SECTION) if sealed else words
    if rest:
        out.append(Reasoning(rest))
    return out


def _arguments(function: dict[str, Any], path: str) -> str:
    arguments = function.get("arguments")
    if isinstance(arguments, dict):
        return _encode(arguments).decode()
    return text(function, "arguments", path) or "{}"


def _of_result(value: Any, path: str) -> tuple[Any, ...]:
    """Parts of a tool's answer; blocks nobody knows keep their JSON as words."""
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return (Text(value),)
    out: list[Any] = []
    for at, one in enumerate(listed(value, path)):
        block = mapping(one, f"{path}[{at}]")
        if block.get("type") == "tool_reference":
            out.append(Text(_encode(block).decode()))
            continue
        found = part(block, f"{path}[{at}]")
        if isinstance(found, Refusal):
            raise wrong(f"{path}[{at}].type", "be text")
        out.append(found)
    return tuple(out)
