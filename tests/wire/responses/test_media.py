"""Data URLs, base64 and sounds."""

import pytest

from trivium.conversation.parts import Inline, Remote, Stored
from trivium.faults import Fault
from trivium.wire.data_url import data_url
from trivium.wire.responses import media


@pytest.mark.parametrize(
    ("text", "expected"),
    [("AAA=", "AAA="), ("AAA", "AAA="), ("-_8=", "+/8="), ("AA\nAA AA\r\nAA", "AAAAAAAA")],
)
def test_base64_has_one_spelling(text, expected):
    """Whatever alphabet, padding and line ends it came with."""
    assert expected == media.base64_text(text, "x")


@pytest.mark.parametrize("text", ["", "====", "A", "AAAAA", "A*AA", "Ä", "AA=A"])
def test_what_is_no_base64_is_refused(text):
    """Before a vendor complains about a body the caller never wrote."""
    with pytest.raises(Fault, match="base64"):
        media.base64_text(text, "input[0].file_data")


def test_a_url_is_bytes_or_something_to_fetch():
    """The type of bytes loses its capitals, its parameters are nobody's business."""
    assert Inline("image/png", "AAAA") == media.from_url("DATA:Image/PNG;x=y;base64,AAAA", "u")
    assert Remote("https://a.org/x", None, "n") == media.from_url("https://a.org/x", "u", name="n")


@pytest.mark.parametrize(
    "url", ["", "ftp://a.org", "data:image/png,x", "data:;base64,AAAA", "data:image/png;base64,"]
)
def test_a_wrong_url_is_refused(url):
    """With its member."""
    with pytest.raises(Fault) as caught:
        media.from_url(url, "input[0].image_url")
    assert "input[0].image_url" == caught.value.param


@pytest.mark.parametrize(
    ("text", "name", "mime"),
    [
        ("JVBERi0=", None, "application/pdf"),
        ("AAAA", "notes.TXT", "text/plain"),
        ("AAAA", "x.bin", "application/octet-stream"),
        ("data:text/csv;base64,AAAA", "x.pdf", "text/csv"),
    ],
)
def test_the_type_of_a_file(text, name, mime):
    """Said by its URL, its name, its first bytes, in this order."""
    assert mime == media.from_file_data(text, "f", name).mime


def test_sounds_have_formats():
    """Two of them; nothing else has one."""
    assert "wav" == media.sound_format(media.from_sound("AAAA", "wav", "x"))
    assert "mp3" == media.sound_format(Inline("audio/mp3", "AAAA"))
    assert media.sound_format(Inline("audio/ogg", "AAAA")) is None
    assert media.sound_format(Stored("responses", "x")) is None
    assert media.sound_format(None) is None


def test_a_data_url_is_the_way_back():
    """To the same bytes."""
    inline = Inline("image/png", "AAAA")
    assert inline == media.from_url(data_url(inline), "u")
