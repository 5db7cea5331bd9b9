"""A whole completions answer."""

from trivium.wire.completions.response import answer


def test_usage_is_read_from_the_documented_answer(recorded):
    """And there is no error in it."""
    found = answer(recorded("completions", "text.json"))
    assert (None, True) == (found.error, found.usage.output_total > 0)
