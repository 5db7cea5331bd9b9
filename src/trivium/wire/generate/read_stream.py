"""A stream of generate-content (``alt=sse``) as canonical events."""

from typing import Final

from trivium.conversation.events import Event
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire.codec import AnswerContext
from trivium.wire.generate.telling import Telling
from trivium.wire.sse import DONE, Splitter, completed, frames

_DATA: Final = b"data: "
_LF: Final = b"\n\n"
_CRLF: Final = b"\r\n\r\n"


class Reader:
    """Reads one upstream's stream."""

    __slots__ = ("_splitter", "_telling")

    def __init__(self, context: AnswerContext) -> None:
        self._telling = Telling(context)
        self._splitter = Splitter()

    @property
    def usage(self) -> Usage | None:
        """The counters so far, for the bill."""
        return self._telling.usage

    def feed(self, data: bytes) -> list[Event]:
        """Events of what became whole."""
        out: list[Event] = []
        if self._telling.over:
            return out
        try:
            run = self._splitter.feed(data)
        except Fault as fault:
            return self.end(fault)
        if run:
            self._run(run, out)
        return out

    def end(self, fault: Fault | None) -> list[Event]:
        """The rest after the last byte."""
        out: list[Event] = []
        if fault is None and not self._telling.over:
            self._run(completed(self._splitter.take()), out)
        self._telling.end(fault, out)
        return out

    def _run(self, run: bytes, out: list[Event]) -> None:
        # HOT: an upstream's events are one line each and end alike; the rest takes the long way,
        # for no JSON text holds a raw line end and the name of a field
        end = _CRLF if run.endswith(_CRLF) else _LF
        if run.startswith(_DATA) and run.endswith(end):
            body = run[len(_DATA) : -len(end)]
            rows = body.split(end + _DATA)
            if len(rows) > 1:
                if self._telling.rows(rows, out):
                    return
            elif b"\n" not in body and b"\r" not in body:
                self._telling.chunk(body, out)
                return
        self._odd(run, out)

    def _odd(self, run: bytes, out: list[Event]) -> None:
        for frame in frames(run):
            if self._telling.over:
                return
            if frame.data.strip() and frame.data != DONE:
                self._telling.chunk(frame.data, out)
