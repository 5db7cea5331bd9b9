"""FLAC: the first block."""

import pytest

from trivium.wire.audio.length.flac import seconds
from trivium.wire.audio.length.window import Window
from wire.audio.length import sounds


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (sounds.flac(48_000), 2.0),
        (sounds.flac(0), None),
        (sounds.flac(48_000, rate=0), None),
        (sounds.flac(48_000)[:30], None),
        (b"fLaC\x04" + sounds.flac(48_000)[5:], None),
    ],
)
def test_samples_over_rate(data, expected):
    """``None`` where the encoder streamed, or the block is another."""
    assert expected == sounds.driven(seconds(Window()), data)
