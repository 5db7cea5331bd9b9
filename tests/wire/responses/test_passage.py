"""A whole responses answer."""

from trivium.wire.responses.passage import answer


def test_usage_is_read_from_the_documented_answer(recorded):
    """And there is no error in it."""
    found = answer(recorded("responses", "text.json"))
    assert (None, True) == (found.error, found.usage.output_total > 0)


def test_a_failed_response_is_an_error_although_its_status_is_200(recorded):
    """It is neither relayed nor billed as a success."""
    assert answer(recorded("responses", "failed.json")).error is not None
