"""Texts to be embedded, as Vertex AI's predict has them."""

import json

import pytest

from trivium.faults import Fault, Kind
from trivium.wire import peek
from trivium.wire.vertex import predict


def asked(members, model="m"):
    return json.loads(predict.asked(peek.members(json.dumps(members).encode()), model))


def test_each_instance_is_a_request():
    """With its own task and title, and the length that all have."""
    members = {
        "instances": [
            {"content": "a", "task_type": "CLUSTERING", "title": "t"},
            {"content": "b", "taskType": "CLASSIFICATION"},
        ],
        "parameters": {"outputDimensionality": 3, "autoTruncate": True},
    }
    one, other = asked(members)["requests"]
    assert {
        "model": "models/m",
        "content": {"parts": [{"text": "a"}]},
        "taskType": "CLUSTERING",
        "title": "t",
        "outputDimensionality": 3,
    } == one
    assert ("CLASSIFICATION", 3) == (other["taskType"], other["outputDimensionality"])


def test_parameters_may_be_left_out():
    """And nothing is made of it."""
    assert [{"model": "models/m", "content": {"parts": [{"text": "a"}]}}] == asked(
        {"instances": [{"content": "a"}]}
    )["requests"]


@pytest.mark.parametrize(
    ("members", "kind", "param"),
    [
        ({}, Kind.MISSING_MEMBER, "instances"),
        ({"instances": []}, Kind.MISSING_MEMBER, "instances[0]"),
        ({"instances": {}}, Kind.INVALID_TYPE, "instances"),
        ({"instances": ["a"]}, Kind.INVALID_TYPE, "instances[0]"),
        ({"instances": [{}]}, Kind.MISSING_MEMBER, "instances[0].content"),
        (
            {"instances": [{"content": "a"}, {"content": 1}]},
            Kind.INVALID_TYPE,
            "instances[1].content",
        ),
        ({"instances": [{"prompt": "a cat"}]}, Kind.INVALID_VALUE, "instances[0].prompt"),
        ({"instances": [{"content": "a"}], "parameters": 1}, Kind.INVALID_TYPE, "parameters"),
        (
            {"instances": [{"content": "a"}], "parameters": {"autoTruncate": False}},
            Kind.UNREPRESENTABLE,
            "parameters.autoTruncate",
        ),
        ({"instances": [{"content": "a"}] * 3000}, Kind.INVALID_VALUE, "instances"),
    ],
)
def test_what_cannot_be_is_refused_by_name(members, kind, param):
    """Pictures are asked for elsewhere."""
    with pytest.raises(Fault) as caught:
        asked(members)
    assert (kind, param) == (caught.value.kind, caught.value.param)


def test_vectors_are_predictions():
    """Digit by digit as they came."""
    body = b'{"embeddings":[{"values":[0.10,-1e3]},{"values":[]}],"usageMetadata":{}}'
    assert (
        b'{"predictions":[{"embeddings":{"values":[0.10,-1e3]}},{"embeddings":{"values":[]}}]}'
        == predict.predictions(body)
    )


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"embeddings":1}'])
def test_an_answer_without_vectors_is_the_upstreams_fault(body):
    """It is not told as if it were empty."""
    with pytest.raises(Fault) as caught:
        predict.predictions(body)
    assert Kind.UPSTREAM_BROKE is caught.value.kind
