"""Streamed generate-content with ``alt=sse``: relayed as it comes, watched on the side.

The shape has no terminal event: a stream is complete when its body ends after a candidate has
said why it ended, or after the prompt was blocked. So ``finished`` turns true in ``end``. An
upstream's own error is taken out of the stream; the caller gets ours in its place, with the
request id. Only ``data: `` lines are ever added: google-genai fails on comments, on event names
and on ``[DONE]`` (google-genai 3.4, run on 2026-11-21).
"""

from collections.abc import Mapping
from typing import Any, Final

from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire.errors import stream_tail
from trivium.wire.generate.array import ArrayWatch
from trivium.wire.generate.chunk import Chunk, cut_short, read
from trivium.wire.generate.usage import CACHED, complete, merged, usage
from trivium.wire.locate import holding, span
from trivium.wire.operation import Shape
from trivium.wire.passage import Facts, StreamWatch
from trivium.wire.sse import Splitter, frames, parse

_ERROR: Final = b'"error"'
_REASON: Final = b'Reason"'  # finishReason, blockReason
_COUNT: Final = b'TokenCount"'
_CACHED: Final = CACHED.encode()


class Watch:
    """Watches one stream of events."""

    __slots__ = ("_counters", "_ended", "_splitter", "error", "finished", "usage")

    def __init__(self) -> None:
        self.usage: Usage | None = None
        self.finished = False
        self.error: bytes | None = None
        self._counters: Mapping[str, Any] = {}
        self._ended = False
        self._splitter = Splitter()

    def feed(self, data: bytes) -> bytes:
        """What to forward of one upstream read: whole blocks, up to an error."""
        run = self._splitter.feed(data)
        if self.error is not None:
            return b""
        # HOT: one call per upstream read. Every frame carries counters, so only the last frame
        # of a read is parsed for them; the other words are rare.
        if run.rfind(_ERROR) >= 0:
            run = self._before_error(run)
        if not self._ended and run.rfind(_REASON) >= 0:
            self._ended = any(
                chunk.finished for _, block in holding(run, [_REASON]) for chunk in _chunks(block)
            )
        at = run.rfind(_COUNT)
        if at >= 0:
            self._count(run, at)
        return run

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """The last event, if only its blank line is missing, and an error unless all is said."""
        rest = b""
        if fault is None and self.error is None:
            rest = self._last(self._splitter.take())
            if self._ended and self.error is None:
                self.finished = True
                return rest
        return rest + stream_tail(fault or cut_short(), request_id, Shape.GENERATE)

    def _before_error(self, run: bytes) -> bytes:
        for start, block in holding(run, [_ERROR]):
            for chunk in _chunks(block):
                if chunk.error is not None:
                    self.error = chunk.error
                    return run[:start]
        return run

    def _count(self, run: bytes, at: int) -> None:
        start, stop = span(run, at)
        frame = parse(run[start:stop])
        chunk = read(frame.data) if frame is not None else None
        last = chunk.usage if chunk is not None else None
        if (
            last is not None
            and complete(last)
            and (last.get(CACHED) is not None or run.rfind(_CACHED, 0, start) < 0)
        ):
            self._fold([last])
        else:
            # the last frame does not say all: the ones before it may
            self._fold([chunk.usage for chunk in _chunks(run) if chunk.usage is not None])

    def _fold(self, snapshots: list[Mapping[str, Any]]) -> None:
        counters = self._counters
        for reported in snapshots:
            counters = merged(counters, reported)
        if counters is not self._counters:
            self._counters = counters
            self.usage = usage(counters)

    def _last(self, rest: bytes) -> bytes:
        frame = parse(rest)
        chunk = read(frame.data) if frame is not None else None
        if chunk is None:
            return b""
        if chunk.error is not None:
            self.error = chunk.error
            return b""
        self._ended = self._ended or chunk.finished
        if chunk.usage is not None:
            self._fold([chunk.usage])
        return rest.rstrip(b"\r\n") + b"\n\n"


def watch(facts: Facts) -> StreamWatch:
    """A fresh watch for events or, without ``alt=sse``, for the array form."""
    return ArrayWatch() if facts.array else Watch()


def _chunks(run: bytes) -> list[Chunk]:
    return [chunk for frame in frames(run) if (chunk := read(frame.data)) is not None]
