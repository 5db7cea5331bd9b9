"""Streams of the messages shape as canonical events.

The data lines of a read are found in one search and decoded in
one call; only what is odd (other line ends, several data lines, nonsense) is taken frame by frame.
Source: messages streaming reference, read on 2026-11-21.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.arguments import unwrapped_arguments
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
from trivium.conversation.items import Part
from trivium.conversation.opaque import REDACTED, SIGNATURE, Opaque
from trivium.conversation.parts import Reasoning, ReasoningForm, Text
from trivium.conversation.shape_capabilities import Loss
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import caps, errors
from trivium.wire.answer_structs import Frame
from trivium.wire.codec import AnswerContext
from trivium.wire.frame_template import Template, Told
from trivium.wire.lenient import error_of
from trivium.wire.messages import citations, finish
from trivium.wire.messages.event import DELTA_TYPE, decode_all, delta_of, lenient, text_of
from trivium.wire.messages.known_members import BEGINNING, DELTA, END
from trivium.wire.messages.open_block import OpenBlock
from trivium.wire.messages.paths import broke
from trivium.wire.messages.read_answer import tier
from trivium.wire.messages.read_answer_parts import (
    EMPTY,
    attached,
    call,
    decode_block,
    look,
    other,
    words,
)
from trivium.wire.messages.read_usage import counters, merged, uncounted, usage
from trivium.wire.messages.stream_structs import StreamDelta, StreamEvent, StreamStart
from trivium.wire.sse import DONE, LONG, completed, first_boundary, frames, with_line_feeds
from trivium.wire.text_repair import RepairingSplitter

_decode_any: Final = msgspec.json.Decoder().decode
_DELTA: Final = b"event: content_block_delta\ndata: "
_END: Final = b"\n\n"
_NEXT: Final = _END + _DELTA
_STRETCHES_MAX: Final = 4
"""Stretches of deltas of one block, in one read, that are looked for."""
_data_lines: Final = re.compile(rb"^data: ?(.*)$", re.MULTILINE).findall


class Reader:
    """Reads one streamed message."""

    __slots__ = (
        "_blocks",
        "_cited",
        "_context",
        "_counters",
        "_finish",
        "_flow",
        "_is_counted",
        "_next",
        "_over",
        "_splitter",
        "_started",
        "_template",
        "_tier",
        "stopped",
        "usage",
    )

    def __init__(self, context: AnswerContext) -> None:
        self.usage: Usage | None = None
        self._context = context
        self._splitter = RepairingSplitter()
        self._blocks: dict[int, OpenBlock] = {}
        self._counters: Mapping[str, Any] = {}
        self._finish = finish.read(None)
        self._next = 0
        self._cited = 0
        self._started = False
        self._over = self._is_counted = self.stopped = False
        self._tier: str | None = None
        self._template = Template()
        self._flow: OpenBlock | None = None
        """The open block whose deltas the template is of."""

    def feed(self, data: bytes) -> list[Event]:
        """Events of what became whole."""
        if self._over:
            return []
        flow = self._flow
        if flow is not None and not self._splitter.parts and (text := self._template.one(data)):
            return [Delta(flow.index, text)]
        out: list[Event] = []
        try:
            for run in self._splitter.cut(data):
                if type(run) is Frame:
                    self._alone(run, out)
                elif type(run) is bytes and not self._over:
                    out += self._run(with_line_feeds(run))
        except Fault as fault:
            return self._failed(fault)
        return out

    def end(self, fault: Fault | None) -> list[Event]:
        """The last event, if only its blank line is missing, and ``Failed`` unless all is said."""
        if self._over:
            return []
        out = self._run(with_line_feeds(self._splitter.waiting()))
        if fault is None and not self._over:
            out += self._any(with_line_feeds(completed(self._splitter.take())))
        return out if self._over else out + self._failed(fault or errors.cut_short())

    def _run(self, run: bytes) -> list[Event]:
        out, at = list[Event](), 0
        for _ in range(_STRETCHES_MAX):
            if not run.startswith(_DELTA, at):
                start = run.find(_NEXT, at) + len(_END)
                if start < len(_END):
                    break
                out += self._any(run[at:start])
                at = start
            start = at if self._over else self._deltas(run, at, out)
            if start == at:
                break
            at = start
        if at < len(run) and not self._over:
            out += self._any(run[at:])
        return out

    def _deltas(self, run: bytes, at: int, out: list[Event]) -> int:
        """Deltas of one block that begin at a place in a run; where the rest begins."""
        template, flow = self._template, self._flow
        texts: list[str] = []
        end = 0
        if flow is not None:
            texts, end = template.many(run[at:] if at else run)
        if not texts:
            end = first_boundary(run, at) - at
            event = delta_of(memoryview(run)[at + len(_DELTA) : at + end])  # it may be long
            flow = self._blocks.get(event.index) if event is not None else None
            if event is None or flow is None or flow.index < 0:
                return at
            texts = [text_of(event)]
            flow.said = True
            if template.wanted:
                frame = run[at : at + min(end, LONG + 1)]  # of a longer one nothing is learnt
                self._flow = flow if template.learn(frame, (texts[0], None), _read) else None
                if self._flow is not None and at + end < len(run):
                    more, after = template.many(run[at + end :])
                    texts += more
                    end += after
        assert flow is not None
        out.append(Delta(flow.index, texts[0]) if len(texts) == 1 else Deltas(flow.index, texts))
        return at + end

    def _any(self, run: bytes) -> list[Event]:
        """Events of any kind: decoded together, or one by one where that makes no sense."""
        lines = _data_lines(run)
        events, is_known = decode_all(b"\n".join(lines))
        if len(events) != len(lines):
            return self._slowly(run)
        out: list[Event] = []
        for at, event in enumerate(events):
            if not is_known:
                self._look(event, lines[at])
            if event.type == DELTA_TYPE and (text := text_of(event)):
                block = self._blocks.get(event.index)
                if block is not None and block.index >= 0:
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
            if not self._over:
                self._alone(frame, out)
        return out

    def _alone(self, frame: Frame, out: list[Event]) -> None:
        try:
            event = lenient(frame)
        except (ValueError, RecursionError):
            if frame.data.strip() not in (b"", DONE):
                out += self._failed(broke())
            return
        if not event.type:
            event.type = frame.event.decode("utf-8", "replace")
        self._look(event, frame.data)
        self._take(event, frame.data, out)

    def _look(self, event: StreamEvent, line: bytes) -> None:
        """Tell of members of a delta that nobody knows, but for a vendor's own block."""
        if event.type == DELTA_TYPE:
            block = self._blocks.get(event.index)
            if block is None or block.kind:
                DELTA.look(line, self._context.unread)

    def _take(self, event: StreamEvent, line: bytes, out: list[Event]) -> None:
        try:
            self._tell(event, line, out)
        except (ValueError, RecursionError):  # in members that were only skimmed so far
            out += self._failed(broke())
        except Fault as fault:
            out += self._failed(fault)

    def _tell(self, event: StreamEvent, line: bytes, out: list[Event]) -> None:
        kind = event.type
        if kind == DELTA_TYPE:
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
            self._count(counters(message.usage))
            self._begin(out, words(message.id), words(message.model))
        elif event.type == "message_delta":
            END.look(line, self._context.unread)
            self._begin(out)
            delta = event.delta
            reported = counters(event.usage)
            if delta is not None and delta.stop_reason is not None:
                self.stopped = True
                self._finish = finish.read(
                    delta.stop_reason, delta.stop_sequence, delta.stop_details
                )
            if isinstance(reported, Mapping) and reported.get("output_tokens") is not None:
                self._is_counted = True
            if self._count(reported) and self.usage is not None:
                out.append(UsageReport(self.usage))
            self._forget_opening()
        elif event.type == "message_stop":
            self._begin(out)
            for index in list(self._blocks):
                self._close(index, out)
            out.append(Finished(self._finish))
            self.stopped = True
            self._forget_opening()
            out.append(Done(self._tier))
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

    def _forget_opening(self) -> None:
        """What the start says of the output is no count of an answer that has ended."""
        if self.stopped and not self._is_counted:
            self.usage = usage(uncounted(self._counters))

    def _failed(self, fault: Fault) -> list[Event]:
        self._over = True
        return [Failed(fault)]

    def _told(self, part: Part, out: list[Event]) -> int:
        index = self._next
        if index == caps.PARTS_MAX:
            raise caps.too_many("parts", caps.PARTS_MAX)
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
            opened = OpenBlock("text", self._told(Text(""), out))
            if text := words(block.text):
                out.append(Delta(opened.index, text))
            out += [Cited(opened.index, one) for one in citations.answered(block.citations)]
        elif block.type == "tool_use":
            opened = OpenBlock("tool_use", self._told(call(block), out), bytes(block.input))
        elif block.type == "thinking":
            opened = OpenBlock("thinking", -1)
            opened.signed = [words(block.signature)]
            if text := words(block.thinking):
                self._think(opened, text, out)
        elif block.type == "redacted_thinking":
            opaque = attached(REDACTED, block.data, self._context)
            opened = OpenBlock("redacted_thinking", self._told(_hidden(opaque), out))
        else:
            opened = OpenBlock("", -1)
            opened.block = _decode_any(raw)
        self._blocks[at] = opened

    def _think(self, block: OpenBlock, text: str, out: list[Event]) -> None:
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
            block.signed.append(delta.signature or "")
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
            block.grow(line)

    def _cite(self, block: OpenBlock, delta: StreamDelta, out: list[Event]) -> None:
        self._cited += 1
        if self._cited > caps.CITATIONS_MAX:
            raise caps.too_many("citations", caps.CITATIONS_MAX)
        cited = citations.read(delta.citation)
        if cited is not None and block.kind == "text":
            out.append(Cited(block.index, cited))
        else:
            self._context.unread("citations", Loss.UNKNOWN)

    def _unannounced(self, at: int, delta: StreamDelta, out: list[Event]) -> OpenBlock | None:
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
        if block is self._flow:
            self._flow = None
        if block.kind == "thinking":
            opaque = attached(SIGNATURE, "".join(block.signed), self._context)
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
            part = other(block.whole(), self._context)
            if type(part) is Text:
                block.index = self._told(Text(""), out)
                out.append(Delta(block.index, part.text))
            else:
                block.index = self._told(part, out)
        out.append(PartEnd(block.index))


def _hidden(opaque: tuple[Opaque, ...]) -> Reasoning:
    return Reasoning("", ReasoningForm.HIDDEN, opaque=opaque)


def _read(frame: bytes) -> Told | None:
    event = delta_of(frame[len(_DELTA) :])
    return None if event is None else (text_of(event), None)


_DELTAS: Final = frozenset({"text_delta", "thinking_delta", "input_json_delta"})
"""Deltas of blocks that are told as they come; empty ones say nothing."""
