"""MP3 and AAC: frame by frame, past tags, noise and tables of contents."""

import pytest

from trivium.wire.audio.length.mp3 import is_frame, seconds
from trivium.wire.audio.length.window import Window
from wire.audio.length import sounds

FRAME = 1152 / 44_100
ROWS = {
    "plain": (sounds.mp3(10), 10 * FRAME),
    "a tag before": (sounds.tagged(sounds.mp3(10)), 10 * FRAME),
    "a tag with a footer": (sounds.tagged(sounds.mp3(10), footer=True), 10 * FRAME),
    "a table of contents": (sounds.mp3(10, first=bytes(32) + b"Xing"), 10 * FRAME),
    "noise between": (sounds.mp3(5) + b"noise" * 10 + sounds.mp3(5), 10 * FRAME),
    "a tag behind": (sounds.mp3(10) + b"TAG" + bytes(125), 10 * FRAME),
    "mono at 24 kHz (MPEG-2)": (
        sounds.mp3(10, head=b"\xff\xf3\x84\xc0", size=192),
        10 * 576 / 24_000,
    ),
    "layer II": (sounds.mp3(10, head=b"\xff\xfd\x84\x00", size=384), 10 * 1152 / 48_000),
    "layer I": (sounds.mp3(10, head=b"\xff\xff\x44\x00", size=128), 10 * 384 / 48_000),
    "aac": (sounds.adts(10), 10 * 1024 / 24_000),
    "nothing": (b"", None),
    "only noise": (b"no frame here" * 10_000, None),
    "a forbidden rate": (b"\xff\xfb\xfc\x00" + bytes(413), None),
}


@pytest.mark.parametrize("name", ROWS)
def test_frames_are_added_up(name):
    """Each says how long it is."""
    data, expected = ROWS[name]
    found = sounds.driven(seconds(Window()), data)
    assert expected == (found if found is None else pytest.approx(found))


@pytest.mark.parametrize(
    ("head", "is_one"),
    [
        (sounds.mp3(1)[:16], True),
        (sounds.adts(1)[:16], True),
        (b"ID3\x04\x00\x00\x00\x00\x00\x00", True),
        (b"\xff\xff\xff\xff\xff\xff\xff\xff", False),
        (b"\xff\xfb", False),
        (b"<html>!!", False),
    ],
)
def test_a_file_is_known_by_its_first_bytes(head, is_one):
    """A tag, or a frame whose header makes sense."""
    assert is_one == is_frame(head)
