"""InvokeModel, asked for vectors: Titan's body and Cohere's."""

import msgspec
import pytest

from trivium.conversation.losses import Rank, Report
from trivium.conversation.request import Extension
from trivium.conversation.usage import Usage
from trivium.conversation.vectors import VectorRequest
from trivium.faults import Fault, Kind
from trivium.wire.bedrock.vectors import INVOKE

TITAN = "amazon.titan-embed-text-v2:0"
ARN = f"arn:aws:bedrock:us-east-1::foundation-model/{TITAN}"
PICTURES = "amazon.titan-embed-image-v1"
COHERE = "us.cohere.embed-v4:0"


def _refused(error):
    return Fault(Kind.UPSTREAM_BUSY, error.decode())


def sent(model, *texts, report=None, **more):
    wanted = VectorRequest(inputs=texts or ("a",), **more)
    return msgspec.json.decode(INVOKE.write_request(wanted, model, report or Report("t")))


def read(document, count=1):
    body = document if isinstance(document, bytes) else msgspec.json.encode(document)
    return INVOKE.read_answer(body, count, _refused)


@pytest.mark.parametrize(
    ("model", "more"),
    [
        (TITAN, {"dimensions": 256}),
        (ARN, {"dimensions": 256}),
        (PICTURES, {"embeddingConfig": {"outputEmbeddingLength": 256}}),
    ],
)
def test_titan_takes_one_text(model, more):
    """And no member that nobody asked for: its first version knows none."""
    assert {"inputText": "a"} == sent(model)
    assert {"inputText": "a", **more} == sent(model, dimensions=256)


def test_several_texts_for_titan_are_refused():
    with pytest.raises(Fault) as caught:
        sent(TITAN, "a", "b", "c")
    assert (Kind.UNREPRESENTABLE, "input") == (caught.value.kind, caught.value.param)
    assert "one text a request, and this has 3" in caught.value.message


def test_cohere_takes_several():
    """Its own body without the model, which the path names."""
    assert {
        "texts": ["a", "b"],
        "input_type": "search_query",
        "embedding_types": ["float"],
        "output_dimension": 512,
    } == sent(
        COHERE, "a", "b", dimensions=512,
        extensions=(Extension("input_type", b'"search_query"', Rank.HINT),),
    )  # fmt: skip


@pytest.mark.parametrize("model", ["arn:aws:bedrock:us-east-1:1:provisioned-model/x", "nova", ""])
def test_a_model_that_does_not_say_whose_body_it_takes_is_refused(model):
    with pytest.raises(Fault, match=r"amazon\.titan-embed or cohere\.embed") as caught:
        sent(model)
    assert "model" == caught.value.param


def test_hints_are_reported():
    report = Report("t")
    sent(TITAN, extensions=(Extension("input_type", b"null", Rank.HINT),), report=report)
    assert "input_type" in report.dropped_header()


@pytest.mark.parametrize(
    ("told", "usage"),
    [(3, Usage(fresh=3)), (3.0, Usage(fresh=3)), (-1, None), ("many", None), (None, None)],
)
def test_titans_vector_comes_with_what_was_counted(told, usage):
    """What is no count is none."""
    found = read({"embedding": [0.5, 1], "inputTextTokenCount": told})
    assert (([0.5, 1.0],), usage) == (found.vectors, found.usage)


@pytest.mark.parametrize("rows", [[[0.5, 1], [2, 3]], {"float": [[0.5, 1], [2, 3]]}])
def test_coheres_vectors_come_in_the_order_of_texts(rows):
    """With the count in a header, which is not among them."""
    found = read({"id": "1", "embeddings": rows, "response_type": "embeddings_by_type"}, 2)
    assert (([0.5, 1.0], [2.0, 3.0]), None) == (found.vectors, found.usage)


@pytest.mark.parametrize(
    ("document", "count"),
    [
        (b"nothing", 1), ([1], 1), ({}, 1), ({"embedding": []}, 1), ({"embedding": [1.5]}, 2),
        ({"embedding": ["a"]}, 1), ({"embeddings": {"float": [[]]}}, 1), ({"embeddings": [[1]]}, 2),
    ],
)  # fmt: skip
def test_nonsense_is_told(document, count):
    with pytest.raises(Fault) as caught:
        read(document, count)
    assert Kind.UPSTREAM_BROKE is caught.value.kind
