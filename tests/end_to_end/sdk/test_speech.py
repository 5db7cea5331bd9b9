"""Real models of speech behind a served gateway: what one says, the other writes down.

Speech in six formats, transcripts in all that the model gives, by the official SDKs; every entry
explains its price, and the books agree.
"""

import base64
import csv
import io
import json
import re
import time
import wave
from decimal import Decimal

import openai as sdk
import pytest

from end_to_end.sdk.clients import Wire, openai_at
from end_to_end.sdk.engine import recorded
from end_to_end.sdk.node import SPEECH, run
from end_to_end.sdk.served import command
from end_to_end.sdk.speech import speech_behind

pytestmark = pytest.mark.speech

TEXT = "The quick brown fox jumps over the lazy dog."
WORDS = {"quick", "brown", "fox", "jumps", "lazy", "dog"}
BEGINS = {
    "mp3": (b"ID3", b"\xff\xfb", b"\xff\xf3"),
    "opus": (b"OggS",),
    "aac": (b"\xff\xf1", b"\xff\xf9"),
    "flac": (b"fLaC",),
    "wav": (b"RIFF",),
    "pcm": (b"",),
}
SLOW = ("opus", "aac", "flac")
"""Spoken by `make soak` alone: seconds of a core for each."""


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    """One gateway and one engine for all tests of this file."""
    with speech_behind(tmp_path_factory.mktemp("speech")) as running:
        yield running


@pytest.fixture(scope="module")
def openai(gateway):
    """OpenAI's client."""
    with openai_at(f"{gateway.origin}/v1", gateway.key(), Wire()) as client:
        yield client


@pytest.fixture(scope="module")
def sounds(openai):
    """The sentence in any format, spoken once in each that is looked at."""

    class Spoken(dict):
        def __missing__(self, name):
            answer = openai.audio.speech.create(
                model="voice", voice="heart", input=TEXT, response_format=name
            )
            assert "application/octet-stream" == answer.response.headers["content-type"]
            self[name] = answer.content
            return self[name]

    return Spoken()


def heard(text):
    """The words of a transcript."""
    return set(re.findall(r"[a-z]+", text.lower()))


def as_wave(samples):
    """Bare samples as the speech endpoint has them, 24 kHz, 16 bit, one channel, with a head."""
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(24_000)
        sound.writeframes(samples)
    return out.getvalue()


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.slow] * (each in SLOW)) for each in BEGINS]
)
def test_the_words_come_back_in_every_format(openai, gateway, sounds, name):
    """Spoken, encoded, measured, written down; bare samples with the head that they lack."""
    assert sounds[name].startswith(BEGINS[name])
    file = ("fox.wav", as_wave(sounds[name])) if name == "pcm" else (f"fox.{name}", sounds[name])
    answer = openai.audio.transcriptions.create(model="ears", file=file, response_format="json")
    assert heard(answer.text) >= WORDS
    row = recorded(gateway, answer._request_id)
    assert abs(row["duration_ms"] - len(sounds["pcm"]) / 48) < 100
    assert 0 == row["estimated"]


@pytest.mark.parametrize("model", ["ears", "timed"])
@pytest.mark.parametrize("name", ["json", "text", "srt", "verbose_json", "vtt"])
def test_the_words_come_back_as_they_are_asked_for(openai, sounds, name, model):
    """By the upstream, and made by the gateway of what the upstream gives."""
    answer = openai.audio.transcriptions.create(
        model=model, file=("fox.wav", sounds["wav"]), response_format=name
    )
    text = answer if isinstance(answer, str) else answer.text
    assert heard(text) >= WORDS
    if name == "srt":
        assert re.match(r"1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\n", text)
    elif name == "vtt":
        assert text.startswith("WEBVTT\n\n00:00:00.")
    elif name == "verbose_json":
        assert answer.segments[0].end > answer.segments[0].start


def test_words_have_times(openai, sounds):
    """Repeated and bracketed, as the SDK writes them."""
    answer = openai.audio.transcriptions.create(
        model="ears",
        file=("fox.wav", sounds["wav"]),
        response_format="verbose_json",
        timestamp_granularities=["word", "segment"],
    )
    assert heard(" ".join(word.word for word in answer.words)) >= WORDS
    assert all(word.end >= word.start for word in answer.words)


def test_a_transcript_streams(openai, sounds):
    """Deltas, then the whole."""
    stream = openai.audio.transcriptions.create(
        model="ears", file=("fox.wav", sounds["wav"]), stream=True
    )
    *deltas, done = list(stream)
    assert {"transcript.text.delta"} == {event.type for event in deltas}
    assert "transcript.text.done" == done.type
    assert done.text == "".join(event.delta for event in deltas).strip()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_translation(openai, sounds):
    """Into English, which it is already."""
    answer = openai.audio.translations.create(model="ears", file=("fox.mp3", sounds["mp3"]))
    assert heard(answer.text) >= WORDS


def test_sound_is_read_as_it_comes(openai, tmp_path, sounds):
    """With the SDK's streaming response, into a file."""
    path = tmp_path / "fox.mp3"
    with openai.audio.speech.with_streaming_response.create(
        model="voice", voice="heart", input=TEXT, response_format="mp3"
    ) as answer:
        answer.stream_to_file(path)
    assert path.read_bytes()[:2] == sounds["mp3"][:2]


def test_sound_as_events(openai):
    """The SDK hands out raw lines: base64 deltas and a last one."""
    with openai.audio.speech.with_streaming_response.create(
        model="voice", voice="heart", input="Hi.", response_format="pcm", stream_format="sse"
    ) as answer:
        events = [json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data:")]
    sound = b"".join(
        base64.b64decode(one["audio"]) for one in events if one["type"] == "speech.audio.delta"
    )
    assert len(sound) > 10_000
    assert "speech.audio.done" == events[-1]["type"]


def test_noise_is_refused_in_the_callers_words(openai):
    """What the upstream says of a file that is none."""
    with pytest.raises(sdk.BadRequestError, match="corrupted or unsupported"):
        openai.audio.transcriptions.create(model="ears", file=("fox.wav", b"no sound at all"))


def test_every_entry_explains_its_price(openai, gateway, sounds):
    """And the books agree."""
    answer = openai.audio.transcriptions.create(model="ears", file=("fox.wav", sounds["wav"]))
    recorded(gateway, answer._request_id)
    deadline = time.monotonic() + 5
    rows = []
    while not any(row["request_id"] == answer._request_id for row in rows):
        assert time.monotonic() < deadline, "no entry in time"
        rows = list(csv.DictReader(io.StringIO(command(gateway.folder, "ledger", "export"))))
    for row in rows:
        price, unit = (
            ("0.000015", "characters") if row["model"] == "voice" else ("0.0001", "seconds")
        )
        owed = Decimal(price) * round(Decimal(row[unit]), 3)
        assert -owed == Decimal(row["amount_usd"])
    command(gateway.folder, "ledger", "verify")  # ends in an error when they do not agree


@pytest.mark.node
def test_the_node_client(gateway):
    """`node --test` over the same engines."""
    run(SPEECH, gateway, gateway.key())
