"""Faults of answers that are not what the protocol says."""

from trivium.faults import Kind
from trivium.wire.messages.failure import broke, cut_short


def test_both_are_the_upstreams_and_say_which():
    """Another channel may be tried; the caller reads what happened."""
    assert {Kind.UPSTREAM_BROKE} == {broke().kind, cut_short().kind}
    assert broke().message != cut_short().message
