"""A request for a transcript, read: what is known of it before anybody is called."""

from trivium.conversation.usage import Usage
from trivium.wire.audio.transcript import (
    TRANSCRIPTIONS,
    TranscriptRequest,
    chunked,
    known,
    read_request,
    transcription,
    translation,
)
from trivium.wire.form import FormMembers
from trivium.wire.multipart import Part

FILE = Part(name="file", filename="a.wav", size=9)


def form(**values):
    return FormMembers(
        [FILE, *(Part(name=name, value=value.encode()) for name, value in values.items())]
    )


def test_what_is_left_out_has_its_default():
    """JSON, whole."""
    body = form(model="m")
    assert TranscriptRequest(format="json", present=frozenset({"model"})) == read_request(body)
    assert ("m", False, Usage()) == (
        transcription(body).model,
        transcription(body).stream,
        transcription(body).known,
    )


def test_the_recordings_length_is_known():
    """Measured or estimated, as whoever measured it says."""
    body = form(model="m")
    body.length = (2.5, True)
    assert Usage(seconds=2.5, estimated=True) == known(body)
    assert known(body) == translation(body).known


def test_a_translation_never_streams():
    """Whatever a transcription would do."""
    assert transcription(form(model="m", stream="true")).stream
    assert not translation(form(model="m", stream="false")).stream


def test_the_model_is_replaced():
    """By the channel's own name."""
    body = form(model="m")
    assert {"model": b'"own"'} == TRANSCRIPTIONS.changes(body, transcription(body), "own", True)


def test_how_a_recording_is_to_be_cut():
    """As text or as an object in brackets."""
    assert "auto" == chunked(form(chunking_strategy="auto"))
    body = FormMembers([Part(name="chunking_strategy[type]", value=b"server_vad")])
    assert {"type": "server_vad"} == chunked(body)
    assert chunked(form()) is None
