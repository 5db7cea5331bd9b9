"""An application's own name for one of its users, in the three places where it is said."""

import msgspec
import pytest

from trivium.wire.end_user import BYTES_MAX, CHARS_MAX, end_user


def named(**members):
    return end_user({name: msgspec.Raw(msgspec.json.encode(v)) for name, v in members.items()})


@pytest.mark.parametrize(
    ("members", "found"),
    [
        ({"user": "u-1"}, "u-1"),
        ({"safety_identifier": "s-1", "user": "u-1", "metadata": {"user_id": "m-1"}}, "s-1"),
        ({"user": "", "metadata": {"user_id": "m-1", "team": 7}}, "m-1"),
        ({"user": None, "metadata": {"user_id": None}}, ""),
        ({"user": {"id": 1}, "metadata": ["user_id"]}, ""),
        ({"metadata": {"user_id": 7}}, ""),
        ({"metadata": {"team": "a"}}, ""),
        ({}, ""),
    ],
)
def test_the_first_that_names_somebody_counts(members, found):
    """Whatever else stands there is the vendor's to refuse."""
    assert found == named(**members)


def test_what_is_kept_is_bounded():
    """Callers may send megabytes; those are not even looked into."""
    assert "x" * CHARS_MAX == named(user="x" * 1000)
    assert "" == named(user="x" * BYTES_MAX)
    assert "" == named(metadata={"user_id": "a", "more": "x" * BYTES_MAX})
    assert "x" * CHARS_MAX == named(metadata={"user_id": "x" * 1000})


def test_nesting_without_end_is_nobody():
    """As deep as its size allows."""
    assert "" == end_user({"metadata": msgspec.Raw(b'{"a":' + b"[" * 8000 + b"]" * 8000 + b"}")})
