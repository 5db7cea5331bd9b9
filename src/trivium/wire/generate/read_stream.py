"""A stream of generate-content (``alt=sse``) as canonical events."""

from typing import Final

import msgspec

from trivium.conversation.events import Event
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire.answer_structs import Frame
from trivium.wire.codec import AnswerContext
from trivium.wire.frame_template import Template, Told
from trivium.wire.generate import views
from trivium.wire.generate.stream_events import StreamEvents
from trivium.wire.lenient import decoded
from trivium.wire.sse import DONE, completed, frames
from trivium.wire.text_repair import RepairingSplitter

_DATA: Final = b"data: "
_LF: Final = b"\n\n"
_CRLF: Final = b"\r\n\r\n"


class Reader:
    """Reads one upstream's stream."""

    __slots__ = ("_counted", "_index", "_splitter", "_telling", "_template")

    def __init__(self, context: AnswerContext) -> None:
        self._telling = StreamEvents(context)
        self._splitter = RepairingSplitter()
        self._template = Template()
        self._index = -1
        """Of the part that the template is of."""
        self._counted = msgspec.Raw()
        """The counters in it."""

    @property
    def usage(self) -> Usage | None:
        """The counters so far, for the bill."""
        return self._telling.usage

    @property
    def stopped(self) -> bool:
        """Whether a candidate has said why it ended, or why there is none."""
        return self._telling.stopped

    def feed(self, data: bytes) -> list[Event]:
        """Events of what became whole."""
        out: list[Event] = []
        telling = self._telling
        if telling.over:
            return out
        if (
            telling.index == self._index >= 0
            and not self._splitter.parts
            and (text := self._template.one(data))
        ):
            telling.grow([text], self._counted, out)
            return out
        try:
            runs = self._splitter.cut(data)
        except Fault as fault:
            return self.end(fault)
        for run in runs:
            if type(run) is Frame:
                self._alone(run, out)
            elif type(run) is bytes and not telling.over:
                self._run(run, out)
        return out

    def end(self, fault: Fault | None) -> list[Event]:
        """The rest after the last byte."""
        out: list[Event] = []
        if not self._telling.over and (waiting := self._splitter.waiting()):
            self._run(waiting, out)
        if fault is None and not self._telling.over:
            self._run(completed(self._splitter.take()), out)
        self._telling.end(fault, out)
        return out

    def _run(self, run: bytes, out: list[Event]) -> None:
        # an upstream's events are one line each and end alike; the rest takes the long way,
        # for no JSON text holds a raw line end and the name of a field
        end = _CRLF if run.endswith(_CRLF) else _LF
        if run.startswith(_DATA) and run.endswith(end):
            run = run[self._flow(run, end, out) :]
            if not run or self._telling.over:
                return
        if run.startswith(_DATA) and run.endswith(end):
            body = run[len(_DATA) : -len(end)]
            rows = body.split(end + _DATA)
            if len(rows) > 1:
                if self._telling.rows(rows, out):
                    return
            elif b"\n" not in body and b"\r" not in body:
                if body.strip() not in (b"", DONE):
                    self._telling.chunk(body, out)
                return
        self._odd(run, out)

    def _flow(self, run: bytes, end: bytes, out: list[Event]) -> int:
        """Events at the start of a run that are pieces of one text; where the rest begins."""
        telling, template = self._telling, self._template
        at = 0
        if telling.index < 0:
            # what opens the text, or anything else that comes before it
            at = run.find(end) + len(end)
            self._odd(run[:at], out)
        if at == len(run) or telling.over or telling.index < 0:
            return at
        if telling.index == self._index:
            texts, after = template.many(run[at:] if at else run)
            if texts:
                telling.grow(texts, self._counted, out)
                return at + after
        if not template.wanted:
            return at
        after = run.find(end, at) + len(end)
        if after < at:
            return at  # one line end more, and no frame
        frame = run[at:after]
        plain = telling.plain(frame[len(_DATA) :])
        if plain is None:
            return at
        text = plain.candidates[0].content.parts[0].text
        self._counted = plain.usageMetadata
        self._index = telling.index if template.learn(frame, (text, None), _read) else -1
        texts, more = template.many(run[after:]) if after < len(run) else ([], 0)
        telling.grow([text, *texts], plain.usageMetadata, out)
        return after + more

    def _odd(self, run: bytes, out: list[Event]) -> None:
        for frame in frames(run):
            if self._telling.over:
                return
            self._alone(frame, out)

    def _alone(self, frame: Frame, out: list[Event]) -> None:
        if frame.data.strip() and frame.data != DONE:
            self._telling.chunk(frame.data, out)


def _read(frame: bytes) -> Told | None:
    if (plain := decoded(views.plain, frame[len(_DATA) :])) is None:
        return None
    return plain.candidates[0].content.parts[0].text, None
