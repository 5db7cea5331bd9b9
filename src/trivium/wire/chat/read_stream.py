"""A chat stream as canonical events.

Finish reasons are held until all was said: with several choices one ends before another, and some
servers go on after a finish reason. Source: OpenAI's API reference, chat streaming, read on
2026-11-21.
"""

from typing import Final

import msgspec

from trivium.conversation.events import (
    Delta,
    Deltas,
    Done,
    Event,
    Failed,
    KeepAlive,
    Start,
    UsageReport,
)
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import caps, errors, openai_shapes, sse, text_repair
from trivium.wire.answer_structs import Frame
from trivium.wire.chat import failure
from trivium.wire.chat.chunk import (
    Chunk,
    ChunkChoice,
    ChunkMessage,
    KnownChunk,
    OpeningChunk,
    PlainChunk,
    UncountedChunk,
)
from trivium.wire.chat.read_answer import ANSWER
from trivium.wire.chat.stream_choice import CHOICES_MAX, ChoiceReader, Sequence
from trivium.wire.codec import AnswerContext
from trivium.wire.frame_template import Template, Told
from trivium.wire.lenient import decoded

_opening: Final = msgspec.json.Decoder(OpeningChunk).decode
_decode_uncounted: Final = msgspec.json.Decoder(UncountedChunk).decode
_chunk: Final = msgspec.json.Decoder(Chunk).decode
_known: Final = msgspec.json.Decoder(KnownChunk).decode
_chunks: Final = msgspec.json.Decoder(list[Chunk]).decode
_plain: Final = msgspec.json.Decoder(PlainChunk).decode
_plains: Final = msgspec.json.Decoder(list[PlainChunk]).decode
_encode: Final = msgspec.json.Encoder().encode

_DATA: Final = b"data: "
_NEXT: Final = b"\n\ndata: "
_END: Final = b"\n\n"
_DONE: Final = b"[DONE]\n\n"
_LAST: Final = 2
"""Frames at the end of a read that may say more than a piece of text: the end, the usage."""


class Reader:
    """Reads one upstream's chat stream. See ``StreamReader``."""

    __slots__ = (
        "_choices",
        "_ended",
        "_sequence",
        "_splitter",
        "_started",
        "_template",
        "_text",
        "_tier",
        "usage",
    )

    def __init__(self, context: AnswerContext) -> None:
        self.usage: Usage | None = None
        self._sequence = Sequence(context)
        self._choices: dict[int, ChoiceReader] = {}
        self._splitter = text_repair.RepairingSplitter()
        self._started = False
        self._ended = False
        self._tier: str | None = None
        self._template = Template()
        self._text: ChoiceReader | None = None
        """The first choice while its text is open and its pieces need no further look."""

    @property
    def stopped(self) -> bool:
        """Whether a choice has said why it ended."""
        return any(choice.word for choice in self._choices.values())

    def feed(self, data: bytes) -> list[Event]:
        """Events of what became whole."""
        if self._ended:
            return []
        text = self._text
        if text is not None and not self._splitter.parts and (more := self._template.one(data)):
            text.size += len(more)
            return [Delta(text.index, more)]
        out: list[Event] = []
        try:
            for run in self._splitter.cut(data):
                if type(run) is Frame:
                    self._data(run.data, out)
                elif type(run) is bytes and not self._ended:
                    self._run(run, out)
        except Fault as fault:
            self._fail(fault, out)
        found = self._choices.get(0)
        self._text = found if found is not None and found.plain else None
        return out

    def end(self, fault: Fault | None) -> list[Event]:
        """The rest after the last byte."""
        if self._ended:
            return []
        out: list[Event] = []
        if self._over_after_rest(out):
            return out
        said = self._choices and all(one.word is not None for one in self._choices.values())
        if fault is None and said:
            self._finish(out)
        else:
            self._fail(fault or errors.cut_short(), out)
        return out

    def _over_after_rest(self, out: list[Event]) -> bool:
        """Whether what was not read yet, or the block that the end left open, ended the answer."""
        waiting, rest = self._splitter.waiting(), sse.completed(self._splitter.take())
        try:
            if waiting:
                self._run(waiting, out)
            if rest and not self._ended:
                self._run(rest, out)
        except Fault as fault:
            self._fail(fault, out)
        return self._ended

    def _run(self, run: bytes, out: list[Event]) -> None:
        if not self._started and run.startswith(_DATA) and b"\r" not in run:
            # who answers stands in the first frame, which is read alone
            after = sse.first_boundary(run)
            self._one_by_one(run[:after], out)
            run = run[after:]
        if self._started and run.startswith(_DATA) and run.endswith(_END) and not self._ended:
            at = self._flow(run, out)
            # blank lines between two frames are no frame
            run = run[at:].lstrip(b"\n") if at else run
        if run and not self._ended and not self._together(run, out):
            self._one_by_one(run, out)

    def _together(self, run: bytes, out: list[Event]) -> bool:
        """The frames of a run decoded by one call; ``False``, and nothing, where they cannot be."""
        # HOT: a run that is nothing but data lines is one JSON array when its frame ends are made
        # commas (no JSON text holds a raw line end), and is decoded by one call: 278 -> 62 us
        # (2026-11-24, bench/hot.py --case stream.chat.padded.run, with a comment in it and without)
        if not (self._started and run.startswith(_DATA) and run.endswith(_END)):
            return False
        done = run.endswith(_NEXT + _DONE)
        rows = (run[6 : -len(_NEXT + _DONE)] if done else run[6:-2]).split(_NEXT)
        texts = _texts(rows[1:-_LAST])
        odd = [rows[0], *rows[-_LAST:]] if texts else rows
        try:
            chunks = _chunks(b"[" + b",".join(odd) + b"]")
        except (ValueError, RecursionError):
            return False  # comments, other line ends, nonsense
        for row in odd:
            ANSWER.look(row, self._sequence.context.unread)
        if texts:
            self._take(chunks[:1], out)
            self._more(texts, out)
            chunks = chunks[1:]
        self._take(chunks, out)
        if done and not self._ended:
            self._finish(out)
        return True

    def _flow(self, run: bytes, out: list[Event]) -> int:
        """Frames at the start of a run that are pieces of the one text; where the rest begins."""
        at = 0
        text = self._choices.get(0)
        if text is None or (text.index < 0 and text.word is None):
            # what opens the text, or anything else that comes before it
            at = sse.first_boundary(run)
            self._one_by_one(run[:at], out)
            text = self._choices.get(0)
        if self._ended or at == len(run) or text is None or not text.plain:
            return at
        texts, end = self._template.many(run[at:] if at else run)
        if not texts:
            texts, end = self._learn(run, at)
        if texts:
            text.size += sum(map(len, texts))
            index = text.index
            out.append(Delta(index, texts[0]) if len(texts) == 1 else Deltas(index, texts))
        return at + end

    def _learn(self, run: bytes, at: int) -> tuple[list[str], int]:
        """What a frame adds to the open text, and the frames after it that are alike."""
        end = sse.first_boundary(run, at)
        if end < at:
            return [], 0  # one line end more, and no frame
        frame = run[at:end] if end - at < len(run) else run
        if not (alone := frame is run) and not self._template.wanted:
            return [], 0
        try:
            plain = _plain(frame[len(_DATA) :])
        except (ValueError, RecursionError):
            return [], 0
        text = plain.choices[0].delta.content
        if self._template.wanted:
            self._template.learn(frame, (text, plain.obfuscation), _read)
        texts, after = ([], 0) if alone else self._template.many(run[end:])
        return [text, *texts], end - at + after

    def _more(self, texts: list[str], out: list[Event]) -> None:
        """Pieces of the one text."""
        text = self._choices.get(0)
        if text is None or not text.plain:
            self._take([Chunk([ChunkChoice(delta=ChunkMessage(texts[0]))])], out)
            texts = texts[1:]
            text = self._choices[0]
        if not text.plain:
            self._take([Chunk([ChunkChoice(delta=ChunkMessage(one))]) for one in texts], out)
        elif texts:
            text.size += sum(map(len, texts))
            out.append(Deltas(text.index, texts))

    def _one_by_one(self, run: bytes, out: list[Event]) -> None:
        for block in sse.blocks(run):
            frame = sse.parse(block)
            if frame is None:
                if block.strip(b"\r\n"):  # blank lines are nothing, however many
                    out.append(KeepAlive())
                continue
            self._data(frame.data.strip(), out)
            if self._ended:
                return

    def _data(self, data: bytes, out: list[Event]) -> None:
        """What one frame says."""
        if data.startswith(sse.DONE):
            self._finish(out)
        elif data:
            chunk: Chunk | None = decoded(_known, data) if len(data) > sse.LONG else None
            if chunk is None:
                chunk = self._loose(data)
            self._take([chunk], out)

    def _loose(self, data: bytes) -> Chunk:
        ANSWER.look(data, self._sequence.context.unread)
        try:
            return _chunk(data) if self._started else _opening(data)
        except (ValueError, RecursionError):
            return _uncounted(data)

    def _take(self, chunks: list[Chunk], out: list[Event]) -> None:
        for chunk in chunks:
            self._look(chunk, out)
            if self._ended:
                return

    def _look(self, chunk: Chunk, out: list[Event]) -> None:
        if chunk.error:
            raise failure.told(chunk.error, self._sequence.context)
        if not self._started:
            self._start(chunk, out)
        if chunk.service_tier is not None:
            self._tier = chunk.service_tier
        choices = chunk.choices or ()
        if len(choices) > CHOICES_MAX:
            raise caps.too_many("choices", CHOICES_MAX)
        for choice in choices:
            self._choose(choice, out)
        if reported := chunk.reported():
            found = openai_shapes.usage(_encode(reported))
            if found is not None:
                self.usage = found
                out.append(UsageReport(found))

    def _choose(self, choice: ChunkChoice, out: list[Event]) -> None:
        number = choice.index or 0
        reader = self._choices.get(number)
        if reader is None:
            if not 0 <= number < CHOICES_MAX:
                raise errors.nonsense("a choice has no sensible index")
            reader = self._choices[number] = ChoiceReader(number, self._sequence)
        reader.feed(choice, out)
        fault = failure.of_choice(choice, self._sequence.context)
        if fault is not None:
            raise fault

    def _start(self, chunk: Chunk, out: list[Event]) -> None:
        id_, model = "", ""
        if isinstance(chunk, OpeningChunk):
            id_, model = chunk.id or "", chunk.model or ""
        self._started = True
        self._sequence.id = id_
        out.append(Start(id_, model, None, chunk.service_tier))

    def _finish(self, out: list[Event]) -> None:
        if not self._choices:
            self._fail(errors.cut_short(), out)
            return
        self._ended = True
        ordered = [self._choices[number] for number in sorted(self._choices)]
        try:
            for choice in ordered:
                choice.end(out)
        except Fault as fault:
            self._fail(fault, out)
            return
        out.extend(choice.finished() for choice in ordered)
        out.append(Done(self._tier))

    def _fail(self, fault: Fault, out: list[Event]) -> None:
        self._ended = True
        out.append(Failed(fault))


def _uncounted(data: bytes) -> Chunk:
    """A chunk without its counters, which may be beyond any number, and of sound text.

    Raises ``Fault``.
    """
    if (found := decoded(_decode_uncounted, text_repair.sound(data))) is None:
        raise errors.nonsense("a frame is no chunk")
    return OpeningChunk(
        choices=found.choices,
        error=found.error,
        service_tier=found.service_tier,
        id=found.id,
        model=found.model,
    )


def _read(frame: bytes) -> Told | None:
    if (plain := decoded(_plain, frame[len(_DATA) :])) is None:
        return None
    return plain.choices[0].delta.content, plain.obfuscation


def _texts(rows: list[bytes]) -> list[str]:
    """What these frames add to one text; empty unless that is all that every one of them does."""
    if not rows:
        return []
    try:
        plains = _plains(b"[" + b",".join(rows) + b"]")
    except (ValueError, RecursionError):
        return []
    return [one.choices[0].delta.content for one in plains]
