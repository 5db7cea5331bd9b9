"""WebM: the header, else the last block, as browsers record."""

import struct

import pytest

from trivium.wire.audio.length.matroska import seconds
from trivium.wire.audio.length.window import Window
from wire.audio.length.sounds import driven, element, webm

SCALE = element("2ad7b1", (500_000).to_bytes(3, "big"))
CLUSTERS = [(0, [0, 20, 40]), (1000, [0, -5, 980])]
ROWS = {
    "a length": (webm(element("4489", struct.pack(">d", 1500.0))), 1.5),
    "a short length": (webm(element("4489", struct.pack(">f", 1500.0))), 1.5),
    "a scale": (webm(SCALE, element("4489", struct.pack(">d", 1500.0))), 0.75),
    "no length": (webm(clusters=CLUSTERS), 1.98),
    "no length and no sizes": (webm(clusters=CLUSTERS, unknown=True), 1.98),
    "a length before clusters": (
        webm(element("4489", struct.pack(">d", 1500.0)), clusters=CLUSTERS),
        1.5,
    ),
    "grouped blocks": (
        webm() + element("1f43b675", element("a0", element("a1", b"\x81\x03\xe8\x80" + bytes(9)))),
        1.0,
    ),
    "nothing": (webm(), None),
    "cut": (webm(clusters=CLUSTERS)[:30], None),
    "no element": (b"\x1a\x45\xdf\xa3\x00", None),
    "an unknown size where it must be known": (element("1a45dfa3", unknown=True), None),
}


@pytest.mark.parametrize("name", ROWS)
def test_time_by_its_scale(name):
    """A millisecond unless the file says otherwise."""
    data, expected = ROWS[name]
    found = driven(seconds(Window()), data)
    assert expected == (found if found is None else pytest.approx(found))
