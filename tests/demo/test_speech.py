"""The server round the models of speech: shapes, formats and refusals, with models that are none."""

import base64
import http.client
import types
from urllib.parse import urlsplit

import msgspec
import pytest

from pipeline.audio.forms import form
from trivium.demo import speech
from trivium.demo.speech import SpeechServer, encoded

WORDS = [
    types.SimpleNamespace(
        start=0.0,
        end=1.0,
        text=" Hello there.",
        words=[types.SimpleNamespace(word=" Hello", start=0.0, end=0.5)],
    )
]


class Parrot:
    """Says its text's bytes, and always hears the same."""

    def say(self, text, speed):
        return text.encode() * round(speed)

    def hear(self, sound, *, words):
        if sound == b"noise":
            raise ValueError("no sound")
        return WORDS, 1.5


@pytest.fixture
def server():
    """One server, closed afterwards."""
    running = SpeechServer(Parrot(), "k")
    yield running
    running.close()


def asked(server, path, body=b"", *, kind="application/json", key="k", method="POST"):
    line = http.client.HTTPConnection(urlsplit(server.listening_address).netloc, timeout=10)
    headers = {"authorization": f"Bearer {key}", "content-type": kind}
    line.request(method, path, body, headers)
    answer = line.getresponse()
    found = answer.status, answer.headers["content-type"], answer.read()
    line.close()
    return found


def spoken(**more):
    return msgspec.json.encode({"model": "m", "input": "abcd", "voice": "v", **more})


def test_it_is_healthy_once_it_listens():
    """As whoever waits for it asks."""
    running = SpeechServer(Parrot(), "k")
    assert 200 == asked(running, "/health", method="GET")[0]
    assert 404 == asked(running, "/elsewhere", method="GET")[0]
    running.close()


def test_speech_in_formats_that_need_no_encoder(server):
    """Bare samples, and a WAV file of them."""
    assert (200, "audio/pcm", b"abcd") == asked(
        server, "/v1/audio/speech", spoken(response_format="pcm")
    )
    status, kind, body = asked(server, "/v1/audio/speech", spoken(response_format="wav"))
    assert (200, "audio/wav", encoded(b"abcd", "wav")) == (status, kind, body)


def test_speech_as_events(server):
    """Base64 deltas, then usage."""
    _, kind, body = asked(
        server, "/v1/audio/speech", spoken(response_format="pcm", stream_format="sse")
    )
    delta, done = (msgspec.json.decode(line[6:]) for line in body.split(b"\n\n") if line)
    assert "text/event-stream" == kind
    assert b"abcd" == base64.b64decode(delta["audio"])
    assert {"input_tokens": 1, "output_tokens": 1} == done["usage"]


def listened(server, **values):
    kind, body = form(**({"model": "m"} | values))
    return asked(server, "/v1/audio/transcriptions", body, kind=kind.removeprefix("Content-Type: "))


FORMATS = {
    "text": (b"Hello there.\n", "text/plain; charset=utf-8"),
    "srt": (b"1\n00:00:00,000 --> 00:00:01,000\nHello there.\n", "text/plain; charset=utf-8"),
    "vtt": (
        b"WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nHello there.\n",
        "text/plain; charset=utf-8",
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_transcripts_as_text(server, name):
    """And subtitles."""
    body, kind = FORMATS[name]
    assert (200, kind, body) == listened(server, response_format=name)


def test_transcripts_as_json(server):
    """With the seconds, and with words where they are asked for."""
    assert {
        "text": "Hello there.",
        "usage": {"type": "duration", "seconds": 1.5},
    } == msgspec.json.decode(listened(server)[2])
    told = msgspec.json.decode(
        listened(server, response_format="verbose_json", timestamp_granularities=["word"])[2]
    )
    assert [{"word": "Hello", "start": 0.0, "end": 0.5}] == told["words"]
    assert (1.5, 0) == (told["duration"], told["segments"][0]["id"])


def test_transcripts_as_events(server):
    """One delta a segment."""
    _, kind, body = listened(server, stream="true")
    types_ = [msgspec.json.decode(line[6:])["type"] for line in body.split(b"\n\n") if line]
    assert "text/event-stream" == kind
    assert ["transcript.text.delta", "transcript.text.done"] == types_


def test_what_is_wrong_is_said(server, monkeypatch):
    """In the shape's own errors."""
    rows = [
        (asked(server, "/v1/audio/speech", spoken(), key="x"), 401),
        (asked(server, "/v1/audio/speech", spoken(speed=9)), 400),
        (asked(server, "/v1/nothing", b"{}"), 404),
        (asked(server, "/v1/audio/transcriptions", b"{}"), 415),
        (
            asked(server, "/v1/audio/transcriptions", b"x", kind="multipart/form-data; boundary=b"),
            400,
        ),
    ]
    for (status, _, body), expected in rows:
        assert expected == status
        assert msgspec.json.decode(body)["error"]["message"]
    monkeypatch.setattr(speech, "BODY_BYTES_MAX", 3)
    assert 413 == asked(server, "/v1/audio/speech", spoken())[0]


def test_noise_is_refused(server):
    """Not a crash."""
    from trivium.wire.multipart import Part

    kind, body = form(Part(name="file", filename="a", value=b"noise"), model="m")
    status, _, told = asked(
        server, "/v1/audio/transcriptions", body, kind=kind.removeprefix("Content-Type: ")
    )
    assert (400, True) == (status, b"corrupted" in told)
