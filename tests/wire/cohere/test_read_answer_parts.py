"""Pieces of answers, whatever comes."""

import json

import msgspec
import pytest

from trivium.conversation.calls import ToolCall
from trivium.conversation.parts import Reasoning, Text, TokenLogprob, VendorPart
from trivium.faults import Fault, Kind
from trivium.wire.cohere import read_answer_parts as parts


def raw(value):
    """JSON as it stands in an answer."""
    return msgspec.Raw(json.dumps(value).encode())


@pytest.mark.parametrize(
    ("block", "part"),
    [
        ({"type": "text", "text": "a"}, Text("a")),
        ({"type": "thinking", "thinking": "a"}, Reasoning("a")),
        ({"text": "a"}, Text("a")),
        ({"type": "text"}, Text("")),
        ({"type": "poem", "text": "a"}, Text("a")),
    ],
)
def test_entries(context, block, part):
    """Of an unknown kind the words are told."""
    assert part == parts.part(raw(block), context)


def test_an_entry_without_words(context):
    """It is told to be of a kind that nobody knows."""
    found = parts.part(raw({"type": "poem", "x": 1}), context)
    assert isinstance(found, VendorPart)
    assert not found.known


@pytest.mark.parametrize("value", [7, {}, {"function": {}}, {"function": {"name": ""}}])
def test_a_call_that_nobody_can_run(value):
    """It is no answer."""
    with pytest.raises(Fault) as caught:
        parts.call(raw(value))
    assert caught.value.kind is Kind.UPSTREAM_BROKE


def test_calls():
    """Arguments apart; pieces of them."""
    row = {"id": "c", "function": {"name": "f", "arguments": "{}"}}
    assert parts.call(raw(row)) == (ToolCall("c", "f"), "{}")
    assert parts.more(raw({"function": {"arguments": "x"}})) == "x"
    assert parts.more(raw([])) == ""


def test_probabilities_and_citations():
    """Of the tokens together; citations alone or in a list."""
    assert parts.likely(raw({"text": "a", "logprobs": [-1.0, -0.5]})) == TokenLogprob("a", -1.5)
    assert parts.likely(raw({"text": "a"})) is None
    assert parts.likely(msgspec.Raw(b"null")) is None
    (one,) = parts.cited(raw({"content_index": 2}))
    assert one[:2] == ("TEXT_CONTENT", 2)
    assert len(parts.cited(raw([{}, 7, {}]))) == 2
