"""The length of a recording, whatever it is in, read at once or as it streams by."""

import struct

import pytest

from trivium.wire.audio.length.measure import LengthMeter, assumed, measure
from wire.audio.length import sounds

SECONDS = {
    "wav": (sounds.wav(2.5), 2.5),
    "mp3": (sounds.mp3(100), 100 * 1152 / 44_100),
    "aac": (sounds.adts(50), 50 * 1024 / 24_000),
    "opus": (sounds.opus(48_000 * 3), 3.0),
    "vorbis": (sounds.vorbis(44_100, 44_100), 1.0),
    "flac": (sounds.flac(48_000), 2.0),
    "mp4": (sounds.mp4(sounds.mvhd(1000, 4500)), 4.5),
    "webm": (sounds.webm(sounds.element("4489", struct.pack(">d", 2500.0))), 2.5),
    "nothing": (b"", None),
    "noise": (b"?" * 100_000, None),
    "cut": (b"RIFF", None),
    "a page": (b"<html><body>not found</body></html>", None),
}


@pytest.mark.parametrize("name", SECONDS)
def test_the_container_is_known_by_its_beginning(name):
    """Not by the name of the file, which callers choose."""
    data, seconds = SECONDS[name]
    assert seconds == pytest.approx(sounds.driven(measure(len(data)), data))


@pytest.mark.parametrize("cut", [7, 1000, 65_536])
@pytest.mark.parametrize("name", [one for one in SECONDS if one != "nothing"])
def test_what_streams_by_is_measured_alike(name, cut):
    """However it is cut."""
    data, seconds = SECONDS[name]
    whole = sounds.driven(measure(len(data)), data)
    meter = LengthMeter()
    for start in range(0, len(data), cut):
        meter.feed(data[start : start + cut])
    assert whole == pytest.approx(meter.seconds())
    assert meter.seconds() == meter.seconds()
    assert seconds is None or seconds == pytest.approx(whole)


def test_a_long_stream_is_not_kept():
    """Only what has yet to be looked at."""
    meter = LengthMeter()
    for _ in range(200):
        meter.feed(sounds.mp3(100))
    assert len(meter._data) < 200_000
    assert 20_000 * 1152 / 44_100 == pytest.approx(meter.seconds())


def test_bare_samples_are_counted():
    """As the speech shape's ``pcm`` has them: 48,000 bytes a second."""
    meter = LengthMeter(raw=True)
    meter.feed(bytes(24_000))
    assert 0.5 == meter.seconds()


def test_a_length_beyond_reason_is_none():
    """A header that says eleven days and more is wrong."""
    data = sounds.flac((1 << 36) - 1, rate=1)
    assert sounds.driven(measure(len(data)), data) is None


def test_a_length_that_would_take_more_bytes_than_any_sound_is_none():
    """A header that says a moment, before minutes that an upstream decodes all the same."""
    data = sounds.flac(240) + bytes(200_000)
    assert sounds.driven(measure(len(data)), data) is None
    data = sounds.flac(24_000) + bytes(200_000)
    assert 1.0 == sounds.driven(measure(len(data)), data)


def test_what_cannot_be_read_is_estimated_by_its_size():
    """At 32 kbit/s."""
    assert 2.0 == assumed(8_000)
