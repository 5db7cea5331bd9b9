"""Streamed generate-content with ``alt=sse``: relayed as it comes, watched on the side.

The shape has no terminal event: a stream is complete when its body ends after a candidate has
said why it ended, or after the prompt was blocked. So ``finished`` turns true in ``end``. An
upstream's own error is taken out of the stream; the caller gets ours in its place, with the
request id. Only ``data: `` lines are ever added: google-genai fails on comments, on event names
and on ``[DONE]`` (google-genai 3.4, run on 2026-11-21). What is added ends as the stream's own
events do: google-genai for Go, where it reads slowly, takes two events for one where the ends are
mixed (1.77, 2026-11-23).
"""

from typing import Final

from trivium.faults import Fault
from trivium.wire import errors
from trivium.wire.errors import stream_tail
from trivium.wire.generate.array import ArrayWatch
from trivium.wire.generate.chunk import ReplyWatch, read
from trivium.wire.generate.chunk_structs import WatchedChunk
from trivium.wire.generate.read_usage import CACHED, complete, merged
from trivium.wire.locate import holding, span
from trivium.wire.operation import Shape
from trivium.wire.passage import RequestFacts, StreamWatch
from trivium.wire.sse import Splitter, frames, parse

_ERROR: Final = b'"error"'
_REASON: Final = b'Reason"'  # finishReason, blockReason
_COUNT: Final = b'TokenCount"'
_CACHED: Final = CACHED.encode()
_LF: Final = b"\n\n"
_CRLF: Final = b"\r\n\r\n"


class Watch(ReplyWatch):
    """Watches one stream of events."""

    __slots__ = ("_is_lf", "_splitter")

    def __init__(self) -> None:
        super().__init__()
        self._is_lf = False
        self._splitter = Splitter()

    @property
    def blank(self) -> bytes:
        """What ends an event of this stream; before the first, of the vendor's."""
        return _LF if self._is_lf else _CRLF

    def feed(self, data: bytes) -> bytes:
        """What to forward of one upstream read: whole blocks, up to an error."""
        run = self._splitter.feed(data)
        if self.error is not None:
            return b""
        if run:
            self._is_lf = run.endswith(_LF)
        # every frame carries counters, so only the last frame of a read is parsed for them; the
        # other words are rare
        if run.rfind(_ERROR) >= 0:
            run = self._before_error(run)
        last = None
        at = run.rfind(_COUNT)
        start, stop = span(run, at) if at >= 0 else (0, 0)
        if at >= 0:
            frame = parse(run[start:stop])
            last = read(frame.data) if frame is not None else None
            self._count(run, start, last)
        if not self._ended and (at := run.rfind(_REASON)) >= 0:
            self._ended = (last is not None and last.finished and start <= at < stop) or any(
                chunk.finished for _, block in holding(run, [_REASON]) for chunk in _chunks(block)
            )
        return run

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """The last event, if only its blank line is missing, and an error unless all is said."""
        rest = b""
        if fault is None and self.error is None:
            last = self._last(self._splitter.take())
            if self._ended and last is not None:
                self.finished = True
                return last
            rest = last or b""
        tail = stream_tail(fault or errors.cut_short(), request_id, Shape.GENERATE)
        return rest + tail.removesuffix(_CRLF) + self.blank

    def _before_error(self, run: bytes) -> bytes:
        for start, block in holding(run, [_ERROR]):
            for chunk in _chunks(block):
                if chunk.error is not None:
                    self.error = chunk.error
                    return run[:start]
        return run

    def _count(self, run: bytes, start: int, last: WatchedChunk | None) -> None:
        """Note the counters of a run whose last block with counters begins at ``start``."""
        reported = last.usage if last is not None else None
        if reported is not None and complete(reported):
            if reported.get(CACHED) is not None:
                self._counters = reported
                return
            if run.rfind(_CACHED, 0, start) < 0:
                self._counters = merged(self._counters, reported)
                return
        # the last frame does not say all: the ones before it may
        for chunk in _chunks(run):
            if chunk.usage is not None:
                self._counters = merged(self._counters, chunk.usage)

    def _last(self, rest: bytes) -> bytes | None:
        """What to forward of a block without its blank line; ``None``: it is an error."""
        frame = parse(rest)
        chunk = read(frame.data) if frame is not None else None
        if chunk is None:
            return b""
        if chunk.error is not None:
            self.error = chunk.error
            return None
        self._note(chunk)
        return rest.rstrip(b"\r\n") + self.blank


def watch(facts: RequestFacts) -> StreamWatch:
    """A fresh watch for events or, without ``alt=sse``, for the array form."""
    return ArrayWatch() if facts.array else Watch()


def _chunks(run: bytes) -> list[WatchedChunk]:
    return [chunk for frame in frames(run) if (chunk := read(frame.data)) is not None]
