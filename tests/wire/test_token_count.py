"""Counts of tokens between shapes."""

import msgspec
import pytest

from trivium.conversation.request import Conversation, ReasoningSettings, Sampling
from trivium.faults import Fault, Kind
from trivium.wire import token_count
from trivium.wire.operation import TOKEN_COUNTS, Operation
from trivium.wire.peek import members


def _request(operation, **given):
    found = token_count.request(operation, members(msgspec.json.encode(given)))
    return {name: msgspec.json.decode(bytes(raw)) for name, raw in found.items()}


@pytest.mark.parametrize(
    ("operation", "given", "expected"),
    [
        (Operation.MESSAGES_COUNT,
         {"model": "m", "messages": [], "stream": True, "metadata": 5, "stop_sequences": 5,
          "thinking": {"type": "enabled", "budget_tokens": 2048}},
         {"model": "m", "messages": [], "max_tokens": 1}),
        (Operation.MESSAGES_COUNT, {"messages": [], "max_tokens": 0}, {"messages": [], "max_tokens": 1}),
        (Operation.GENERATE_COUNT, {"contents": [1]}, {"contents": [1]}),
        (Operation.GENERATE_COUNT, {"generateContentRequest": {"contents": [1]}}, {"contents": [1]}),
        (Operation.GENERATE_COUNT, {"generate_content_request": {"contents": [1]}}, {"contents": [1]}),
        (Operation.RESPONSES_COUNT, {"instructions": "a", "background": True},
         {"instructions": "a", "input": []}),
        (Operation.RESPONSES_COUNT, {"input": "a", "store": False}, {"input": "a"}),
        (Operation.CONVERSE_COUNT, {"input": {"converse": {"messages": [1]}}}, {"messages": [1]}),
    ],
)  # fmt: skip
def test_a_count_is_read_as_a_request_for_an_answer(operation, given, expected):
    """What only matters for generating is not looked at."""
    assert expected == _request(operation, **given)


def test_a_count_depends_on_nothing_that_is_generated():
    """So nothing of it can be refused."""
    asked = Conversation(
        shape="messages",
        model="m",
        sampling=Sampling(temperature=2.0, top_k=5),
        output_max=1,
        stop=("a",),
        reasoning=ReasoningSettings(budget=5),
        candidates=3,
        logprobs=True,
        stream=True,
        user="u",
    )

    assert Conversation(shape="messages", model="m") == token_count.counted(asked)


@pytest.mark.parametrize(
    ("operation", "written", "expected"),
    [
        (Operation.MESSAGES_COUNT,
         {"model": "up", "max_tokens": 8192, "messages": [1], "system": "s", "tools": []},
         {"model": "up", "messages": [1], "system": "s", "tools": []}),
        (Operation.RESPONSES_COUNT,
         {"model": "up", "input": [1], "store": False, "include": [], "instructions": "s"},
         {"model": "up", "input": [1], "instructions": "s"}),
        (Operation.GENERATE_COUNT,
         {"contents": [1], "generationConfig": {"topK": 1}, "systemInstruction": {"parts": []}},
         {"generateContentRequest": {"model": "models/up", "contents": [1],
                                     "systemInstruction": {"parts": []}}}),
        (Operation.CONVERSE_COUNT,
         {"messages": [1], "system": [2], "toolConfig": {}, "inferenceConfig": {"maxTokens": 1}},
         {"input": {"converse": {"messages": [1], "system": [2], "toolConfig": {}}}}),
    ],
)  # fmt: skip
def test_an_upstream_is_asked_with_what_its_count_takes(operation, written, expected):
    """Vendors refuse members that they do not know."""
    body = token_count.body(operation, msgspec.json.encode(written), "up")

    assert expected == msgspec.json.decode(body)


@pytest.mark.parametrize(
    ("operation", "body"),
    [
        (Operation.MESSAGES_COUNT, b'{"input_tokens":7}'),
        (Operation.RESPONSES_COUNT, b'{"object":"response.input_tokens","input_tokens":7}'),
        (Operation.GENERATE_COUNT, b'{"totalTokens":7}'),
        (Operation.CONVERSE_COUNT, b'{"inputTokens":7}'),
    ],
)
def test_a_number_comes_back_in_each_shape_s_words(operation, body):
    """Written and read again."""
    assert body == token_count.write(operation, 7)
    assert 7 == token_count.read(operation, body, lambda error: Fault(Kind.UPSTREAM_BUSY, "no"))


def test_a_zero_may_be_left_out():
    """Where proto3 writes the body."""
    assert 0 == token_count.read(Operation.GENERATE_COUNT, b"{}", Fault)


@pytest.mark.parametrize("operation", sorted(TOKEN_COUNTS, key=lambda one: one.value))
@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"input_tokens":-1,"totalTokens":-1}'])
def test_anything_else_is_a_broken_upstream(operation, body):
    """An estimate is better than nonsense."""
    with pytest.raises(Fault) as caught:
        token_count.read(operation, body, Fault)

    assert Kind.UPSTREAM_BROKE is caught.value.kind


def test_an_error_with_status_200_is_an_error():
    """It means what the vendor's words mean."""
    with pytest.raises(Fault) as caught:
        token_count.read(
            Operation.MESSAGES_COUNT,
            b'{"error":{"message":"no"}}',
            lambda error: Fault(Kind.UPSTREAM_BUSY, "no"),
        )

    assert Kind.UPSTREAM_BUSY is caught.value.kind
