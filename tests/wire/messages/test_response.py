"""Whole answers of the messages operations."""

from pathlib import Path

import pytest

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.messages.passage import COUNT, MESSAGES
from trivium.wire.passage import Answer

FIXTURES = Path(__file__).parents[2] / "fixtures" / "messages"


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        (
            "thinking",
            Usage(
                fresh=12,
                cache_read=2000,
                cache_write_short=100,
                cache_write_long=200,
                output=37,
                reasoning=20,
            ),
        ),
        ("compaction", Usage(fresh=682 + 60385, output=1320 + 592)),
    ],
)
def test_a_message_reports_its_usage(name, usage):
    """An ``error`` member inside the content is text, not a failure."""
    assert Answer(usage=usage) == MESSAGES.answer((FIXTURES / f"{name}.json").read_bytes())


def test_a_message_without_usage_reports_none():
    """Nothing is invented; the pipeline estimates."""
    assert Answer() == MESSAGES.answer(b'{"type":"message","content":[],"usage":null}')


def test_a_count_is_free():
    """It is an answer without anything to bill."""
    assert Answer() == COUNT.answer(b'{"input_tokens": 123}')
    assert Answer() == COUNT.answer(b'{"input_tokens": 0, "usage": {"input_tokens": 5}}')


@pytest.mark.parametrize("passage", [MESSAGES, COUNT])
def test_an_error_with_status_200_is_an_error(passage):
    """Compatible servers do that."""
    body = b'{"type":"error","error": {"type": "api_error","message":"no"},"content":[]}'
    assert Answer(error=b'{"type": "api_error","message":"no"}') == passage.answer(body)


@pytest.mark.parametrize("passage", [MESSAGES, COUNT])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html></html>",
        b"[]",
        b"null",
        b"{}",
        b'{"error":null}',
        b'{"content":"text","input_tokens":"7"}',
        b'{"content":[',
        b'{"x":"\xff"}',
        b'{"a":' * 5000,
    ],
)
def test_anything_else_is_a_broken_upstream(passage, body):
    """A web page with status 200 must not be relayed as a success."""
    with pytest.raises(Fault) as caught:
        passage.answer(body)
    assert Kind.UPSTREAM_BROKE is caught.value.kind
