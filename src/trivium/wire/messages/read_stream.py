"""Streams of the messages shape as canonical events.

HOT: one call per upstream read. The data lines of a read are found in one search and decoded in
one call; only what is odd (other line ends, several data lines, nonsense) is taken frame by frame.
Source: messages streaming reference, read on 2026-11-21.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.calls import unwrapped_arguments
from trivium.conversation.events import (
    Cited,
    Delta,
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
from trivium.conversation.items import Part
from trivium.conversation.opaque import REDACTED, SIGNATURE, Opaque
from trivium.conversation.parts import Form, Reasoning, Text
from trivium.conversation.places import Loss
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire.codec import AnswerContext
from trivium.wire.messages import citations, stops
from trivium.wire.messages.event import (
    StreamDelta,
    StreamEvent,
    StreamStart,
    decode,
    decode_all,
    decode_strict,
)
from trivium.wire.messages.failure import broke, cut_short
from trivium.wire.messages.read_answer import tier
from trivium.wire.messages.read_parts import (
    EMPTY,
    attached,
    call,
    decode_block,
    look,
    other,
    words,
)
from trivium.wire.messages.unread import BEGINNING, DELTA, END
from trivium.wire.messages.usage import merged, usage
from trivium.wire.sse import DONE, Frame, Splitter, completed, frames
from trivium.wire.whole import error_of

_decode_any: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode
_DELTA_TYPE: Final = "content_block_delta"
_DELTA: Final = b"event: content_block_delta\ndata: "
_data_lines: Final = re.compile(rb"^data: ?(.*)$", re.MULTILINE).findall


class _Open:
    """A block that is being said."""

    __slots__ = ("block", "index", "kind", "pieces", "said", "signature", "start")

    def __init__(self, kind: str, index: int, start: bytes = b"") -> None:
        self.kind = kind
        self.index = index
        """The part's; -1 while it has not been told: a vendor's block, silent thinking."""
        self.said = False
        self.start = start
        """The input that the block began with."""
        self.signature = ""
        self.block: dict[str, Any] = {}
        self.pieces: list[str] = []


class Reader:
    """Reads one streamed message."""

    __slots__ = (
        "_blocks",
        "_context",
        "_counters",
        "_finish",
        "_next",
        "_over",
        "_splitter",
        "_started",
        "_tier",
        "usage",
    )

    def __init__(self, context: AnswerContext) -> None:
        self.usage: Usage | None = None
        self._context = context
        self._splitter = Splitter()
        self._blocks: dict[int, _Open] = {}
        self._counters: Mapping[str, Any] = {}
        self._finish = stops.read(None)
        self._next = 0
        self._started = False
        self._over = False
        self._tier: str | None = None

    def feed(self, data: bytes) -> list[Event]:
        """Events of what became whole."""
        if self._over:
            return []
        try:
            run = self._splitter.feed(data)
        except Fault as fault:
            return self._failed(fault)
        # HOT: one delta of a part that has been told is nine of ten reads
        if run.startswith(_DELTA) and run.find(b"\n", len(_DELTA)) == len(run) - 2:
            try:
                event = decode_strict(run[len(_DELTA) : -2])
            except (ValueError, RecursionError):
                return self._run(run)
            delta = event.delta
            if delta is not None and (text := delta.text or delta.partial_json or delta.thinking):
                block = self._blocks.get(event.index)
                if block is not None and block.index >= 0 and event.type == _DELTA_TYPE:
                    block.said = True
                    return [Delta(block.index, text)]
        return self._run(run) if run else []

    def end(self, fault: Fault | None) -> list[Event]:
        """The last event, if only its blank line is missing, and ``Failed`` unless all is said."""
        if self._over:
            return []
        out = self._run(completed(self._splitter.take())) if fault is None else []
        return out if self._over else out + self._failed(fault or cut_short())

    def _run(self, run: bytes) -> list[Event]:
        if b"\r" in run:
            run = run.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = _data_lines(run)
        events, is_known = decode_all(b"\n".join(lines))
        if len(events) != len(lines):
            return self._slowly(run)
        out: list[Event] = []
        blocks = self._blocks
        for at, event in enumerate(events):
            # HOT: deltas of a part that has been told, nine of ten events
            if not is_known:
                self._look(event, lines[at])
            delta = event.delta
            if delta is not None and (text := delta.text or delta.partial_json or delta.thinking):
                block = blocks.get(event.index)
                if block is not None and block.index >= 0 and event.type == _DELTA_TYPE:
                    block.said = True
                    out.append(Delta(block.index, text))
                    continue
            if not event.type:
                return out + self._slowly(run, at)
            self._take(event, lines[at], out)
            if self._over:
                break
        return out

    def _slowly(self, run: bytes, skip: int = 0) -> list[Event]:
        """Frame by frame, without the first ones: joins data lines, heeds event names."""
        out: list[Event] = []
        for frame in frames(run)[skip:]:
            try:
                event = _lenient(frame)
            except (ValueError, RecursionError):
                if frame.data.strip() in (b"", DONE):
                    continue
                return out + self._failed(broke())
            if not event.type:
                event.type = frame.event.decode("utf-8", "replace")
            self._look(event, frame.data)
            self._take(event, frame.data, out)
            if self._over:
                break
        return out

    def _look(self, event: StreamEvent, line: bytes) -> None:
        """Tell of members of a delta that nobody knows, but for a vendor's own block."""
        if event.type == _DELTA_TYPE:
            block = self._blocks.get(event.index)
            if block is None or block.kind:
                DELTA.look(line, self._context.unread)

    def _take(self, event: StreamEvent, line: bytes, out: list[Event]) -> None:
        try:
            self._tell(event, line, out)
        except (ValueError, RecursionError):  # in members that were only skimmed so far
            out += self._failed(broke())

    def _tell(self, event: StreamEvent, line: bytes, out: list[Event]) -> None:
        kind = event.type
        if kind == "content_block_delta":
            self._delta(event, line, out)
        elif kind == "content_block_start":
            self._open(event.index, bytes(event.content_block), out)
        elif kind == "content_block_stop":
            self._close(event.index, out)
        elif kind == "ping":
            out.append(KeepAlive())
        elif kind == "error" or (not kind and error_of(event.error) is not None):
            out += self._failed(self._context.refused(bytes(event.error) or line))
        else:
            self._frame(event, line, out)

    def _frame(self, event: StreamEvent, line: bytes, out: list[Event]) -> None:
        """Events of the message as a whole; of kinds that nobody has documented only their name."""
        if event.type == "message_start":
            BEGINNING.look(line, self._context.unread)
            message = event.message or StreamStart()
            self._count(message.usage)
            self._begin(out, words(message.id), words(message.model))
        elif event.type == "message_delta":
            END.look(line, self._context.unread)
            self._begin(out)
            delta = event.delta
            if delta is not None and delta.stop_reason is not None:
                self._finish = stops.read(
                    delta.stop_reason, delta.stop_sequence, delta.stop_details
                )
            if self._count(_any(event.usage)) and self.usage is not None:
                out.append(UsageReport(self.usage))
        elif event.type == "message_stop":
            self._begin(out)
            for index in list(self._blocks):
                self._close(index, out)
            out += (Finished(self._finish), Done(self._tier))
            self._over = True
        elif event.type:
            self._context.unread(event.type, Loss.UNKNOWN)

    def _begin(self, out: list[Event], id_: str = "", model: str = "") -> None:
        if not self._started:
            self._started = True
            out.append(Start(id_, model, self.usage, self._tier))

    def _count(self, reported: Any) -> bool:
        if not isinstance(reported, Mapping):
            return False
        self._counters = merged(self._counters, reported)
        self.usage = usage(self._counters)
        self._tier = tier(self._counters)
        return True

    def _failed(self, fault: Fault) -> list[Event]:
        self._over = True
        return [Failed(fault)]

    def _told(self, part: Part, out: list[Event]) -> int:
        index = self._next
        self._next += 1
        out.append(PartStart(index, part))
        return index

    def _open(self, at: int, raw: bytes, out: list[Event]) -> None:
        self._begin(out)
        if at in self._blocks:
            self._close(at, out)
        try:
            block = decode_block(raw)
        except (ValueError, RecursionError):
            out += self._failed(broke())
            return
        look(block, raw, self._context)
        if block.type == "text":
            opened = _Open("text", self._told(Text(""), out))
            if text := words(block.text):
                out.append(Delta(opened.index, text))
            out += (Cited(opened.index, one) for one in citations.read_all(block.citations))
        elif block.type == "tool_use":
            opened = _Open("tool_use", self._told(call(block), out), bytes(block.input))
        elif block.type == "thinking":
            opened = _Open("thinking", -1)
            opened.signature = words(block.signature)
            if text := words(block.thinking):
                self._think(opened, text, out)
        elif block.type == "redacted_thinking":
            opaque = attached(REDACTED, block.data, self._context)
            opened = _Open("redacted_thinking", self._told(_hidden(opaque), out))
        else:
            opened = _Open("", -1)
            opened.block = _decode_any(raw)
        self._blocks[at] = opened

    def _think(self, block: _Open, text: str, out: list[Event]) -> None:
        if block.index < 0:
            block.index = self._told(Reasoning(""), out)
        out.append(Delta(block.index, text))

    def _delta(self, event: StreamEvent, line: bytes, out: list[Event]) -> None:
        delta = event.delta
        if delta is None:
            return
        block = self._blocks.get(event.index) or self._unannounced(event.index, delta, out)
        if block is None:
            return
        if delta.type == "signature_delta":
            block.signature += delta.signature or ""
        elif delta.type == "citations_delta":
            self._cite(block, delta, out)
        elif block.kind == "thinking" or block.index >= 0:
            if text := delta.thinking or delta.text or delta.partial_json:
                block.said = True
                self._think(block, text, out)
            elif delta.type not in _DELTAS:
                self._context.unread(delta.type or "delta", Loss.UNKNOWN)
        elif delta.type == "input_json_delta":
            block.pieces.append(delta.partial_json or "")
        else:
            _grow(block.block, _members(line))

    def _cite(self, block: _Open, delta: StreamDelta, out: list[Event]) -> None:
        cited = citations.read(delta.citation)
        if cited is not None and block.kind == "text":
            out.append(Cited(block.index, cited))
        else:
            self._context.unread("citations", Loss.UNKNOWN)

    def _unannounced(self, at: int, delta: StreamDelta, out: list[Event]) -> _Open | None:
        """A delta of a block that never began: some relays leave the start out."""
        if delta.text:
            self._open(at, b'{"type":"text"}', out)
        elif delta.thinking:
            self._open(at, b'{"type":"thinking"}', out)
        elif delta.partial_json:
            out += self._failed(broke())
        elif delta.type not in _DELTAS:
            self._context.unread(delta.type or "delta", Loss.UNKNOWN)
        return self._blocks.get(at)

    def _close(self, at: int, out: list[Event]) -> None:
        block = self._blocks.pop(at, None)
        if block is None:
            return
        if block.kind == "thinking":
            opaque = attached(SIGNATURE, block.signature, self._context)
            if block.index < 0:
                if not opaque:
                    return
                block.index = self._told(_hidden(opaque), out)
                opaque = ()
            out.append(PartEnd(block.index, opaque))
            return
        if block.kind == "tool_use" and not block.said:
            text = "{}" if block.start in EMPTY else unwrapped_arguments(block.start)
            out.append(Delta(block.index, text))
        elif not block.kind:
            part = other(_whole(block), self._context)
            if isinstance(part, Text):
                block.index = self._told(Text(""), out)
                out.append(Delta(block.index, part.text))
            else:
                block.index = self._told(part, out)
        out.append(PartEnd(block.index))


def _hidden(opaque: tuple[Opaque, ...]) -> Reasoning:
    return Reasoning("", Form.HIDDEN, opaque=opaque)


def _whole(block: _Open) -> bytes:
    """A vendor's block with what came after its start."""
    text = "".join(block.pieces)
    if text.strip():
        try:
            block.block["input"] = _decode_any(text.encode())
        except (ValueError, RecursionError):
            block.block["input"] = {"_raw": text}
    return _encode(block.block)


def _grow(block: dict[str, Any], more: dict[str, Any]) -> None:
    """Add what a delta says to a block: more of its text, anything else anew."""
    before, text = block.get("text"), more.get("text")
    if isinstance(before, str) and isinstance(text, str):
        more["text"] = before + text
    block.update(more)


def _members(line: bytes) -> dict[str, Any]:
    """What an undocumented delta says."""
    delta = _decode_any(line)["delta"]
    return {name: value for name, value in delta.items() if name != "type"}


def _any(raw: msgspec.Raw) -> Any:
    return _decode_any(raw) if bytes(raw) else None


def _lenient(frame: Frame) -> StreamEvent:
    """An event; of one that makes no sense only its kind, if we can do without the rest.

    Raises ``ValueError`` where we cannot.
    """
    try:
        return decode(frame.data)
    except msgspec.ValidationError:
        members = _decode_any(frame.data)
        kind = words(members.get("type")) if isinstance(members, dict) else ""
        kind = kind or frame.event.decode("utf-8", "replace")
        if kind in _READ:
            raise
        return StreamEvent(type=kind)


_DELTAS: Final = frozenset({"text_delta", "thinking_delta", "input_json_delta"})
"""Deltas of blocks that are told as they come; empty ones say nothing."""
_READ: Final = frozenset(
    {
        "message_start",
        "message_delta",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "error",
    }
)
"""Events that cannot be passed over when they make no sense."""
