"""Blocks of a streamed answer, from their start or first delta to their stop.

A text has no start: its first delta begins it. Blocks overlap where the vendor lets them.
Source: botocore 1.44's model of the service, read on 2026-11-28.
"""

from typing import Final

import msgspec

from trivium.conversation.events import Cited, Delta, Deltas, Event, PartEnd, PartStart
from trivium.conversation.items import Part
from trivium.conversation.opaque import REDACTED, SIGNATURE
from trivium.conversation.parts import Image, Native, Reasoning, ReasoningForm, Text, VendorPart
from trivium.conversation.shape_capabilities import Loss
from trivium.wire import caps
from trivium.wire.codec import AnswerContext
from trivium.wire.converse import answer_structs as forms
from trivium.wire.converse import citations, failure, known_members
from trivium.wire.converse.known_members import OWN
from trivium.wire.converse.media import IMAGE_TYPES, SHAPE
from trivium.wire.converse.open_block import ConverseOpenBlock, joined
from trivium.wire.converse.read_answer_parts import attached, call, inline, rendering, server_call
from trivium.wire.lenient import decoded, string

_words: Final = msgspec.json.Decoder(forms.ConverseWordsEvent).decode
_delta_event: Final = msgspec.json.Decoder(forms.ConverseDeltaEvent).decode
_delta: Final = msgspec.json.Decoder(forms.ConverseDelta).decode
_start_event: Final = msgspec.json.Decoder(forms.ConverseStartEvent).decode
_start: Final = msgspec.json.Decoder(forms.ConverseStart).decode
_stop_event: Final = msgspec.json.Decoder(forms.ConverseStopEvent).decode
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_any: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode

_NAME_MAX: Final = 64
_PIECES_MAX: Final = 262_144
"""Pieces of blocks that are told when they are whole; beyond it the answer is a failure."""
_KINDS: Final = frozenset(
    {"text", "citation", "reasoningContent", "toolUse", "image", "toolResult"}
)
"""Deltas that there are."""
_COLLECTED: Final = frozenset({"image", "toolResult"})
"""Those of blocks that are told when they are whole."""


class ConverseBlocks:
    """The blocks of one answer. Its methods raise ``Fault`` for what no answer has."""

    __slots__ = ("_blocks", "_cited", "_context", "_kept", "_next")

    def __init__(self, context: AnswerContext) -> None:
        self._context = context
        self._blocks: dict[int, ConverseOpenBlock] = {}
        self._next = 0
        self._cited = 0
        self._kept = 0
        """Pieces that are held of blocks."""

    def flow(self, payload: bytes, out: list[Event]) -> bool:
        """Tell of a delta that is nothing but more of an open text; whether it was one."""
        event = decoded(_words, payload)
        if event is None or not event.delta.text:
            return False
        block = self._blocks.get(event.contentBlockIndex)
        if block is None or block.kind != "text":
            return False
        _say(block.index, event.delta.text, out)
        return True

    def start(self, payload: bytes, out: list[Event]) -> None:
        """The begin of a block: a ``contentBlockStart``, read. Raises ``ValueError`` for what
        cannot be read.
        """
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
            self._held(at, "toolUse").index = self._told(call(start.toolUse), out)
        elif bytes(start.toolResult):
            head = _any(start.toolResult)
            self._held(at, "toolResult").head = head if isinstance(head, dict) else {}
        elif start.image is not None:
            self._held(at, "image").head = {"format": start.image.format}

    def delta(self, payload: bytes, out: list[Event]) -> None:
        """More of a block: a ``contentBlockDelta``, read. Raises as ``start`` does."""
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
        if kind == "text":
            if text := string(delta.text):
                _say(self._text(at, out).index, text, out)
        elif kind == "citation":
            self._cite(self._text(at, out), delta.citation, out)
        elif delta.reasoningContent is not None:
            self._think(at, delta.reasoningContent, out)
        elif delta.toolUse is not None:
            self._argue(self._blocks.get(at), string(delta.toolUse.input) or "", out)
        elif kind in _COLLECTED:
            self._collect(at, kind, delta, out)

    def stop(self, payload: bytes, out: list[Event]) -> None:
        """The end of a block: a ``contentBlockStop``, read. Raises as ``start`` does."""
        known_members.BLOCK_END.look(payload, self._context.unread)
        self._close(_stop_event(payload).contentBlockIndex, out)

    def close_all(self, out: list[Event]) -> None:
        """The end of the message: whatever is open is whole."""
        for at in list(self._blocks):
            self._close(at, out)

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

    def _text(self, at: int, out: list[Event]) -> ConverseOpenBlock:
        """The open text at a place, begun where nothing is open there or anything else."""
        block = self._blocks.get(at)
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

    def _think(self, at: int, thought: forms.ConverseThought, out: list[Event]) -> None:
        block = self._blocks.get(at)
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

    def _collect(self, at: int, kind: str, delta: forms.ConverseDelta, out: list[Event]) -> None:
        """Keep a piece of a picture or of a result for the end of its block."""
        block = self._blocks.get(at)
        if block is None or block.kind != kind:
            self._close(at, out)
            block = self._held(at, kind)
        if delta.image is not None:
            source = delta.image.source
            if source is not None and (data := string(source.bytes)):
                self._keep()
                block.pieces.append(data)
            return
        for row in caps.rows(delta.toolResult):
            self._keep()
            block.rows.append(row)

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
            native = Native(SHAPE, _encode({"image": form}))
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


def _say(index: int, text: str, out: list[Event]) -> None:
    """Add a piece of a part: pieces that follow each other are told together."""
    last = out[-1] if out else None
    if type(last) is Deltas and last.index == index:
        last.texts.append(text)
    elif type(last) is Delta and last.index == index and not last.logprobs:
        out[-1] = Deltas(index, [last.text, text])
    else:
        out.append(Delta(index, text))
