"""Streamed messages: relayed as they come, watched for usage, their end and errors.

An upstream's own error event is taken out of the stream: the caller gets ours in its place, with
the request id and without the vendor's internals. The SDKs raise on the event name ``error``
and read everything else by the ``type`` member; so does this. Source: messages streaming
reference and SDK 2.11, read on 2026-11-21.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.errors import stream_tail
from trivium.wire.locate import holding
from trivium.wire.messages.usage import merged, usage
from trivium.wire.operation import Shape
from trivium.wire.passage import Facts
from trivium.wire.sse import Frame, Splitter, parse


class _View(msgspec.Struct, gc=False):
    type: Any = None
    message: Any = None
    usage: Any = None  # cumulative totals of the whole message, not of this event
    error: msgspec.Raw = msgspec.Raw()


_decode: Final = msgspec.json.Decoder(_View).decode

_WORDS: Final = (b'"message_', b'"error"', b"event: error")
"""One of these stands in every event that we read."""


class Watch:
    """Watches one streamed message."""

    __slots__ = ("_counters", "_splitter", "error", "finished")

    def __init__(self) -> None:
        self.finished = False
        self.error: bytes | None = None
        self._counters: Mapping[str, Any] = {}
        self._splitter = Splitter()

    @property
    def usage(self) -> Usage | None:
        """The totals so far; worked out when asked, since each event replaces the last."""
        return usage(self._counters)

    def feed(self, data: bytes) -> bytes:
        """What to forward of one upstream read: whole blocks, up to an error."""
        run = self._splitter.feed(data)
        # HOT: one call per upstream read; deltas hold none of the words and cost three searches.
        # rfind, not `in`: see chat/stream.py
        words = [word for word in _WORDS if run.rfind(word) >= 0]
        if not words:
            return b"" if self.error is not None else run
        return self._look(run, words)

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """The last block, if only its blank line is missing, and an error unless all is said."""
        rest = b""
        if fault is None and self.error is None and not self.finished:
            rest = self._last(self._splitter.take())
        if self.finished:
            return rest
        return rest + stream_tail(fault or _cut_short(), request_id, Shape.MESSAGES)

    def _look(self, run: bytes, words: list[bytes]) -> bytes:
        if self.error is not None:
            return b""
        for start, block in holding(run, words):
            frame = parse(block)
            if frame is not None and self._read(frame, _view(frame)):
                return run[:start]
        return run

    def _last(self, rest: bytes) -> bytes:
        frame = parse(rest)
        view = _view(frame) if frame is not None else None
        if frame is None or view is None or self._read(frame, view):
            return b""
        return rest.rstrip(b"\r\n") + b"\n\n"

    def _read(self, frame: Frame, view: _View | None) -> bool:
        """Take note of one event; whether it is an error that ends the answer."""
        kind = frame.event.decode("utf-8", "replace")
        if kind == "error" or (view is not None and view.type == "error"):
            if not self.finished:
                self.error = b"{}" if view is None else bytes(view.error) or frame.data
            return not self.finished
        if view is None:
            return False
        kind = view.type or kind
        if kind == "message_start":
            message = view.message
            self._count(message.get("usage") if isinstance(message, Mapping) else None)
        elif kind == "message_delta":
            self._count(view.usage)
        elif kind == "message_stop":
            self.finished = True
        return False

    def _count(self, reported: Any) -> None:
        self._counters = merged(self._counters, reported)


def watch(facts: Facts) -> Watch:  # noqa: ARG001 - every request of the shape streams alike
    """A fresh watch."""
    return Watch()


def _view(frame: Frame) -> _View | None:
    """The frame's members; ``None`` when it is not a whole JSON object."""
    try:
        return _decode(frame.data)
    except (ValueError, RecursionError):  # msgspec's own and UnicodeDecodeError are ValueErrors
        return None


def _cut_short() -> Fault:
    return Fault(Kind.UPSTREAM_BROKE, "The upstream's answer ended before it was complete.")
