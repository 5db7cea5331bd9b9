"""Reranks on the pass-through lane."""

from pathlib import Path

import msgspec
import pytest

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.peek import members
from trivium.wire.rerank.passage import PASSAGE, answer, facts

ASKED = {"model": "m", "query": "capital?", "documents": ["Paris", {"text": "Rome", "id": 7}]}


def body(**members_):
    """A request with other members."""
    asked = {name: value for name, value in {**ASKED, **members_}.items() if value is not ...}
    return members(msgspec.json.encode(asked))


def test_documents_are_texts_or_objects():
    """The model, the units, and nothing to write."""
    found = facts(body())
    assert ("m", 0, False, 1) == (found.model, found.output_max, found.stream, found.searches_max)
    # the query of ten bytes twice, and the documents: 43 bytes, four a token
    documents = len(b'"Paris"') + len(b'{"text":"Rome","id":7}')
    assert Usage(fresh=-(-(2 * 10 + documents) // 4), searches=1) == found.known


@pytest.mark.parametrize(("count", "units"), [(1, 1), (100, 1), (101, 2), (1000, 10)])
def test_a_unit_is_a_query_with_a_hundred_documents(count, units):
    """Begun hundreds count."""
    found = facts(body(documents=["a"] * count))
    assert (units, units) == (found.known.searches, found.searches_max)


@pytest.mark.parametrize(
    ("size", "limit", "units"),
    [
        # 100 documents of 496 tokens at most, beside a query of 5: two chunks each
        (990, None, 1),
        (2 * 496, None, 2),
        (10_000, None, 11),
        # the vendor cuts them before it counts
        (10_000, 400, 1),
        (10_000, 600, 2),
    ],
)
def test_long_documents_may_count_as_several(size, limit, units):
    """Held for, not billed: what they did count as, the vendor says."""
    more = {} if limit is None else {"max_tokens_per_doc": limit}
    found = facts(body(documents=["x" * (size - 2)] * 100, **more))
    assert (1, units) == (found.known.searches, found.searches_max)


def test_a_long_query_leaves_room_for_documents():
    """A chunk never shrinks to nothing."""
    found = facts(body(query="x" * 10_000, documents=["y" * 998] * 100))
    assert 2 == found.searches_max


@pytest.mark.parametrize(
    ("changed", "param", "kind"),
    [
        ({"model": ...}, "model", Kind.MISSING_MEMBER),
        ({"query": ...}, "query", Kind.MISSING_MEMBER),
        ({"query": None}, "query", Kind.MISSING_MEMBER),
        ({"query": 7}, "query", Kind.INVALID_TYPE),
        ({"query": ["a"]}, "query", Kind.INVALID_TYPE),
        ({"documents": ...}, "documents", Kind.MISSING_MEMBER),
        ({"documents": None}, "documents", Kind.MISSING_MEMBER),
        ({"documents": "Paris"}, "documents", Kind.INVALID_TYPE),
        ({"documents": []}, "documents", Kind.INVALID_VALUE),
        ({"documents": ["a", 7]}, "documents[1]", Kind.INVALID_TYPE),
        ({"documents": [None]}, "documents[0]", Kind.INVALID_TYPE),
        ({"top_n": 0}, "top_n", Kind.INVALID_VALUE),
        ({"top_n": "3"}, "top_n", Kind.INVALID_TYPE),
        ({"max_tokens_per_doc": 0}, "max_tokens_per_doc", Kind.INVALID_VALUE),
    ],
)
def test_what_cannot_be_ranked_is_named(changed, param, kind):
    """Before anybody is asked."""
    with pytest.raises(Fault) as caught:
        facts(body(**changed))
    assert (param, kind) == (caught.value.param, caught.value.kind)


def test_a_picture_may_be_the_query():
    """As multimodal rankers take it."""
    assert "m" == facts(body(query={"image": "https://example.org/a.png"})).model


def test_only_the_model_is_replaced():
    """And nothing where it is the upstream's own."""
    asked = body()
    assert {"model": b'"own"'} == PASSAGE.changes(asked, facts(asked), "own", False)
    assert {} == PASSAGE.changes(asked, facts(asked), "m", False)


FIXTURES = Path(__file__).parents[2] / "fixtures" / "rerank"


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        ("cohere.json", Usage(searches=1)),
        ("cohere-v1.json", Usage(searches=2)),
        ("jina.json", Usage(fresh=815)),
        ("vllm.json", Usage(fresh=56)),
    ],
)
def test_each_vendor_reports_in_its_own_place(name, usage):
    """Search units, tokens, whichever it bills."""
    found = answer((FIXTURES / name).read_bytes())
    assert (usage, None) == (found.usage, found.error)


@pytest.mark.parametrize(
    ("members", "usage"),
    [
        ({}, None),
        ({"usage": None}, None),
        ({"usage": {}}, None),
        ({"usage": {"total_tokens": 40, "search_units": 2}}, Usage(fresh=40, searches=2)),
        ({"meta": {"billed_units": {"input_tokens": 30}}}, Usage(fresh=30)),
        (
            {"meta": {"billed_units": {"search_units": 1, "input_tokens": 30}, "tokens": {"input_tokens": 35}}},
            Usage(fresh=30, searches=1),
        ),
        ({"meta": {"tokens": {"input_tokens": 35, "output_tokens": 0}}}, Usage(fresh=35)),
        ({"meta": {"billed_units": None, "tokens": None}}, None),
        # nonsense makes all of it worthless
        ({"meta": {"billed_units": {"search_units": -1}}}, None),
        ({"meta": {"billed_units": {"search_units": 1.5}}}, None),
        ({"usage": {"total_tokens": "many"}}, None),
        ({"meta": []}, None),
    ],
)  # fmt: skip
def test_what_is_not_said_is_unknown(members, usage):
    """It is estimated then, not taken for nothing."""
    body = msgspec.json.encode({"results": [{"index": 0, "relevance_score": 1}], **members})
    assert usage == answer(body).usage


def test_an_error_inside_a_success_is_found():
    """And no usage with it."""
    found = answer(b'{"error":{"message":"no"},"usage":{"total_tokens":3}}')
    assert (b'{"message":"no"}', None) == (found.error, found.usage)


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"data":[]}', b"[]", b'{"results":{}}'])
def test_what_ranks_nothing_is_no_answer(body):
    """Another channel may have one."""
    with pytest.raises(Fault) as caught:
        answer(body)
    assert Kind.UPSTREAM_BROKE is caught.value.kind
