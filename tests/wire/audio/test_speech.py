"""A speech request: every rule, kept and broken."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire.audio.speech import (
    FORMATS,
    SPEECH,
    SpeechRequest,
    content_type,
    facts,
    read_request,
)
from trivium.wire.peek import members

GOOD = {"model": "m", "input": "Hi", "voice": "alloy"}


def body(**more):
    return members(msgspec.json.encode({**GOOD, **more}))


def test_what_is_left_out_has_its_default():
    """MP3 at an ordinary pace, as sound."""
    assert SpeechRequest(text="Hi", voice="alloy", format="mp3") == read_request(body())
    assert (False, 2) == (facts(body()).stream, facts(body()).known.characters)


ALLOWED = {
    "input": ["x", "x" * 4096, "ä" * 4096],
    "voice": ["alloy", "Kore", {"id": "voice_1"}],
    "instructions": ["", "x" * 4096, None],
    "response_format": [*FORMATS, None],
    "speed": [0.25, 1, 4, 4.0, None],
    "stream_format": ["sse", "audio", None],
}


@pytest.mark.parametrize(
    ("member", "value"), [(name, one) for name, values in ALLOWED.items() for one in values]
)
def test_what_the_specification_allows_is_taken(member, value):
    """Bounds included, null as absence."""
    assert "m" == facts(body(**{member: value})).model


REFUSED = [
    ("model", None, Kind.MISSING_MEMBER),
    ("model", "", Kind.INVALID_VALUE),
    ("input", None, Kind.MISSING_MEMBER),
    ("input", " ", Kind.INVALID_VALUE),
    ("input", "x" * 4097, Kind.INVALID_VALUE),
    ("input", ["x"], Kind.INVALID_TYPE),
    ("voice", None, Kind.MISSING_MEMBER),
    ("voice", "", Kind.INVALID_VALUE),
    ("voice", 1, Kind.INVALID_TYPE),
    ("voice", {}, Kind.MISSING_MEMBER),
    ("instructions", "x" * 4097, Kind.INVALID_VALUE),
    ("response_format", "midi", Kind.INVALID_VALUE),
    ("speed", 0.24, Kind.INVALID_VALUE),
    ("speed", 4.01, Kind.INVALID_VALUE),
    ("speed", "fast", Kind.INVALID_TYPE),
    ("stream_format", "mp3", Kind.INVALID_VALUE),
]


@pytest.mark.parametrize(("member", "value", "kind"), REFUSED)
def test_what_it_does_not_is_refused_by_name(member, value, kind):
    """With what would be right."""
    with pytest.raises(Fault) as caught:
        facts(body(**{member: value}))
    assert kind is caught.value.kind
    assert caught.value.param.startswith(member)


def test_only_the_model_is_replaced():
    """By the channel's own name."""
    found = facts(body())
    assert {"model": b'"own"'} == SPEECH.changes(body(), found, "own", True)
    assert {} == SPEECH.changes(body(), found, "m", True)


@pytest.mark.parametrize(
    ("accept", "upstream", "label"),
    [
        (b"", b"audio/mpeg", b"application/octet-stream"),
        (b"Audio/*", b"audio/x-special", b"audio/x-special"),
        (b"audio/*", b"", b"audio/mpeg"),
    ],
)
def test_how_a_recording_is_labelled(accept, upstream, label):
    """As specified, unless the caller asks for sound."""
    assert label == content_type("mp3", accept, upstream)
