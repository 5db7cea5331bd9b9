"""Offsets in characters and in bytes mean the same places."""

import pytest

from trivium.wire.generate.offsets import Offsets

TEXTS = {
    "ascii": "plain words " * 200,
    "mixed": "a\u00e9\u6674\U0001f600 " * 300,
    "short": "\u6674",
    "half a pair": "a\ud83d b",
    "empty": "",
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_place_is_found_both_ways(name):
    """As counting from the start finds it; inside of a character there is no place."""
    text = TEXTS[name]
    offsets = Offsets(text)
    ends = {0: 0}
    for at in range(1, len(text) + 1):
        ends[at] = ends[at - 1] + len(text[at - 1].encode("utf-8", "surrogatepass"))
        assert ends[at] == offsets.in_bytes(at)
    places = {size: at for at, size in ends.items()}
    for size in range(-1, ends[len(text)] + 2):
        assert places.get(size) == offsets.in_characters(size)


def test_what_citations_quote_is_bounded():
    """Thousands that quote all of a long text would be thousands of it."""
    text = "x" * 100_000
    offsets = Offsets(text)
    quoted = [offsets.quoted(0, len(text)) for _ in range(50)]
    assert [text, text] == quoted[:2]
    assert {None} == set(quoted[2:])
