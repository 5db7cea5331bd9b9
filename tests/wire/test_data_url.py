"""``data:`` URLs and base64: read whatever their size, and never twice."""

import base64
import random
import tracemalloc
from urllib.parse import unquote_to_bytes

import pytest

from growth.measuring import least
from trivium.wire import data_url
from trivium.wire.data_url import DataUrl


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("data:image/png;base64,AAAA", DataUrl("image/png", True, "AAAA")),
        ("DATA:Image/PNG;BASE64,AAAA", DataUrl("image/png", True, "AAAA")),
        ("data:image/png;charset=x;base64,AA", DataUrl("image/png", True, "AA")),
        ("data:image/png;base64;x=y,AA", DataUrl("image/png", False, "AA")),
        ("data:;base64,A,B", DataUrl("", True, "A,B")),
        ("data:base64,AA", DataUrl("base64", False, "AA")),
        ("data:,", DataUrl("", False, "")),
        ("data:image/png;base64", None),
        ("data:", None),
        ("https://e.com/a,b", None),
        ("", None),
        ("data:" + ";" * 2000 + ",AA", None),
    ],
)
def test_a_url_in_its_pieces(url, expected):
    """Type, coding and what stands behind the first comma."""
    assert expected == data_url.split(url)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("QUJD", "QUJD"),
        ("-_-_", "+/+/"),
        ("QQ", "QQ=="),
        ("QQ=", "QQ=="),
        ("QUI", "QUI="),
        ("QU JD\r\n", "QUJD"),
        ("Q", None),
        ("QUJDR", None),
        ("====", None),
        ("A*AA", None),
        ("AA=A", None),
        ("Ä", None),
        ("\ud800", None),
    ],
)
def test_base64_has_one_form(text, expected):
    """Whatever alphabet, padding and line ends it came with."""
    assert expected == data_url.standard(text)


def test_escapes_are_read_as_everywhere():
    """As by ``urllib``, whatever is malformed about them."""
    rng = random.Random(1)
    bits = [*"%41Af=\r\n \tx_é.\x00", "%20", "%3d", "%3D", "%0D%0A", "%zz", "%\n", "%\r"]
    for _ in range(5000):
        text = "".join(rng.choices(bits, k=rng.randrange(12)))
        assert unquote_to_bytes(text) == data_url.unescaped(text), text


def test_what_a_url_holds():
    """Base64, or text with or without escapes; ``None`` for what it does not hold."""
    for url, expected in (
        ("data:text/plain,a%20b", b"a b"),
        ("data:text/plain,100%", b"100%"),
        ("data:image/png;base64,A%2BA%3D", base64.b64decode("A+A=")),
        ("data:image/png;base64,*", None),
        ("data:text/plain,%" + "x" * 70_000, None),
    ):
        found = data_url.content(data_url.split(url))
        assert expected == (None if found is None else base64.b64decode(found))
    assert b"a" == data_url.decoded("YQ==")
    assert data_url.decoded("A") is data_url.decoded("é") is None


MEGABYTE = 1 << 20


@pytest.mark.parametrize(
    "text",
    [";", ";a", "a", "%", "%41", "%3D", "%4", "=", "-", "é", " A", "\n", ";base64", "A,"],
)
@pytest.mark.parametrize("lead", ["data:", "data:,", "data:;base64,"])
def test_a_megabyte_of_anything_is_read_at_once(lead, text):
    """Less than 40 ms and 12 bytes of memory for each of its own; nothing remembers every step."""
    url = lead + text * (MEGABYTE // len(text))

    def read():
        found = data_url.split(url)
        return found and data_url.content(found)

    assert least(read, 0.04) < 0.04
    tracemalloc.start()
    read()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * MEGABYTE
