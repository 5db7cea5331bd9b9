"""Vertex AI's predict, asked for vectors."""

import msgspec
import pytest

from trivium.conversation.losses import Rank, Report
from trivium.conversation.request import Extension
from trivium.conversation.usage import Usage
from trivium.conversation.vectors import VectorRequest
from trivium.faults import Fault, Kind
from trivium.wire.vertex.vectors import PREDICT


def _refused(error):
    return Fault(Kind.UPSTREAM_BUSY, error.decode())


def read(document, count=1):
    body = document if isinstance(document, bytes) else msgspec.json.encode(document)
    return PREDICT.read_answer(body, count, _refused)


def row(*values, **statistics):
    return {"embeddings": {"values": list(values), "statistics": statistics or None}}


@pytest.mark.parametrize(
    ("dimensions", "more"), [(None, {}), (3, {"parameters": {"outputDimensionality": 3}})]
)
def test_each_text_is_an_instance(dimensions, more):
    """In order; the path names the model."""
    wanted = VectorRequest(inputs=("a", "b"), dimensions=dimensions)
    sent = msgspec.json.decode(PREDICT.write_request(wanted, "m", Report("t")))
    assert {"instances": [{"content": "a"}, {"content": "b"}], **more} == sent


def test_a_task_is_said_of_each_text():
    """In the vendor's spelling there; a batch names it for all of them."""
    wanted = VectorRequest(
        inputs=("a", "b"),
        extensions=(
            Extension("requests[].taskType", b'"RETRIEVAL_DOCUMENT"', Rank.HINT),
            Extension("embedContentConfig.title", b'"T"', Rank.HINT),
        ),
    )
    report = Report("t")
    sent = msgspec.json.decode(PREDICT.write_request(wanted, "m", report))
    said = {"task_type": "RETRIEVAL_DOCUMENT", "title": "T"}
    assert [{"content": "a", **said}, {"content": "b", **said}] == sent["instances"]
    assert not report.dropped_header()


def test_hints_are_reported():
    """What is not carried is told."""
    report = Report("t")
    wanted = VectorRequest(inputs=("a",), extensions=(Extension("taskType", b"null", Rank.HINT),))
    PREDICT.write_request(wanted, "m", report)
    assert "taskType" in report.dropped_header()


@pytest.mark.parametrize(
    ("rows", "usage"),
    [
        ([row(0.5, 1, token_count=2), row(2, 3, token_count=3.0)], Usage(fresh=5)),
        ([row(0.5, 1, token_count=2), row(2, 3)], None),
        ([row(0.5, 1, token_count=-2), row(2, 3, token_count=3)], None),
        ([row(0.5, 1, token_count=2.5), row(2, 3, token_count=3)], None),
    ],
)
def test_vectors_come_in_the_order_of_texts(rows, usage):
    """With what was counted of all of them, or nothing."""
    found = read({"predictions": rows, "metadata": {"billableCharacterCount": 9}}, 2)
    assert (([0.5, 1.0], [2.0, 3.0]), usage) == (found.vectors, found.usage)


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (b"", "no list"), (b"[]", "no list"), ({"predictions": 3}, "no list"), ({}, "1 vectors"),
        ({"predictions": [row(1), row(2)]}, "1 vectors"), ({"predictions": [{}]}, "no numbers"),
        ({"predictions": [row()]}, "no numbers"), ({"predictions": [row("a")]}, "no list"),
        (b"[" * 100_000, "no list"),
    ],
)  # fmt: skip
def test_what_is_no_list_of_vectors_is_the_upstreams(document, why):
    """Too many, too few, or none at all."""
    with pytest.raises(Fault, match=why) as caught:
        read(document)
    assert Kind.UPSTREAM_BROKE is caught.value.kind


def test_an_error_in_the_clothes_of_an_answer():
    """Says what it says."""
    with pytest.raises(Fault) as caught:
        read({"error": {"message": "busy"}})
    assert Kind.UPSTREAM_BUSY is caught.value.kind
