"""Ogg: the last page of the first stream that is known."""

import pytest

from trivium.wire.audio.length.ogg import seconds
from trivium.wire.audio.length.window import Window
from wire.audio.length import sounds

ROWS = {
    "opus": (sounds.opus(96_000), 2.0),
    "vorbis": (sounds.vorbis(22_050, 44_100), 0.5),
    "flac": (
        sounds.page(b"\x7fFLAC" + bytes(22) + (16_000 << 4).to_bytes(3, "big") + bytes(30), 0)
        + sounds.page(b"x", 8_000),
        0.5,
    ),
    "speex": (
        sounds.page(b"Speex   " + bytes(28) + (8_000).to_bytes(4, "little") + bytes(40), 0)
        + sounds.page(b"x", 16_000),
        2.0,
    ),
    "a page without an end": (sounds.opus(48_000) + sounds.page(b"x", -1), 1.0),
    "another codec": (sounds.page(b"theora", 0) + sounds.page(b"x", 99), None),
    "only a head": (sounds.page(b"OpusHead\x01\x01" + bytes(9), 0), None),
    "cut": (sounds.opus(48_000)[:20], None),
}


@pytest.mark.parametrize("name", ROWS)
def test_samples_over_rate(name):
    """Without those that are not heard."""
    data, expected = ROWS[name]
    assert expected == sounds.driven(seconds(Window()), data)
