"""Embeddings in Google's shape, both ends."""

import contextlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.losses import Rank, Report
from trivium.conversation.request import Extension
from trivium.conversation.usage import Usage
from trivium.conversation.vectors import VectorAnswer, VectorRequest
from trivium.faults import Fault, Kind
from trivium.wire.generate.vectors import BATCH, ONE


def _raws(members):
    return msgspec.json.decode(msgspec.json.encode(members), type=dict[str, msgspec.Raw])


def _content(*texts):
    return {"parts": [{"text": text} for text in texts], "role": "user"}


def _one(**members):
    return ONE.read_request(_raws(members), "m")


def _batch(*requests, **more):
    return BATCH.read_request(_raws({"requests": list(requests), **more}), "m")


def _refused(error):
    return Fault(Kind.UPSTREAM_BUSY, error.decode())


@pytest.mark.parametrize(
    ("members", "dimensions"),
    [
        ({}, None),
        ({"outputDimensionality": 3, "model": "models/m"}, 3),
        ({"output_dimensionality": "3"}, 3),
        ({"outputDimensionality": 0}, None),
        ({"embedContentConfig": {"outputDimensionality": 3}}, 3),
    ],
)
def test_the_texts_of_one_content_are_one_input(members, dimensions):
    """In either spelling."""
    found = _one(content=_content("a", "b"), **members)

    assert (("ab",), dimensions, ()) == (found.inputs, found.dimensions, found.extensions)


def test_one_part_may_stand_for_all():
    """As the vendor's parser takes it."""
    assert ("a",) == _one(content={"parts": {"text": "a"}}).inputs


def test_a_batch_keeps_its_order():
    """One input for each request."""
    found = _batch(
        {"model": "models/m", "content": _content("a"), "output_dimensionality": 3},
        {"content": _content("b"), "outputDimensionality": 3},
    )

    assert (("a", "b"), 3) == (found.inputs, found.dimensions)


def test_hints_are_named_once_for_a_whole_batch():
    """Two thousand requests have them all."""
    found = _batch(
        {"content": _content("a"), "taskType": "RETRIEVAL_QUERY", "title": "t"},
        {"content": _content("b"), "taskType": "RETRIEVAL_DOCUMENT"},
    )

    assert [("requests[].taskType", Rank.HINT), ("requests[].title", Rank.HINT)] == [
        (one.member, one.rank) for one in found.extensions
    ]
    assert ["taskType"] == [one.member for one in _one(content=_content("a"), taskType="X").extensions]  # fmt: skip


@pytest.mark.parametrize(
    ("request_", "kind", "param"),
    [
        ({}, Kind.MISSING_MEMBER, "requests[1].content"),
        ({"content": {}}, Kind.MISSING_MEMBER, "requests[1].content.parts"),
        ({"content": "a"}, Kind.INVALID_TYPE, "requests[1].content"),
        ({"content": {"parts": [{"inlineData": {}}]}}, Kind.UNREPRESENTABLE,
         "requests[1].content.parts[0]"),
        ({"content": {"parts": [{"text": 5}]}}, Kind.INVALID_TYPE,
         "requests[1].content.parts[0].text"),
        ({"content": {"parts": [{"text": "a"}]}, "outputDimensionality": 3}, Kind.UNREPRESENTABLE,
         "requests[1].outputDimensionality"),
        ({"content": {"parts": [{"text": "a"}]}, "outputDimensionality": -1}, Kind.INVALID_VALUE,
         "requests[1].outputDimensionality"),
        ({"content": {"parts": [{"text": "a"}]}, "model": "models/x"}, Kind.INVALID_VALUE,
         "requests[1].model"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_request(request_, kind, param):
    """Media, another model, another length than the first."""
    with pytest.raises(Fault) as caught:
        _batch({"content": _content("a")}, request_)

    assert (kind, param) == (caught.value.kind, caught.value.param)


def test_a_batch_of_none_is_refused():
    """There is nothing to answer."""
    with pytest.raises(Fault) as caught:
        _batch()

    assert Kind.MISSING_MEMBER is caught.value.kind


def test_an_upstream_is_asked_for_a_batch():
    """Each request names the model, as the vendor demands."""
    wanted = VectorRequest(inputs=("a", "b"), dimensions=3)

    assert {
        "requests": [
            {"model": "models/up", "content": {"parts": [{"text": text}]},
             "outputDimensionality": 3}
            for text in ("a", "b")
        ]
    } == msgspec.json.decode(BATCH.write_request(wanted, "up", Report("x")))  # fmt: skip


def test_what_the_shape_has_not_is_reported():
    """Bookkeeping silently."""
    extensions = (Extension("input_type", b"1", Rank.HINT), Extension("user", b"1", Rank.BOOKKEEPING))  # fmt: skip
    report = Report("x")
    BATCH.write_request(VectorRequest(inputs=("a",), extensions=extensions), "up", report)

    assert (["input_type"], ["user"]) == ([drop.member for drop in report.drops], report.kept)


@pytest.mark.parametrize(
    ("more", "usage"), [({}, None), ({"usageMetadata": {"promptTokenCount": 4}}, Usage(fresh=4))]
)
def test_vectors_are_read_in_order(more, usage):
    """With usage where the vendor counts."""
    body = msgspec.json.encode({"embeddings": [{"values": [1, 0.5]}, {"values": [2]}], **more})

    assert VectorAnswer(vectors=([1.0, 0.5], [2.0]), usage=usage) == BATCH.read_answer(
        body, 2, _refused
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"{}",
        b'{"embeddings":[{"values":[1]}]}',
        b'{"embeddings":{}}',
        b'{"embeddings":[{"values":[1]},{}]}',
        b'{"embeddings":[{"values":[1]},{"values":[]}]}',
    ],
)
def test_anything_but_the_vectors_asked_for_is_a_broken_upstream(body):
    """None may be missing."""
    with pytest.raises(Fault) as caught:
        BATCH.read_answer(body, 2, _refused)

    assert Kind.UPSTREAM_BROKE is caught.value.kind


def test_an_error_with_status_200_is_an_error():
    """It means what the vendor's words mean."""
    with pytest.raises(Fault) as caught:
        BATCH.read_answer(b'{"error":{"message":"no"}}', 1, _refused)

    assert Kind.UPSTREAM_BUSY is caught.value.kind


@pytest.mark.parametrize(
    ("usage", "told"),
    [
        (None, {}),
        (Usage(fresh=3, estimated=True), {}),
        (Usage(fresh=3), {"usageMetadata": {"promptTokenCount": 3, "totalTokenCount": 3}}),
    ],
)
def test_the_caller_gets_values_and_no_invented_usage(usage, told):
    """The shape does not demand it."""
    answer = VectorAnswer(vectors=([1.0], [2.0]), usage=usage)
    wanted = VectorRequest(inputs=("a", "b"))

    assert {"embedding": {"values": [1.0]}, **told} == msgspec.json.decode(
        ONE.write_answer(answer, wanted, "m")
    )
    assert {"embeddings": [{"values": [1.0]}, {"values": [2.0]}], **told} == msgspec.json.decode(
        BATCH.write_answer(answer, wanted, "m")
    )


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(("parts", "text", "content", "outputDimensionality", "x")), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(_ANY)
def test_any_body_is_read_or_refused(request_):
    """Nothing a caller sends is an accident of ours."""
    with contextlib.suppress(Fault):
        assert BATCH.read_request(_raws({"requests": request_}), "m").inputs
    with contextlib.suppress(Fault):
        assert _one(content=request_, task_type=request_).inputs
