"""One output item: opened once, its parts one after the other, closed with its whole text."""

import pytest

from trivium.providers.repair.response_item import RepairedItem, part_of

ADDED = "response.content_part.added"
DELTA = "response.output_text.delta"
THOUGHT = "response.reasoning_text.delta"
ARGUED = "response.function_call_arguments"


def item(kind="message", **members):
    return RepairedItem({"id": "it_1", "type": kind} | members, 3)


def kinds(events):
    return [event["type"].removeprefix("response.") for event in events]


def delta(text, kind=DELTA):
    return {"type": kind, "delta": text}


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"type": DELTA}, "output_text"),
        ({"type": "response.refusal.done"}, "refusal"),
        ({"type": THOUGHT}, "reasoning_text"),
        ({"type": ADDED, "part": {"type": "refusal"}}, "refusal"),
        ({"type": ADDED}, "output_text"),
        ({"type": ADDED, "part": {"type": 7}}, "output_text"),
        ({"type": f"{ARGUED}.delta"}, ""),
        ({"type": "response.reasoning_summary_text.delta"}, ""),
    ],
)
def test_an_event_names_its_part(event, expected):
    """By its own name, or by the part that it brings."""
    assert expected == part_of(event)


def test_text_opens_the_part_that_the_engine_did_not():
    """And every event has the place that clients look up."""
    events = item().inside(delta("Hi"))
    assert ["content_part.added", "output_text.delta"] == kinds(events)
    assert {("it_1", 3, 0)} == {
        (event["item_id"], event["output_index"], event["content_index"]) for event in events
    }


def test_a_part_of_another_kind_ends_the_one_before():
    """One part is open at a time, and each ends with its whole text."""
    one = item("reasoning")
    one.inside(delta("Hm", THOUGHT))
    events = one.inside(delta("Hi"))
    assert [
        "reasoning_text.done",
        "content_part.done",
        "content_part.added",
        "output_text.delta",
    ] == kinds(events)
    assert ("Hm", 1) == (events[0]["text"], events[-1]["content_index"])


def test_the_end_has_all_that_was_said():
    """Though the engine's own end has nothing."""
    one = item()
    for text in ("Hel", "lo"):
        one.inside(delta(text))
    events = one.close({}, "completed")
    assert ["output_text.done", "content_part.done", "output_item.done"] == kinds(events)
    assert "Hello" == events[0]["text"] == events[1]["part"]["text"]
    last = events[-1]["item"]
    assert ("it_1", "completed", ["Hello"]) == (
        last["id"],
        last["status"],
        [part["text"] for part in last["content"]],
    )
    assert one.closed


def test_what_was_never_streamed_is_streamed_at_the_end():
    """Clients put an answer together from its deltas."""
    events = item().close({"content": [{"type": "output_text", "text": "Hi"}]}, "completed")
    assert [
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
    ] == kinds(events)
    assert "Hi" == events[1]["delta"]


@pytest.mark.parametrize("final", [{}, {"arguments": '{"a":1}'}])
def test_a_call_ends_with_its_whole_arguments(final):
    """Once, whether the engine repeats them or not."""
    one = item("function_call", name="look")
    one.inside(delta('{"a":', f"{ARGUED}.delta"))
    one.inside(delta("1}", f"{ARGUED}.delta"))
    events = one.close(final, "completed")
    assert ["function_call_arguments.done", "output_item.done"] == kinds(events)
    assert {'{"a":1}'} == {events[0]["arguments"], events[1]["item"]["arguments"]}


def test_a_call_that_came_whole_is_streamed():
    """Its arguments are a delta too."""
    events = item("function_call").close({"arguments": "{}"}, "completed")
    assert [
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
    ] == kinds(events)


def test_nothing_ends_twice():
    """The engine's own ends come late, or again."""
    one = item("function_call")
    done = {"type": f"{ARGUED}.done", "arguments": "{}"}
    assert 1 == len(one.inside({**done}))
    assert [] == one.inside({**done})
    assert ["output_item.done"] == kinds(one.close({}, "completed"))
    assert [] == one.inside({**done})


@pytest.mark.parametrize("event", [{"type": ADDED, "part": {"type": "output_text"}}, delta("x")])
def test_what_comes_after_the_end_is_no_part_any_more(event):
    """A closed item stays as it was told."""
    one = item()
    one.close({}, "completed")
    assert [] == one.inside({**event})
