"""Data URLs and base64, as clients write them."""

import pytest

from trivium.conversation.parts import Inline, Remote
from trivium.wire.chat import media


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://e.com/a.png", Remote("https://e.com/a.png")),
        ("data:image/png;base64,AAAA", Inline("image/png", "AAAA")),
        ("DATA:Image/PNG;BASE64,AAAA", Inline("image/png", "AAAA")),
        ("data:image/png;charset=x;base64,AA", Inline("image/png", "AA==")),
        ("data:;base64,iVBORw0KGgo=", Inline("image/png", "iVBORw0KGgo=")),
        ("data:;base64,AAAA", Inline("image/jpeg", "AAAA")),
        ("data:text/plain,a%20b", Inline("text/plain", "YSBi")),
        ("data:image/png;base64,A%2BA%3D", Inline("image/png", "A+A=")),
        ("data:image/png", None),
        ("data:image/png;base64,*", None),
        ("a.png", None),
        ("", None),
    ],
)
def test_a_url_is_bytes_or_a_place(url, expected):
    """Bytes with their type, said or shown; anything else is no URL."""
    assert expected == media.source(url, "image/jpeg")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("/9j/4AAQ", "image/jpeg"),
        ("R0lGODlh", "image/gif"),
        ("UklGRiQAAABXRUJQVlA4", "image/webp"),
        ("UklGRiQAAABXQVZFZm10", "audio/wav"),
        ("JVBERi0xLjc", "application/pdf"),
        ("SUQzBAAA", "audio/mpeg"),
        ("AAAA", None),
    ],
)
def test_the_first_bytes_show_the_type(data, expected):
    """Of the types that the shape carries."""
    assert expected == media.sniffed(data)


@pytest.mark.parametrize(
    ("inline", "expected"),
    [
        (Inline("text/plain", "YQ=="), "a"),
        (Inline("text/plain", "/w=="), None),
        (Inline("text/plain", "A"), None),
        (Inline("text/plain", "é"), None),
        (Inline("application/pdf", "YQ=="), None),
    ],
)
def test_words_are_taken_out_of_text_files(inline, expected):
    """Only of text that is text."""
    assert expected == media.text_of(inline)
