"""Whole answers of the generate-content operations."""

from pathlib import Path

import pytest

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.generate.passage import COUNT, EMBED, EMBED_BATCH, GENERATE
from trivium.wire.passage import AnswerFacts

FIXTURES = Path(__file__).parents[2] / "fixtures" / "generate"


def test_an_answer_reports_its_usage():
    """The vendor's own tools are paid for as input."""
    body = (FIXTURES / "tool-use.json").read_bytes()
    assert AnswerFacts(usage=Usage(fresh=144, output=51, reasoning=56)) == GENERATE.answer(body)


@pytest.mark.parametrize(
    ("passage", "body", "usage"),
    [
        (GENERATE, b'{"candidates":[]}', None),
        (GENERATE, b'{"usageMetadata":{"promptTokenCount":"7"}}', Usage(fresh=7)),
        (
            GENERATE,
            b'{"promptFeedback":{"blockReason":"OTHER"},"usageMetadata":{"promptTokenCount":9}}',
            Usage(fresh=9),
        ),
        (COUNT, b'{"totalTokens":31}', None),
        (COUNT, b"{}", None),
        (EMBED, b'{"embedding":{"values":[0.5]}}', None),
        (
            EMBED,
            b'{"embedding":{},"usageMetadata":{"promptTokenCount":4,"totalTokenCount":4}}',
            Usage(fresh=4),
        ),
        (EMBED_BATCH, b'{"embeddings":[{"values":[0.5]}]}', None),
        (EMBED_BATCH, b'{"embeddings":[],"usageMetadata":{"promptTokenCount":4}}', Usage(fresh=4)),
    ],
)
def test_only_what_is_reported_is_billed(passage, body, usage):
    """Counts are free; embeddings often come without usage."""
    assert AnswerFacts(usage=usage) == passage.answer(body)


@pytest.mark.parametrize("passage", [GENERATE, COUNT, EMBED, EMBED_BATCH])
def test_an_error_with_status_200_is_an_error(passage):
    """It is never billed, whatever else stands in the body."""
    body = b'{"error": {"code": 503}, "usageMetadata":{"promptTokenCount":4},"embeddings":[]}'
    assert AnswerFacts(error=b'{"code": 503}') == passage.answer(body)


@pytest.mark.parametrize(
    ("passage", "body"),
    [
        *[
            (passage, body)
            for passage in (GENERATE, COUNT, EMBED, EMBED_BATCH)
            for body in (b"", b"<html>", b"[]", b'{"a":', b'{"a":' * 5000)
        ],
        (GENERATE, b"{}"),
        (GENERATE, b'{"error":null}'),
        (GENERATE, b'{"responseId":"x"}'),
        (EMBED, b'{"embeddings":[]}'),
        (EMBED, b'{"embedding":null}'),
        (EMBED_BATCH, b'{"embedding":{}}'),
        (EMBED_BATCH, b'{"embeddings":{}}'),
    ],
)
def test_anything_else_is_a_broken_upstream(passage, body):
    """A web page with status 200 must not be relayed as a success."""
    with pytest.raises(Fault) as caught:
        passage.answer(body)
    assert Kind.UPSTREAM_BROKE is caught.value.kind
