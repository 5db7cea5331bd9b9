"""Media of a request: what is taken, and what is refused with its place."""

import msgspec
import pytest

from trivium.conversation.parts import (
    CacheMark,
    Document,
    Image,
    Inline,
    Pieces,
    Remote,
    Stored,
    Text,
)
from trivium.faults import Fault, Kind
from trivium.wire.messages.read_sources import document, enabled, image, search_result

ABSENT = msgspec.Raw()


def raw(value):
    """JSON as it stands in a body."""
    return msgspec.Raw(msgspec.json.encode(value))


def read_document(source):
    """A document of a source and nothing else."""
    return document(raw(source), "p", None, None, ABSENT, None)


@pytest.mark.parametrize("mime", ["image/jpeg", "image/png", "image/gif", "image/webp"])
def test_four_kinds_of_image_are_taken(mime):
    """In bytes, with their mark."""
    source = raw({"type": "base64", "media_type": mime, "data": "aGk="})
    assert Image(Inline(mime, "aGk="), cache=CacheMark()) == image(source, "p", CacheMark())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            {"type": "base64", "media_type": "application/pdf", "data": "aGk="},
            Inline("application/pdf", "aGk="),
        ),
        (
            {"type": "url", "url": "https://a.example"},
            Remote("https://a.example", "application/pdf"),
        ),
        ({"type": "text", "media_type": "text/plain", "data": "x"}, Pieces((Text("x"),))),
        ({"type": "content", "content": "x"}, Pieces((Text("x"),))),
    ],
)
def test_documents_of_every_source(source, expected):
    """Plain text is written out, the rest is a PDF."""
    assert Document(expected) == read_document(source)


@pytest.mark.parametrize(
    ("source", "path", "kind"),
    [
        ({"type": "base64", "media_type": "image/png"}, "p.media_type", Kind.INVALID_VALUE),
        ({"type": "base64", "media_type": "application/pdf"}, "p.data", Kind.MISSING_MEMBER),
        (
            {"type": "base64", "media_type": "application/pdf", "data": "a"},
            "p.data",
            Kind.INVALID_VALUE,
        ),
        ({"type": "text"}, "p.data", Kind.MISSING_MEMBER),
        ({"type": "url"}, "p.url", Kind.MISSING_MEMBER),
        ({"type": "file"}, "p.file_id", Kind.MISSING_MEMBER),
        ({"type": "content"}, "p.content", Kind.MISSING_MEMBER),
        (
            {"type": "content", "content": [{"type": "audio"}]},
            "p.content.0.type",
            Kind.INVALID_VALUE,
        ),
        (
            {"type": "content", "content": [{"type": "text"}]},
            "p.content.0.text",
            Kind.MISSING_MEMBER,
        ),
        ({"type": "tape"}, "p.type", Kind.INVALID_VALUE),
        ({}, "p.type", Kind.MISSING_MEMBER),
    ],
)
def test_a_bad_source_is_refused_with_its_place(source, path, kind):
    """Down to the member."""
    with pytest.raises(Fault) as caught:
        read_document(source)
    assert (path, kind) == (caught.value.param, caught.value.kind)


def test_a_block_without_a_source_is_refused():
    """There is nothing to look at."""
    with pytest.raises(Fault) as caught:
        image(ABSENT, "p.source")
    assert ("p.source", Kind.MISSING_MEMBER) == (caught.value.param, caught.value.kind)


@pytest.mark.parametrize(
    ("title", "content", "path"), [(None, raw([]), "p.title"), ("T", ABSENT, "p.content")]
)
def test_a_search_result_needs_its_members(title, content, path):
    """Title and content."""
    with pytest.raises(Fault) as caught:
        search_result(raw("s"), title, content, "p", ABSENT, None)
    assert path == caught.value.param


@pytest.mark.parametrize(
    ("member", "wanted"),
    [
        (ABSENT, False),
        (raw(None), False),
        (raw([]), False),
        (raw({}), False),
        (raw({"enabled": True}), True),
    ],
)
def test_citations_are_wanted_where_they_are_switched_on(member, wanted):
    """The same name holds a list on text blocks."""
    assert wanted is enabled(member, "p")


def test_files_of_the_vendor_keep_their_family():
    """An id means nothing to any other."""
    source = raw({"type": "file", "file_id": "file_1"})
    assert Image(Stored("messages", "file_1")) == image(source, "p")
