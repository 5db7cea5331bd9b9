"""Content parts of a chat request, in chat's own words and in those that agents mix in."""

import pytest

from trivium.conversation.parts import (
    Audio,
    CacheMark,
    Document,
    Image,
    Inline,
    Refusal,
    Remote,
    Stored,
    Text,
)  # fmt: skip
from trivium.faults import Fault
from trivium.wire.chat.read_content import content, part, texts

READ = [
    ({"type": "text", "text": "x"}, Text("x")),
    ({"type": "text", "text": "x", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
     Text("x", cache=CacheMark("1h"))),
    ({"type": "refusal", "refusal": "no"}, Refusal("no")),
    ({"type": "image_url", "image_url": {"url": "https://x/y.png", "detail": "low"}},
     Image(Remote("https://x/y.png"), "low")),
    ({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
     Image(Inline("image/png", "AAAA"))),
    ({"type": "file", "file": {"file_id": "f1", "filename": "a.pdf"}},
     Document(Stored("chat", "f1"), title="a.pdf")),
    ({"type": "input_audio", "input_audio": {"data": "UklGRgAA", "format": "wav"}},
     Audio(Inline("audio/wav", "UklGRgAA"))),
    ({"type": "input_audio", "input_audio": {"data": "data:;base64,UklGRgAA", "format": "wav"}},
     Audio(Inline("audio/wav", "UklGRgAA"))),
    ({"type": "input_text", "text": "x"}, Text("x")),
    ({"type": "input_image", "image_url": "https://x/y.png"}, Image(Remote("https://x/y.png"))),
    ({"type": "image", "source": {"type": "url", "url": "https://x/y"}}, Image(Remote("https://x/y"))),
    ({"type": "document", "title": "t", "source": {
        "type": "base64", "media_type": "application/pdf", "data": "AAAA"}},
     Document(Inline("application/pdf", "AAAA"), title="t")),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), READ)
def test_trap_216_a_part_is_read_in_whatever_words_it_came(given, expected):
    """Chat's, the responses shape's, Anthropic's."""
    assert expected == part(given, "messages[0].content[0]")


REFUSED = [
    ({}, "p.type"),
    ({"type": "hologram"}, "p.type"),
    ({"type": "text"}, "p.text"),
    ({"type": "image_url"}, "p.image_url"),
    ({"type": "image_url", "image_url": {"url": "nonsense"}}, "p.image_url.url"),
    ({"type": "input_audio", "input_audio": {"data": "AAAA"}}, "p.input_audio.format"),
    ({"type": "file", "file": {}}, "p.file.file_data"),
    ({"type": "image", "source": {"type": "file"}}, "p.source.type"),
]


@pytest.mark.parametrize(("given", "path"), REFUSED)
def test_a_part_that_cannot_be_read_is_named(given, path):
    """With the member that is wrong."""
    with pytest.raises(Fault) as caught:
        part(given, "p")
    assert path == caught.value.param


def test_content_is_a_string_or_a_list():
    """An object is neither; a system prompt takes words only."""
    assert [Text("x")] == content("x", "p")
    assert [] == content(None, "p")
    assert (Text("x"),) == texts([{"type": "text", "text": "x"}], "p")
    for bad, read in (
        ({}, content),
        ([5], content),
        ([{"type": "refusal", "refusal": "x"}], texts),
    ):
        with pytest.raises(Fault):
            read(bad, "p")
