"""Parts as content of a responses request."""

import base64

import pytest

from trivium.conversation.losses import Report
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Inline,
    Native,
    Pieces,
    Remote,
    SearchResult,
    Stored,
    Text,
    VendorPart,
    Video,
)
from trivium.conversation.request import Conversation
from trivium.conversation.target import Input, target
from trivium.faults import Fault
from trivium.wire.responses.write_content import PartsWriter

ORIGIN = StateOrigin("responses", "openai", "main")
NOTES = Inline("text/plain", base64.b64encode("Grüße".encode()).decode(), "a.txt")
PDF = Inline("application/pdf", "JVBERi0=")


def rows(part, **facts):
    known = target(ORIGIN, "m", **facts)
    content = PartsWriter(Conversation(shape="messages", model="m"), known, Report(known.title))
    return content.rows(part)


def words(text):
    return {"type": "input_text", "text": text}


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (Text("a"), [words("a")]),
        (Text(""), []),
        (
            Image(Remote("https://a.org/x"), "low"),
            [{"type": "input_image", "image_url": "https://a.org/x", "detail": "low"}],
        ),
        (
            Image(Stored("chat", "file-1")),
            [{"type": "input_image", "file_id": "file-1", "detail": "auto"}],
        ),
        (
            Document(PDF, "Report"),
            [
                {
                    "type": "input_file",
                    "filename": "Report",
                    "file_data": "data:application/pdf;base64,JVBERi0=",
                }
            ],
        ),
        (
            Document(PDF, context="About us"),
            [
                words("About us"),
                {
                    "type": "input_file",
                    "filename": "document.pdf",
                    "file_data": "data:application/pdf;base64,JVBERi0=",
                },
            ],
        ),
        (
            Document(Remote("https://a.org/x.pdf")),
            [{"type": "input_file", "file_url": "https://a.org/x.pdf"}],
        ),
        (Document(Stored("responses", "f")), [{"type": "input_file", "file_id": "f"}]),
        (Document(NOTES), [words("a.txt\n\nGrüße")]),
        (Document(NOTES, "Notes"), [words("a.txt\nNotes\n\nGrüße")]),
        (Document(Pieces((Text("a"), Text("b"))), "T"), [words("T"), words("a"), words("b")]),
        (
            SearchResult("https://a.org", "A", (Text("x"), Text("y"))),
            [words("A\nhttps://a.org\n\nx\ny")],
        ),
        (Audio(None, "heard"), [words("heard")]),
        (VendorPart(Native("messages", b"{}"), "x", "searched"), [words("searched")]),
    ],
)
def test_a_part_becomes_content(part, expected):
    """Files keep their names; written-out documents are text (trap 74)."""
    assert expected == rows(part)


@pytest.mark.parametrize(
    ("part", "facts", "reason"),
    [
        (Video(Inline("video/mp4", "AAAA")), {}, "no video"),
        (Audio(Inline("audio/wav", "AAAA")), {}, "no such sound"),
        (Audio(Inline("audio/ogg", "AAAA")), {"inputs": {Input.AUDIO}}, "no such sound"),
        (Image(Inline("image/png", "AAAA")), {"inputs": set()}, "no images"),
        (Image(Remote("https://a.org")), {"inputs": {Input.IMAGE}}, "fetches no images"),
        (Image(Stored("generate", "files/1")), {}, "another vendor"),
        (Document(Stored("messages", "file_1")), {}, "another vendor"),
        (Document(PDF), {"inputs": set()}, "no such documents"),
        (Document(Remote("https://a.org")), {"inputs": {Input.DOCUMENT}}, "no such documents"),
    ],
)
def test_what_the_model_does_not_take_is_refused(part, facts, reason):
    """Never removed in silence."""
    with pytest.raises(Fault, match=reason):
        rows(part, **facts)


def test_sound_goes_to_models_that_hear():
    """In one of two formats."""
    assert [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}] == rows(
        Audio(Inline("audio/wav", "AAAA")), inputs={Input.AUDIO}
    )


def test_media_in_results_need_a_model_that_takes_them_there():
    """Apart from whether it takes them at all."""
    known = target(ORIGIN, "m", inputs={Input.IMAGE})
    content = PartsWriter(Conversation(shape="messages", model="m"), known, Report(known.title))
    image = Image(Inline("image/png", "AAAA"))
    assert 1 == len(content.rows(image))
    with pytest.raises(Fault, match="tool results"):
        content.rows(image, result=True)
