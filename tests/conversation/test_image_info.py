"""How large a picture is, and of what type."""

import base64
import struct

import pytest

from trivium.conversation.image_info import is_drawing, size, typed
from trivium.conversation.parts import Inline

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480)
GIF = b"GIF89a" + struct.pack("<HH", 320, 200)
APP = b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF" + bytes(10)
FRAME = b"\xff\xc2" + struct.pack(">HBHH", 17, 8, 300, 400)
JPEG = b"\xff\xd8" + APP + b"\xff\xff" + FRAME[1:]
RIFF = b"RIFF\x00\x00\x00\x00WEBP"
EXTENDED = RIFF + b"VP8X" + bytes(8) + (1023).to_bytes(3, "little") + (767).to_bytes(3, "little")
LOSSY = RIFF + b"VP8 " + bytes(7) + b"\x9d\x01\x2a" + struct.pack("<HH", 0x4000 | 176, 144)
LOSSLESS = RIFF + b"VP8L" + bytes(4) + b"\x2f" + struct.pack("<I", 99 | 49 << 14)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (PNG, (640, 480)),
        (GIF, (320, 200)),
        (JPEG, (400, 300)),
        (EXTENDED, (1024, 768)),
        (LOSSY, (176, 144)),
        (LOSSLESS, (100, 50)),
    ],
)
def test_the_size_stands_in_the_first_bytes(data, expected):
    """Width first, whatever the file's own order."""
    assert expected == size(data + b"\x00" * 9)


@pytest.mark.parametrize("data", [PNG, GIF, JPEG, EXTENDED, LOSSY, LOSSLESS])
def test_a_cut_file_has_no_size(data):
    """However little of it is there; nothing is made up and nothing raised."""
    assert {None} == {size(data[:end]) for end in range(len(data))}


@pytest.mark.parametrize(
    "data",
    [b"", b"%PDF-1.7", b"\xff\xd8" + b"\xff\xd9" * 9, b"\xff\xd8\xff\xe0\x00\x00" * 3, RIFF + b"VP9 " + bytes(20), GIF[:6] + bytes(4)],
)  # fmt: skip
def test_other_files_have_none(data):
    """Nor has a picture of no width."""
    assert size(data) is None


def called(mime, data):
    """A picture that its sender calls so."""
    return Inline(mime, base64.b64encode(data).decode(), "a")


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (PNG, "image/png"),
        (GIF, "image/gif"),
        (JPEG, "image/jpeg"),
        (LOSSY, "image/webp"),
        (RIFF, "image/webp"),
    ],
)
def test_a_picture_is_what_its_bytes_are(data, mime):
    """Whatever it is called; one that is called what it is stays the same."""
    for name in ("image/jpeg", "image/jpg", "image/png", "image/svg+xml"):
        assert called(mime, data) == typed(called(name, data))
    known = called(mime, data)
    assert known is typed(known)


@pytest.mark.parametrize(
    ("name", "mime"),
    [("image/jpg", "image/jpeg"), ("image/svg+xml", "image/svg+xml"), ("image/png", "image/png")],
)
@pytest.mark.parametrize("data", ["PHN2Zy8+", "RIFF", "", "A"])
def test_a_picture_that_shows_nothing_is_what_it_is_called(data, name, mime):
    """In the right words, and broken base64 is left to whoever decodes it."""
    assert Inline(mime, data) == typed(Inline(name, data))


@pytest.mark.parametrize(
    ("mime", "expected"), [("image/svg+xml", True), ("Image/SVG", True), ("image/png", False)]
)
def test_drawings_of_lines_are_known_by_their_type(mime, expected):
    """No vendor's model takes one."""
    assert expected is is_drawing(Inline(mime, "PHN2Zz4="))
