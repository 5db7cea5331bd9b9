"""Parts as chat content, and what of them a target does not take."""

import base64

import pytest

from trivium.conversation.items import Role, Turn
from trivium.conversation.parts import (
    Audio,
    CacheMark,
    Document,
    Image,
    Inline,
    Pieces,
    Remote,
    SearchResult,
    Stored,
    Text,
    Video,
)
from trivium.conversation.target import BY_SHAPE, Input
from trivium.faults import Fault, Kind

INPUTS = BY_SHAPE["chat"]["inputs"]
WORDS = base64.b64encode(b"Some words.").decode()


def text(words):
    return {"type": "text", "text": words}


PARTS = [
    pytest.param(
        Image(Remote("https://e.com/a.png"), "low"),
        [{"type": "image_url", "image_url": {"url": "https://e.com/a.png", "detail": "low"}}],
        id="image",
    ),
    pytest.param(
        Audio(Inline("audio/mpeg", "AAAA")),
        [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}}],
        id="audio",
    ),
    pytest.param(
        Document(Inline("application/pdf", "AAAA", "a.pdf"), title="T", context="C"),
        [
            text("T\nC"),
            {
                "type": "file",
                "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"},
            },
        ],
        id="trap-043-pdf",
    ),
    pytest.param(
        Document(Inline("text/plain", WORDS), title="T"),
        [text("T"), text("Some words.")],
        id="text-document",
    ),
    pytest.param(
        Document(Inline("text/plain", WORDS, "a.txt")),
        [text("a.txt"), text("Some words.")],
        id="named-text-document",
    ),
    pytest.param(
        Document(Pieces((Text("A"), Text("B"))), title="T", context="C"),
        [text("T\nC"), text("A"), text("B")],
        id="pieces",
    ),
    pytest.param(
        Document(Stored("responses", "file-1")),
        [{"type": "file", "file": {"file_id": "file-1"}}],
        id="openai-file",
    ),
    pytest.param(
        SearchResult("https://e.com", "Title", (Text("A"), Text("B"))),
        [text("Title\nhttps://e.com\nA\nB")],
        id="search-result",
    ),
]


@pytest.mark.parametrize(("part", "expected"), PARTS)
def test_a_part_is_written(written, part, expected):
    """In the shape's own spelling."""
    body = written(Turn(Role.USER, (Text("Look:"), part)))
    assert [text("Look:"), *expected] == body["messages"][0]["content"]


def test_a_file_without_a_name_gets_one(written):
    """The vendor requires it."""
    body = written(Turn(Role.USER, (Document(Inline("application/pdf", "AAAA")),)))
    assert "document.pdf" == body["messages"][0]["content"][0]["file"]["filename"]


@pytest.mark.parametrize(
    ("part", "inputs", "member"),
    [
        (Image(Inline("image/png", "A")), INPUTS - {Input.IMAGE}, "image"),
        (Image(Remote("https://e.com/a")), INPUTS - {Input.IMAGE_URL}, "image"),
        (Image(Stored("messages", "file_1")), INPUTS, "file_id"),
        (Audio(Inline("audio/wav", "A")), INPUTS - {Input.AUDIO}, "Audio"),
        (Audio(Inline("audio/flac", "A")), INPUTS, "Audio"),
        (Audio(Remote("https://e.com/a.wav")), INPUTS, "Audio"),
        (Video(Inline("video/mp4", "A")), INPUTS, "Video"),
        (Document(Inline("application/pdf", "A")), INPUTS - {Input.DOCUMENT}, "document"),
        (Document(Remote("https://e.com/a.pdf")), INPUTS, "document"),
        (Document(Stored("messages", "file_1")), INPUTS, "file_id"),
    ],
)
def test_trap_043_a_part_that_is_not_taken_is_refused_by_name(written, part, inputs, member):
    """Never removed in silence, and no foreign file id is passed off as ours."""
    with pytest.raises(Fault) as caught:
        written(Turn(Role.USER, (part,)), facts={"inputs": inputs})
    assert Kind.UNREPRESENTABLE is caught.value.kind
    assert member in caught.value.param


@pytest.mark.parametrize(
    ("ttl", "expected"),
    [
        (None, {"mode": "explicit"}),
        ("5m", {"mode": "explicit", "ttl": "30m"}),
        ("1h", {"mode": "explicit", "ttl": "30m"}),
        ("12h", {"mode": "explicit", "ttl": "12h"}),
    ],
)
def test_trap_034_cache_marks_are_breakpoints_where_the_target_has_them(written, ttl, expected):
    """On the same part; a marked text stays a part."""
    turn = Turn(Role.USER, (Text("a", cache=CacheMark(ttl)),))
    body = written(turn, facts={"cache_marks": 4})
    assert [{**text("a"), "prompt_cache_breakpoint": expected}] == body["messages"][0]["content"]
    assert "a" == written(turn)["messages"][0]["content"]
