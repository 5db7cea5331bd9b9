"""Streams of the messages shape as canonical events: every fixture, cut everywhere."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.answer import Candidate
from trivium.conversation.assemble import assembled
from trivium.conversation.calls import ToolCall
from trivium.conversation.events import (
    Delta,
    Done,
    Failed,
    Finished,
    KeepAlive,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
    spelled,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import Citation, Native, Reasoning, ReasoningForm, Text, VendorPart
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.codec import AnswerContext
from trivium.wire.messages.codec import CODEC

FIXTURES = Path(__file__).parents[2] / "fixtures" / "messages"
WIRES = {
    **{path.stem: path.read_bytes() for path in sorted(FIXTURES.glob("*.sse"))},
    **{
        f"translate/{path.stem}": path.read_bytes()
        for path in (FIXTURES / "translate").glob("*.sse")
    },
}
ORIGIN = StateOrigin("messages", "anthropic", "main")
STOP = Finish(Unified.STOP, "end_turn")
CALLS = Finish(Unified.TOOL_CALLS, "tool_use")


def signed(data, text=""):
    """Thinking with a signature of the tests' channel."""
    return Reasoning(
        text,
        ReasoningForm.FULL if text else ReasoningForm.HIDDEN,
        opaque=(Opaque("signature", data, ORIGIN),),
    )


ANSWERS = {
    "text": ((Text("Grüße, 世界 👋"),), STOP),
    "thinking": (
        (signed(b"EqQBCkYIBRgCKkDopaque+/==", "First, then."), Text("Done.")),
        STOP,
    ),
    "no-arguments": ((ToolCall("toolu_00", "now", "{}"),), CALLS),
    "tool": (
        (
            ToolCall("toolu_00", "lookup", '{"q": "x\\"y"}'),
            ToolCall("toolu_01", "lookup", '{"q": "z"}'),
        ),
        CALLS,
    ),
    "max-tokens": ((Text("Once upon"),), Finish(Unified.LENGTH, "max_tokens")),
    "unknown": (
        (
            VendorPart(
                Native(
                    "messages",
                    b'{"type":"hologram","data":{"error":null},"error":"none",'
                    b'"usage":{"output_tokens":999}}',
                ),
                "hologram",
                known=False,
            ),
        ),
        STOP,
    ),
    "translate/parallel": (
        (
            Text("Looking."),
            ToolCall("toolu_1", "lookup", '{"q": "é"}'),
            ToolCall("toolu_2", "lookup", '{"q": 1.0}'),
        ),
        CALLS,
    ),
    "translate/no-deltas": ((ToolCall("toolu_1", "now", "{}"),), CALLS),
    "translate/whole-input": ((ToolCall("toolu_1", "lookup", '{"q":"a"}'),), CALLS),
    "translate/cut-arguments": (
        (ToolCall("toolu_1", "now", '{"path": "a'),),
        Finish(Unified.LENGTH, "max_tokens"),
    ),
    "translate/silent-thinking": ((signed(b"c2ln"), Text("Done.")), STOP),
    "translate/cited": (
        (
            Text(
                "Cats sleep.",
                (
                    Citation(
                        "https://cats.example",
                        "Cats",
                        quoted="Cats sleep a lot.",
                        native=Native(
                            "messages",
                            b'{"type":"web_search_result_location","url":"https://cats.example",'
                            b'"title":"Cats","encrypted_index":"opaque",'
                            b'"cited_text":"Cats sleep a lot."}',
                        ),
                    ),
                ),
            ),
        ),
        STOP,
    ),
    "translate/server-tool": (
        (
            VendorPart(
                Native(
                    "messages",
                    b'{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search",'
                    b'"input":{"query":"cats"}}',
                ),
                "server_tool_use",
                "web_search: cats",
                ("cats",),
            ),
            VendorPart(
                Native(
                    "messages",
                    b'{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}',
                ),
                "web_search_tool_result",
            ),
            Text("Cats."),
        ),
        STOP,
    ),
    "translate/empty": ((), STOP),
    "translate/stop-sequence": (
        (Text("One, "),),
        Finish(Unified.STOP_SEQUENCE, "stop_sequence", "two"),
    ),
    "translate/refusal": (
        (),
        Finish(Unified.CONTENT_FILTER, "refusal", category="bio", explanation="Not this."),
    ),
    "translate/unannounced": ((Text("Hi"),), STOP),
    "translate/skewed": ((Text("A"), Text("B")), STOP),
    "translate/names-only": ((Text("Hi"),), STOP),
    "translate/split-data": ((Text("Hi"),), STOP),
}
"""What was said in a stream, and how it ended."""

BROKEN = ["cut", "error-after", "error-first", "translate/no-end", "translate/nonsense"]


def told(events):
    """Events in a form that compares: faults by kind."""
    return [event.fault.kind if type(event) is Failed else event for event in events]


def in_order(events):
    """Check the order that ``conversation/events.py`` promises."""
    events = [event for event in events if type(event) is not KeepAlive]
    assert type(events[-1]) in (Done, Failed)
    assert [type(event) for event in events].count(Done) <= 1
    if type(events[0]) is Failed:
        return
    assert type(events[0]) is Start
    opened, seen, ended = set(), 0, False
    for event in events[1:-1]:
        if type(event) is PartStart:
            assert not ended
            assert seen == event.index
            opened.add(event.index)
            seen += 1
        elif type(event) is PartEnd:
            opened.remove(event.index)
        elif type(event) is Finished:
            assert not opened
            ended = True
        elif type(event) is not UsageReport:
            assert event.index in opened
    assert type(events[-1]) is Failed or ended


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_a_stream_tells_the_answer(wires, name):
    """Parts, attachments, citations and the end are those of the wire."""
    answer = assembled(wires.events(WIRES[name]))
    assert (Candidate(*ANSWERS[name]),) == answer.candidates


@pytest.mark.parametrize("name", sorted(WIRES))
def test_cuts_change_nothing(wires, name):
    """Whole, byte by byte and cut at each offset, the same is told, in the promised order."""
    wire = WIRES[name]
    whole = wires.events(wire)
    in_order(whole)
    assert told(whole) == told(wires.events(*(wire[at : at + 1] for at in range(len(wire)))))
    for at in range(1, len(wire), 3):
        assert told(whole) == told(wires.events(wire[:at], wire[at:]))


@pytest.mark.parametrize("name", BROKEN)
def test_trap_104_a_broken_stream_never_looks_complete(wires, name):
    """There is neither an end nor a reason for one."""
    events = wires.events(WIRES[name])
    assert type(events[-1]) is Failed
    assert not any(type(event) in (Done, Finished) for event in events)


@pytest.mark.parametrize("name", sorted(set(WIRES) - set(BROKEN)))
def test_every_other_wire_is_complete(wires, name):
    """One end, after one reason."""
    events = wires.events(WIRES[name])
    assert 1 == sum(type(event) is Finished for event in events)
    assert type(events[-1]) is Done


def test_trap_1_a_call_without_arguments_has_an_empty_object(wires):
    """An empty piece, or none at all, is the text ``{}``: nothing else can be sent back."""
    for name in ("no-arguments", "translate/no-deltas"):
        deltas = [event for event in wires.events(WIRES[name]) if type(event) is Delta]
        assert [Delta(0, "{}")] == deltas


def test_trap_20_arguments_are_told_as_they_come():
    """Each piece is an event of the read that brought it."""
    reader = CODEC.read_stream(AnswerContext(origin=ORIGIN))
    pieces = []
    for block in WIRES["translate/parallel"].split(b"\n\n"):
        texts = [one.text for one in reader.feed(block + b"\n\n") if type(one) is Delta]
        if b"partial_json" in block:
            pieces.append(texts)
    assert [[], ['{"q"'], [': "\u00e9"}'], ['{"q": 1.0}']] == pieces


def test_trap_53_pings_are_signs_of_life_and_nothing_else(wires):
    """None of them becomes content, wherever it comes."""
    events = wires.events(WIRES["ping"])
    assert KeepAlive() in events
    assert (
        assembled(events).candidates
        == assembled([event for event in events if type(event) is not KeepAlive]).candidates
    )


def test_usage_is_cumulative_and_reported_at_the_end(wires):
    """Later totals replace earlier ones; absent ones keep."""
    events = wires.events(WIRES["cache"])
    assert (
        Usage(fresh=12, cache_read=2000, cache_write_short=100, cache_write_long=200, output=4)
        == assembled(events).usage
    )


def test_an_error_event_means_what_the_providers_say(wires):
    """The codec hands the error object on and shows nothing of it itself."""
    seen = []

    def refused(error):
        seen.append(error)
        return Fault(Kind.UPSTREAM_OVERLOADED, "Busy.")

    events = wires.events(
        WIRES["error-after"], context=AnswerContext(origin=ORIGIN, refused=refused)
    )
    assert Kind.UPSTREAM_OVERLOADED is events[-1].fault.kind
    assert b"overloaded_error" in seen[0]


def test_the_reason_of_a_break_is_told(wires):
    """A connection that breaks says so; after the end nothing is said any more."""
    fault = Fault(Kind.UPSTREAM_TIMEOUT, "Too slow.")
    assert fault is wires.events(WIRES["translate/no-end"], fault=fault)[-1].fault
    assert type(wires.events(WIRES["text"], fault=fault)[-1]) is Done


def test_what_nobody_has_documented_is_no_content(wires):
    """Whatever its members are called."""
    event = b'data: {"type":"weather_report","index":0,"delta":{"text":"rain"}}\n\n'
    at = WIRES["text"].index(b"event: content_block_stop")
    wire = WIRES["text"][:at] + event + WIRES["text"][at:]
    assert wires.events(WIRES["text"]) == wires.events(wire)


def test_nothing_follows_the_end(wires):
    """What a server says after its terminal event is not listened to."""
    wire = WIRES["text"]
    assert wires.events(wire) == wires.events(wire + wire)


@pytest.mark.parametrize(
    "data",
    [b"[]", b"1", b"nonsense", b'{"type":"content_block_start","content_block":5}', b"\xff"],
)
def test_nonsense_is_a_fault_and_never_an_exception(wires, data):
    """Whatever comes, the answer ends as broken by the upstream."""
    events = wires.events(WIRES["translate/no-end"], b"data: " + data + b"\n\n")
    assert Kind.UPSTREAM_BROKE is events[-1].fault.kind


@given(st.data())
def test_no_damage_makes_it_raise(data):
    """A wire with bytes taken out, doubled or changed still ends in the promised order."""
    wire = WIRES[data.draw(st.sampled_from(sorted(WIRES)))]
    at = data.draw(st.integers(0, len(wire) - 1))
    gone = data.draw(st.integers(0, 200))
    put = data.draw(st.binary(max_size=4))
    reader = CODEC.read_stream(AnswerContext(origin=ORIGIN))
    in_order(spelled(reader.feed(wire[:at] + put + wire[at + gone :]) + reader.end(None)))
