"""The fault of an answer that is not what the protocol says."""

from trivium.faults import Kind
from trivium.wire.errors import cut_short
from trivium.wire.messages.failure import broke


def test_it_is_the_upstreams_and_says_which():
    """Another channel may be tried; the caller reads what happened."""
    assert Kind.UPSTREAM_BROKE is broke().kind
    assert broke().message != cut_short().message
