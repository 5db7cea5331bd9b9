"""Servers that count items and their parts in ways of their own: each text is told once."""

import msgspec
import pytest

from trivium.conversation.assemble import assembled
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import Reasoning, Text
from trivium.faults import Fault
from trivium.wire import sse
from trivium.wire.codec import AnswerContext
from trivium.wire.codecs import CODECS
from trivium.wire.operation import Shape
from trivium.wire.passage import RequestFacts
from trivium.wire.responses.stream import Watch

CONTEXT = AnswerContext(origin=StateOrigin("responses", "vendor", "main"), seed="s", model="m")
THOUGHT = {"type": "reasoning", "id": "rs", "summary": [],
           "content": [{"type": "reasoning_text", "text": "Hm."}]}  # fmt: skip
SPOKEN = {"type": "message", "id": "msg", "role": "assistant", "content": [
    {"type": "output_text", "text": "One.", "annotations": []},
    {"type": "output_text", "text": "Two.", "annotations": []}]}  # fmt: skip


def event(kind, **members):
    """One event of a stream."""
    return sse.frame(msgspec.json.encode({"type": kind, **members}), kind.encode())


def wire(first, part, *, ids=True, end="response.completed", **more):
    """An answer of a thought and two texts; ``first`` item and ``part`` are counted from."""
    thought, spoken = ({**one} if ids else {k: v for k, v in one.items() if k != "id"}
                       for one in (THOUGHT, SPOKEN))  # fmt: skip
    rows = [event("response.created", response={"id": "r"})]
    rows.append(
        event("response.output_item.added", output_index=first, item={**thought, "content": []})
    )
    rows.append(
        event("response.reasoning_text.delta", output_index=first, content_index=part, delta="Hm.")
    )
    rows.append(event("response.output_item.done", output_index=first, item=thought))
    at = first + 1
    rows.append(
        event("response.output_item.added", output_index=at, item={**spoken, "content": []})
    )
    for place, text in enumerate(("One.", "Two.")):
        where = {"output_index": at, "content_index": part + place}
        rows.append(event("response.output_text.delta", **where, delta=text))
        rows.append(event("response.output_text.done", **where, text=text))
    rows.append(event("response.output_item.done", output_index=at, item=spoken))
    response = {"id": "r", "output": [thought, spoken], "status": "completed", **more}
    rows.append(event(end, response=response))
    return b"".join(rows)


def told(data):
    """The parts that a stream comes to."""
    reader = CODECS[Shape.RESPONSES].read_stream(CONTEXT)
    return assembled(reader.feed(data) + reader.end(None)).candidates[0].parts


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("first", [0, 1, 3])
@pytest.mark.parametrize("part", [0, 1, 2])
def test_each_text_is_told_once_wherever_counting_begins(first, part, ids):
    """Items from 1, parts from 1 or through all items, with ids and without."""
    parts = told(wire(first, part, ids=ids))
    assert "Hm." == "".join(one.text for one in parts if isinstance(one, Reasoning)).strip()
    assert ["One.", "Two."] == [one.text for one in parts if isinstance(one, Text)]


def test_a_response_that_is_done_is_complete():
    """As some servers end, and the response says how."""
    assert 3 == len(told(wire(0, 0, end="response.done")))
    with pytest.raises(Fault):
        told(wire(0, 0, end="response.done", status="failed", error={"message": "no"}))


def test_nothing_is_added_behind_a_response_that_is_done():
    """The vendor's own end is the end of the relayed stream."""
    data = wire(0, 0, end="response.done")
    seen = Watch(RequestFacts(model="m", stream=True))
    assert data == seen.feed(data) + seen.end(None, "req_1")
    assert seen.finished
