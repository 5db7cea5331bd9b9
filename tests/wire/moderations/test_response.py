"""A whole moderations answer."""

from trivium.wire.moderations.response import answer


def test_it_has_no_usage_and_no_error(recorded):
    """The vendor reports none."""
    found = answer(recorded("moderations", "text.json"))
    assert (None, None) == (found.usage, found.error)
