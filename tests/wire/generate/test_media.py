"""Media between this shape and canonical parts."""

import pytest

from trivium.conversation.parts import Audio, Document, Image, Inline, Remote, Stored, Video
from trivium.wire.generate import media


@pytest.mark.parametrize(
    ("mime", "kind"),
    [
        ("image/png", Image),
        ("IMAGE/PNG", Image),
        ("audio/wav", Audio),
        ("video/mp4", Video),
        ("application/pdf", Document),
        ("text/plain", Document),
    ],
)
def test_bytes_are_what_their_type_says(mime, kind):
    """Every type has its part."""
    found = media.inline(mime, "AAAA", "name")
    assert (kind, Inline(mime, "AAAA", "name")) == (type(found), found.source)
    assert {"inlineData": {"mimeType": mime, "data": "AAAA"}} == media.member(found.source)


@pytest.mark.parametrize(
    ("uri", "mime", "part"),
    [
        ("files/abc", "image/png", Image(source=Stored("generate", "files/abc", "image/png"))),
        ("gs://b/a.mp4", None, Video(source=Stored("generate", "gs://b/a.mp4"))),
        ("https://youtu.be/x", None, Video(source=Remote("https://youtu.be/x"))),
        ("https://a.example/b.PNG", None, Image(source=Remote("https://a.example/b.PNG"))),
        ("https://a.example/b", None, Document(source=Remote("https://a.example/b"))),
        ("http://[", None, Document(source=Remote("http://["))),
    ],
)
def test_an_address_is_the_vendors_own_file_or_anybodys(uri, mime, part):
    """Only the vendor can read its own files."""
    assert part == media.remote(uri, mime)
    assert uri == media.member(part.source)["fileData"]["fileUri"]
