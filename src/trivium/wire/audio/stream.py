"""Watching streams of the audio shapes: deltas go by, the last event tells usage and the end.

Data-only events; an error is an event of its own, after which nothing comes. Sources: OpenAI's
OpenAPI document of 2026-08-21 (``SpeechAudioDoneEvent``, ``TranscriptTextDoneEvent``); how the SDKs
see an error: any data with a top-level ``error`` (run 2026-11-21).
"""

from functools import partial
from typing import Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire import errors, sse
from trivium.wire.audio.usage import complete, reported
from trivium.wire.lenient import error_of
from trivium.wire.locate import holding
from trivium.wire.operation import Shape
from trivium.wire.passage import RequestFacts

SPEECH_DONE: Final = b"speech.audio.done"
TRANSCRIPT_DONE: Final = b"transcript.text.done"
_SPEECH_DELTA: Final = b"speech.audio.delta"
_ERROR: Final = b'"error"'
_encode = msgspec.json.Encoder().encode


class _Event(msgspec.Struct, gc=False):
    type: str = ""
    usage: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


_decode: Final = msgspec.json.Decoder(_Event).decode


class Watch:
    """Watches one stream of audio events. See ``StreamWatch``.

    Speech without any sound is none; a transcript without words is one of silence.
    """

    __slots__ = ("_done", "_is_silent", "_known", "_splitter", "error", "finished", "usage")

    def __init__(self, facts: RequestFacts, done: bytes) -> None:
        """``done``: the type of the last event."""
        self._known = facts.known or Usage()
        self._done = done
        self._is_silent = done == SPEECH_DONE
        """Whether sound has to come yet."""
        self._splitter = sse.Splitter()
        self.usage: Usage | None = None
        self.finished = False
        self.error: bytes | Fault | None = None

    @property
    def stopped(self) -> bool:
        """Whether its last event has come, which has the count."""
        return self.finished

    def feed(self, data: bytes) -> bytes:
        """What to forward of the bytes of one upstream read."""
        run = self._splitter.feed(data)
        return self._observe(run) if run and self.error is None else b""

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """Bytes that end the answer legally after the upstream's last byte."""
        held = sse.completed(self._splitter.take()) if self.error is None else b""
        out = self._observe(held) if held else b""
        if self.finished:
            return out
        return out + broken(fault or errors.cut_short(), request_id)

    def _observe(self, run: bytes) -> bytes:
        if self._is_silent and _SPEECH_DELTA in run:
            self._is_silent = False
        for at, block in holding(run, (_ERROR, self._done)):
            event = sse.read(block, _decode)
            if event is None:
                continue
            error = error_of(event.error)
            if error is not None and not self.finished:
                self.error = error
                return run[:at]
            if event.type.encode() == self._done:
                if self._is_silent:
                    self.error = Fault(Kind.UPSTREAM_BROKE, "The upstream ended without a sound.")
                    return run[:at]
                self.finished = True
                found = reported(event.usage, spoken=self._done == SPEECH_DONE)
                self.usage = complete(self._known, found)
        return run


speech_watch: Final = partial(Watch, done=SPEECH_DONE)
"""A fresh watch for one recording sent as events."""
transcript_watch: Final = partial(Watch, done=TRANSCRIPT_DONE)
"""A fresh watch for one streamed transcript."""


def broken(fault: Fault, request_id: str) -> bytes:
    """The event that ends a stream after a fault."""
    return b"event: error\ndata: " + errors.body(fault, request_id, Shape.AUDIO) + b"\n\n"


def spoken(audio: str, usage: Usage | None) -> bytes:
    """A whole recording, in base64, as the events of a stream."""
    done = {"type": SPEECH_DONE.decode(), "usage": _counts(usage)}
    return sse.frame(_encode({"type": "speech.audio.delta", "audio": audio})) + sse.frame(
        _encode(done)
    )


def told(text: str, usage: msgspec.Raw) -> bytes:
    """A whole transcript as the events of a stream; ``usage`` as the upstream wrote it."""
    done: dict[str, object] = {"type": TRANSCRIPT_DONE.decode(), "text": text}
    if usage:
        done["usage"] = usage
    delta = {"type": "transcript.text.delta", "delta": text}
    return sse.frame(_encode(delta)) + sse.frame(_encode(done))


def _counts(usage: Usage | None) -> dict[str, int]:
    given = usage.input_total if usage else 0
    made = usage.output_total if usage else 0
    return {"input_tokens": given, "output_tokens": made, "total_tokens": given + made}
