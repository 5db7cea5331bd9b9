"""Whole answers, which the real SDK's types take as well."""

import json

import pytest
from cohere import V2ChatResponse
from cohere.core.unchecked_base_model import construct_type

from trivium.conversation.calls import ToolCall
from trivium.conversation.finish import Unified
from trivium.conversation.parts import Reasoning, Text
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire import caps
from trivium.wire.cohere.read_answer import read


@pytest.mark.parametrize("name", ["text", "tools", "logprobs"])
def test_the_sdk_reads_the_same(wire, context, name):
    """The words, the calls and the end."""
    body = wire(f"{name}.json")
    theirs = construct_type(type_=V2ChatResponse, object_=json.loads(body))
    ours = read(body, context)
    texts = [part.text for part in ours.candidates[0].parts if isinstance(part, Text)]
    said = [one.text for one in theirs.message.content if one.type == "text"]
    assert texts == [*said, *([theirs.message.tool_plan] if theirs.message.tool_plan else [])]
    assert ours.candidates[0].finish.raw == theirs.finish_reason


def test_thinking_plan_and_call(wire, context):
    """In this order."""
    answer = read(wire("tools.json"), context)
    (candidate,) = answer.candidates
    assert candidate.parts == (
        Reasoning("Hm."),
        Text("I will look."),
        ToolCall("look_1", "look", '{"city":"Köln"}'),
    )
    assert candidate.finish.unified is Unified.TOOL_CALLS
    assert answer.usage == Usage(fresh=3, cache_read=2, output=7)


def test_citations_and_probabilities(wire, context):
    """On the text that they are of."""
    (text,) = read(wire("text.json"), context).candidates[0].parts
    (cited,) = text.citations
    assert (cited.title, cited.start, cited.end, cited.quoted) == ("Post", 0, 5, "Viele Grüße")
    (likely,) = read(wire("logprobs.json"), context).candidates[0].parts[0].logprobs
    assert (likely.token, likely.logprob) == ("Yes", -0.75)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"message":7}',
        b'{"message":"no"}',
        b'{"error":{"message":"no"}}',
        b'{"finish_reason":"ERROR","message":{"content":[]}}',
        b'{"message":{"content":[7]}}',
        b'{"message":{"tool_calls":[{}]}}',
    ],
)
def test_what_is_no_answer(context, body):
    """An empty success would be believed."""
    with pytest.raises(Fault) as caught:
        read(body, context)
    assert caught.value.kind is Kind.UPSTREAM_BROKE


def test_an_answer_of_nothing_but_entries(context):
    """There is an end to them."""
    many = b",".join([b'{"type":"text","text":"a"}'] * (caps.PARTS_MAX + 1))
    with pytest.raises(Fault):
        read(b'{"message":{"content":[' + many + b"]}}", context)


def test_content_that_is_a_text(context):
    """Some servers write it so."""
    assert read(b'{"message":{"content":"a"}}', context).candidates[0].parts == (Text("a"),)
