"""Members that nobody knows are told; those that the SDK's types have are not."""

import json

import pytest

from trivium.wire.cohere.known_members import ANSWER, EVENTS

WIRES = ("text", "tools", "logprobs")


@pytest.mark.parametrize("name", WIRES)
def test_documented_answers_are_known(name, wire):
    """But for what is noted."""
    told = []
    ANSWER.look(wire(f"{name}.json"), lambda name, loss: told.append((name, loss.name)))
    assert [row for row in told if row[1] != "NOTED"] == []


@pytest.mark.parametrize("name", ["text", "tools", "error"])
def test_documented_events_are_known(name, wire):
    """Every one of them, by its kind."""
    told = []
    for block in wire(f"{name}.sse").split(b"\n\n")[:-1]:
        data = block.partition(b"data: ")[2]
        EVENTS[json.loads(data)["type"]].look(data, lambda *row: told.append(row))
    assert told == []


def test_a_new_member_is_told():
    """By its name."""
    told = []
    ANSWER.look(b'{"id":"1","message":{"mood":"glad"}}', lambda *row: told.append(row[0]))
    assert told == ["mood"]
