"""Canonical events as ConverseStream: legal for the vendor's own client, whatever comes."""

import base64

import pytest
from botocore.exceptions import EventStreamError

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.answer_events import replayed
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.events import (
    Cited,
    Delta,
    Deltas,
    Done,
    Failed,
    Finished,
    KeepAlive,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import Opaque
from trivium.conversation.parts import (
    Citation,
    Image,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    Refusal,
    Text,
    VendorPart,
)
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.codecs import CODECS
from trivium.wire.operation import Shape

DATA = base64.b64encode(b"bytes").decode()
STOP = Finished(Finish(Unified.STOP, "stop"))


def told(caller, *events, **more):
    """What the client hears of a whole stream, with start and end around these events."""
    return caller.heard(
        [Start(), *events, STOP, UsageReport(Usage(fresh=3, output=4)), Done()], **more
    )


def deltas(found):
    """The deltas, each with the index of its block."""
    rows = [event["contentBlockDelta"] for event in found if "contentBlockDelta" in event]
    return [(row["contentBlockIndex"], row["delta"]) for row in rows]


def test_a_text(caller):
    """Start, deltas, its end, the reason, and the counts behind that."""
    found = told(caller, PartStart(0, Text("")), Delta(0, "a"), Deltas(0, ["b", "ü"]), PartEnd(0))
    assert [
        {"messageStart": {"role": "assistant"}},
        *[
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": text}}}
            for text in ("a", "b", "ü")
        ],
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"messageStop": {"stopReason": "end_turn"}},
        {
            "metadata": {
                "usage": {
                    "inputTokens": 3,
                    "outputTokens": 4,
                    "totalTokens": 7,
                    "cacheReadInputTokens": 0,
                    "cacheWriteInputTokens": 0,
                },
                "metrics": {"latencyMs": 0},
            }
        },
    ] == found


def test_calls_that_overlap_come_one_after_the_other(caller):
    """Each opened with its name; empty arguments are an object."""
    found = told(
        caller,
        PartStart(0, ToolCall("t1", "look")),
        PartStart(1, ToolCall("", "now")),
        Delta(0, '{"a"'),
        Delta(1, "{}"),
        Delta(0, ":1}"),
        PartEnd(0),
        PartEnd(1),
    )
    starts = [event["contentBlockStart"] for event in found if "contentBlockStart" in event]
    assert [
        {"start": {"toolUse": {"toolUseId": "t1", "name": "look"}}, "contentBlockIndex": 0},
        {"start": {"toolUse": {"toolUseId": "tooluse_0a1", "name": "now"}}, "contentBlockIndex": 1},
    ] == starts
    assert [
        (0, {"toolUse": {"input": '{"a"'}}),
        (0, {"toolUse": {"input": ":1}"}}),
        (1, {"toolUse": {"input": "{}"}}),
    ] == deltas(found)
    assert {"messageStop": {"stopReason": "tool_use"}} in found


@pytest.mark.parametrize(
    ("call", "pieces", "expected"),
    [
        (ToolCall("c", "f"), ["[1", "]"], '{"_raw":"[1]"}'),
        (ToolCall("c", "f"), [" ", "{}"], " {}"),
        (ToolCall("c", "f"), [], "{}"),
        (ToolCall("c", "f", '{"a":1}'), [], '{"a":1}'),
        (ToolCall("c", "f", kind=CallKind.CUSTOM), ["a", "b"], '{"input":"ab"}'),
    ],
)
def test_arguments_are_an_object(caller, call, pieces, expected):
    """Whatever the model wrote."""
    rows = [Delta(0, piece) for piece in pieces]
    found = told(caller, PartStart(0, call), *rows, PartEnd(0))
    assert expected == "".join([delta["toolUse"]["input"] for _, delta in deltas(found)])


def test_reasoning_and_what_is_sealed(caller):
    """Readable with its signature, hidden as bytes, a text's behind it, a call's before it."""
    own = Opaque("thought_signature", b"own", caller.origin)
    signed = Opaque("signature", b"sig", caller.origin)
    found = told(
        caller,
        PartStart(0, Reasoning("")),
        Delta(0, "Hm."),
        PartEnd(0, (signed,)),
        PartStart(1, Reasoning("", ReasoningForm.HIDDEN)),
        PartEnd(1, (signed,)),
        PartStart(2, Text("")),
        Delta(2, "a"),
        PartEnd(2, (own,)),
        PartStart(3, ToolCall("t1", "look")),
        Delta(3, "{}"),
        PartEnd(3, (own,)),
    )
    sealed, mine = caller.seal((signed,)), caller.seal((own,))
    assert [
        (0, {"reasoningContent": {"text": "Hm."}}),
        (0, {"reasoningContent": {"signature": sealed}}),
        (1, {"reasoningContent": {"redactedContent": base64.b64decode(sealed)}}),
        (2, {"text": "a"}),
        (3, {"reasoningContent": {"text": ""}}),
        (3, {"reasoningContent": {"signature": mine}}),
        (4, {"reasoningContent": {"redactedContent": base64.b64decode(mine)}}),
        (5, {"toolUse": {"input": "{}"}}),
    ] == deltas(found)


def test_a_picture_a_source_and_a_refusal(caller):
    """With the events that the shape has for them."""
    found = told(
        caller,
        PartStart(0, Image(Inline("image/png", DATA))),
        PartEnd(0),
        PartStart(1, Text("")),
        Delta(1, "a"),
        Cited(1, Citation("https://a.example", "A")),
        Cited(1, Citation(None, "B")),
        PartEnd(1),
        PartStart(2, Refusal("No.")),
        PartEnd(2),
    )
    assert {"start": {"image": {"format": "png"}}, "contentBlockIndex": 0} == found[1][
        "contentBlockStart"
    ]
    web = {"web": {"url": "https://a.example", "domain": "a.example"}}
    assert [
        (0, {"image": {"source": {"bytes": b"bytes"}}}),
        (1, {"text": "a"}),
        (1, {"citation": {"title": "A", "location": web}}),
        (2, {"text": "No."}),
    ] == deltas(found)
    assert {"messageStop": {"stopReason": "content_filtered"}} in found


def test_tools_that_a_vendor_of_the_shape_ran(caller):
    """Whole, in the events of a call and of a result; another's leave nothing."""
    use = b'{"toolUse":{"toolUseId":"a","name":"b","input":{"q":1},"type":"server_tool_use"}}'
    result = b'{"toolResult":{"toolUseId":"a","type":"x","content":[{"text":"c"}]}}'
    found = told(
        caller,
        PartStart(0, VendorPart(Native("converse", use), "toolUse")),
        PartEnd(0),
        PartStart(1, VendorPart(Native("converse", result), "toolResult")),
        PartEnd(1),
        PartStart(2, VendorPart(Native("converse", b'{"hologram":1}'), "hologram")),
        PartEnd(2),
        PartStart(3, VendorPart(Native("messages", b'{"type":"x"}'), "x")),
        PartEnd(3),
    )
    assert [(0, {"toolUse": {"input": '{"q":1}'}}), (1, {"toolResult": [{"text": "c"}]})] == deltas(
        found
    )


def test_another_candidate_is_not_told(caller):
    """The shape has one answer."""
    found = told(
        caller,
        PartStart(0, Text("")),
        PartStart(1, Text(""), 1),
        Delta(1, "no"),
        Delta(0, "a"),
        PartEnd(1),
        PartEnd(0),
        Finished(Finish(Unified.LENGTH), 1),
    )
    assert [(0, {"text": "a"})] == deltas(found)


def test_a_silence_is_broken_by_what_the_client_passes_over(caller):
    """It hears nothing of it, before the start or between two deltas."""
    writer = CODECS[Shape.CONVERSE].write_stream(caller.context())
    assert writer.heartbeat()
    found = caller.heard(
        [
            KeepAlive(),
            Start(),
            KeepAlive(),
            PartStart(0, Text("")),
            Delta(0, "a"),
            KeepAlive(),
            PartEnd(0),
            STOP,
            Done(),
        ]
    )
    assert ["messageStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata"] == [
        name for event in found for name in event
    ]


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (Fault(Kind.UPSTREAM_BROKE, "It broke."), "modelStreamErrorException"),
        (Fault(Kind.UPSTREAM_OVERLOADED, "It broke."), "serviceUnavailableException"),
        (Fault(Kind.UPSTREAM_RATE_LIMITED, "It broke."), "throttlingException"),
        (Fault(Kind.UPSTREAM_REJECTED, "It broke."), "validationException"),
        (Fault(Kind.INTERNAL, "It broke."), "internalServerException"),
        (Fault(Kind.UPSTREAM_TIMEOUT, "It broke."), "modelStreamErrorException"),
    ],
)
def test_a_break_is_an_exception_that_the_client_raises(caller, fault, name):
    """With our words, and nothing behind it."""
    with pytest.raises(EventStreamError) as caught:
        caller.heard([Start(), PartStart(0, Text("")), Delta(0, "a"), Failed(fault), Done()])
    assert {"Code": name, "Message": "It broke."} == caught.value.response["Error"]


def test_a_reader_that_stops_without_a_word_is_a_break(caller):
    """Half an answer never looks whole; after the end nothing follows."""
    with pytest.raises(EventStreamError, match="ended before it was complete"):
        caller.heard([Start(), PartStart(0, Text("")), Delta(0, "a")])
    writer = CODECS[Shape.CONVERSE].write_stream(caller.context())
    writer.feed([Start(), STOP, Done()])
    assert (b"", b"", b"") == (
        writer.end(Fault(Kind.INTERNAL, "x")),
        writer.feed([Delta(0, "late")]),
        writer.unsaid(),
    )


def test_every_cut_of_the_events_tells_the_same(caller):
    """Read by read, or event by event."""
    answer = Answer(
        (
            Candidate(
                (Reasoning("Hm."), Text("a"), ToolCall("t1", "look", '{"a":1}')),
                Finish(Unified.TOOL_CALLS),
            ),
        ),
        Usage(fresh=3, output=4),
    )
    events = replayed(answer)
    whole = caller.heard(events)
    assert whole == caller.heard(*[[event] for event in events])
    for at in range(len(events)):
        assert whole == caller.heard(events[:at], events[at:])
