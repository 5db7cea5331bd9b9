"""Streamed chats of Cohere's: relayed as they come, watched for usage, their end and errors.

Usage and the end come in one event, ``message-end``; where it says that the answer failed, it is
taken out of the stream: the caller gets ours in its place, with the request id and without the
vendor's internals. Source: cohere-python 7.3.1, ``V2ChatStreamResponse``, read 2026-11-28.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import errors
from trivium.wire.answer_structs import Frame
from trivium.wire.cohere import finish
from trivium.wire.cohere.answer_structs import EventKind, TypedEvent
from trivium.wire.cohere.read_answer_parts import words
from trivium.wire.cohere.usage import usage
from trivium.wire.errors import stream_tail
from trivium.wire.lenient import decoded, error_of
from trivium.wire.locate import holding
from trivium.wire.operation import Shape
from trivium.wire.passage import RequestFacts
from trivium.wire.sse import Splitter, completed, parse

_decode: Final = msgspec.json.Decoder(TypedEvent).decode
_decode_kind: Final = msgspec.json.Decoder(EventKind).decode
_encode: Final = msgspec.json.Encoder().encode
_END: Final = b"message-end"
_ERROR: Final = b'"error"'
_ERROR_EVENT: Final = b"event: error"
"""One of these stands in every event that we read."""


class ChatWatch:
    """Watches one streamed chat."""

    __slots__ = ("_splitter", "error", "finished", "stopped", "usage")

    def __init__(self) -> None:
        self.finished = self.stopped = False
        self.error: bytes | None = None
        self.usage: Usage | None = None
        self._splitter = Splitter()

    def feed(self, data: bytes) -> bytes:
        """What to forward of one upstream read: whole blocks, up to an error."""
        run = self._splitter.feed(data)
        if self.error is not None:
            return b""
        # deltas hold none of the words
        found = [word for word in (_END, _ERROR, _ERROR_EVENT) if run.rfind(word) >= 0]
        return self._look(run, found) if found else run

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """The last block, if only its blank line is missing, and an error unless all is said."""
        rest = b""
        if fault is None and self.error is None and not self.finished:
            block = completed(self._splitter.take())
            frame = parse(block)
            rest = block if frame is not None and not self._read(frame) else b""
        if self.finished:
            return rest
        return rest + stream_tail(fault or errors.cut_short(), request_id, Shape.COHERE)

    def _look(self, run: bytes, found: Iterable[bytes]) -> bytes:
        for start, block in holding(run, found):
            frame = parse(block)
            if frame is not None and self._read(frame):
                return run[:start]
        return run

    def _read(self, frame: Frame) -> bool:
        """Take note of one event; whether it is an error that ends the answer."""
        if self.finished:
            return False
        event = decoded(_decode, frame.data)
        if event is None:
            named = decoded(_decode_kind, frame.data)
            event = TypedEvent(type=words(named.type) if named is not None else "")
        kind = event.type or frame.event.decode("utf-8", "replace")
        delta = event.delta
        if kind == "message-end":
            if delta is not None:
                self.usage = usage(delta.usage) or self.usage
                if delta.finish_reason == finish.FAILED or words(delta.error):
                    self.error = _encode({"message": words(delta.error)})
                    return True
            self.finished = self.stopped = True
        elif kind == "error" or (not kind and error_of(event.error) is not None):
            self.error = bytes(event.error) or frame.data
            return True
        return False


def watch(facts: RequestFacts) -> ChatWatch:  # noqa: ARG001 - every request of the shape streams alike
    """Return a new watch for one stream."""
    return ChatWatch()
