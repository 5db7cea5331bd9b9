"""Streamed messages in Bedrock's frames: each holds the data of one server-sent event as base64.

A frame is an event ``chunk`` whose payload is ``{"bytes": "…"}``, with padding as ``p`` that says
nothing; an exception is a frame of its own and the last one. The data of ``message_stop`` also
tells what the invocation took. Source: ``ResponseStream`` of botocore 1.44's model of
bedrock-runtime and ``lib/bedrock/_stream_decoder.py`` of anthropic-sdk-python 2.11.0, read on
2026-11-28.
"""

import binascii
import re
from typing import Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire import caps, json_size
from trivium.wire.answer_structs import Frame
from trivium.wire.bedrock.structs import (
    ChunkPayload,
    CountedEvent,
    ErrorEvent,
    NamedEvent,
    StreamedError,
    StreamException,
)
from trivium.wire.event_stream import (
    PAYLOAD_BYTES_MAX,
    EventFrame,
    EventFrames,
    broken,
    event,
    event_parts,
    exception,
)
from trivium.wire.lenient import decoded
from trivium.wire.sse import LONG, Splitter, blocks, frame, parse, window

EVENT_BYTES_MAX: Final = PAYLOAD_BYTES_MAX // 4 * 3 - 64
"""Most bytes of an event that has room in a frame."""
_PIECE: Final = 3 * 65_536
"""Bytes of a long event that become base64 at once; of whole groups of three."""
METRICS: Final = "amazon-bedrock-invocationMetrics"
_CHUNK: Final = "chunk"
_EXCEPTION: Final = "exception"
_STOP: Final = b"message_stop"
_WORD: Final = re.compile(r"[a-z_]{1,64}")

_TYPES: Final = {
    "throttlingException": "rate_limit_error",
    "validationException": "invalid_request_error",
    "serviceUnavailableException": "overloaded_error",
    "modelTimeoutException": "timeout_error",
    "accessDeniedException": "permission_error",
    "resourceNotFoundException": "not_found_error",
}
"""Exceptions -> the messages shape's own word; all others are ``api_error``."""
EXCEPTIONS: Final = {
    "rate_limit_error": "throttlingException",
    "invalid_request_error": "validationException",
    "overloaded_error": "serviceUnavailableException",
    "timeout_error": "modelTimeoutException",
    "api_error": "internalServerException",
}
"""The other way: of the stream's own exceptions; any other error is ``modelStreamErrorException``.
"""


_encode = msgspec.json.Encoder().encode
_payload: Final = msgspec.json.Decoder(ChunkPayload).decode
_named: Final = msgspec.json.Decoder(NamedEvent).decode
_refused: Final = msgspec.json.Decoder(StreamException).decode
_event: Final = msgspec.json.Decoder(CountedEvent).decode
_failure: Final = msgspec.json.Decoder(ErrorEvent).decode
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class Unframer:
    """Frames, cut anywhere, into server-sent events of the messages shape. One per answer."""

    __slots__ = ("_frames",)

    def __init__(self) -> None:
        self._frames = EventFrames()

    def feed(self, data: bytes) -> bytes:
        """The events of all frames that became whole. Raises ``Fault`` (UPSTREAM_BROKE) for what
        is no frame, or one that holds nothing that can be read.
        """
        return b"".join([_unframed(one) for one in self._frames.feed(data)])


def _unframed(one: EventFrame) -> bytes:
    kind = one.word(":message-type")
    if kind in (_EXCEPTION, "error"):
        return _raised(one)
    if one.word(":event-type") != _CHUNK:
        return b""  # what is to come: it is none of the answer
    try:
        data = _payload(one.payload).bytes
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise broken("a chunk holds no base64") from None
    if json_size.exceeds(data, caps.OBJECTS_MAX):
        raise caps.too_many("JSON objects in a frame", caps.OBJECTS_MAX)
    if b"\n" in data or b"\r" in data:  # between two members, as no text of JSON has one
        data = data.translate(bytes.maketrans(b"\r\n", b"  "))
    try:
        named = _named(data).type
    except (ValueError, RecursionError):
        raise broken("a chunk holds no JSON") from None
    # joined: it may be long
    lead = b"event: %b\ndata: " % named.encode() if _WORD.fullmatch(named) else b"data: "
    return b"".join([lead, data, b"\n\n"])


def _raised(one: EventFrame) -> bytes:
    """The shape's own error event of an exception."""
    name = one.word(":exception-type") or one.word(":error-code")
    said = decoded(_refused, one.payload)
    text = one.word(":error-message")
    if said is not None:
        text = next((t for t in (said.message, said.Message) if isinstance(t, str) and t), text)
    error = {"type": _TYPES.get(name, "api_error"), "message": text or name}
    return frame(_encode({"type": "error", "error": error}), b"error")


class Framer:
    """Server-sent events of the messages shape into frames. One per answer."""

    __slots__ = ("_input", "_out", "_output", "_splitter", "has_ended")

    def __init__(self) -> None:
        self._splitter = Splitter()
        self._out: list[bytes] = []
        """Frames that are to be sent next."""
        self._input = self._output = 0
        self.has_ended = False
        """Whether the last frame is written: nothing may come after an exception."""

    def feed(self, data: bytes, latency_ms: int, first_ms: int) -> bytes:
        """Frames of all events that became whole; comments give none.

        ``latency_ms``, ``first_ms``: how long the answer has taken until now, and until its first
        byte, as the last frame tells. Raises ``Fault`` (UNREPRESENTABLE) for an event that no
        frame has room for; what came before it is in the next answer.
        """
        return b"".join(self.pieces(data, latency_ms, first_ms))

    def pieces(self, data: bytes, latency_ms: int, first_ms: int) -> list[bytes]:
        """As ``feed``; a long frame comes in several pieces, and is never held whole."""
        try:
            found = self._splitter.cut(data)
        except Fault:
            self._splitter = Splitter()  # what follows is an error of its own
            raise
        found.reverse()
        while found:
            one = found.pop()
            if isinstance(one, Frame):
                self._add(one.event, one.data, latency_ms, first_ms)
                continue
            rows = blocks(one)
            rows.reverse()
            while rows:
                row = rows.pop()
                if len(row) > LONG and (seen := window(row)) is not None:
                    self._add(*seen, latency_ms, first_ms)
                elif (parsed := parse(row)) is not None:
                    self._add(parsed.event, parsed.data, latency_ms, first_ms)
        out, self._out = self._out, []
        return out

    def _add(self, kind: bytes, data: bytes | memoryview, latency_ms: int, first_ms: int) -> None:
        if self.has_ended:
            return
        if not kind and (found := decoded(_named, data)) is not None:
            kind = found.type.encode()
        if kind == b"error":
            self.has_ended = True
            self._out.append(_exception(data))
            return
        if kind.startswith(b"message_"):
            self._count(data)
        if kind == _STOP:
            data = _measured(data, self._metrics(latency_ms, first_ms))
        if len(data) > EVENT_BYTES_MAX:
            raise Fault(
                Kind.UNREPRESENTABLE,
                "An event of the answer is too long for a frame of the stream; ask for it without "
                "streaming.",
            )
        if len(data) <= LONG:
            coded = binascii.b2a_base64(data, newline=False)
            self._out.append(event(_CHUNK, b'{"bytes":"', coded, b'"}'))
            return
        view = memoryview(data)
        rows = [
            binascii.b2a_base64(view[at : at + _PIECE], newline=False)
            for at in range(0, len(view), _PIECE)
        ]
        self._out += event_parts(_CHUNK, [b'{"bytes":"', *rows, b'"}'])

    def _count(self, data: bytes | memoryview) -> None:
        found = decoded(_event, data)
        if found is None:
            return
        for counts in (found.message.usage if found.message is not None else None, found.usage):
            if counts is not None:
                self._input = self._input if counts.input_tokens is None else counts.input_tokens
                self._output = (
                    self._output if counts.output_tokens is None else counts.output_tokens
                )

    def _metrics(self, latency_ms: int, first_ms: int) -> bytes:
        return _encode(
            {
                "inputTokenCount": self._input,
                "outputTokenCount": self._output,
                "invocationLatency": latency_ms,
                "firstByteLatency": first_ms,
            }
        )


def _measured(data: bytes | memoryview, metrics: bytes) -> bytes | memoryview:
    members = decoded(_members, data)
    return data if members is None else _encode({**members, METRICS: msgspec.Raw(metrics)})


def _exception(data: bytes | memoryview) -> bytes:
    """The frame of an error event."""
    found = decoded(_failure, data)
    error = found.error if found is not None else StreamedError(message="The answer broke off.")
    kind = EXCEPTIONS.get(error.type, "modelStreamErrorException")
    return exception(kind, _encode({"message": error.message}))
