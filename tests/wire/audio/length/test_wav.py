"""WAV: its header, read and written, also by those who did not know the end."""

import struct

import pytest

from trivium.wire.audio.length.wav import header, seconds
from trivium.wire.audio.length.window import Window
from wire.audio.length import sounds

WITH_LIST = sounds.wav(1)[:12] + b"LIST\x03\0\0\0abc\0" + sounds.wav(1)[12:]
ROWS = {
    "plain": (sounds.wav(1.5), 1.5),
    "chunks before": (WITH_LIST, 1.0),
    "an unknown size": (sounds.wav(1, said=0xFFFFFFFF), 1.0),
    "no size": (sounds.wav(1, said=0), 1.0),
    "more than there is": (sounds.wav(1, said=9_999_999), 1.0),
    "no samples": (sounds.wav(1)[:36], None),
    "no rate": (sounds.wav(1)[:24] + bytes(8) + sounds.wav(1)[32:], None),
    "bytes a second that lie": (sounds.wav(1)[:28] + b"\xff" * 4 + sounds.wav(1)[32:], 1.0),
    "samples that are compressed": (
        sounds.wav(1)[:20]
        + b"\x11\0"
        + sounds.wav(1)[22:28]
        + struct.pack("<I", 12_000)
        + sounds.wav(1)[32:],
        4.0,
    ),
    "sound in two pieces": (
        sounds.wav(1) + b"data" + struct.pack("<I", 24_000) + bytes(24_000),
        1.5,
    ),
    "endless chunks": (sounds.wav(1)[:12] + b"junk\0\0\0\0" * 100, None),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("known", [True, False])
def test_the_length_is_what_the_header_and_the_file_agree_on(name, known):
    """A size that cannot be is replaced by what follows."""
    data, expected = ROWS[name]
    found = sounds.driven(seconds(Window(), len(data) if known else None), data)
    if name == "more than there is" and not known:
        expected = 9_999_999 / 48_000  # who streams has to believe it
    assert expected == (found if found is None else pytest.approx(found))


def test_a_written_header_says_what_it_is():
    """44 bytes, sixteen bits, one channel."""
    made = header(1000, 24_000)
    assert 44 == len(made)
    assert (b"RIFF", 1036, b"WAVE") == struct.unpack_from("<4sI4s", made)
    assert (1, 1, 24_000, 48_000, 2, 16) == struct.unpack_from("<HHIIHH", made, 20)
    assert (b"data", 1000) == struct.unpack_from("<4sI", made, 36)
