"""Canonical events as streams of the messages shape.

Blocks are strictly sequential and their indexes have no gaps, or clients crash. A block that would
be empty is never opened. Source: messages streaming reference and runs of the Python and TypeScript
SDKs on 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.arguments import argument_object
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.events import (
    Cited,
    Delta,
    Deltas,
    Done,
    Event,
    Failed,
    Finished,
    KeepAlive,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Part
from trivium.conversation.opaque import Opaque
from trivium.conversation.parts import Reasoning, Refusal, Text
from trivium.conversation.sequential_parts import SequentialParts
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import errors
from trivium.wire.codec import WriteContext
from trivium.wire.errors import stream_tail
from trivium.wire.heartbeat import PING
from trivium.wire.messages import citations, finish
from trivium.wire.messages.write_answer_parts import blocks, call_start, counters, redacted, silent
from trivium.wire.operation import Shape
from trivium.wire.sse import unbroken

_encode: Final = msgspec.json.Encoder().encode

_STOP: Final = b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
_AFTER: Final = b"}}\n\n"
_BEFORE: Final = (
    b"event: content_block_delta\n"
    b'data: {"type":"content_block_delta","index":%d,"delta":{"type":"%s","%s":'
)
_NOBODY: Final = -1


class Writer:
    """Writes one streamed message."""

    __slots__ = (
        "_before",
        "_blocks",
        "_context",
        "_ends",
        "_finish",
        "_held",
        "_index",
        "_is_odd",
        "_kinds",
        "_late",
        "_live",
        "_opaque",
        "_opened",
        "_over",
        "_part",
        "_passed",
        "_serial",
        "_tier",
        "_usage",
    )

    def __init__(self, context: WriteContext) -> None:
        self._context = context
        self._serial = SequentialParts()
        self._live = _NOBODY
        """Index of the part whose deltas go straight through."""
        self._before = b""
        """What stands before the text of the live block's deltas."""
        self._index = _NOBODY
        """Index of the part whose turn it is."""
        self._part: Part | None = None
        self._opaque: tuple[Opaque, ...] = ()
        self._held: list[str] = []
        self._is_odd = False
        """Whether the arguments of the call begin as no object does: they are told when whole."""
        self._ends: dict[int, tuple[Opaque, ...]] | None = None
        """Attachments of the parts that end in this read; ``None``: nobody has asked."""
        self._opened = False
        self._late: dict[int, tuple[Opaque, ...]] = {}
        self._passed: set[int] = set()
        self._kinds: list[type[Part]] = []
        self._blocks = 0
        self._finish = Finish(Unified.OTHER)
        self._usage: Usage | None = None
        self._tier: str | None = None
        self._over = False

    def feed(self, events: list[Event]) -> bytes:
        """Frames for these events."""
        # HOT: deltas of the live block are put between two runs of bytes made when it was opened,
        # many by one join: 12.1 -> 8.6 us
        # (2026-11-24, bench/hot.py --case tell.messages.responses-text.run)
        out: list[bytes] = []
        live, before = self._live, self._before
        self._ends = None
        for event in events:
            if type(event) is Delta and event.index == live:
                out += (before, _encode(event.text), _AFTER)
            elif type(event) is Deltas and event.index == live:
                out += self._joined(event.texts)
            elif not self._over:
                self._take(event, events, out)
                live, before = self._live, self._before
        return unbroken(b"".join(out))

    def end(self, fault: Fault | None) -> bytes:
        """The error that ends the stream, unless all is said."""
        if self._over:
            return b""
        self._over = True
        self._live = _NOBODY
        tail = stream_tail(fault or errors.cut_short(), self._context.request_id, Shape.MESSAGES)
        return unbroken(tail)

    def unsaid(self) -> bytes:
        """Return nothing: what a part says is said by its end."""
        return b""

    def heartbeat(self) -> bytes:
        """A ping: clients know it, and pass it over."""
        return PING

    def _take(self, event: Event, events: list[Event], out: list[bytes]) -> None:
        if (
            type(event) is PartStart
            or type(event) is PartEnd
            or type(event) is Delta
            or type(event) is Deltas
            or type(event) is Cited
        ):
            if self._ours(event, events):
                for one in self._serial.feed([event]):
                    self._piece(one, out)
        elif type(event) is Start:
            self._start(event, out)
        elif type(event) is UsageReport:
            self._usage = event.usage
        elif type(event) is KeepAlive:
            out.append(PING)
        elif type(event) is Finished:
            self._finish = self._finish if event.candidate else event.finish
        elif type(event) is Done:
            self._done(event, out)
        elif type(event) is Failed:
            out.append(self.end(event.fault))

    def _ours(
        self, event: PartStart | Delta | Deltas | Cited | PartEnd, events: list[Event]
    ) -> bool:
        """Whether it is of the one candidate that this shape has; notes what comes after it."""
        if type(event) is PartStart:
            if event.candidate:
                self._passed.add(event.index)
            elif type(event.part) is ToolCall:
                # attachments of a call go before it, and mostly come in the same read
                if self._ends is None:
                    self._ends = {one.index: one.opaque for one in events if type(one) is PartEnd}
                if event.index in self._ends:
                    self._late[event.index] = self._ends[event.index]
        elif type(event) is PartEnd and event.index != self._index:
            self._late[event.index] = event.opaque
        return event.index not in self._passed

    def _start(self, event: Start, out: list[bytes]) -> None:
        self._usage = event.usage
        self._tier = event.service_tier
        known = event.usage or Usage(fresh=self._context.input_estimate)
        message: dict[str, Any] = {
            "id": f"msg_{self._context.id}",
            "type": "message",
            "role": "assistant",
            "model": self._context.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": counters(known, self._tier),
        }
        out.append(_frame("message_start", {"message": message}))

    def _piece(self, event: Event, out: list[bytes]) -> None:
        if type(event) is PartStart:
            self._begin(event, out)
        elif type(event) is Delta:
            self._delta(event.text, out)
        elif type(event) is Deltas:
            for at, text in enumerate(event.texts):
                if self._live == self._index:
                    out += self._joined(event.texts[at:])
                    break
                self._delta(text, out)
        elif type(event) is Cited:
            row = citations.written(event.citation)
            if row is not None and type(self._part) is Text:
                self._text_block(out)
                out.append(self._citation(row))
        elif type(event) is PartEnd:
            self._close(event, out)

    def _begin(self, event: PartStart, out: list[bytes]) -> None:
        part = event.part
        self._kinds.append(type(part))
        self._part = part
        self._index = event.index
        self._opaque = part.opaque
        self._opened = self._is_odd = False
        self._held.clear()
        if type(part) is ToolCall:
            self._opaque = (*part.opaque, *self._late.pop(event.index, ()))
            for block in redacted(self._opaque, self._context):
                self._block(block, out)
            self._open(call_start(part, self._context, event.index), out)
            if part.arguments:
                self._delta(part.arguments, out)
        elif type(part) is Text or type(part) is Refusal or type(part) is Reasoning:
            if part.text:
                self._delta(part.text, out)
        else:
            for block in blocks(part, self._context, event.index):
                self._block(block, out)

    def _delta(self, text: str, out: list[bytes]) -> None:
        """A delta of the current part that does not go straight through yet."""
        part = self._part
        if type(part) is ToolCall and part.kind is CallKind.CUSTOM:
            self._held.append(text)
            return
        if type(part) is Reasoning:
            if not self._opened:
                self._open({"type": "thinking", "thinking": "", "signature": ""}, out)
            self._flow(b"thinking_delta", b"thinking")
        elif type(part) is ToolCall and self._live == _NOBODY:
            self._held.append(text)
            begin = text.lstrip()
            if self._is_odd or not begin.startswith("{"):
                self._is_odd = self._is_odd or bool(begin)
                return  # no object: it can be told only when it is whole
            text = "".join(self._held)
            self._held.clear()
            self._flow(b"input_json_delta", b"partial_json")
        elif type(part) is not ToolCall:
            self._text_block(out)
        out += (self._before, _encode(text), _AFTER)

    def _joined(self, texts: list[str]) -> tuple[bytes, bytes, bytes]:
        """Deltas of the live block."""
        before = self._before
        return before, (_AFTER + before).join(map(_encode, texts)), _AFTER

    def _text_block(self, out: list[bytes]) -> None:
        if not self._opened:
            self._open({"type": "text", "text": ""}, out)
            self._flow(b"text_delta", b"text")

    def _close(self, event: PartEnd, out: list[bytes]) -> None:
        part = self._part
        live, self._live = self._live, _NOBODY
        if type(part) is ToolCall:
            if part.kind is CallKind.CUSTOM:
                text = _encode({"input": "".join(self._held)}).decode()
                self._piece_of("input_json_delta", "partial_json", text, out)
            elif live == _NOBODY:
                text = argument_object("".join(self._held))[0].decode()
                self._piece_of("input_json_delta", "partial_json", text, out)
            self._shut(out)
            late = tuple(one for one in event.opaque if one not in self._opaque)
            extra = redacted(late, self._context)
        elif type(part) is Reasoning:
            opaque = (*self._opaque, *event.opaque)
            if not self._opened:
                extra = redacted(opaque, self._context)
            else:
                sealed = self._context.seal(opaque) if opaque else ""
                self._piece_of("signature_delta", "signature", sealed, out)
                self._shut(out)
                extra = []
        else:
            self._shut(out)
            extra = silent((*self._opaque, *event.opaque), self._context)
        for block in extra:
            self._block(block, out)

    def _block(self, block: dict[str, Any], out: list[bytes]) -> None:
        """A block that is known whole."""
        kind = block["type"]
        if kind == "text":
            self._open({"type": "text", "text": ""}, out)
            self._piece_of("text_delta", "text", block["text"], out)
        elif kind == "thinking":
            self._open({**block, "signature": ""}, out)
            self._piece_of("signature_delta", "signature", block["signature"], out)
        else:
            self._open(block, out)
        self._shut(out)

    def _open(self, block: dict[str, Any], out: list[bytes]) -> None:
        self._opened = True
        out.append(_frame("content_block_start", {"index": self._blocks, "content_block": block}))

    def _shut(self, out: list[bytes]) -> None:
        if self._opened:
            self._opened = False
            out.append(_frame("content_block_stop", {"index": self._blocks}))
            self._blocks += 1

    def _flow(self, kind: bytes, member: bytes) -> None:
        self._live = self._index
        self._before = _BEFORE % (self._blocks, kind, member)

    def _piece_of(self, kind: str, member: str, text: str, out: list[bytes]) -> None:
        delta = {"type": kind, member: text}
        out.append(_frame("content_block_delta", {"index": self._blocks, "delta": delta}))

    def _citation(self, row: bytes) -> bytes:
        delta = {"type": "citations_delta", "citation": msgspec.Raw(row)}
        return _frame("content_block_delta", {"index": self._blocks, "delta": delta})

    def _done(self, event: Done, out: list[bytes]) -> None:
        self._over = True
        usage = self._usage or Usage(fresh=self._context.input_estimate)
        out.append(
            _frame(
                "message_delta",
                {
                    "delta": finish.written(self._finish, self._kinds),
                    "usage": counters(usage, event.service_tier or self._tier),
                },
            )
        )
        out.append(_STOP)


def _frame(kind: str, members: dict[str, Any]) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), _encode({"type": kind, **members}))
