"""Watching a responses stream: usage, errors and the end are seen, the bytes go by.

Only lifecycle events carry a ``response`` member, and only the terminal ones have usage in it.
An ``error`` or ``response.failed`` event is held back with all that follows it: the pipeline says
what it means in its own words. A stream that fails, or stops short, is ended with ``error`` and
``response.failed``: the OpenAI SDKs raise on the first, Codex reads the second.
Source: OpenAI's API reference, responses streaming, and openai-python 3.52.0, read 2026-11-21.
"""

from typing import Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import errors, openai_shapes, sse
from trivium.wire.lenient import decoded, error_of
from trivium.wire.locate import holding
from trivium.wire.passage import RequestFacts
from trivium.wire.responses import failure
from trivium.wire.responses.stream_structs import (
    LooseEvent,
    LooseResponse,
    Numbered,
    WatchedEvent,
    WatchedResponse,
)

_RESPONSE: Final = b'"response"'
_ERROR: Final = b'"error"'
_NUMBER: Final = b'"sequence_number"'

_OPENING: Final = frozenset({"response.created", "response.queued", "response.in_progress"})
_DONE: Final = "response.done"
"""As some servers end, whatever the end is."""
_TERMINAL: Final = frozenset(
    {"response.completed", "response.incomplete", "response.failed", _DONE}
)


_decode: Final = msgspec.json.Decoder(WatchedEvent, strict=False).decode
_decode_loose: Final = msgspec.json.Decoder(LooseEvent).decode
_decode_response: Final = msgspec.json.Decoder(LooseResponse).decode
_decode_number: Final = msgspec.json.Decoder(Numbered).decode


class Watch:
    """Watches one stream of response events. See ``StreamWatch``."""

    __slots__ = (
        "_failed",
        "_last",
        "_model",
        "_opening",
        "_splitter",
        "error",
        "finished",
        "usage",
    )

    def __init__(self, facts: RequestFacts) -> None:
        self.usage: Usage | None = None
        self.finished = False
        self.error: bytes | None = None
        self._model = facts.model
        self._opening: bytes | None = None
        self._failed: bytes | None = None
        self._last = b""
        self._splitter = sse.Splitter()

    @property
    def stopped(self) -> bool:
        """Whether its last event has come, which has the count."""
        return self.finished

    def feed(self, data: bytes) -> bytes:
        """What to forward of the bytes of one upstream read: whole blocks, unchanged."""
        run = self._splitter.feed(data)
        return self._observe(run) if run and self.error is None else b""

    def _observe(self, run: bytes) -> bytes:
        # Deltas have neither of the two words, so nothing is parsed between the first events and
        # the last. The run is kept for the sequence number that a tail of ours would continue from.
        if run.rfind(_RESPONSE) >= 0 or run.rfind(_ERROR) >= 0:
            run = self._look(run)
        if run.rfind(_NUMBER) >= 0:
            self._last = run
        return run

    def _look(self, run: bytes) -> bytes:
        """Note lifecycle events; what is left of the run for the caller."""
        for at, block in holding(run, (_RESPONSE, _ERROR)):
            self._note(block)
            if self.error is not None:
                return run[:at]
        return run

    def _note(self, block: bytes) -> None:
        if self.finished:
            return
        frame = sse.parse(block)
        if frame is None:
            return
        try:
            event = _read(frame.data)
            name = event.type or frame.event.decode()
        except (ValueError, RecursionError):
            return  # not an event we know how to read: it goes by
        response = event.response
        if name in _OPENING:
            self._opening = frame.data
        elif name in _TERMINAL and response is not None:
            if response.usage is not None:
                self.usage = openai_shapes.of(response.usage) or self.usage
            if name == "response.failed" or (name == _DONE and error_of(response.error)):
                self._failed = frame.data
                self.error = error_of(response.error) or frame.data
            else:
                self.finished = True
        elif name == "error":
            self.error = error_of(event.error) or frame.data
        elif not name:
            # as the chat shape says it; the official client raises on it here too
            self.error = error_of(event.error)

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """Bytes that end the answer legally after the upstream's last byte."""
        held = sse.completed(self._splitter.take()) if self.error is None else b""
        held = self._observe(held) if held else b""
        if self.finished:
            return held
        fault = fault or errors.cut_short()
        number = self._next_number()
        out = [held]
        opened = failure.opening(_response(self._opening))
        response = opened or failure.minimal(self._model, request_id)
        if opened is None:
            out.append(failure.event("response.created", number, {"response": response}))
            number += 1
        out.append(failure.error_event(fault, number, request_id))
        # a failed object of the vendor's has usage and partial output; the id must not change
        told = failure.opening(_response(self._failed)) or {}
        failed = {
            **response,
            **told,
            "id": response.get("id"),
            "status": "failed",
            "error": failure.of(fault),
        }
        out.append(failure.event("response.failed", number + 1, {"response": failed}))
        return b"".join(out)

    def _next_number(self) -> int:
        for frame in reversed(sse.frames(self._last)):
            found = decoded(_decode_number, frame.data)
            if found is not None and found.sequence_number is not None:
                return found.sequence_number + 1
        return 0


def _read(data: bytes) -> WatchedEvent:
    """What an event says. Raises ``ValueError`` or ``RecursionError`` for what is none."""
    try:
        return _decode(data)
    except (ValueError, RecursionError):  # msgspec's own and UnicodeDecodeError are ValueErrors
        loose = _decode_loose(data)
    if (told := decoded(_decode_response, loose.response)) is None:
        return WatchedEvent(loose.type, None, loose.error)
    return WatchedEvent(
        loose.type, WatchedResponse(openai_shapes.counts(told.usage), told.error), loose.error
    )


def _response(event: bytes | None) -> bytes | None:
    """The response in an event's data."""
    return None if event is None else bytes(_decode_loose(event).response)
