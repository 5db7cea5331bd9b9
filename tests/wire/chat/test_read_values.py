"""Values of another type are named with their path and what would be right."""

import pytest

from trivium.faults import Fault, Kind
from trivium.wire.chat.read_values import listed, mapping, string, table, text

BAD = [
    (lambda: string({}, "a", "m[0]"), Kind.MISSING_MEMBER, "m[0].a"),
    (lambda: string({"a": 5}, "a", "m[0]"), Kind.INVALID_TYPE, "m[0].a"),
    (lambda: text({"a": []}, "a", "m"), Kind.INVALID_TYPE, "m.a"),
    (lambda: table({"a": None}, "a", "m"), Kind.MISSING_MEMBER, "m.a"),
    (lambda: table({"a": "x"}, "a", "m"), Kind.INVALID_TYPE, "m.a"),
    (lambda: mapping(True, "m"), Kind.INVALID_TYPE, "m"),
    (lambda: listed({}, "m"), Kind.INVALID_TYPE, "m"),
]


@pytest.mark.parametrize(("read", "kind", "path"), BAD)
def test_what_is_wrong_is_named(read, kind, path):
    """In the caller's own path."""
    with pytest.raises(Fault) as caught:
        read()
    assert (kind, path) == (caught.value.kind, caught.value.param)


def test_what_is_right_is_given_back():
    """Null is absent, and an empty list."""
    assert ("x", None, "x") == (
        string({"a": "x"}, "a", ""),
        text({"a": None}, "a", ""),
        text({"a": "x"}, "a", ""),
    )
    assert ({"b": 1}, [], [1]) == (
        table({"a": {"b": 1}}, "a", ""),
        listed(None, ""),
        listed([1], ""),
    )
