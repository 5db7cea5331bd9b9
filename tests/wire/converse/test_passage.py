"""Converse on the pass-through lane."""

import json

import pytest

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.converse.passage import CONVERSE, STREAM
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import members

ASKS = [{"role": "user", "content": [{"text": "Hi"}]}]


def read(**more):
    """A request's members."""
    return members(json.dumps(more).encode())


@pytest.mark.parametrize(("passage", "stream"), [(CONVERSE, False), (STREAM, True)])
def test_a_request_says_its_limit(passage, stream):
    """Model and kind of answer come from the address; nothing is replaced."""
    body = read(messages=ASKS, inferenceConfig={"maxTokens": 7, "odd": [1]})
    facts = passage.facts(body)
    assert RequestFacts(model="", stream=stream, output_max=7) == facts
    assert {} == passage.changes(body, facts, "own", True)
    assert None is passage.facts(read(messages=ASKS, inferenceConfig=None)).output_max
    assert None is passage.facts(read(promptVariables={"a": {"text": "b"}})).output_max


@pytest.mark.parametrize(
    ("body", "place", "kind"),
    [
        ({}, "messages", Kind.MISSING_MEMBER),
        ({"messages": None}, "messages", Kind.MISSING_MEMBER),
        ({"messages": {}}, "messages", Kind.INVALID_TYPE),
        ({"messages": ASKS, "inferenceConfig": []}, "inferenceConfig", Kind.INVALID_TYPE),
        (
            {"messages": ASKS, "inferenceConfig": {"maxTokens": "a"}},
            "inferenceConfig.maxTokens",
            Kind.INVALID_TYPE,
        ),
        (
            {"messages": ASKS, "inferenceConfig": {"maxTokens": 0}},
            "inferenceConfig.maxTokens",
            Kind.INVALID_VALUE,
        ),
        ({"Messages": ASKS}, "Messages", Kind.INVALID_VALUE),
    ],
)
def test_a_mistake_is_named(body, place, kind):
    """Before anything is asked of anybody."""
    with pytest.raises(Fault) as caught:
        CONVERSE.facts(read(**body))
    assert (place, kind) == (caught.value.param, caught.value.kind)


def test_a_whole_answer_says_what_it_used():
    """And that it is one."""
    answer = {"output": {"message": {}}, "usage": {"inputTokens": 3, "outputTokens": 4}}
    assert Usage(fresh=3, output=4) == CONVERSE.answer(json.dumps(answer).encode()).usage
    assert None is CONVERSE.answer(b'{"output":{"message":{}}}').usage


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"output":null}', b'{"output":[]}', b"{"])
def test_anything_else_is_none(body):
    """The upstream broke."""
    with pytest.raises(Fault) as caught:
        STREAM.answer(body)
    assert Kind.UPSTREAM_BROKE is caught.value.kind
