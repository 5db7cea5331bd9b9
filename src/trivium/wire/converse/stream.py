"""Streamed Converse answers: relayed as they come, watched for usage, their end and exceptions.

An upstream's own exception is taken out of the stream: the caller gets ours in its place, without
the vendor's internals. A stream is whole when the message has stopped and its counts have come,
which stand in a frame behind it. Source: botocore 1.44, read on 2026-11-28.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import errors
from trivium.wire.converse import failure
from trivium.wire.converse.read_usage import usage
from trivium.wire.errors import stream_tail
from trivium.wire.event_stream import EventFrame, EventFrames
from trivium.wire.lenient import decoded
from trivium.wire.operation import Shape
from trivium.wire.passage import RequestFacts

_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode
_encode: Final = msgspec.json.Encoder().encode


class Watch:
    """Watches one streamed answer."""

    __slots__ = ("_frames", "_is_counted", "_usage", "error", "finished", "stopped")

    def __init__(self) -> None:
        self.finished = self.stopped = False
        self.error: bytes | None = None
        self._is_counted = False
        self._usage: Usage | None = None
        self._frames = EventFrames(relays=True)

    @property
    def usage(self) -> Usage | None:
        """The usage of the ``metadata`` event; ``None`` before it has come."""
        return self._usage

    def feed(self, data: bytes) -> bytes:
        """What to forward of one upstream read: whole frames, up to an exception.

        Raises ``Fault`` (UPSTREAM_BROKE) for bytes that are no frames.
        """
        frames = self._frames.feed(data)
        if self.error is not None:
            return b""
        run, self._frames.run = self._frames.run, b""
        at = 0
        for frame in frames:
            if self._read(frame):
                return run[:at]
            at += int.from_bytes(run[at : at + 4])
        return run

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """An exception, unless all is said."""
        if self.stopped and fault is None and self.error is None:
            self.finished = True  # the counts are missing, not the answer
        if self.finished:
            return b""
        return stream_tail(fault or errors.cut_short(), request_id, Shape.CONVERSE)

    def _read(self, frame: EventFrame) -> bool:
        """Take note of one frame; whether it is an exception that ends the answer."""
        error = failure.told(frame)
        if error is not None:
            if not self.finished:
                self.error = _encode(error)
            return not self.finished
        kind = frame.word(":event-type")
        if kind == "messageStop":
            self.stopped = True
        elif kind == "metadata":
            self._is_counted = True
            found = decoded(_decode, frame.payload)
            self._usage = usage(found.get("usage")) if found is not None else None
        else:
            return False
        self.finished = self.stopped and self._is_counted
        return False


def watch(facts: RequestFacts) -> Watch:  # noqa: ARG001 - every request of the shape streams alike
    """Return a new watch for one stream."""
    return Watch()
