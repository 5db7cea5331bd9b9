"""Frames and words of what a caller was sent."""

import json

import pytest

from trivium.wire.converse.output import frames_of, payloads, texts
from trivium.wire.event_stream import event
from trivium.wire.operation import Shape
from trivium.wire.output_count import DeliveredOutput


def test_frames_and_what_is_in_them():
    """What is cut, or none, ends them."""
    one, two = event("a", b"{}"), event("b", b"[1]")
    assert [one, two] == list(frames_of(one + two + one[:-1]))
    assert [b"{}", b"[1]"] == payloads(one + two)
    assert ([], []) == (list(frames_of(b"\0" * 32)), payloads(b"data: {}\n\n" * 9))


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ({"text": "a"}, ("a", "", None)),
        ({"reasoningContent": {"text": "b"}}, ("", "b", None)),
        ({"reasoningContent": {"reasoningText": {"text": "b"}}}, ("", "b", None)),
        ({"reasoningContent": {"signature": "s"}}, ("", "", None)),
        ({"toolUse": {"input": "{"}}, ("", "", "{")),
        ({"toolUse": {"input": {"a": 1}}}, ("", "", {"a": 1})),
        ({"citationsContent": {"content": [{"text": "a"}, {"text": "b"}, 5]}}, ("ab", "", None)),
        ({"text": 5, "reasoningContent": 5, "toolUse": 5, "citationsContent": 5}, ("", "", None)),
    ],
)
def test_the_words_of_a_block(block, expected):
    """Whole or a piece of one."""
    assert expected == texts(block)


def test_a_stream_is_counted_by_what_was_said(converse):
    """Texts, thoughts and what calls are given; a long stream by a sample of it."""
    rows = [
        ("messageStart", {"role": "assistant"}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "abcdef"}}),
        (
            "contentBlockDelta",
            {"contentBlockIndex": 1, "delta": {"reasoningContent": {"text": "hm"}}},
        ),
        ("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"toolUse": {"input": '{"a":1}'}}}),
        (
            "contentBlockDelta",
            {"contentBlockIndex": 3, "delta": {"image": {"source": {"bytes": "aGk="}}}},
        ),
    ]
    said = DeliveredOutput(Shape.CONVERSE)
    for row in rows:
        said.add(converse.wire(row))
    found = said.written()
    assert (13, 2, 1) == (found.text, found.reasoning, found.pictures)
    long = DeliveredOutput(Shape.CONVERSE)
    for _ in range(2000):
        long.add(converse.wire(rows[1]))
    assert 12_000 * 0.9 < long.written().text < 12_000 * 1.1


def test_a_whole_answer_is_counted():
    """The same."""
    message = {"content": [{"text": "abc"}, {"toolUse": {"input": {}}}, {"image": {}}]}
    said = DeliveredOutput(Shape.CONVERSE, whole=True)
    said.add(json.dumps({"output": {"message": message}}).encode())
    found = said.written()
    assert (5, 1) == (found.text, found.pictures)
