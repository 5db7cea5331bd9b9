"""Streams of the responses shape as canonical events: every fixture, cut everywhere."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.assemble import assembled
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.events import (
    Delta,
    Done,
    Failed,
    Finished,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
    spelled,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    Citation,
    Image,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    Refusal,
    Text,
    TokenLogprob,
    VendorPart,
)
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.codec import AnswerContext
from trivium.wire.responses.codec import CODEC

FIXTURES = Path(__file__).parents[2] / "fixtures" / "responses"
WIRES = {
    **{path.stem: path.read_bytes() for path in sorted(FIXTURES.glob("*.sse"))},
    **{
        f"translate/{path.stem}": path.read_bytes()
        for path in sorted((FIXTURES / "translate").glob("*.sse"))
    },
}
ORIGIN = StateOrigin("responses", "openai", "main")
CONTEXT = AnswerContext(origin=ORIGIN, model="gpt-5")
STOP = Finish(Unified.STOP, "completed")
CALLS = Finish(Unified.TOOL_CALLS, "completed")
USAGE = Usage(fresh=10, cache_read=8, cache_write_short=2, output=4, reasoning=3)


def sealed(item):
    return (Opaque("reasoning_item", item, ORIGIN, "gpt-5"),)


HIDDEN = b'{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAA-hidden=="}'
SUMMARY = (
    b'{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"First, look."},'
    b'{"type":"summary_text","text":"Then act."}],"encrypted_content":"gAAAA-sealed=="}'
)
SEARCH = (
    b'{"id":"ws_1","type":"web_search_call","status":"completed",'
    b'"action":{"type":"search","query":"weather Bern"}}'
)
ANNOTATION = (
    b'{"type":"url_citation","url":"https://example.org/a","title":"A","start_index":0,'
    b'"end_index":2}'
)
LOGPROB = TokenLogprob("Hi", -0.25, (TokenLogprob("Hi", -0.25), TokenLogprob("Yo", -1.5)))
PATCH = "*** Begin Patch\n*** End Patch"

ANSWERS = {
    "parts": ((Text("Hi \u2028😀"), Text("there")), STOP),
    "cited": (
        (
            Text(
                "Hi",
                (
                    Citation(
                        "https://example.org/a", "A", 0, 2, native=Native("responses", ANNOTATION)
                    ),
                ),
                (LOGPROB,),
            ),
        ),
        STOP,
    ),
    "parallel": (
        (
            ToolCall("call_a", "weather", '{"city":"Bern"}'),
            ToolCall("call_b", "time", '{"zone":"CET"}'),
        ),
        CALLS,
    ),
    "no-arguments": ((ToolCall("call_a", "now", "{}"),), CALLS),
    "custom": ((ToolCall("call_a", "apply_patch", PATCH, CallKind.CUSTOM),), CALLS),
    "namespace": (
        (ToolCall("call_a", "spawn_agent", '{"task":"x"}', namespace="multi_agent_v1"),),
        CALLS,
    ),
    "reasoning": (
        (
            Reasoning("First, look.\n\nThen act.", ReasoningForm.SUMMARY, opaque=sealed(SUMMARY)),
            ToolCall("call_a", "look", "{}"),
        ),
        CALLS,
    ),
    "reasoning-hidden": (
        (Reasoning("", ReasoningForm.HIDDEN, opaque=sealed(HIDDEN)), Text("Done.")),
        STOP,
    ),
    "reasoning-text": ((Reasoning("We add.", ReasoningForm.FULL), Text("2")), STOP),
    "refusal": ((Refusal("I can't help."),), STOP),
    "length": ((Text("It was a dark"),), Finish(Unified.LENGTH, "max_output_tokens")),
    "filtered": ((Text("Well"),), Finish(Unified.CONTENT_FILTER, "content_filter")),
    "steered": ((Text("Well"),), Finish(Unified.OTHER, "steered")),
    "empty": ((), STOP),
    "unknown": (
        (
            VendorPart(
                Native("responses", SEARCH), "web_search_call", "weather Bern", ("weather Bern",)
            ),
            VendorPart(
                Native("responses", b'{"id":"h_1","type":"hologram","content":"not a list"}'),
                "hologram",
                known=False,
            ),
            Text("Sunny."),
        ),
        STOP,
    ),
    "picture": ((Image(Inline("image/webp", "UklGRg==")),), STOP),
    "bare": ((Text("Hello"), ToolCall("call_a", "now", '{"a":1}')), CALLS),
    "no-index": ((Text("Hello"),), STOP),
}
BROKEN = ("error-first", "error-inside", "failed", "cut", "nonsense")


def events(*reads, fault=None, context=CONTEXT):
    reader = CODEC.read_stream(context)
    out = [event for read in reads for event in reader.feed(read)]
    return spelled([*out, *reader.end(fault)])


def test_every_fixture_of_this_folder_is_told():
    """No fixture lies about unused."""
    told = {f"translate/{name}" for name in (*ANSWERS, *BROKEN)}
    assert {name for name in WIRES if name.startswith("translate/")} == told


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_told_in_canonical_parts(name):
    """Texts, calls, reasoning and what only this shape has, with the reason of the end."""
    answer = assembled(events(WIRES[f"translate/{name}"]))
    (candidate,) = answer.candidates
    assert (ANSWERS[name], USAGE, "resp_up", "gpt-5-2026-08-01") == (
        (candidate.parts, candidate.finish),
        answer.usage,
        answer.id,
        answer.model,
    )


@pytest.mark.parametrize("name", sorted(ANSWERS.keys() - {"bare"}))
def test_the_object_of_the_last_event_is_read_as_the_stream_is(name):
    """Whole and streamed, an answer is the same answer."""
    wire = WIRES[f"translate/{name}"]
    last = wire.rstrip().rpartition(b"\ndata: ")[2]
    body = bytes(msgspec.json.decode(last, type=dict[str, msgspec.Raw])["response"])
    streamed = assembled(events(wire))
    whole = CODEC.read_answer(body, CONTEXT)
    if name == "no-arguments":
        # a stream of events says what a whole answer may leave empty
        whole = msgspec.structs.replace(whole, candidates=streamed.candidates)
    assert streamed == whole


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", WIRES)
def test_no_cut_changes_what_is_told(name, step):
    """Text, id and usage survive every cut; only how a text is divided may differ."""
    wire = WIRES[name]
    whole = told(events(wire))
    assert whole == told(events(*(wire[at : at + 1] for at in range(len(wire)))))
    # the opening events are the same in all files: one of them is cut through them too
    opening = wire.find(b"event: response.output_item.added")
    for cut in range(1 if name == "text" else max(opening, 1), len(wire), step):
        assert whole == told(events(wire[:cut], wire[cut:])), cut


def told(found):
    """Events with faults as values."""
    return [
        ("failed", event.fault.kind, event.fault.message) if type(event) is Failed else event
        for event in found
    ]


@pytest.mark.parametrize("name", WIRES)
def test_the_order_of_events_is_kept(name):
    """Start first, parts once and closed before their candidate ends, one terminal, last."""
    found = events(WIRES[name])
    assert type(found[-1]) in (Done, Failed)
    assert 1 == sum(type(event) in (Done, Failed) for event in found)
    if len(found) > 1:
        assert type(found[0]) is Start
        assert 1 == sum(type(event) is Start for event in found)
    started = [event.index for event in found if type(event) is PartStart]
    assert list(range(len(started))) == started
    if type(found[-1]) is Done:
        finished = next(at for at, event in enumerate(found) if type(event) is Finished)
        ended = [event.index for event in found[:finished] if type(event) is PartEnd]
        assert started == sorted(ended)
    assert all(event.text for event in found if type(event) is Delta)


def test_interleaved_arguments_stay_apart():
    """Two calls are said at once; each delta belongs to its own."""
    found = events(WIRES["translate/parallel"])
    assert [(0, '{"city":'), (1, '{"zone":"'), (0, '"Bern"}'), (1, 'CET"}')] == [
        (event.index, event.text) for event in found if type(event) is Delta
    ]


def test_deltas_go_through_as_they_come():
    """Nothing waits for the end of its item."""
    wire = WIRES["translate/parts"]
    first = wire.index(b"response.output_text.done")
    reader = CODEC.read_stream(CONTEXT)
    found = spelled(reader.feed(wire[:first]))
    assert ["Hi ", "\u2028😀"] == [event.text for event in found if type(event) is Delta]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("error-first", b'{"code":"server_error","message":"boom","param":null}'),
        (
            "error-inside",
            b'{"code":"server_error","message":"boom","type":"server_error","param":null}',
        ),
        ("failed", b'{"code":"server_error","message":"boom","type":"server_error","param":null}'),
    ],
)
def test_an_error_is_what_the_vendors_object_means(name, error):
    """Flat or nested, before or inside the stream: never an end that looks good (traps 63, 104)."""
    seen = []

    def refused(found):
        seen.append(found)
        return Fault(Kind.UPSTREAM_OVERLOADED, "busy")

    context = AnswerContext(origin=ORIGIN, refused=refused)
    found = events(WIRES[f"translate/{name}"], context=context)
    assert Kind.UPSTREAM_OVERLOADED is found[-1].fault.kind
    assert [error] == seen


@pytest.mark.parametrize("error", [b'{"message":"busy","code":"slow_down"}', b'"busy"'])
def test_an_error_of_no_event_is_an_error(error):
    """As servers of the chat shape say it, and as the official client takes it here too."""
    seen = []

    def refused(told):
        seen.append(told)
        return Fault(Kind.UPSTREAM_OVERLOADED, "Busy.")

    context = msgspec.structs.replace(CONTEXT, refused=refused)
    told = CODEC.read_stream(context).feed(b'data: {"error":' + error + b"}\n\n")
    assert [error] == seen
    assert [Kind.UPSTREAM_OVERLOADED] == [event.fault.kind for event in told]


def test_usage_of_a_failed_answer_is_kept_for_the_bill():
    """The error event comes first, usage in the terminal after it."""
    reader = CODEC.read_stream(CONTEXT)
    found = reader.feed(WIRES["translate/error-inside"])
    assert 1 == sum(type(event) is Failed for event in found)
    assert USAGE == reader.usage


def test_a_stream_without_a_terminal_failed():
    """A clean end without one is a break (traps 58, 104), and the connection's fault is kept."""
    assert Kind.UPSTREAM_BROKE is events(WIRES["translate/cut"])[-1].fault.kind
    why = Fault(Kind.UPSTREAM_TIMEOUT, "too slow")
    assert why is events(WIRES["translate/cut"], fault=why)[-1].fault
    assert Kind.UPSTREAM_BROKE is events()[-1].fault.kind


def test_nothing_follows_the_end():
    """A second end of the same stream says nothing, nor do bytes after the terminal."""
    reader = CODEC.read_stream(CONTEXT)
    reader.feed(WIRES["translate/length"])
    assert [] == reader.feed(WIRES["translate/parts"])
    assert [] == reader.end(None)


@pytest.mark.parametrize(
    "frame",
    [
        b": keep-alive\n\n",
        b"data: [DONE]\n\n",
        b'event: response.rate_limits.updated\ndata: {"type":"response.rate_limits.updated"}\n\n',
        b'data: {"type":"response.output_text.delta","delta":""}\n\n',
        b"data: null\n\n",
    ],
)
def test_what_nobody_knows_is_skipped(frame):
    """Comments, sentinels and events of later versions change nothing."""
    head, tail = WIRES["translate/parts"].split(b"event: response.content_part.added", 1)
    tail = b"event: response.content_part.added" + tail
    assert events(head + tail) == events(head + frame + tail)


def test_usage_is_reported_before_the_end():
    """Counters come disjoint, as the bill wants them."""
    found = events(WIRES["translate/parts"])
    assert [Finished(STOP), UsageReport(USAGE), Done()] == found[-3:]


@given(st.binary(max_size=200), st.lists(st.sampled_from(sorted(WIRES)), max_size=2))
def test_nonsense_never_raises(noise, names):
    """Whatever an upstream sends, the reader ends with exactly one terminal."""
    found = events(*(WIRES[name][:900] for name in names), noise, b"\n\n")
    assert 1 == sum(type(event) in (Done, Failed) for event in found)


def test_a_frame_without_end_is_the_upstreams_fault():
    """Memory is bounded whatever comes (trap 110)."""
    reader = CODEC.read_stream(CONTEXT)
    reader._splitter.limit = 1000
    (failed,) = reader.feed(b"data: " + b"x" * 1001)
    assert Kind.UPSTREAM_BROKE is failed.fault.kind


@pytest.mark.parametrize(
    "frame",
    [
        b'event: response.completed\ndata: {"type":"response.completed","response":7}\n\n',
        b'event: response.created\ndata: {"type":"response.created","response":7}\n\n',
        b'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":7}\n\n',
        b'event: response.failed\ndata: {"type":"response.failed","response":{"error":null}}\n\n',
        b'event: response.cancelled\ndata: {"type":"response.cancelled","response":{}}\n\n',
    ],
)
def test_known_events_that_make_no_sense_break_the_stream(frame):
    """A gap in the text would go unnoticed otherwise."""
    assert Kind.UPSTREAM_BROKE is events(frame)[-1].fault.kind


def test_an_event_named_by_its_line_alone_is_read():
    """Some servers leave the type out of the data."""
    wire = WIRES["translate/parts"].decode().split("\n\n")[:-1]
    bare = []
    for block in wire:
        event, data = block.split("\n")
        name = event.removeprefix("event: ")
        bare.append(f"{event}\n" + data.replace(f'"type":"{name}",', "", 1) + "\n\n")
    assert events(WIRES["translate/parts"]) == events("".join(bare).encode())
