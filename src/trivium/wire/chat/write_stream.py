"""Canonical events as a chat stream.

What the official accumulators break on is avoided: choices are introduced in order of index, calls
are numbered from 0 per choice, id and name are said once, nothing comes after the usage chunk.
Source: OpenAI's API reference, chat streaming, and openai-python 3.52.0, read 2026-11-21.
"""

from collections import OrderedDict
from typing import Any, Final

import msgspec

from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.custom_tools import Customs
from trivium.conversation.events import (
    Cited,
    Delta,
    Deltas,
    Done,
    Event,
    Failed,
    Finished,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.parts import SECTION, Audio, Image, Reasoning, Refusal, Text
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import errors, logprobs, sse
from trivium.wire.chat import finish, write_usage
from trivium.wire.chat.citations import annotation
from trivium.wire.chat.read_answer_parts import audio_members, details, extra, image_member
from trivium.wire.codec import WriteContext
from trivium.wire.heartbeat import COMMENT
from trivium.wire.operation import Shape
from trivium.wire.sse import unbroken

_encode: Final = msgspec.json.Encoder().encode
_ROLE: Final = b'{"role":"assistant","content":"","refusal":null}'


class _Choice:
    """What has been said of one choice."""

    __slots__ = ("call", "calls", "held", "listed", "reasoned", "size")

    def __init__(self) -> None:
        self.calls = 0
        self.call: int | None = None
        """Part that is the live call; others wait."""
        self.held: OrderedDict[int, list[Event]] = OrderedDict()
        self.size = 0
        """Code points of content so far."""
        self.reasoned = 0
        """Code points of reasoning so far."""
        self.listed: dict[str, int] = {}
        """The last index of each list that grows by the entry."""


class _Part:
    """An open part: how a piece of it is written."""

    __slots__ = ("after", "base", "before", "candidate", "number", "part", "size")

    def __init__(self, part: Any, candidate: int) -> None:
        self.part = part
        self.candidate = candidate
        self.before = b""
        self.after = b""
        self.base = 0
        self.size = 0
        self.number = 0


class Writer:
    """Writes one chat stream to the caller. See ``StreamWriter``."""

    __slots__ = (
        "_choices",
        "_context",
        "_customs",
        "_ended",
        "_head",
        "_legacy",
        "_live",
        "_parts",
        "_tail",
        "_usage",
    )

    def __init__(self, context: WriteContext) -> None:
        self._context = context
        self._customs = Customs(context.request.tools) or None
        self._choices: list[_Choice] = []
        self._parts: dict[int, _Part] = {}
        self._usage: Usage | None = None
        self._live = -1
        """The part that was last written, unless something else was since."""
        self._ended = False
        self._legacy = finish.is_legacy(context.members)
        self._tail = b',"usage":null}\n\n' if context.usage_wanted else b"}\n\n"
        self._head = self._heading(None)

    def _heading(self, tier: str | None) -> bytes:
        context = self._context
        members: dict[str, Any] = {
            "id": f"chatcmpl-{context.id}",
            "object": "chat.completion.chunk",
            "created": context.created,
            "model": context.model,
        }
        if tier is not None:
            members["service_tier"] = tier
        return b"data: " + _encode(members)[:-1] + b',"choices":['

    def feed(self, events: list[Event]) -> bytes:
        """Frames for these events."""
        if self._customs is not None:
            events = self._customs.events(events)
        if len(events) == 1 and type(event := events[0]) is Delta and event.index == self._live:
            # HOT: one more piece of the part that was last written: 44 -> 14 us for a hundred
            # (2026-11-24, bench/hot.py --case tell.chat.chat-text.cut)
            part = self._parts[event.index]
            if not event.logprobs:
                part.size += len(event.text)
                return unbroken(part.before + _encode(event.text) + part.after)
        return unbroken(b"".join(self._written(events)))

    def _written(self, events: list[Event]) -> list[bytes]:
        out: list[bytes] = []
        texts: list[str] = []
        live = -1
        for event in events:
            # HOT: neighbouring deltas of a part are joined with the bytes between two of them:
            # 14.3 -> 7.9 us (2026-11-24, bench/hot.py --case tell.chat.responses-text.run)
            if type(event) is Deltas or (type(event) is Delta and not event.logprobs):
                if event.index != live:
                    if texts:
                        self._flush(live, texts, out)
                        texts = []
                    live = event.index if self._flows(event) else -1
                if live >= 0:
                    texts += [event.text] if isinstance(event, Delta) else event.texts
                continue
            if texts:
                self._flush(live, texts, out)
                texts = []
            live = -1
            self._event(event, out)
        if texts:
            self._flush(live, texts, out)
        self._live = live
        return out

    def end(self, fault: Fault | None) -> bytes:
        """Frames that end the stream if nothing has."""
        if self._ended:
            return b""
        self._ended = True
        tail = errors.stream_tail(fault or errors.cut_short(), self._context.request_id, Shape.CHAT)
        return unbroken(tail)

    def unsaid(self) -> bytes:
        """Return nothing: what a part says is said by its end."""
        return b""

    def heartbeat(self) -> bytes:
        """A comment, which every client skips."""
        return COMMENT

    def _flows(self, event: Delta | Deltas) -> bool:
        """Whether a part's pieces may be written now; else the piece is held."""
        part = self._parts.get(event.index)
        if part is None:
            return False
        held = self._choices[part.candidate].held.get(event.index)
        if held is not None:
            held.append(event)
            return False
        return True

    def _flush(self, index: int, texts: list[str], out: list[bytes]) -> None:
        part = self._parts[index]
        if part.base and not part.size and isinstance(part.part, Reasoning):
            part.base += len(SECTION)
            out.append(part.before + _encode(SECTION) + part.after)
        part.size += sum(map(len, texts))
        out.append(part.before)
        out.append((part.after + part.before).join(map(_encode, texts)))
        out.append(part.after)

    def _event(self, event: Event, out: list[bytes]) -> None:
        if self._ended:
            return
        if type(event) is PartStart:
            self._open(event, out)
        elif type(event) is PartEnd:
            self._close(event, out)
        elif type(event) is Delta:
            if self._flows(event):
                self._probable(event, out)
        elif type(event) is Cited:
            self._cite(event, out)
        else:
            self._frame_event(event, out)

    def _frame_event(self, event: Event, out: list[bytes]) -> None:
        """An event of the whole answer."""
        if type(event) is Start:
            self._head = self._heading(event.service_tier)
            self._usage = event.usage
            self._choice(0, out)
        elif type(event) is UsageReport:
            self._usage = event.usage
        elif type(event) is Finished:
            self._choice(event.candidate, out)
            word = finish.written(event.finish, legacy=self._legacy)
            self._chunk(event.candidate, b"{}", out, word)
        elif type(event) is Done:
            self._done(event, out)
        elif type(event) is Failed:
            out.append(self.end(event.fault))

    def _done(self, event: Done, out: list[bytes]) -> None:
        self._ended = True
        if self._context.usage_wanted and self._usage is not None:
            if event.service_tier is not None:
                self._head = self._heading(event.service_tier)
            out.append(
                self._head + b'],"usage":' + _encode(write_usage.written(self._usage)) + b"}\n\n"
            )
        out.append(sse.frame(sse.DONE))

    def _choice(self, candidate: int, out: list[bytes]) -> _Choice:
        while len(self._choices) <= candidate:
            self._chunk(len(self._choices), _ROLE, out)
            self._choices.append(_Choice())
        return self._choices[candidate]

    def _chunk(
        self,
        candidate: int,
        delta: bytes,
        out: list[bytes],
        word: str | None = None,
        logprobs: bytes = b"null",
    ) -> None:
        ending = b"null" if word is None else _encode(word)
        out.append(
            b'%b{"index":%d,"delta":%b,"logprobs":%b,"finish_reason":%b}]%b'
            % (self._head, candidate, delta, logprobs, ending, self._tail)
        )

    def _frame(self, part: _Part, before: bytes, after: bytes) -> None:
        """Set what stands around a piece of this part."""
        part.before = b'%b{"index":%d,"delta":{%b' % (self._head, part.candidate, before)
        part.after = after + b'},"logprobs":null,"finish_reason":null}]' + self._tail

    def _open(self, event: PartStart, out: list[bytes]) -> None:
        choice = self._choice(event.candidate, out)
        kind = event.part
        part = self._parts[event.index] = _Part(kind, event.candidate)
        if isinstance(kind, Text):
            part.base = choice.size
            self._frame(part, b'"content":', b"")
            if kind.text:
                self._flush(event.index, [kind.text], out)
        elif isinstance(kind, Reasoning):
            self._frame(part, b'"reasoning_content":', b"")
            part.base = choice.reasoned
            if kind.text:
                self._flush(event.index, [kind.text], out)
        elif isinstance(kind, Refusal):
            self._frame(part, b'"refusal":', b"")
        elif isinstance(kind, ToolCall):
            if self._legacy and choice.calls:
                # there is room for one: accumulators would glue the next to it
                del self._parts[event.index]
            elif choice.call is not None:
                choice.held[event.index] = [event]
            else:
                self._open_call(event.index, part, choice, out)
        else:
            self._whole(part, out)

    def _open_call(self, index: int, part: _Part, choice: _Choice, out: list[bytes]) -> None:
        call: ToolCall = part.part
        choice.call = index
        part.number = choice.calls
        choice.calls += 1
        if self._legacy:
            head = _encode({"name": call.name, "arguments": ""})
            self._chunk(part.candidate, b'{"function_call":' + head + b"}", out)
            self._frame(part, b'"function_call":{"arguments":', b"}")
        else:
            custom = call.kind is CallKind.CUSTOM
            slot, words = ("custom", "input") if custom else ("function", "arguments")
            head = _encode(
                {
                    "index": part.number,
                    "id": call.id,
                    "type": slot,
                    slot: {"name": call.name, words: ""},
                }
            )
            self._chunk(part.candidate, b'{"tool_calls":[' + head + b"]}", out)
            before = b'"tool_calls":[{"index":%d,"%b":{"%b":' % (
                part.number,
                slot.encode(),
                words.encode(),
            )
            self._frame(part, before, b"}}]")
        if call.arguments:
            self._flush(index, [call.arguments], out)

    def _whole(self, part: _Part, out: list[bytes]) -> None:
        """A part that comes at once."""
        kind = part.part
        if isinstance(kind, Audio):
            members = audio_members(kind)
            expires = members.pop("expires_at", None)
            self._chunk(part.candidate, _encode({"audio": members}), out)
            if expires is not None:
                self._chunk(part.candidate, _encode({"audio": {"expires_at": expires}}), out)
        elif isinstance(kind, Image):
            member = image_member(kind)
            if member is not None:
                self._chunk(part.candidate, _encode({"images": [member]}), out)

    def _probable(self, event: Delta, out: list[bytes]) -> None:
        part = self._parts[event.index]
        part.size += len(event.text)
        members = {"content": logprobs.written(event.logprobs), "refusal": None}
        delta = _encode({"content": event.text})
        self._chunk(part.candidate, delta, out, logprobs=_encode(members))

    def _cite(self, event: Cited, out: list[bytes]) -> None:
        part = self._parts[event.index]
        found = annotation(event.citation, part.base, part.size)
        if found is not None:
            self._listed(part.candidate, "annotations", found, out)

    def _listed(self, candidate: int, name: str, row: dict[str, Any], out: list[bytes]) -> None:
        """One more entry of a list: the official SDK joins those of several chunks by index."""
        listed = self._choices[candidate].listed
        listed[name] = listed.get(name, -1) + 1
        self._chunk(candidate, _encode({name: [{**row, "index": listed[name]}]}), out)

    def _close(self, event: PartEnd, out: list[bytes]) -> None:
        part = self._parts.get(event.index)
        if part is None:
            return
        choice = self._choices[part.candidate]
        if event.index in choice.held:
            choice.held[event.index].append(event)
            return
        kind = part.part
        if isinstance(kind, Text):
            choice.size = part.base + part.size
        elif isinstance(kind, Reasoning):
            choice.reasoned = part.base + part.size
            place = (part.base, part.size)
            found = details((*kind.opaque, *event.opaque), place, self._context.seal)
            if found is not None:
                self._listed(part.candidate, "reasoning_details", found, out)
        elif isinstance(kind, ToolCall):
            self._close_call(part, (*kind.opaque, *event.opaque), choice, out)
        del self._parts[event.index]

    def _shut_call(
        self, part: _Part, opaque: tuple[Any, ...], choice: _Choice, out: list[bytes]
    ) -> None:
        sealed = extra(opaque, self._context.seal)
        if sealed is not None and not self._legacy:
            head = {"index": part.number, "function": {}, "extra_content": sealed}
            self._chunk(part.candidate, _encode({"tool_calls": [head]}), out)
        choice.call = None

    def _close_call(
        self, part: _Part, opaque: tuple[Any, ...], choice: _Choice, out: list[bytes]
    ) -> None:
        self._shut_call(part, opaque, choice, out)
        # what waited goes out in its order, up to the next call that is still open
        while choice.held and choice.call is None:
            # not the first key of a dict: to find it takes as long as were taken before
            index, waiting = choice.held.popitem(last=False)
            held = self._parts[index]
            self._open_call(index, held, choice, out)
            for event in waiting[1:]:
                if type(event) is Delta:
                    self._flush(index, [event.text], out)
                elif type(event) is Deltas:
                    self._flush(index, event.texts, out)
                elif type(event) is PartEnd:
                    # here, and not by way of ``_close``: thousands may wait one behind the other
                    self._shut_call(held, (*held.part.opaque, *event.opaque), choice, out)
                    del self._parts[index]
