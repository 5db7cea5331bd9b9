"""What passes is checked as far as it must be known."""

import json

import pytest

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.cohere.passage import CHAT, EMBED
from trivium.wire.peek import members

HELLO = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


def body(**more):
    """A request."""
    return members(json.dumps(HELLO | more).encode())


def test_facts():
    """Model, stream and limit."""
    found = CHAT.facts(body(stream=True, max_tokens=7))
    assert (found.model, found.stream, found.output_max) == ("m", True, 7)


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"model": None}, "model"),
        ({"messages": None}, "messages"),
        ({"messages": "hi"}, "messages"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"stream": 1}, "stream"),
    ],
)
def test_what_is_wrong(more, param):
    """It is named."""
    with pytest.raises(Fault) as caught:
        CHAT.facts(body(**more))
    assert caught.value.param == param


def test_inputs_of_an_embedding():
    """One of three members has them."""
    assert EMBED.facts(members(b'{"model":"m","images":[]}')).output_max == 0
    with pytest.raises(Fault) as caught:
        EMBED.facts(members(b'{"model":"m"}'))
    assert caught.value.param == "texts"
    with pytest.raises(Fault):
        EMBED.facts(members(b'{"model":"m","texts":"a"}'))


def test_answers(wire):
    """Counts of a chat and of vectors."""
    assert CHAT.answer(wire("text.json")).usage == Usage(fresh=3, cache_read=2, output=7)
    assert EMBED.answer(wire("embed.json")).usage == Usage(fresh=8)


@pytest.mark.parametrize("passage", [CHAT, EMBED])
def test_errors_with_a_good_status(passage):
    """An object, or a text in place of the message."""
    assert passage.answer(b'{"error":{"message":"no"}}').error == b'{"message":"no"}'
    assert passage.answer(b'{"message":"no"}').error == b'{"message":"no"}'
    for data in (b"{}", b"[]", b"<html>"):
        with pytest.raises(Fault) as caught:
            passage.answer(data)
        assert caught.value.kind is Kind.UPSTREAM_BROKE


def test_a_chat_that_failed():
    """It is no answer, whatever it says."""
    data = b'{"finish_reason":"ERROR","message":{"content":[]}}'
    assert CHAT.answer(data).error == data
