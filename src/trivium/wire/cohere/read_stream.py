"""Streams of Cohere's shape as canonical events.

A text stays open until something else begins: its citations may come after its end. The plan is
text before the calls. A stream ends with ``message-end``, which says ``ERROR`` where it failed;
what comes after it, be it ``[DONE]``, says nothing.
Source: cohere-python 7.3.1, ``V2ChatStreamResponse``, read 2026-11-28.
"""

from typing import Final

import msgspec

from trivium.conversation.events import (
    Cited,
    Delta,
    Done,
    Event,
    Failed,
    Finished,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.items import Part
from trivium.conversation.parts import Reasoning, Text
from trivium.conversation.shape_capabilities import Loss
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import caps, errors
from trivium.wire.answer_structs import Frame
from trivium.wire.codec import AnswerContext
from trivium.wire.cohere import citations, finish
from trivium.wire.cohere.answer_structs import EventDelta, EventKind, SaidMessage, TypedEvent
from trivium.wire.cohere.known_members import EVENTS
from trivium.wire.cohere.read_answer_parts import (
    block,
    broke,
    call,
    cited,
    likely,
    more,
    other,
    words,
)
from trivium.wire.cohere.usage import usage
from trivium.wire.lenient import decoded, error_of
from trivium.wire.sse import DONE, completed, frames, with_line_feeds
from trivium.wire.text_repair import RepairingSplitter, sound

_decode: Final = msgspec.json.Decoder(TypedEvent).decode
_decode_kind: Final = msgspec.json.Decoder(EventKind).decode
_encode: Final = msgspec.json.Encoder().encode
_NO_DELTA: Final = EventDelta()
_NO_MESSAGE: Final = SaidMessage()
_NOTHING: Final = frozenset({b"", b"null", b"[]"})
_BLOCK, _CALL, _PLAN = "content", "call", "plan"


class _Open:
    """A part that is being said."""

    __slots__ = ("index", "kind", "said")

    def __init__(self, index: int, kind: str) -> None:
        self.index = index
        self.kind = kind
        self.said = False


class Reader:
    """Reads one streamed answer."""

    __slots__ = (
        "_blocks",
        "_calls",
        "_cited",
        "_context",
        "_next",
        "_over",
        "_plan",
        "_splitter",
        "_started",
        "stopped",
        "usage",
    )

    def __init__(self, context: AnswerContext) -> None:
        self.usage: Usage | None = None
        self.stopped = False
        self._context = context
        self._splitter = RepairingSplitter()
        self._blocks: dict[int, _Open] = {}
        """Entries of the content that are open, by their number."""
        self._calls: dict[int, _Open] = {}
        self._plan: _Open | None = None
        self._next = 0
        self._cited = 0
        self._started = self._over = False

    def feed(self, data: bytes) -> list[Event]:
        """Events of what became whole."""
        out: list[Event] = []
        if self._over:
            return out
        try:
            for run in self._splitter.cut(data):
                if type(run) is Frame:
                    self._frame(run, out)
                elif type(run) is bytes:
                    self._run(run, out)
        except Fault as fault:
            self._fail(fault, out)
        return out

    def end(self, fault: Fault | None) -> list[Event]:
        """The last event, if only its blank line is missing, and ``Failed`` unless all is said."""
        out: list[Event] = []
        if self._over:
            return out
        try:
            self._run(self._splitter.waiting(), out)
            if fault is None:
                self._run(completed(self._splitter.take()), out)
        except Fault as found:
            self._fail(found, out)
        if not self._over:
            self._fail(fault or errors.cut_short(), out)
        return out

    def _run(self, run: bytes, out: list[Event]) -> None:
        if run:
            for frame in frames(with_line_feeds(run)):
                self._frame(frame, out)

    def _frame(self, frame: Frame, out: list[Event]) -> None:
        if self._over or frame.data.strip() in (b"", DONE):
            return
        event = decoded(_decode, frame.data)
        if event is None:
            event = _mended(frame)
        kind = event.type or frame.event.decode("utf-8", "replace")
        if (known := EVENTS.get(kind)) is not None:
            known.look(frame.data, self._context.unread)
        self._take(kind, event, frame.data, out)

    def _take(self, kind: str, event: TypedEvent, data: bytes, out: list[Event]) -> None:
        if kind == "message-start":
            self._begin(out, words(event.id))
        elif kind == "message-end":
            self._end(event.delta or _NO_DELTA, out)
        elif kind == "error" or (not kind and _is_error(event)):
            raise self._context.refused(data)
        elif kind in EVENTS:
            said = None if event.delta is None else event.delta.message
            at = 0 if event.index is None else event.index
            if kind in _OF_CONTENT:
                self._content(kind, at, said or _NO_MESSAGE, event.logprobs, out)
            else:
                self._besides(kind, at, said or _NO_MESSAGE, out)
        else:
            self._context.unread(kind or "event", Loss.UNKNOWN)

    def _content(
        self, kind: str, at: int, said: SaidMessage, told: msgspec.Raw, out: list[Event]
    ) -> None:
        if kind == "content-delta":
            self._grow(at, said.content, told, out)
        elif kind == "content-start":
            self._close_text(out)
            self._close_plan(out)
            self._open_block(at, said.content, out)
        else:
            self._close_block(at, out)

    def _besides(self, kind: str, at: int, said: SaidMessage, out: list[Event]) -> None:
        """What is said beside the content; of other events nothing is read."""
        if kind == "tool-call-delta":
            self._argue(at, more(said.tool_calls), out)
        elif kind == "tool-call-start":
            self._open_call(at, said.tool_calls, out)
        elif kind == "tool-call-end":
            self._close_call(at, out)
        elif kind == "tool-plan-delta":
            self._planned(words(said.tool_plan), out)
        elif kind == "citation-start":
            self._cite(said.citations, out)

    def _begin(self, out: list[Event], id_: str = "") -> None:
        if not self._started:
            self._started = True
            out.append(Start(id_))

    def _told(self, part: Part, out: list[Event]) -> int:
        self._begin(out)
        index = self._next
        if index == caps.PARTS_MAX:
            raise caps.too_many("parts", caps.PARTS_MAX)
        self._next += 1
        out.append(PartStart(index, part))
        return index

    def _open_block(self, at: int, raw: msgspec.Raw, out: list[Event]) -> _Open:
        if at in self._blocks:
            self._shut(self._blocks.pop(at), out)
        found = block(raw if bytes(raw) else b"{}")
        kind = found.type or ("thinking" if found.thinking else "text")
        if kind == "text":
            opened = _Open(self._told(Text(""), out), kind)
        elif kind == "thinking":
            opened = _Open(self._told(Reasoning(""), out), kind)
        else:
            part = other(found, bytes(raw), self._context)
            if type(part) is not Text:
                out.append(PartEnd(self._told(part, out)))
                opened = self._blocks[at] = _Open(-1, "")
                return opened
            opened = _Open(self._told(Text(""), out), "text")
        self._blocks[at] = opened
        if text := words(found.text) or words(found.thinking):
            out.append(Delta(opened.index, text))
        return opened

    def _grow(self, at: int, raw: msgspec.Raw, told: msgspec.Raw, out: list[Event]) -> None:
        found = block(raw if bytes(raw) else b"{}")
        opened = self._blocks.get(at)
        if opened is None:  # some relays leave the start out
            self._close_text(out)
            self._close_plan(out)
            kind = b"thinking" if found.thinking else b"text"
            opened = self._open_block(at, msgspec.Raw(b'{"type":"%s"}' % kind), out)
        text = words(found.text) or words(found.thinking)
        if opened.index < 0:
            self._context.unread("content", Loss.UNKNOWN)
        elif text:
            chance = likely(told) if opened.kind == "text" else None
            out.append(Delta(opened.index, text, () if chance is None else (chance,)))

    def _close_block(self, at: int, out: list[Event]) -> None:
        """The end of an entry; of a text only what begins next is its end."""
        opened = self._blocks.get(at)
        if opened is not None and opened.kind != "text":
            self._shut(self._blocks.pop(at), out)

    def _close_text(self, out: list[Event]) -> None:
        for at in list(self._blocks):
            self._shut(self._blocks.pop(at), out)

    def _shut(self, opened: _Open, out: list[Event]) -> None:
        if opened.index >= 0:
            if opened.kind == _CALL and not opened.said:
                out.append(Delta(opened.index, "{}"))
            out.append(PartEnd(opened.index))

    def _planned(self, text: str, out: list[Event]) -> None:
        if not text:
            return
        if self._plan is None:
            self._close_text(out)
            self._plan = _Open(self._told(Text(""), out), _PLAN)
        out.append(Delta(self._plan.index, text))

    def _open_call(self, at: int, raw: msgspec.Raw, out: list[Event]) -> None:
        self._close_text(out)
        self._close_plan(out)
        if at in self._calls:
            self._close_call(at, out)
        found, arguments = call(raw)
        opened = self._calls[at] = _Open(self._told(found, out), _CALL)
        if arguments:
            opened.said = True
            out.append(Delta(opened.index, arguments))

    def _argue(self, at: int, text: str, out: list[Event]) -> None:
        opened = self._calls.get(at)
        if opened is None:
            raise broke("a call has no name")
        if text:
            opened.said = True
            out.append(Delta(opened.index, text))

    def _close_call(self, at: int, out: list[Event]) -> None:
        opened = self._calls.pop(at, None)
        if opened is not None:
            self._shut(opened, out)

    def _close_plan(self, out: list[Event]) -> None:
        if self._plan is not None:
            self._shut(self._plan, out)
            self._plan = None

    def _cite(self, raw: msgspec.Raw, out: list[Event]) -> None:
        for kind, at, one in cited(raw):
            self._cited += 1
            if self._cited > caps.CITATIONS_MAX:
                raise caps.too_many("citations", caps.CITATIONS_MAX)
            opened = self._plan if kind == citations.PLAN else self._blocks.get(at)
            if opened is None and kind == citations.TEXT and len(self._blocks) == 1:
                # those of one content need not say which
                opened = next(iter(self._blocks.values()))
            if opened is None or opened.kind not in ("text", _PLAN):
                self._context.unread("citations", Loss.UNKNOWN)
            else:
                out.append(Cited(opened.index, one))

    def _end(self, delta: EventDelta, out: list[Event]) -> None:
        if delta.finish_reason == finish.FAILED or words(delta.error):
            self.usage = usage(delta.usage) or self.usage
            told = {"message": words(delta.error) or "The model failed to answer."}
            raise self._context.refused(_encode(told))
        self._begin(out)
        self._close_text(out)
        self._close_plan(out)
        for at in list(self._calls):
            self._close_call(at, out)
        self.stopped = True
        self.usage = usage(delta.usage)
        out.append(Finished(finish.read(delta.finish_reason)))
        if self.usage is not None:
            out.append(UsageReport(self.usage))
        out.append(Done())
        self._over = True

    def _fail(self, fault: Fault, out: list[Event]) -> None:
        if not self._over:
            self._over = True
            out.append(Failed(fault))


_OF_CONTENT: Final = frozenset({"content-start", "content-delta", "content-end"})


def _mended(frame: Frame) -> TypedEvent:
    """An event that makes no sense as it is; of one that is not read only its kind.

    Raises ``Fault`` where it must be read.
    """
    mended = sound(frame.data)
    if mended != frame.data and (found := decoded(_decode, mended)) is not None:
        return found
    named = decoded(_decode_kind, frame.data)
    kind = words(named.type) if named is not None else ""
    kind = kind or frame.event.decode("utf-8", "replace")
    if named is None or not kind or kind in EVENTS:
        raise broke("an event is none of a stream of chats")
    return TypedEvent(type=kind)


def _is_error(event: TypedEvent) -> bool:
    """Whether an event without a kind is an error: an object of it, or a text in its place."""
    return error_of(event.error) is not None or bytes(event.message).startswith(b'"')
