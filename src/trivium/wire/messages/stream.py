"""Streamed messages: relayed as they come, watched for usage, their end and errors.

An upstream's own error event is taken out of the stream: the caller gets ours in its place, with
the request id and without the vendor's internals. The SDKs raise on the event name ``error``
and read everything else by the ``type`` member; so does this. Source: messages streaming
reference and SDK 2.11, read on 2026-11-21.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import errors
from trivium.wire.answer_structs import Frame
from trivium.wire.errors import stream_tail
from trivium.wire.lenient import decoded, error_of
from trivium.wire.locate import holding
from trivium.wire.messages.read_usage import merged, uncounted, usage
from trivium.wire.messages.stream_structs import LooseEvent, WatchedEvent, WatchedMessage
from trivium.wire.operation import Shape
from trivium.wire.passage import RequestFacts
from trivium.wire.sse import Splitter, parse

_decode: Final = msgspec.json.Decoder(WatchedEvent).decode
_decode_object: Final = msgspec.json.Decoder(dict[str, Any]).decode
_decode_loose: Final = msgspec.json.Decoder(LooseEvent).decode

_MESSAGE: Final = b'"message_'
_ERROR: Final = b'"error"'
_ERROR_EVENT: Final = b"event: error"
"""One of these stands in every event that we read."""


class Watch:
    """Watches one streamed message."""

    __slots__ = ("_counters", "_is_counted", "_splitter", "error", "finished", "stopped")

    def __init__(self) -> None:
        self.finished = self.stopped = False
        self._is_counted = False
        self.error: bytes | None = None
        self._counters: Mapping[str, Any] = {}
        self._splitter = Splitter()

    @property
    def usage(self) -> Usage | None:
        """The totals so far; worked out when asked, since each event replaces the last."""
        if self.stopped and not self._is_counted:
            return usage(uncounted(self._counters))
        return usage(self._counters)

    def feed(self, data: bytes) -> bytes:
        """What to forward of one upstream read: whole blocks, up to an error."""
        run = self._splitter.feed(data)
        if self.error is not None:
            return b""
        # deltas hold none of the words
        if run.rfind(_ERROR) >= 0 or run.rfind(_ERROR_EVENT) >= 0:
            return self._look(run, (_MESSAGE, _ERROR, _ERROR_EVENT))
        return self._look(run, (_MESSAGE,)) if run.rfind(_MESSAGE) >= 0 else run

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """The last block, if only its blank line is missing, and an error unless all is said."""
        rest = b""
        if fault is None and self.error is None and not self.finished:
            rest = self._last(self._splitter.take())
        if self.finished:
            return rest
        return rest + stream_tail(fault or errors.cut_short(), request_id, Shape.MESSAGES)

    def _look(self, run: bytes, words: Iterable[bytes]) -> bytes:
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

    def _read(self, frame: Frame, view: WatchedEvent | None) -> bool:
        """Take note of one event; whether it is an error that ends the answer."""
        error = _error(frame, view)
        if error is not None:
            if not self.finished:
                self.error = error
            return not self.finished
        if view is None:
            return False
        kind = view.type or frame.event.decode("utf-8", "replace")
        if kind == "message_start":
            if view.message is not None and view.message.usage is not None:
                self._counters = merged(self._counters, view.message.usage)
        elif kind == "message_delta":
            if view.usage is not None:
                self._counters = merged(self._counters, view.usage)
                self._is_counted = self._is_counted or view.usage.get("output_tokens") is not None
            delta = view.delta
            self.stopped = self.stopped or (
                isinstance(delta, dict) and bool(delta.get("stop_reason"))
            )
        elif kind == "message_stop":
            self.finished = self.stopped = True
        return False


def watch(facts: RequestFacts) -> Watch:  # noqa: ARG001 - every request of the shape streams alike
    """Return a new watch for one stream."""
    return Watch()


def _view(frame: Frame) -> WatchedEvent | None:
    """The frame's members; ``None`` when it is not a whole JSON object."""
    try:
        return _decode(frame.data)
    except (ValueError, RecursionError):  # msgspec's own and UnicodeDecodeError are ValueErrors
        pass
    if (loose := decoded(_decode_loose, frame.data)) is None:
        return None
    message, told = decoded(_decode_object, loose.message), None
    if message is not None:
        told = message.get("usage")
    return WatchedEvent(
        type=loose.type,
        message=WatchedMessage(told if isinstance(told, dict) else None),
        usage=decoded(_decode_object, loose.usage),
        delta=loose.delta,
        error=loose.error,
    )


def _error(frame: Frame, view: WatchedEvent | None) -> bytes | None:
    """The error that a frame tells of; ``None`` when it is any other event."""
    if frame.event == b"error" or (view is not None and view.type == "error"):
        return b"{}" if view is None else bytes(view.error) or frame.data
    if view is None or view.type or frame.event:
        return None
    # nothing else says what it is: an error as the chat shape has it
    return error_of(view.error)
