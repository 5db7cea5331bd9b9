"""Writing streams and whole answers of the responses shape in tests."""

import json
from pathlib import Path

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.answer_events import replayed
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.request import Conversation
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.codec import WriteContext
from trivium.wire.responses.codec import CODEC

FIXTURES = Path(__file__).parents[2] / "fixtures" / "responses" / "translate"
BROKEN = ("error-first", "error-inside", "failed", "cut", "nonsense")
WHOLE = sorted(path.stem for path in FIXTURES.glob("*.sse") if path.stem not in BROKEN)
ORIGIN = StateOrigin("responses", "openai", "main")
STOP = Finish(Unified.STOP)
USAGE = Usage(fresh=10, cache_read=8, cache_write_short=2, output=4, reasoning=3)
FAULT = Fault(Kind.UPSTREAM_OVERLOADED, "The upstream is overloaded.")


def context(**more):
    request = more.pop("request", Conversation(shape="responses", model="fast"))
    return WriteContext(
        request=request,
        id="0a1B",
        created=1795219200,
        model="fast",
        request_id="req_7",
        seal=lambda opaque: "+".join(one.data.decode() for one in opaque),
        **more,
    )


def written(events, **more):
    """The frames, checked for what holds of every stream, as objects."""
    writer = CODEC.write_stream(context(**more))
    return parsed(writer.feed(list(events)) + writer.end(None))


def parsed(wire):
    out = []
    for block in wire.decode().split("\n\n")[:-1]:
        event, data = block.split("\n")
        found = json.loads(data.removeprefix("data: "))
        assert f"event: {found['type']}" == event
        out.append(found)
    legal(out)
    return out


def legal(events):
    """The rules that clients were seen to insist on (openai.md of the protocols' research)."""
    assert list(range(len(events))) == [event["sequence_number"] for event in events]
    assert ["response.created", "response.in_progress"] == [one["type"] for one in events[:2]]
    terminal = {"response.completed", "response.incomplete", "response.failed"}
    assert [events[-1]["type"]] == [one["type"] for one in events if one["type"] in terminal]
    assert 1 == len({one["response"]["id"] for one in events if "response" in one})
    opened, closed = {}, {}
    for event in events:
        kind, at = event["type"], event.get("output_index")
        if kind == "response.output_item.added":
            assert len(opened) == at
            opened[at] = event["item"]
        elif kind == "response.output_item.done":
            assert at not in closed
            closed[at] = event["item"]
            assert (opened[at].get("id"), opened[at]["type"]) == (
                event["item"].get("id"),
                event["item"]["type"],
            )
        elif at is not None:
            assert at in opened
            assert at not in closed
            if "item_id" in event:
                assert opened[at]["id"] == event["item_id"]
    if events[-1]["type"] != "response.failed":
        assert events[-1]["response"]["output"] == [closed[at] for at in sorted(closed)]
        assert opened.keys() == closed.keys()


def types(events):
    return [event["type"].removeprefix("response.") for event in events]


def answer_events(*parts, finish=STOP):
    return replayed(Answer((Candidate(tuple(parts), finish),), USAGE))
