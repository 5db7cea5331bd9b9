"""Turns as chat messages.

What the target reads of a turn depends on that turn and those before it alone, so that a history
which grows keeps the bytes it had. Source: OpenAI's API reference, chat completions, messages,
read 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.attachments import belonging
from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.fit import FILLER
from trivium.conversation.items import INSTRUCTING, Part, Role, Turn
from trivium.conversation.losses import Mend, Report
from trivium.conversation.member_table import DEMOTED, Concept
from trivium.conversation.opaque import EXTRA_CONTENT, REASONING_DETAILS
from trivium.conversation.parts import (
    SECTION,
    Audio,
    Document,
    Image,
    Reasoning,
    Refusal,
    Text,
    VendorPart,
    Video,
)
from trivium.conversation.request import Conversation
from trivium.conversation.target import Input, ReasoningBack, TargetFacts
from trivium.conversation.turns import leading
from trivium.wire.chat.write_content import ContentWriter, only, plain

_ERROR: Final = "Error: "
_list: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
_encode: Final = msgspec.json.Encoder().encode

_ASSISTANT: Final = Role.ASSISTANT
_USER: Final = Role.USER

Message = dict[str, Any]
_UNSAID: Final[Message] = {"role": "assistant", "content": ""}


class MessageWriter(ContentWriter):
    """Writes the history of one request."""

    __slots__ = ("_system",)

    def __init__(self, conversation: Conversation, facts: TargetFacts, report: Report) -> None:
        super().__init__(conversation, facts, report)
        self._system = "developer" if facts.developer_role else "system"

    def messages(self, conversation: Conversation) -> list[Message]:
        """The whole history, leading instructions first."""
        turns = conversation.turns
        out: list[Message] = []
        start = self._lead(conversation, out)
        for at, turn in enumerate(turns[start:] if start else turns, start + 1):
            role = turn.role
            # HOT: nine of ten turns are one text: 14.8 -> 4.2 us for 21
            # (2026-11-24, bench/hot.py --case write.chat.chat-words)
            if role is _USER and (text := only(turn.parts)) is not None:
                out.append(self._named({"role": "user", "content": text}, turn))
            elif role is _ASSISTANT and (text := only(turn.parts)):
                out.append(self._named({"role": "assistant", "content": text}, turn))
            elif role is _ASSISTANT:
                message = self._assistant(turn)
                # of an answer to go on with that has not begun nothing is said
                if at < len(turns) or message != _UNSAID:
                    out.append(self._filled(message, turn, at - 1))
            elif role in INSTRUCTING:
                out.append(self._system_turn(turn))
            else:
                out.extend(self._user(turn))
        return out

    def _lead(self, conversation: Conversation, out: list[Message]) -> int:
        """Write the top-level instructions; how many turns were said with them."""
        if self.facts.mid_system:
            if conversation.instructions:
                out.append(self._instruct(conversation.instructions))
            return 0
        # servers with strict templates take one system message, at the start
        turns = conversation.turns
        start = leading(turns)
        lead = [*conversation.instructions]
        for turn in turns[:start]:
            lead.extend(part for part in turn.parts if isinstance(part, Text))
        if lead:
            out.append(self._instruct(lead))
        return start

    def _filled(self, message: Message, turn: Turn, at: int) -> Message:
        """A message of which nothing is left says so: servers refuse one that says nothing."""
        if message == _UNSAID and any(not isinstance(part, Text) for part in turn.parts):
            self.report.repair(Mend.EMPTY_TURN, f"turns[{at}]")
            return message | {"content": FILLER}
        return message

    def _instruct(self, parts: Any) -> Message:
        return {"role": self._system, "content": self.content(parts)}

    def _system_turn(self, turn: Turn) -> Message:
        if self.facts.mid_system:
            return self._named(self._instruct(turn.parts), turn)
        self.rewords(Concept.HISTORY, DEMOTED)
        words = "\n".join(part.text for part in turn.parts if isinstance(part, Text))
        return {"role": "user", "content": f"<system>\n{words}\n</system>"}

    def _named(self, message: Message, turn: Turn) -> Message:
        if turn.name is not None and self.takes(Concept.PARTICIPANT):
            message["name"] = turn.name
        return message

    def _user(self, turn: Turn) -> list[Message]:
        out: list[Message] = []
        media: list[dict[str, Any]] = []
        rest: list[Part] = []
        for part in turn.parts:
            if isinstance(part, ToolResult):
                out.append(self._result(part, media))
            else:
                rest.append(part)
        said = [*media, *self.parts(rest)]
        if said or not out:
            out.append(self._named({"role": "user", "content": plain(said)}, turn))
        return out

    def _result(self, result: ToolResult, media: list[dict[str, Any]]) -> Message:
        """A tool's message; what is no text follows in the next user message."""
        parts: list[Part] = []
        inside = Input.RESULT_MEDIA in self.facts.inputs
        moved = 0
        for part in result.parts:
            if isinstance(part, Image | Audio | Video | Document) and not inside:
                written = self.parts([part])
                if written and all(one["type"] == "text" for one in written):
                    parts.extend(Text(one["text"]) for one in written)
                    continue
                moved += 1
                kind = type(part).__name__.lower()
                label = f"[{kind} {moved} of call {result.call_id}]"
                parts.append(Text(label[:-1] + " follows]"))
                media.extend([{"type": "text", "text": label}, *written])
            else:
                parts.append(part)
        if moved:
            reason = "media of a tool's result follow in a user message"
            self.rewords(Concept.HISTORY, reason)
        written = self.parts(parts)
        if result.cache is not None:
            self.mark(written, result.cache)
        if result.error:
            self.changes(Concept.RESULT_ERROR, "said in the text instead")
            first = written[0] if written else None
            if first is None or first["type"] != "text":
                written.insert(0, {"type": "text", "text": _ERROR.rstrip()})
            elif not first["text"].startswith(_ERROR.rstrip()):
                first["text"] = _ERROR + first["text"]
        return {"role": "tool", "tool_call_id": result.call_id, "content": plain(written)}

    def _assistant(self, turn: Turn) -> Message:
        message: Message = {"role": "assistant", "content": None}
        said: list[Part] = []
        thoughts: list[Reasoning] = []
        for part in turn.parts:
            if isinstance(part, Text | VendorPart):
                said.append(part)
            elif isinstance(part, Reasoning):
                thoughts.append(part)
            else:
                self._besides(part, message)
        written = [one for one in self.parts(said) if one["text"]]
        if written:
            message["content"] = plain(written)
        elif message.keys() == {"role", "content"}:
            message["content"] = ""
        self._thoughts(message, thoughts)
        return self._named(message, turn)

    def _besides(self, part: Part, message: Message) -> None:
        """A part that stands beside the content."""
        if isinstance(part, ToolCall):
            message.setdefault("tool_calls", []).append(self._call(part))
        elif isinstance(part, Refusal):
            message["refusal"] = message.get("refusal", "") + part.text
        elif isinstance(part, Audio) and part.id is not None and part.source is None:
            message["audio"] = {"id": part.id}
        else:
            concept = Concept.AUDIO_INPUT if isinstance(part, Audio) else Concept.IMAGE
            self.lacks(concept, "an assistant's own media have no place in it")

    def _thoughts(self, message: Message, thoughts: list[Reasoning]) -> None:
        words = SECTION.join(part.text for part in thoughts if part.text)
        if self.facts.reasoning_back is ReasoningBack.TEXT:
            # servers that demand it in tool loops take the empty string too
            if words or "tool_calls" in message:
                message["reasoning_content"] = words
        elif any(part.text and not part.opaque for part in thoughts):
            self.lacks(Concept.REASONING_STATE, "not read again by this model")
        details: list[msgspec.Raw] = []
        for part in thoughts:
            for one in belonging(part.opaque, self.facts.origin):
                if one.kind == REASONING_DETAILS:
                    details.extend(_list(one.data))
        if details:
            message["reasoning_details"] = details

    def _call(self, call: ToolCall) -> dict[str, Any]:
        name = self.target_name(call.name, call.namespace)
        if call.cache is not None:
            self.lacks(Concept.CACHE_MARK, "calls of the chat shape take no mark")
        self.own(call.native, "", Concept.HISTORY)
        out: dict[str, Any] = {"id": call.id, "type": "function"}
        if call.kind is CallKind.CUSTOM and self.facts.custom_tools:
            out["type"] = "custom"
            out["custom"] = {"name": name, "input": call.arguments}
        elif call.kind is CallKind.CUSTOM:
            words = _encode({"input": call.arguments}).decode()
            out["function"] = {"name": name, "arguments": words}
        else:
            out["function"] = {"name": name, "arguments": call.arguments or "{}"}
        for one in belonging(call.opaque, self.facts.origin):
            if one.kind == EXTRA_CONTENT:
                out["extra_content"] = msgspec.Raw(one.data)
        return out
