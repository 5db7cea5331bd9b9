"""The refusal that both ways of asking have."""

from trivium.faults import Kind
from trivium.providers.videos.protocol import lacking


def test_what_an_upstream_lacks_is_named():
    """With the member, and what the caller can do."""
    fault = lacking("size", "This model has no such size.")
    assert (Kind.UNREPRESENTABLE, "size") == (fault.kind, fault.param)
    assert str(fault) == "This model has no such size. Choose another model."
