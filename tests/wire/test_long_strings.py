"""Long strings of JSON are kept apart as they came, cut anywhere; what is left says the same."""

import json

import pytest

from trivium.faults import Fault, Kind
from trivium.wire.long_strings import LONG_BYTES, SMALL_BYTES_MAX, LongStrings

FILM = "QUJD" * LONG_BYTES


def taken(body, cut):
    """What is kept of a body that comes in pieces."""
    found = LongStrings()
    for at in range(0, len(body), cut):
        found.add(body[at : at + cut])
    return found


@pytest.mark.parametrize("cut", [1, 2, 7, 65_536, 10_000_000])
def test_what_is_left_says_the_same(cut):
    """Escapes, quotes and backslashes at every cut; a long string is found by its mark."""
    said = {"a": 'x"\\', "b": ["\\", '"', "", "\\\\"], "film": FILM, "é": "\n"}
    found = taken(json.dumps(said).encode(), cut)
    small = json.loads(found.small())
    mark = small.pop("film")
    assert FILM.encode() == b"".join(found.pieces(mark))
    assert {name: value for name, value in said.items() if name != "film"} == small


def test_several_are_told_apart_and_each_is_given_away_once():
    """Whoever asks has it, and nobody keeps it besides."""
    other = "QQ==" * LONG_BYTES
    found = taken(json.dumps([FILM, other]).encode(), 1000)
    first, second = json.loads(found.small())
    assert other.encode() == b"".join(found.pieces(second))
    assert FILM.encode() == b"".join(found.pieces(first))
    assert [] == found.pieces(first)
    assert [b"short"] == found.pieces("short")


@pytest.mark.parametrize(
    "mark", ["\0long 1", "\0long x", "\0long ", "\0long -1", "\0long " + "9" * 5000]
)
def test_a_mark_of_a_vendor_s_own_is_none(mark):
    """It may write one, and finds nothing there."""
    found = taken(json.dumps([mark, FILM]).encode(), 100)
    with pytest.raises(Fault) as caught:
        found.pieces(mark)
    assert Kind.UPSTREAM_BROKE is caught.value.kind


@pytest.mark.parametrize(
    "body",
    [
        b"[" * (SMALL_BYTES_MAX + 1),
        b'"",' * SMALL_BYTES_MAX,
        b'"' + b"a" * LONG_BYTES + b'a\\"',
        b'"' + b'\\"' * LONG_BYTES,
        json.dumps(["a" * LONG_BYTES] * 5).encode(),
    ],
)
@pytest.mark.parametrize("cut", [1000, 10_000_000])
def test_what_is_not_small_is_no_answer(body, cut):
    """Brackets, quotes and texts without end."""
    with pytest.raises(Fault) as caught:
        taken(body, cut)
    assert Kind.UPSTREAM_BROKE is caught.value.kind


def test_a_string_without_its_end_is_no_json():
    """Nothing of it is told."""
    small = taken(b'{"film":"' + FILM.encode(), 1000).small()
    assert b'{"film":"' == small
