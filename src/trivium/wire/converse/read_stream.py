"""Streams of the converse shape as canonical events.

A block of text has no start: its first delta begins it. What ends the stream is the end of the
body: behind ``messageStop`` come the counters. Sources, read on 2026-11-28: botocore 1.44's model of
the service; the ConverseStream reference.
"""

from typing import Any, Final

import msgspec

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
from trivium.conversation.items import Part
from trivium.conversation.opaque import REDACTED, SIGNATURE
from trivium.conversation.parts import Image, Native, Reasoning, ReasoningForm, Text, VendorPart
from trivium.conversation.shape_capabilities import Loss
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import caps, errors
from trivium.wire.codec import AnswerContext
from trivium.wire.converse import answer_structs as forms
from trivium.wire.converse import citations, failure, known_members
from trivium.wire.converse.known_members import OWN
from trivium.wire.converse.media import IMAGE_TYPES, SHAPE
from trivium.wire.converse.open_block import ConverseOpenBlock, joined
from trivium.wire.converse.read_answer import ended, tier
from trivium.wire.converse.read_answer_parts import attached, call, inline, rendering, server_call
from trivium.wire.converse.read_usage import usage
from trivium.wire.event_stream import EventFrame, EventFrames
from trivium.wire.lenient import decoded, string
from trivium.wire.text_repair import sound

_words: Final = msgspec.json.Decoder(forms.ConverseWordsEvent).decode
_delta_event: Final = msgspec.json.Decoder(forms.ConverseDeltaEvent).decode
_delta: Final = msgspec.json.Decoder(forms.ConverseDelta).decode
_start_event: Final = msgspec.json.Decoder(forms.ConverseStartEvent).decode
_start: Final = msgspec.json.Decoder(forms.ConverseStart).decode
_stop_event: Final = msgspec.json.Decoder(forms.ConverseStopEvent).decode
_end_event: Final = msgspec.json.Decoder(forms.ConverseEndEvent).decode
_metadata_event: Final = msgspec.json.Decoder(forms.ConverseMetadataEvent).decode
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_any: Final = msgspec.json.Decoder().decode

_DELTA: Final = "contentBlockDelta"
_NAME_MAX: Final = 64
_PIECES_MAX: Final = 262_144
"""Deltas of one block that is told when it is whole; beyond it the answer is a failure."""


class Reader:
    """Reads one streamed answer."""

    __slots__ = (
        "_blocks",
        "_cited",
        "_context",
        "_frames",
        "_kept",
        "_next",
        "_over",
        "_started",
        "_tier",
        "stopped",
        "usage",
    )

    def __init__(self, context: AnswerContext) -> None:
        self.usage: Usage | None = None
        self.stopped = False
        self._context = context
        self._frames = EventFrames()
        self._blocks: dict[int, ConverseOpenBlock] = {}
        self._next = 0
        self._cited = 0
        self._kept = 0
        """Pieces that are held of blocks."""
        self._started = False
        self._over = False
        self._tier: str | None = None

    def feed(self, data: bytes) -> list[Event]:
        """Events of what became whole."""
        out: list[Event] = []
        if self._over:
            return out
        try:
            for frame in self._frames.feed(data):
                self._frame(frame, out)
                if self._over:
                    break
        except (ValueError, RecursionError):
            self._fail(failure.broke(), out)
        except Fault as fault:
            self._fail(fault, out)
        return out

    def end(self, fault: Fault | None) -> list[Event]:
        """``Done`` if the model has said why it ended, else ``Failed``."""
        out: list[Event] = []
        if self._over:
            return out
        if not self.stopped or fault is not None or self._frames.waiting:
            self._fail(fault or errors.cut_short(), out)
            return out
        self._over = True
        out.append(Done(self._tier))
        return out

    def _fail(self, fault: Fault, out: list[Event]) -> None:
        self._over = True
        out.append(Failed(fault))

    def _frame(self, frame: EventFrame, out: list[Event]) -> None:
        kind = frame.word(":event-type")
        if kind == _DELTA and self._flow(frame.payload, out):
            return
        fault = failure.ended(frame, self._context)
        if fault is not None:
            self._fail(fault, out)
            return
        payload = frame.payload
        if kind in _TEXTUAL:
            # what is no text would be no JSON either
            payload = sound(payload)
        if kind == _DELTA:
            self._delta(payload, out)
        elif kind == "contentBlockStart":
            self._open(payload, out)
        elif kind == "contentBlockStop":
            known_members.BLOCK_END.look(payload, self._context.unread)
            self._close(_stop_event(payload).contentBlockIndex, out)
        elif kind == "messageStart":
            known_members.BEGINNING.look(payload, self._context.unread)
            self._begin(out)
        elif kind == "messageStop":
            self._stop(payload, out)
        elif kind == "metadata":
            self._metadata(payload, out)
        elif kind != "initial-response":
            self._context.unread(kind[:_NAME_MAX] or "event", Loss.UNKNOWN)

    def _flow(self, payload: bytes, out: list[Event]) -> bool:
        """Tell of an event that is nothing but more of an open text; whether it was one."""
        event = decoded(_words, payload)
        if event is None or not event.delta.text:
            return False
        block = self._blocks.get(event.contentBlockIndex)
        if block is None or block.kind != "text":
            return False
        _say(block.index, event.delta.text, out)
        return True

    def _begin(self, out: list[Event]) -> None:
        if not self._started:
            self._started = True
            out.append(Start())

    def _told(self, part: Part, out: list[Event]) -> int:
        index = self._next
        if index == caps.PARTS_MAX:
            raise caps.too_many("parts", caps.PARTS_MAX)
        self._next += 1
        out.append(PartStart(index, part))
        return index

    def _held(self, at: int, kind: str) -> ConverseOpenBlock:
        """A new open block. Raises ``Fault`` when there are too many."""
        if len(self._blocks) == caps.PARTS_MAX:
            raise caps.too_many("parts", caps.PARTS_MAX)
        block = self._blocks[at] = ConverseOpenBlock(kind)
        return block

    def _keep(self) -> None:
        self._kept += 1
        if self._kept > _PIECES_MAX:
            raise caps.too_many("pieces", _PIECES_MAX)

    def _open(self, payload: bytes, out: list[Event]) -> None:
        self._begin(out)
        known_members.BLOCK_START.look(payload, self._context.unread)
        event = _start_event(payload)
        at = event.contentBlockIndex
        if at in self._blocks:
            self._close(at, out)
        start = decoded(_start, event.start)
        if start is None:
            return  # its deltas say what it is
        if start.toolUse is not None and start.toolUse.type is not None:
            self._held(at, "server").head = _any(event.start)["toolUse"]
        elif start.toolUse is not None:
            block = self._held(at, "toolUse")
            block.index = self._told(call(start.toolUse), out)
        elif bytes(start.toolResult):
            head = _any(start.toolResult)
            self._held(at, "toolResult").head = head if isinstance(head, dict) else {}
        elif start.image is not None:
            self._held(at, "image").head = {"format": start.image.format}

    def _delta(self, payload: bytes, out: list[Event]) -> None:
        self._begin(out)
        event = _delta_event(payload)
        at = event.contentBlockIndex
        members = decoded(_members, event.delta)
        if not members:
            return
        kind = next(iter(members))
        if kind not in _KINDS:
            self._strange(at, kind, members[kind])
            return
        known_members.DELTA.look(payload, self._context.unread)
        delta = _delta(event.delta)
        block = self._blocks.get(at)
        if kind == "text":
            if text := string(delta.text):
                _say(self._text(at, block, out).index, text, out)
        elif kind == "citation":
            self._cite(self._text(at, block, out), delta.citation, out)
        elif kind == "reasoningContent" and delta.reasoningContent is not None:
            self._think(at, block, delta.reasoningContent, out)
        elif kind == "toolUse" and delta.toolUse is not None:
            self._argue(block, string(delta.toolUse.input) or "", out)
        elif kind == "image" and delta.image is not None:
            block = block or self._held(at, "image")
            if delta.image.source is not None and (data := string(delta.image.source.bytes)):
                self._keep()
                block.pieces.append(data)
        elif kind == "toolResult":
            block = block or self._held(at, "toolResult")
            for row in caps.rows(delta.toolResult):
                self._keep()
                block.rows.append(row)

    def _text(
        self, at: int, block: ConverseOpenBlock | None, out: list[Event]
    ) -> ConverseOpenBlock:
        """The open text at a place, begun where nothing is open there or anything else."""
        if block is not None and block.kind == "text":
            return block
        if block is not None:
            self._close(at, out)
        begun = self._held(at, "text")
        begun.index = self._told(Text(""), out)
        return begun

    def _cite(self, block: ConverseOpenBlock, raw: msgspec.Raw, out: list[Event]) -> None:
        self._cited += 1
        if self._cited > caps.CITATIONS_MAX:
            raise caps.too_many("citations", caps.CITATIONS_MAX)
        cited = citations.read(raw)
        if cited is not None:
            out.append(Cited(block.index, cited))

    def _think(
        self,
        at: int,
        block: ConverseOpenBlock | None,
        thought: forms.ConverseThought,
        out: list[Event],
    ) -> None:
        if block is not None and block.kind != "reasoningContent":
            self._close(at, out)
            block = None
        block = block or self._held(at, "reasoningContent")
        if text := string(thought.text):
            if block.index < 0:
                block.index = self._told(Reasoning(""), out)
            _say(block.index, text, out)
        if signature := string(thought.signature):
            self._keep()
            block.signed.append(signature)
        if secret := string(thought.redactedContent):
            self._keep()
            block.secret.append(secret)

    def _argue(self, block: ConverseOpenBlock | None, piece: str, out: list[Event]) -> None:
        if block is None or block.kind not in ("toolUse", "server"):
            raise failure.broke("a call has no beginning")
        if block.kind == "server":
            self._keep()
            block.pieces.append(piece)
        elif piece:
            block.said = True
            _say(block.index, piece, out)

    def _strange(self, at: int, kind: str, raw: msgspec.Raw) -> None:
        """A delta of a kind that nobody has documented: told when its block is whole."""
        block = self._blocks.get(at)
        if block is not None and block.kind != kind:
            self._context.unread(kind[:_NAME_MAX], Loss.UNKNOWN)
            return
        block = block or self._held(at, kind)
        self._keep()
        block.rows.append(raw)

    def _close(self, at: int, out: list[Event]) -> None:
        block = self._blocks.pop(at, None)
        if block is None:
            return
        if block.kind == "reasoningContent":
            self._close_reasoning(block, out)
        elif block.kind == "toolUse":
            if not block.said:
                out.append(Delta(block.index, "{}"))
            out.append(PartEnd(block.index))
        elif block.kind == "text":
            out.append(PartEnd(block.index))
        else:
            part = self._whole(block)
            if type(part) is Text:
                index = self._told(Text(""), out)
                out.append(Delta(index, part.text))
            else:
                index = self._told(part, out)
            out.append(PartEnd(index))

    def _close_reasoning(self, block: ConverseOpenBlock, out: list[Event]) -> None:
        opaque = attached(SIGNATURE, "".join(block.signed), self._context)
        opaque += attached(REDACTED, joined(block.secret), self._context)
        if block.index < 0:
            if not opaque:
                return
            hidden = Reasoning("", ReasoningForm.HIDDEN, opaque=opaque)
            block.index, opaque = self._told(hidden, out), ()
        out.append(PartEnd(block.index, opaque))

    def _whole(self, block: ConverseOpenBlock) -> Part:
        """A block that is told when it is whole."""
        kind = block.kind
        if kind == "image":
            form = forms.ConverseMedium(
                block.head.get("format"), forms.ConverseSource(joined(block.pieces))
            )
            source = inline(form, IMAGE_TYPES)
            native = Native(SHAPE, msgspec.json.encode({"image": form}))
            return VendorPart(native, kind) if source is None else Image(source)
        raw = block.native()
        if kind == "server":
            return server_call(block.head.get("name"), raw)
        text = "".join([rendering(decoded(_any, row)) for row in block.rows])
        native = Native(SHAPE, raw)
        if kind in OWN:
            return VendorPart(native, kind, text)
        if not text:
            return VendorPart(native, kind, known=False)
        self._context.unread(kind[:_NAME_MAX] or "block", Loss.WORDED)
        return Text(text)

    def _stop(self, payload: bytes, out: list[Event]) -> None:
        self._begin(out)
        known_members.END.look(payload, self._context.unread)
        event = _end_event(payload)
        for at in list(self._blocks):
            self._close(at, out)
        if not self.stopped:
            self.stopped = True
            out.append(Finished(ended(event.stopReason, event)))

    def _metadata(self, payload: bytes, out: list[Event]) -> None:
        self._begin(out)
        known_members.METADATA.look(payload, self._context.unread)
        event = _metadata_event(payload)
        self._tier = tier(event.serviceTier) or self._tier
        found = usage(decoded(_any, event.usage))
        if found is not None:
            self.usage = found
            out.append(UsageReport(found))


def _say(index: int, text: str, out: list[Event]) -> None:
    """Add a piece of a part: pieces that follow each other are told together."""
    last = out[-1] if out else None
    if type(last) is Deltas and last.index == index:
        last.texts.append(text)
    elif type(last) is Delta and last.index == index and not last.logprobs:
        out[-1] = Deltas(index, [last.text, text])
    else:
        out.append(Delta(index, text))


_KINDS: Final = frozenset(
    {"text", "citation", "reasoningContent", "toolUse", "image", "toolResult"}
)
"""Deltas that there are."""
_TEXTUAL: Final = frozenset({_DELTA, "contentBlockStart"})
"""Events that hold what a model said."""
