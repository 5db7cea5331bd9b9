"""Names that keep a body's duplicates."""

from trivium.wire.member_name import MemberName


def test_equal_names_are_different_keys():
    """What keeps duplicates in the decoder's dict must not rest on luck with hashes."""
    one, other = MemberName("model"), MemberName("model")
    assert (True, False) == (one == one, one == other)  # str's own __eq__ would find them equal
    assert 2 == len({one: 1, other: 2})
