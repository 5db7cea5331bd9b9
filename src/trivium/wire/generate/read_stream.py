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
        if fault is None:
            self._run(completed(self._splitter.take()), out)
        self._telling.end(fault, out)
        return out

    def _run(self, run: bytes, out: list[Event]) -> None:
        # HOT: an upstream's frames are one line each and end alike; the rest takes the long way
        telling = self._telling
        end = _CRLF if run.endswith(_CRLF) else _LF
        blocks = run.split(end)
        lines = len(blocks) - 1
        alike = run.count(b"\n") == 2 * lines and run.count(b"\r") == (
            2 * lines if end is _CRLF else 0
        )
        for block in blocks:
            if alike and block.startswith(_DATA) and block.endswith(b"}"):
                telling.chunk(block[6:], out)
            elif block:
                self._odd(block + b"\n\n", out)
            if telling.over:
                return

    def _odd(self, block: bytes, out: list[Event]) -> None:
        for frame in frames(block):
            if frame.data != DONE and frame.data.strip() and not self._telling.over:
                self._telling.chunk(frame.data, out)
