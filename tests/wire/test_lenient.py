"""Decoding of JSON that may be anything."""

import msgspec
import pytest

from trivium.wire.lenient import NonsenseError, count, decoded, error_of, objects_of, string

NUMBERS = msgspec.json.Decoder(list[int]).decode
ANY = msgspec.json.Decoder().decode


def test_what_can_be_decoded_is():
    """Bytes and members that were skimmed alike."""
    assert [1] == decoded(NUMBERS, b"[1]") == decoded(NUMBERS, msgspec.Raw(b"[1]"))


@pytest.mark.parametrize("data", [b"", b"[", b'["a"]', b'["\xff"]', b"[1e400]"])
def test_what_cannot_be_is_nothing(data):
    """Nonsense, another type, no text, numbers beyond any."""
    assert decoded(NUMBERS, data) is None


def test_nor_can_what_is_nested_too_deeply():
    """Which another error tells of."""
    assert decoded(ANY, b"[" * 100_000) is None


def test_values_of_another_type_are_none():
    """Wherever a vendor may write anything."""
    assert ("a", None) == (string("a"), string(1))
    assert ([{"a": 1}], []) == (objects_of([{"a": 1}, 2]), objects_of({"a": 1}))


@pytest.mark.parametrize("raw", [b"", b"null", b"{}", b"[]", b'""', b"false", b"0", b"{ }"])
def test_an_empty_error_is_none(raw):
    """Some servers always have the member."""
    assert error_of(raw) is None


@pytest.mark.parametrize("raw", [b'{"message":"x"}', b'"x"', b"[1]", b"true"])
def test_anything_else_is_an_error(raw):
    """It is kept as it came, to be understood elsewhere."""
    assert raw == error_of(raw)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [(None, 0), (0, 0), (12, 12), ("12", 12), ("0", 0), (5.0, 5), (0.0, 0)],
)
def test_whole_numbers_count(value, wanted):
    """Numbers may come as text; absent is none."""
    assert wanted == count(value)


@pytest.mark.parametrize(
    "value",
    [
        5.5,
        -1,
        -1.0,
        "-1",
        "",
        " 3",
        "1e3",
        "²",
        "9" * 5000,
        float("inf"),
        float("nan"),
        True,
        [1],
        {"n": 1},
    ],
)
def test_nonsense_is_not_taken_for_zero(value):
    """Half a bill would be worse than an estimate."""
    with pytest.raises(NonsenseError):
        count(value)
