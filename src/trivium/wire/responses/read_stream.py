"""A responses upstream's stream as canonical events.

``output_item.done`` has the last word on an item: what a server left out of its deltas is told
from there, and what it left out there from the terminal event. Events of unknown types are
skipped. Source: OpenAI's API reference, responses streaming, and openai-python 3.52.0, read
2026-11-21.
"""

from typing import Final

import msgspec

from trivium.conversation.events import (
    Cited,
    Delta,
    Deltas,
    Done,
    Event,
    Failed,
    Finished,
    Start,
    UsageReport,
)
from trivium.conversation.parts import ReasoningForm
from trivium.conversation.shape_capabilities import Loss
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire import errors, logprobs, openai_shapes, sse, text_repair
from trivium.wire.answer_structs import Frame, TypeOnly
from trivium.wire.codec import AnswerContext
from trivium.wire.lenient import decoded, error_of
from trivium.wire.responses import citations, known_members, read_answer_parts
from trivium.wire.responses.answer_structs import Piece, ResponseObject
from trivium.wire.responses.read_answer import decode
from trivium.wire.responses.stream_output import FORMS, StreamOutput, StreamPart
from trivium.wire.responses.stream_structs import StreamEvent, Strict, TextDelta

_decode: Final = msgspec.json.Decoder(StreamEvent).decode
_decode_strict: Final = msgspec.json.Decoder(Strict).decode
_decode_quick: Final = msgspec.json.Decoder(TextDelta).decode
_decode_quicks: Final = msgspec.json.Decoder(list[TextDelta]).decode
_decode_type: Final = msgspec.json.Decoder(TypeOnly).decode
_decode_piece: Final = msgspec.json.Decoder(Piece).decode

_P: Final = "response."
_OPENING: Final = frozenset({_P + "created", _P + "queued", _P + "in_progress"})
_ENDS: Final = frozenset({_P + "completed", _P + "incomplete", _P + "failed", _P + "cancelled"})
_DONE: Final = _P + "done"
"""As some servers end, whatever the end is: the response says it."""
_TERMINAL: Final = _ENDS | {_DONE}
_TEXT: Final = b"event: response.output_text.delta\ndata: {"
_DATA_AT: Final = len(_TEXT) - 1
_END: Final = b"\n\n"
_NEXT: Final = _END + _TEXT
_NEXT_DATA: Final = _NEXT[:-1]

_WORDS: Final = frozenset(
    _P + kind + end
    for kind in (
        "output_text",
        "refusal",
        "reasoning_text",
        "reasoning_summary_text",
        "function_call_arguments",
        "custom_tool_call_input",
    )
    for end in (".delta", ".done")
)
_KNOWN: Final = frozenset(
    {
        *_OPENING,
        *_TERMINAL,
        *_WORDS,
        "error",
        _P + "output_item.added",
        _P + "output_item.done",
        _P + "content_part.done",
        _P + "output_text.annotation.added",
    }
)
_CONTENTS: Final = frozenset({"output_text", "refusal"})


class Reader:
    """Reads one stream. See ``StreamReader``."""

    __slots__ = (
        "_at",
        "_ctx",
        "_live",
        "_output",
        "_over",
        "_part",
        "_place",
        "_splitter",
        "_started",
        "usage",
    )

    def __init__(self, ctx: AnswerContext) -> None:
        self.usage: Usage | None = None
        self._ctx = ctx
        self._splitter = text_repair.RepairingSplitter()
        self._output = StreamOutput(ctx)
        self._started = False
        self._over = False
        self._live = False
        """Whether it has begun and not ended."""
        self._part: StreamPart | None = None
        """The text last spoken of, while nothing else was."""
        self._at = self._place = 0
        """Its item, and its place there."""

    @property
    def stopped(self) -> bool:
        """Whether its last event has come, which has the count."""
        return self._over

    def feed(self, data: bytes) -> list[Event]:
        """Events of the frames that became whole."""
        if self._live and data.startswith(_TEXT) and not self._splitter.parts:
            # HOT: one delta of the text last spoken of, in a read of its own: 143 -> 57 us for a
            # hundred (2026-11-24, bench/hot.py --case stream.responses.text.cut)
            text = self._more(data)
            if text is not None:
                return [text]
        try:
            runs = self._splitter.cut(data)
        except Fault as fault:
            return self._fail([], fault)
        out: list[Event] = []
        try:
            for run in runs:
                if type(run) is Frame:
                    self._alone(run, out)
                elif type(run) is bytes:
                    self._frames(run, out)
        except Fault as fault:
            self._fail(out, fault)
        return out

    def _frames(self, run: bytes, out: list[Event]) -> None:
        while run:
            # HOT: most frames are deltas of text: they are read together, from the first one on;
            # 168 -> 55 us (2026-11-24, bench/hot.py --case stream.responses.text.run)
            at = 0 if run.startswith(_TEXT) else run.find(_NEXT) + len(_END)
            if 0 < at < len(_END):
                break
            if at:
                self._run(run[:at], out)
            after = self._texts(run[at:] if at else run, out) if self._live else 0
            run = run[at + after :]
            if not after:
                break
        if run:
            self._run(run, out)

    def end(self, fault: Fault | None) -> list[Event]:
        """What the last bytes say; ``Failed`` unless all was said."""
        out: list[Event] = []
        try:
            self._frames(self._splitter.waiting(), out)
            self._run(sse.completed(self._splitter.take()), out)
        except Fault as many:
            self._fail(out, many)
        return out if self._over else self._fail(out, fault or errors.cut_short())

    def _more(self, frame: bytes) -> Delta | None:
        """The event of a delta of the text last spoken of; ``None`` if it is any other."""
        part = self._part
        if part is None or not part.open or not frame.endswith(_END):
            return None
        try:
            quick = _decode_quick(frame[_DATA_AT:])
        except (ValueError, RecursionError):
            return None
        if quick.output_index != self._at or quick.content_index != self._place:
            return None
        part.size += len(quick.delta)
        return Delta(part.index, quick.delta)

    def _texts(self, run: bytes, out: list[Event]) -> int:
        """Deltas of one text that a run begins with; where the rest begins.

        0 unless all that follow each other are of the same text, and nothing else.
        """
        rows = run[_DATA_AT:].split(_NEXT_DATA)
        end = rows[-1].find(_END)
        rest = len(rows[-1]) - end - len(_END)
        rows[-1] = rows[-1][:end]
        try:
            # no JSON text holds a raw line end: joined they are as many objects
            quicks = _decode_quicks(b"[" + b",".join(rows) + b"]")
        except (ValueError, RecursionError):
            return 0
        at, place = quicks[0].output_index, quicks[0].content_index
        texts = [
            quick.delta
            for quick in quicks
            if quick.output_index == at and quick.content_index == place
        ]
        if len(texts) != len(rows):
            return 0
        part = self._output.content(at, place, "output_text", out)
        self._part, self._at, self._place = part, at, place
        if part is not None:
            part.size += sum(map(len, texts))
            index = part.index
            out.append(Delta(index, texts[0]) if len(texts) == 1 else Deltas(index, texts))
        return len(run) - rest

    def _run(self, run: bytes, out: list[Event]) -> None:
        self._part = None
        for block in sse.blocks(run) if b"\r" in run else run.split(_END):
            if not block:
                continue
            if self._live and block.startswith(_TEXT) and self._texts(block + _END, out):
                continue
            frame = sse.parse(block)
            if frame is not None:
                self._alone(frame, out)

    def _alone(self, frame: Frame, out: list[Event]) -> None:
        told = self._told(frame, out)
        if told is not None:
            self._part = None
            try:
                self._event(told, out)
            except Fault as fault:
                self._fail(out, fault)

    def _told(self, frame: Frame, out: list[Event]) -> StreamEvent | None:
        """The event in any legal spelling; ``None`` when there is none we know."""
        if not frame.data or frame.data.strip() == sse.DONE:
            return None
        try:
            # what is unknown is looked for where there is any
            told: StreamEvent = _decode_strict(frame.data)
        except (ValueError, RecursionError):
            told_loosely = self._told_loosely(frame, out)
            if told_loosely is None:
                return None
            told = told_loosely
        if told.type is None:
            told.type = frame.event.decode("utf-8", "replace")
        return told

    def _told_loosely(self, frame: Frame, out: list[Event]) -> StreamEvent | None:
        try:
            told = _decode(frame.data)
        except UnicodeDecodeError:
            return self._told_loosely(Frame(frame.event, text_repair.sound(frame.data)), out)
        except msgspec.ValidationError:
            # members of other types: that of an event unknown to us is not our business
            known = decoded(_decode_type, frame.data)
            kind = None if known is None else known.type
            if (kind or frame.event.decode("utf-8", "replace")) not in _KNOWN:
                return None
            self._fail(out, _nonsense())
            return None
        except (ValueError, RecursionError):
            self._fail(out, _nonsense())
            return None
        if (told.type or frame.event.decode("utf-8", "replace")) in _KNOWN - {"error"}:
            known_members.EVENT.look(frame.data, self._ctx.unread)
        return told

    def _event(self, told: StreamEvent, out: list[Event]) -> None:
        kind = told.type or ""
        if not kind and error_of(told.error) is not None:
            kind = "error"  # as the chat shape says it; the official client raises on it here too
        if kind not in _KNOWN:
            if known_members.is_news(kind):
                self._ctx.unread(kind or "event", Loss.UNKNOWN)
            return
        if self._over:
            if kind == "response.failed":
                failed = decoded(decode, told.response)
                self.usage = (failed and openai_shapes.usage(failed.usage)) or self.usage
            return
        if kind in _TERMINAL or kind in _OPENING:
            self._lifecycle(kind, told.response, out)
            return
        if kind == "error":
            flat = {"code": told.code, "message": told.message, "param": told.param}
            error = error_of(told.error) or msgspec.json.encode(flat)
            self._fail(out, self._ctx.refused(error))
            return
        self._begin(ResponseObject(), out)
        if told.output_index is None:
            told.output_index = self._output.place(told.item_id)
        self._item_event(kind, told, out)

    def _item_event(self, kind: str, told: StreamEvent, out: list[Event]) -> None:
        if kind in _WORDS:
            name, _, end = kind.removeprefix(_P).rpartition(".")
            self._words(name, end == "done", told, out)
        elif kind == "response.output_item.added":
            self._output.added(told.output_index, told.item, out)
        elif kind == "response.output_item.done":
            self._output.done(told.output_index, told.item, out)
        elif kind == "response.content_part.done":
            piece = decoded(_decode_piece, told.part)
            self._output.content_done(told.output_index, told.content_index, piece, out)
        elif kind == "response.output_text.annotation.added":
            cited = citations.citation(told.annotation)
            part = self._output.content(told.output_index, told.content_index, "output_text", out)
            if cited is not None and part is not None:
                part.cited += 1
                out.append(Cited(part.index, cited))

    def _words(self, name: str, whole: bool, told: StreamEvent, out: list[Event]) -> None:
        """A delta, or the text that stands whole at its end."""
        output, at, since = self._output, told.output_index, 0
        text = told.text or told.refusal or told.arguments or told.input if whole else told.delta
        if not text:
            return
        if name in FORMS:
            section = (
                told.content_index if FORMS[name] is ReasoningForm.FULL else told.summary_index
            )
            part = output.thought(at, FORMS[name], section, out)
            since = part.section_from if part else 0
        elif name in _CONTENTS:
            part = output.content(at, told.content_index, name, out)
        else:
            part = output.call(at)
        if whole:
            output.rest(part, text, out, since)
        else:
            output.say(part, text, out, logprobs.read(told.logprobs, self._ctx.unread))

    def _begin(self, told: ResponseObject, out: list[Event]) -> None:
        if not self._started:
            self._started = self._live = True
            out.append(Start(told.id or "", told.model or "", None, told.service_tier))

    def _lifecycle(self, kind: str, raw: msgspec.Raw, out: list[Event]) -> None:
        if (told := decoded(decode, raw)) is None:
            self._fail(out, _nonsense())
            return
        self.usage = openai_shapes.usage(told.usage) or self.usage
        if kind == _DONE:
            said_so = _P + (told.status or "")
            kind = said_so if said_so in _ENDS else _P + "completed"
        if kind in _OPENING:
            self._begin(told, out)
            return
        if kind in ("response.failed", "response.cancelled"):
            error = error_of(told.error)
            self._fail(out, _nonsense() if error is None else self._ctx.refused(error))
            return
        known_members.ANSWER.look(raw, self._ctx.unread)
        self._begin(told, out)
        output = told.output or ()
        for at, item in zip(self._output.places(output), output, strict=True):
            self._output.unsaid(at, item, out)
        self._output.close(out)
        status = kind.removeprefix(_P)
        finish = read_answer_parts.finish(
            status, told.incomplete_details, called=self._output.called
        )
        out.append(Finished(finish))
        if self.usage is not None:
            out.append(UsageReport(self.usage))
        out.append(Done(told.service_tier))
        self._over = True
        self._live = False

    def _fail(self, out: list[Event], fault: Fault) -> list[Event]:
        if not self._over:
            self._over = True
            self._live = False
            out.append(Failed(fault))
        return out


def _nonsense() -> Fault:
    return Fault(Kind.UPSTREAM_BROKE, "The upstream's stream is not what its protocol says.")
