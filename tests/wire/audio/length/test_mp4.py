"""MP4: the movie header, before or behind the media, whole or in fragments."""

import struct

import pytest

from trivium.wire.audio.length.mp4 import seconds
from trivium.wire.audio.length.window import Window
from wire.audio.length.sounds import box, driven, mp4, mvhd

MEHD = box(b"mvex", box(b"mehd", bytes(4), struct.pack(">I", 3000)))
WIDE = box(b"mvex", box(b"mehd", b"\x01\0\0\0", struct.pack(">Q", 3000)))
ROWS = {
    "first": (mp4(mvhd(1000, 1500)), 1.5),
    "last": (mp4(mvhd(1000, 1500), last=True), 1.5),
    "behind a wide box": (mp4(mvhd(1000, 1500), last=True, wide=True), 1.5),
    "version 1": (mp4(mvhd(600, 1200, wide=True)), 2.0),
    "fragments": (mp4(mvhd(1000, 0), MEHD), 3.0),
    "fragments, version 1": (mp4(mvhd(1000, 0xFFFFFFFF), WIDE), 3.0),
    "fragments that do not say": (mp4(mvhd(1000, 0)), None),
    "no header": (mp4(box(b"trak", bytes(8))), None),
    "no movie": (box(b"ftyp", b"M4A ") + box(b"mdat", bytes(9)), None),
    "media to the end": (box(b"ftyp", b"M4A ") + b"\0\0\0\0mdat" + bytes(99), None),
    "a box smaller than its head": (b"\0\0\0\x04ftyp" + bytes(99), None),
    "cut": (mp4(mvhd(1000, 1500))[:40], None),
}


@pytest.mark.parametrize("name", ROWS)
def test_length_over_scale(name):
    """``None`` where nobody says."""
    data, expected = ROWS[name]
    assert expected == driven(seconds(Window()), data)
