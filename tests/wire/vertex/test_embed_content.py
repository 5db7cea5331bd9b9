"""Vertex AI's embedContent, asked for a vector."""

import msgspec
import pytest

from trivium.conversation.losses import Rank, Report
from trivium.conversation.request import Extension
from trivium.conversation.usage import Usage
from trivium.conversation.vectors import VectorRequest
from trivium.faults import Fault, Kind
from trivium.wire.vertex.embed_content import EMBED


def _refused(error):
    return Fault(Kind.UPSTREAM_BUSY, error.decode())


def sent(report=None, **more):
    wanted = VectorRequest(**{"inputs": ("a",)} | more)
    return msgspec.json.decode(EMBED.write_request(wanted, "up", report or Report("t")))


def read(document, count=1):
    body = document if isinstance(document, bytes) else msgspec.json.encode(document)
    return EMBED.read_answer(body, count, _refused)


def test_a_text_is_a_content_of_the_users():
    """What holds for it stands in the config, as the vendor's own client has it."""
    content = {"role": "user", "parts": [{"text": "a"}]}
    assert {"content": content} == sent()
    hints = (
        Extension("taskType", b'"RETRIEVAL_QUERY"', Rank.HINT),
        Extension("embedContentConfig.title", b'"T"', Rank.HINT),
        Extension("labels", b"{}", Rank.HINT),
    )
    report = Report("t")
    config = {"outputDimensionality": 3, "taskType": "RETRIEVAL_QUERY", "title": "T"}
    assert {"content": content, "embedContentConfig": config} == sent(
        report, dimensions=3, extensions=hints
    )
    assert "labels" in report.dropped_header()


def test_several_texts_are_refused():
    """Not sent one by one."""
    with pytest.raises(Fault, match="one text a request, and this has 2") as caught:
        sent(inputs=("a", "b"))
    assert (Kind.UNREPRESENTABLE, "input") == (caught.value.kind, caught.value.param)


def test_its_vector_comes_with_what_was_counted():
    """Of the text."""
    found = read({"embedding": {"values": [0.5, 1]}, "usageMetadata": {"promptTokenCount": 4}})
    assert (([0.5, 1.0],), Usage(fresh=4)) == (found.vectors, found.usage)
    assert read({"embedding": {"values": [0.5]}}).usage is None


@pytest.mark.parametrize(
    ("document", "count", "why"),
    [
        (b"", 1, "no vector"), ([], 1, "no vector"), ({}, 1, "no numbers"),
        ({"embedding": {"values": []}}, 1, "no numbers"),
        ({"embedding": {"values": ["a"]}}, 1, "no vector"),
        ({"embedding": {"values": [1]}}, 2, "2 vectors"), (b"[" * 100_000, 1, "no vector"),
    ],
)  # fmt: skip
def test_nonsense_is_the_upstreams(document, count, why):
    """None, or too few."""
    with pytest.raises(Fault, match=why) as caught:
        read(document, count)
    assert Kind.UPSTREAM_BROKE is caught.value.kind


def test_an_error_in_the_clothes_of_an_answer():
    """Says what it says."""
    with pytest.raises(Fault) as caught:
        read({"error": {"message": "busy"}})
    assert Kind.UPSTREAM_BUSY is caught.value.kind
