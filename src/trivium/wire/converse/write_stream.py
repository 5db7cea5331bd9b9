"""Canonical events as streams of the Converse shape.

Blocks are strictly sequential and their indexes have no gaps. Only a call and a picture have an
event that opens them; of anything else the first delta does. A block that would be empty is never
begun. The counts come after the end of the message, in an event of their own.
Source: ``bedrock-runtime`` of botocore 1.44, read and run on 2026-11-28.
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
from trivium.wire.converse import citations, finish
from trivium.wire.converse.frame import HEARTBEAT, FrameTemplate
from trivium.wire.converse.write_answer import wanted_fields
from trivium.wire.converse.write_answer_parts import blocks, call_start, ending, redacted, silent
from trivium.wire.errors import stream_tail
from trivium.wire.lenient import decoded
from trivium.wire.operation import Shape

_encode: Final = msgspec.json.Encoder().encode
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode

_START: Final = FrameTemplate("messageStart").framed(b'{"role":"assistant"}')
_BLOCK_START: Final = FrameTemplate("contentBlockStart")
_BLOCK_DELTA: Final = FrameTemplate("contentBlockDelta")
_BLOCK_STOP: Final = FrameTemplate("contentBlockStop")
_STOP: Final = FrameTemplate("messageStop")
_METADATA: Final = FrameTemplate("metadata")

_NOBODY: Final = -1
_TEXT: Final = (b'{"contentBlockIndex":%d,"delta":{"text":', b"}}")
_THOUGHT: Final = (b'{"contentBlockIndex":%d,"delta":{"reasoningContent":{"text":', b"}}}")
_INPUT: Final = (b'{"contentBlockIndex":%d,"delta":{"toolUse":{"input":', b"}}}")


class Writer:
    """Writes one streamed answer."""

    __slots__ = (
        "_after",
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
        self._before = self._after = b""
        """What stands around the text of the live block's deltas."""
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
        out: list[bytes] = []
        self._ends = None
        for event in events:
            if type(event) is Delta and event.index == self._live:
                self._said(event.text, out)
            elif type(event) is Deltas and event.index == self._live:
                for text in event.texts:
                    self._said(text, out)
            elif not self._over:
                self._take(event, events, out)
        return b"".join(out)

    def end(self, fault: Fault | None) -> bytes:
        """The exception that ends the stream, unless all is said."""
        if self._over:
            return b""
        self._over = True
        self._live = _NOBODY
        return stream_tail(fault or errors.cut_short(), self._context.request_id, Shape.CONVERSE)

    def unsaid(self) -> bytes:
        """Return nothing: what a part says is said by its end."""
        return b""

    def heartbeat(self) -> bytes:
        """An event that clients pass over."""
        return HEARTBEAT

    def _said(self, text: str, out: list[bytes]) -> None:
        """One delta of the live block."""
        out.append(_BLOCK_DELTA.framed(self._before + _encode(text) + self._after))

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
            self._usage = event.usage
            self._tier = event.service_tier
            out.append(_START)
        elif type(event) is UsageReport:
            self._usage = event.usage
        elif type(event) is KeepAlive:
            out.append(HEARTBEAT)
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

    def _piece(self, event: Event, out: list[bytes]) -> None:
        if type(event) is PartStart:
            self._begin(event, out)
        elif type(event) is Delta:
            self._delta(event.text, out)
        elif type(event) is Deltas:
            for text in event.texts:
                if self._live == self._index:
                    self._said(text, out)
                else:
                    self._delta(text, out)
        elif type(event) is Cited:
            row = citations.written(event.citation)
            if row is not None and type(self._part) is Text:
                self._flow(_TEXT)
                self._piece_of({"citation": msgspec.Raw(row)}, out)
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
            self._open({"toolUse": call_start(part, self._context, event.index)}, out)
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
            self._flow(_THOUGHT)
        elif type(part) is not ToolCall:
            self._flow(_TEXT)
        elif self._live == _NOBODY:
            self._held.append(text)
            begin = text.lstrip()
            if self._is_odd or not begin.startswith("{"):
                self._is_odd = self._is_odd or bool(begin)
                return  # no object: it can be told only when it is whole
            text = "".join(self._held)
            self._held.clear()
            self._flow(_INPUT)
        self._said(text, out)

    def _close(self, event: PartEnd, out: list[bytes]) -> None:
        part = self._part
        live, self._live = self._live, _NOBODY
        extra: list[dict[str, Any]] = []
        if type(part) is ToolCall:
            if part.kind is CallKind.CUSTOM:
                text = _encode({"input": "".join(self._held)}).decode()
                self._piece_of({"toolUse": {"input": text}}, out)
            elif live == _NOBODY:
                text = argument_object("".join(self._held))[0].decode()
                self._piece_of({"toolUse": {"input": text}}, out)
            self._shut(out)
            late = tuple(one for one in event.opaque if one not in self._opaque)
            extra = redacted(late, self._context)
        elif type(part) is Reasoning:
            opaque = (*self._opaque, *event.opaque)
            if not self._opened:
                extra = redacted(opaque, self._context)
            else:
                sealed = self._context.seal(opaque) if opaque else ""
                if sealed:
                    self._piece_of({"reasoningContent": {"signature": sealed}}, out)
                self._shut(out)
        else:
            self._shut(out)
            extra = silent((*self._opaque, *event.opaque), self._context)
        for block in extra:
            self._block(block, out)

    def _block(self, block: dict[str, Any], out: list[bytes]) -> None:
        """A block that is known whole."""
        ((kind, inner),) = block.items()
        if kind == "text":
            self._opened = True
            self._piece_of({"text": inner}, out)
        elif kind == "image":
            self._open({"image": {"format": inner["format"]}}, out)
            self._piece_of({"image": {"source": inner["source"]}}, out)
        elif kind == "reasoningContent":
            self._opened = True
            self._reasoning(inner, out)
        else:
            self._own(kind, inner, out)
        self._shut(out)

    def _reasoning(self, inner: dict[str, Any], out: list[bytes]) -> None:
        said = inner.get("reasoningText")
        if said is None:
            self._piece_of({"reasoningContent": inner}, out)
            return
        self._piece_of({"reasoningContent": {"text": said["text"]}}, out)
        if "signature" in said:
            self._piece_of({"reasoningContent": {"signature": said["signature"]}}, out)

    def _own(self, kind: str, raw: msgspec.Raw, out: list[bytes]) -> None:
        """What the vendor's own tools were asked, and said: an upstream of this shape told it."""
        found = decoded(_members, raw)
        if found is None or kind not in ("toolUse", "toolResult"):
            return
        if kind == "toolUse":
            delta: Any = {"input": bytes(found.pop("input", b"{}")).decode("utf-8", "replace")}
        else:
            delta = found.pop("content", [])
        self._open({kind: found}, out)
        self._piece_of({kind: delta}, out)

    def _open(self, start: dict[str, Any], out: list[bytes]) -> None:
        self._opened = True
        payload = {"start": start, "contentBlockIndex": self._blocks}
        out.append(_BLOCK_START.framed(_encode(payload)))

    def _shut(self, out: list[bytes]) -> None:
        if self._opened:
            self._opened = False
            out.append(_BLOCK_STOP.framed(b'{"contentBlockIndex":%d}' % self._blocks))
            self._blocks += 1

    def _flow(self, around: tuple[bytes, bytes]) -> None:
        self._opened = True
        self._live = self._index
        self._before = around[0] % self._blocks
        self._after = around[1]

    def _piece_of(self, delta: dict[str, Any], out: list[bytes]) -> None:
        payload = {"contentBlockIndex": self._blocks, "delta": delta}
        out.append(_BLOCK_DELTA.framed(_encode(payload)))

    def _done(self, event: Done, out: list[bytes]) -> None:
        self._over = True
        usage = self._usage or Usage(fresh=self._context.input_estimate)
        stop: dict[str, Any] = {"stopReason": finish.written(self._finish, self._kinds)}
        stop |= wanted_fields(self._finish, self._context.members)
        out.append(_STOP.framed(_encode(stop)))
        told = ending(usage, event.service_tier or self._tier)
        out.append(_METADATA.framed(_encode(told)))
