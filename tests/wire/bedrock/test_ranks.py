"""InvokeModel, asked for ranks."""

import json

import pytest

from trivium.faults import Fault, Kind
from trivium.wire import peek
from trivium.wire.bedrock import ranks

ASKED = {"query": "q", "documents": ["a", "b"], "top_n": 1, "api_version": 2}


def body(members):
    return peek.members(json.dumps(members).encode())


def test_a_query_with_documents_is_one():
    """And neither alone."""
    assert ranks.is_asked(body(ASKED))
    assert not ranks.is_asked(body({"query": "q"}))
    assert not ranks.is_asked(body({"documents": []}))


def test_it_is_the_rerank_shape_s_with_the_model_of_the_path():
    """Its own version says nothing there."""
    expected = {"query": "q", "documents": ["a", "b"], "top_n": 1, "model": "m"}
    assert expected == json.loads(ranks.asked(body(ASKED), "m"))


def test_ranks_go_back_without_what_is_around_them():
    """Amazon's answer has no more."""
    told = {
        "id": "x",
        "results": [{"index": 1, "relevance_score": 0.5, "document": "b"}],
        "meta": {},
    }
    assert b'{"results":[{"index":1,"relevance_score":0.5}]}' == ranks.ranked(
        json.dumps(told).encode()
    )


@pytest.mark.parametrize(
    "told", [b"", b"[]", b"{}", b'{"results":3}', b'{"results":[{"index":1}]}', b"[" * 100_000]
)
def test_what_has_no_ranks_is_the_upstreams(told):
    """Whatever it is."""
    with pytest.raises(Fault) as caught:
        ranks.ranked(told)
    assert Kind.UPSTREAM_BROKE is caught.value.kind
