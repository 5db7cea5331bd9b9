"""Frames behind their length: cut anywhere, bounded, with and without counting themselves."""

import pytest

from trivium.wire.length_prefixed import Frames

WIRE = b"\0\0\0\x01a\0\0\0\0\0\0\0\x03bcd"
WHOLE = [b"a", b"", b"bcd"]


@pytest.mark.parametrize("cut", range(1, len(WIRE) + 1))
def test_any_cut_gives_the_same_frames(cut):
    """Where the network cuts does not matter, nor how often."""
    frames = Frames()
    assert frames.feed(WIRE[:cut]) + frames.feed(WIRE[cut:]) == WHOLE
    assert not frames._held
    pieces = Frames()
    fed = (pieces.feed(WIRE[at : at + cut]) for at in range(0, len(WIRE), cut))
    assert [frame for found in fed for frame in found] == WHOLE


def test_a_frame_that_has_begun_is_told():
    """A stream that ends there was cut."""
    frames = Frames()
    assert [b"a"] == frames.feed(WIRE[:7])
    assert frames._held


def test_a_length_may_count_itself():
    """Then its bytes belong to the frame, as a checksum may be of them."""
    frames = Frames(width=2, counts_all=True)
    assert [b"\0\x04ab", b"\0\x02"] == frames.feed(b"\0\x04ab\0\x02\0")


@pytest.mark.parametrize(
    ("options", "wire"),
    [
        ({"bytes_max": 4}, b"\0\0\0\x05"),
        ({"counts_all": True}, b"\0\0\0\x03"),
    ],
)
def test_a_length_that_cannot_be_is_refused(options, wire):
    """At once: nothing is waited for and nothing kept."""
    with pytest.raises(ValueError, match="a frame of"):
        Frames(**options).feed(wire)


def test_many_small_frames_take_linear_time():
    """One read may hold thousands."""
    frames = Frames()
    assert 100_000 == len(frames.feed(b"\0\0\0\x01a" * 100_000))
