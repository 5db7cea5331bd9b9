"""A whole chat answer."""

from trivium.wire.chat.request import answer


def test_usage_is_read_from_the_recorded_answer(recorded):
    """And there is no error in it."""
    found = answer(recorded("chat", "text.json"))
    assert found.error is None
    assert found.usage.output_total > 0
