"""What a rerank answer says of itself."""

from pathlib import Path

import msgspec
import pytest

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.rerank.response import answer

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
