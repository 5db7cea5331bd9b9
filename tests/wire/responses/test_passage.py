"""Whole answers and counts of the responses shape on the pass-through lane."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire.passage import AnswerFacts
from trivium.wire.peek import members
from trivium.wire.responses.passage import PASSAGE, count_answer, count_facts


@pytest.mark.parametrize(
    "given", [{"input": "Hi"}, {"instructions": "Be brief."}, {"previous_response_id": "resp_1"}]
)
def test_a_count_generates_nothing(given):
    """So it has no output to limit."""
    found = count_facts(members(msgspec.json.encode({"model": "m", **given})))

    assert ("m", 0, False) == (found.model, found.output_max, found.stream)


@pytest.mark.parametrize(
    ("given", "param"), [({"input": "Hi"}, "model"), ({"model": "m"}, "input")]
)
def test_what_is_to_be_counted_must_be_there(given, param):
    """And for which model."""
    with pytest.raises(Fault) as caught:
        count_facts(members(msgspec.json.encode(given)))

    assert (Kind.MISSING_MEMBER, param) == (caught.value.kind, caught.value.param)


def test_a_count_has_no_usage():
    """It is free of charge."""
    body = b'{"object":"response.input_tokens","input_tokens":7}'
    assert AnswerFacts() == count_answer(body)


def test_an_error_with_status_200_is_an_error():
    """Compatible servers do that."""
    assert AnswerFacts(error=b'{"message":"no"}') == count_answer(b'{"error":{"message":"no"}}')


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"input_tokens":"7"}'])
def test_anything_else_is_a_broken_upstream(body):
    """A page with status 200 must not pass as a count."""
    with pytest.raises(Fault) as caught:
        count_answer(body)

    assert Kind.UPSTREAM_BROKE is caught.value.kind


def test_usage_is_read_from_the_documented_answer(recorded):
    """And there is no error in it."""
    found = PASSAGE.answer(recorded("responses", "text.json"))
    assert (None, True) == (found.error, found.usage.output_total > 0)


def test_a_failed_response_is_an_error_although_its_status_is_200(recorded):
    """It is neither relayed nor billed as a success."""
    assert PASSAGE.answer(recorded("responses", "failed.json")).error is not None
