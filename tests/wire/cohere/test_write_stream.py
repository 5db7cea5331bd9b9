"""Streams for callers, read by the SDK's own types and by our reader."""

import json

import pytest
from cohere import V2ChatStreamResponse
from cohere.core.unchecked_base_model import construct_type

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.answer_events import replayed
from trivium.conversation.assemble import assembled
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.events import (
    Delta,
    Deltas,
    Done,
    Failed,
    Finished,
    KeepAlive,
    PartEnd,
    PartStart,
    Start,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    Citation,
    Image,
    Inline,
    Reasoning,
    Refusal,
    Text,
    TokenLogprob,
)
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.cohere.read_stream import Reader
from trivium.wire.cohere.write_stream import Writer

SIGNED = (Opaque("signature", b"s", StateOrigin("messages", "anthropic", "main")),)


def frames(data):
    """The members of each event."""
    return [
        json.loads(block.partition(b"data: ")[2])
        for block in data.split(b"\n\n")
        if not block.startswith(b":") and block
    ]


def told(context, *parts, finish=Unified.STOP):
    """The frames of a whole answer, told at once."""
    answer = Answer((Candidate(parts, Finish(finish)),), Usage(fresh=5, output=7))
    writer = Writer(context)
    return writer.feed(replayed(answer)) + writer.end(None)


PARTS = {
    "text": (Text("Grüße\u2028"),),
    "several texts": (Text("a"), Text("b")),
    "thinking": (Reasoning("Hm."), Text("a")),
    "calls": (Text("p"), ToolCall("c1", "f", '{"a":1}'), ToolCall("c2", "g", "{}")),
    "probabilities": (Text("ab", logprobs=(TokenLogprob("a", -0.5), TokenLogprob("b", -1.0))),),
}


@pytest.mark.parametrize("name", PARTS)
def test_it_comes_back(telling, context, name):
    """Parts, end and counts; the SDK knows each event."""
    data = told(telling(), *PARTS[name])
    reader = Reader(context)
    answer = assembled(reader.feed(data) + reader.end(None))
    assert answer.candidates[0].parts == PARTS[name]
    assert answer.usage == Usage(fresh=5, output=7)
    for row in frames(data):
        theirs = construct_type(type_=V2ChatStreamResponse, object_=row)
        assert theirs.type == row["type"]
    assert frames(data)[0]["id"] == frames(data)[-1]["id"] == "7"
    assert "\u2028" not in data.decode()


def test_citations(telling):
    """Of a stretch at once, of all of a text at its end; of the caller's documents by id."""
    context = telling(documents=[{"id": "d1", "data": {"title": "T"}}])
    text = Text("abc", (Citation(title="T"), Citation("https://a.example", start=0, end=1)))
    rows = [
        row["delta"]["message"]["citations"]
        for row in frames(told(context, text))
        if row["type"] == "citation-start"
    ]
    assert [(row["start"], row["end"]) for row in rows] == [(0, 1), (0, 3)]
    assert rows[1]["sources"][0]["id"] == "d1"


def test_what_is_sealed(telling):
    """On thinking, hidden or not, and on calls."""
    rows = frames(
        told(
            telling(),
            Reasoning("Hm.", opaque=SIGNED),
            Reasoning("", opaque=SIGNED),
            ToolCall("c", "f", opaque=SIGNED),
        )
    )
    sealed = [json.dumps(row) for row in rows if "signature" in json.dumps(row)]
    assert len(sealed) == 3


def test_pieces_pass_as_they_come(telling):
    """One by one, and many at once; those of a part that waits come later."""
    writer = Writer(telling())
    start = [Start(), PartStart(0, Text("")), PartStart(1, ToolCall("c", "f"))]
    assert writer.feed(start).count(b"event:") == 1
    assert writer.feed([Delta(0, "a"), Deltas(0, ["b", "c"])]).count(b"content-delta") == 6
    assert writer.feed([Deltas(1, ["{", "}"])]) == b""
    out = writer.feed([PartEnd(0)])
    assert out.count(b"event: tool-call-delta") == 2
    assert writer.feed([PartEnd(1), Finished(Finish(Unified.TOOL_CALLS)), Done()]).endswith(b"\n\n")
    assert writer.end(None) == b""
    assert writer.unsaid() == b""


def test_parts_that_it_cannot_show(telling):
    """Words of a refusal, a note of a picture, free text in one member; of candidates the first."""
    rows = frames(
        told(
            telling(),
            Refusal("no"),
            Image(Inline("image/gif", "R0lG")),
            ToolCall("c", "f", "raw", CallKind.CUSTOM),
        )
    )
    kinds = [row["type"] for row in rows]
    assert kinds.count("content-start") == 2
    (piece,) = [row for row in rows if row["type"] == "tool-call-delta"]
    arguments = piece["delta"]["message"]["tool_calls"]["function"]["arguments"]
    assert json.loads(arguments) == {"input": "raw"}
    writer = Writer(telling())
    assert b"two" not in writer.feed(
        [Start(), PartStart(0, Text(""), 1), Delta(0, "two"), PartEnd(0), KeepAlive()]
    )


@pytest.mark.parametrize("by", ["event", "end"])
def test_a_failure(telling, context, by):
    """The last event says so, once, and ours is beside it."""
    writer = Writer(telling())
    writer.feed([Start(), PartStart(0, Text("")), Delta(0, "a")])
    fault = Fault(Kind.UPSTREAM_BROKE, "it broke")
    out = writer.feed([Failed(fault)]) if by == "event" else writer.end(fault)
    (row,) = frames(out)
    assert row["type"] == "message-end"
    assert row["delta"] == {"finish_reason": "ERROR", "error": "it broke"}
    assert row["error"]["code"]
    assert writer.end(None) == b""
    assert writer.heartbeat().startswith(b":")
    reader = Reader(context)
    assert type((reader.feed(out) + reader.end(None))[-1]) is Failed
