"""Chat streams as canonical events, however the network cuts them and servers differ."""

from pathlib import Path

import msgspec
import pytest

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.assemble import assembled
from trivium.conversation.calls import CallKind, ToolCall
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
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    Audio,
    Citation,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    Refusal,
    Text,
    TokenLogprob,
)
from trivium.conversation.shape_capabilities import Loss
from trivium.conversation.tool_pairs import minted
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.chat.read_stream import Reader
from trivium.wire.codec import AnswerContext

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "chat"
NAMES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.sse"))
ORIGIN = StateOrigin("chat", "openai", "channel-1")
STOP = Finish(Unified.STOP, "stop")
CALLED = Finish(Unified.TOOL_CALLS, "tool_calls")


def said(*parts, finish=STOP, usage=None, tier=None):
    return Answer(
        (Candidate(parts, finish),),
        usage,
        "chatcmpl-9",
        "gpt-5-2026-08-07",
        tier,
    )


def top(token, logprob):
    return TokenLogprob(token, logprob, (TokenLogprob("x", -2.5),))


ANSWERS = {
    "text.sse": said(
        Text("Hello 👋"),
        usage=Usage(fresh=12, cache_read=8, output=4, reasoning=3),
        tier="flex",
    ),
    "parallel-tools.sse": said(
        Text("Let me look."),
        ToolCall("call_1", "weather", '{"city":"Rome"}'),
        ToolCall("call_2", "weather", '{"city":"Oslo"}'),
        finish=CALLED,
    ),
    "zero-argument.sse": said(ToolCall("call_1", "now", "{}"), finish=CALLED),
    "cut-arguments.sse": said(
        ToolCall("call_1", "write", '{"path": "a'), finish=Finish(Unified.LENGTH, "length")
    ),
    "late-name.sse": said(ToolCall("call_1", "f", '{"a":1}'), finish=CALLED),
    "no-index.sse": said(
        ToolCall("call_1", "f", '{"a":1}'), ToolCall("call_2", "g", "{}"), finish=CALLED
    ),
    "same-index.sse": said(
        ToolCall("call_1", "f", '{"a":1}'),
        ToolCall("call_2", "f", '{"b":2}'),
        finish=Finish(Unified.TOOL_CALLS, "stop"),
    ),
    "repeated-id.sse": said(ToolCall("call_1", "f", '{"a":1}'), finish=CALLED),
    "no-id.sse": said(
        ToolCall(minted("chatcmpl-9.0.0"), "f", '{"a":1}'),
        finish=Finish(Unified.TOOL_CALLS, "stop"),
    ),
    "reasoning.sse": said(Reasoning("Hm, so."), Text("Yes.")),
    "openrouter-reasoning.sse": said(
        Reasoning(
            "Hmm",
            opaque=(
                Opaque(
                    "reasoning_details",
                    b'[{"type":"reasoning.text","text":"Hm","index":0},'
                    b'{"type":"reasoning.encrypted","data":"xyz","index":0}]',
                    ORIGIN,
                    "m2",
                ),
            ),
        ),
        Text("Yes."),
    ),
    "mistral-thinking.sse": said(Reasoning("Hm."), Text("Yes.")),
    "google-signature.sse": said(
        ToolCall(
            "call_1",
            "f",
            '{"a":1}',
            opaque=(
                Opaque("extra_content", b'{"google":{"thought_signature":"c2ln"}}', ORIGIN, "m2"),
            ),
        ),
        finish=Finish(Unified.TOOL_CALLS, "stop"),
    ),
    "custom.sse": said(ToolCall("call_1", "patch", "*** Begin", CallKind.CUSTOM), finish=CALLED),
    "function-call.sse": said(
        ToolCall(minted("chatcmpl-9.0.function_call"), "f", '{"a":1}'),
        finish=Finish(Unified.TOOL_CALLS, "function_call"),
    ),
    "refusal.sse": said(Refusal("I cannot.")),
    "safety.sse": said(Text("I"), finish=Finish(Unified.CONTENT_FILTER, "content_filter")),
    "empty.sse": said(),
    "logprobs.sse": said(Text("Yes", logprobs=(top("Y", -0.25), top("es", -0.5)))),
    "annotations.sse": said(
        Text(
            "See here.",
            (
                Citation(
                    "https://example.com/",
                    "Ex",
                    4,
                    8,
                    native=Native(
                        "chat",
                        b'{"type":"url_citation","url_citation":{"start_index":4,"end_index":8,'
                        b'"url":"https://example.com/","title":"Ex"}}',
                    ),
                ),
            ),
        )
    ),
    "audio.sse": said(Audio(Inline("audio/pcm", "AAAABBBB"), "Hello", "audio_1", 1795222800)),
    "no-finish.sse": said(Text("Yes."), finish=Finish(Unified.STOP)),
    "stop-after-calls.sse": said(ToolCall("call_1", "f", "{}"), finish=CALLED),
}


def plain(events):
    """Events as values that compare: a fault is its kind and message."""
    return [
        (event.fault.kind, event.fault.message) if type(event) is Failed else event
        for event in events
    ]


@pytest.mark.parametrize("name", ANSWERS)
def test_a_stream_tells_its_answer(wire, events_of, name):
    """What is assembled from the events is what the server said."""
    assert ANSWERS[name] == assembled(events_of(wire(name)))


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_no_cut_changes_the_events(events_of, name, step):
    """Whole, byte by byte, and cut in two at many offsets: the same events."""
    wire = (FOLDER / name).read_bytes()
    whole = plain(events_of(wire))
    assert whole == plain(events_of(*(wire[at : at + 1] for at in range(len(wire)))))
    for cut in range(1, len(wire), step):
        assert whole == plain(events_of(wire[:cut], wire[cut:])), cut


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ending", [b"\r\n", b"\r"])
def test_line_ends_do_not_change_the_events(events_of, name, ending):
    """CRLF and CR tell what LF tells."""
    wire = (FOLDER / name).read_bytes()
    if b"\r" in wire:
        pytest.skip("has line ends of its own")
    assert plain(events_of(wire)) == plain(events_of(wire.replace(b"\n", ending)))


@pytest.mark.parametrize("name", NAMES)
def test_events_come_in_the_canonical_order(events_of, name):
    """Start first, parts opened before they grow, indexes in order, finishes last, one end."""
    events = [
        event for event in events_of((FOLDER / name).read_bytes()) if type(event) is not KeepAlive
    ]
    assert Start is type(events[0])
    assert type(events[-1]) in (Done, Failed)
    open_, seen, finished = set(), 0, False
    for event in events[1:-1]:
        if type(event) is PartStart:
            assert seen == event.index
            assert not finished
            open_.add(event.index)
            seen += 1
        elif type(event) is PartEnd:
            open_.remove(event.index)
        elif type(event) is Delta:
            assert event.index in open_
            assert event.text
        elif type(event) is Finished:
            assert not open_
            finished = True
        else:
            assert type(event) is UsageReport or event.index in open_


def test_several_choices_are_told_apart(wire, events_of):
    """One ends before the other; each has its own parts and reason."""
    assert (
        Candidate((Text("Aa"),), STOP),
        Candidate((Text("Bb"),), Finish(Unified.LENGTH, "length")),
    ) == assembled(events_of(wire("two-choices.sse"))).candidates


def test_the_first_call_is_closed_when_its_arguments_are_whole(events_of):
    """So that shapes with one open block at a time see the second call live."""
    frame = b'data: {"choices":[{"index":0,"delta":{"tool_calls":[%s]}}]}\n\n'
    events = events_of(
        frame % b'{"index":0,"id":"a","function":{"name":"f","arguments":"{\\"a\\":1}"}}',
        frame % b'{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}',
    )
    kinds = [(type(event), getattr(event, "index", None)) for event in events]
    assert kinds.index((PartEnd, 0)) < kinds.index((PartStart, 1))


def test_think_tags_are_reasoning_only_where_the_channel_says_so(wire, events_of):
    """A server is known to write them, or they are the model's words."""
    body = wire("think-tags.sse")
    flagged = assembled(events_of(body, think_tags=True)).candidates[0].parts
    assert (Reasoning("Hm <b>."), Text("Yes </think>.")) == flagged
    (text,) = assembled(events_of(body)).candidates[0].parts
    assert Text("<think>\nHm <b>.\n</think>\n\nYes </think>.") == text


def test_trap_001_zero_argument_call_has_an_empty_object(wire, events_of):
    """No piece of arguments, or an empty one, is ``{}``."""
    deltas = [event.text for event in events_of(wire("zero-argument.sse")) if type(event) is Delta]
    assert ["{}"] == deltas


def test_trap_002_broken_arguments_stay_as_they_are(wire, events_of):
    """A cut call is never an empty object."""
    (call,) = assembled(events_of(wire("cut-arguments.sse"))).candidates[0].parts
    assert '{"path": "a' == call.arguments


def test_trap_006_a_call_opens_when_id_and_name_are_known(wire, events_of):
    """What came before is told at once when the name comes."""
    events = events_of(wire("late-name.sse"))
    assert [PartStart(0, ToolCall("call_1", "f")), Delta(0, '{"a":1}')] == events[1:3]


@pytest.mark.parametrize("member", ["reasoning_content", "reasoning"])
def test_trap_031_both_spellings_of_reasoning_are_read(events_of, member):
    """Each stream is read for itself; nothing is remembered from another."""
    body = b'data: {"choices":[{"delta":{"%s":"Hm"},"finish_reason":"stop"}]}\n\n' % member.encode()
    assert (Reasoning("Hm"),) == assembled(events_of(body)).candidates[0].parts


def test_trap_046_an_unknown_reason_does_not_look_complete(events_of):
    """It is OTHER, with the vendor's own word beside it."""
    body = b'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"wat"}]}\n\n'
    assert Finish(Unified.OTHER, "wat") == assembled(events_of(body)).candidates[0].finish


def test_trap_086_stop_after_calls_is_tool_calls(wire, events_of):
    """A later plain stop does not take the calls back."""
    answer = assembled(events_of(wire("stop-after-calls.sse")))
    assert Unified.TOOL_CALLS is answer.candidates[0].finish.unified


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"data: [DONE]\n\n", id="done-alone"),
        pytest.param(b'data: {"choices":[{"delta":{"content":"x"}}]}\n\n', id="no-reason"),
        pytest.param(b"data: <html>\n\n", id="html"),
        pytest.param(b'data: {"choices":3}\n\n', id="wrong-type"),
        pytest.param(b'data: {"choices":[{"index":-1,"delta":{}}]}\n\n', id="negative-index"),
        pytest.param(
            b'data: {"choices":[{"delta":{},"finish_reason":"error"}]}\n\n', id="error-reason"
        ),
        pytest.param(b'data: {"choices":[{"delta":{},"error":{"code":5}}]}\n\n', id="in-choice"),
        pytest.param(b'data: {"error":{"message":"x"}}\n\ndata: [DONE]\n\n', id="error-first"),
        pytest.param(b'data: {"error":"overloaded"}\n\n', id="error-text"),
    ],
)
def test_trap_104_what_did_not_end_well_failed(events_of, body):
    """No invented stop: cuts, nonsense and errors are the upstream's failure, told once."""
    events = events_of(body)
    assert Failed is type(events[-1])
    assert Kind.UPSTREAM_BROKE is events[-1].fault.kind
    assert 1 == sum(type(event) in (Done, Failed) for event in events)


def test_trap_105_a_missing_reason_is_forgiven_where_done_was_said(wire, events_of):
    """Some servers never send one."""
    assert Done is type(events_of(wire("no-finish.sse"))[-1])


def test_an_error_object_is_explained_by_who_knows_vendors(events_of):
    """Its bytes go to the context's function, whose fault is told."""
    told = []

    def refused(error):
        told.append(msgspec.json.decode(error))
        return Fault(Kind.UPSTREAM_OVERLOADED, "Busy.")

    events = events_of(b'data: {"error":{"message":"m","code":503}}\n\n', refused=refused)
    assert ([{"message": "m", "code": 503}], "Busy.") == (told, events[-1].fault.message)


def test_why_the_connection_broke_is_what_is_told(events_of):
    """Even after a finish reason: the body did not end cleanly."""
    fault = Fault(Kind.UPSTREAM_TIMEOUT, "Too slow.")
    body = b'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n'
    assert fault is events_of(body, fault=fault)[-1].fault


def test_nothing_is_told_after_the_end(wire, events_of):
    """Frames after ``[DONE]`` and the end of the body add nothing."""
    body = wire("text.sse")
    assert events_of(body) == events_of(body, wire("refusal.sse"))


def test_comments_are_signs_of_life(events_of):
    """They are no content; idle timers see them."""
    body = b": ping\n\n" + b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'
    assert KeepAlive() == events_of(body)[0]


def test_trap_118_the_last_usage_is_kept_for_the_bill(wire):
    """The reader's own counters are those of the last report."""
    from trivium.wire.chat.read_stream import Reader
    from trivium.wire.codec import AnswerContext

    reader = Reader(AnswerContext(origin=ORIGIN))
    reader.feed(wire("text.sse"))
    assert Usage(fresh=12, cache_read=8, output=4, reasoning=3) == reader.usage


def test_a_hidden_thought_opens_a_part_of_its_own(events_of):
    """Details without words are an attachment of a part with nothing to read."""
    body = (
        b'data: {"choices":[{"delta":{"reasoning_details":[{"data":"z"}]},'
        b'"finish_reason":"stop"}]}\n\n'
    )
    (part,) = assembled(events_of(body)).candidates[0].parts
    assert (ReasoningForm.HIDDEN, "", b'[{"data":"z"}]') == (
        part.form,
        part.text,
        part.opaque[0].data,
    )


def pieces(*deltas):
    """A stream of these deltas, each in a frame."""
    rows = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    rows.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    frames = [b"data: " + msgspec.json.encode(row) + b"\n\n" for row in rows]
    return [*frames, b"data: [DONE]\n\n"]


@pytest.mark.parametrize("think_tags", [False, True])
@pytest.mark.parametrize(
    "first", [{"role": "assistant", "content": ""}, {"content": "<think>hm"}, {"refusal": "no"}]
)
def test_many_frames_in_one_read_tell_what_they_tell_alone(events_of, first, think_tags):
    """Whatever stands open when a run of plain pieces begins."""
    words = ["a", "b</think>", "c", "d", "e", "f"]
    frames = pieces(first, {"content": ""}, *({"content": word} for word in words))
    apart = events_of(*frames, think_tags=think_tags)
    assert plain(apart) == plain(events_of(b"".join(frames), think_tags=think_tags))


def test_one_line_end_more_is_no_frame(events_of):
    """Behind the frame that opens a text, in the same read."""
    start, opening, *rest = pieces({"role": "assistant"}, {"content": "a"}, {"content": "b"})
    more = events_of(start, opening + b"\n", *rest)
    assert plain(events_of(start, opening, *rest)) == plain(more)


def told(*rows):
    """The answer of these chunks' only choice, and what was told of what nobody knows."""
    found = []
    context = AnswerContext(
        origin=ORIGIN, model="m", unread=lambda name, loss: found.append((name, loss))
    )
    reader = Reader(context)
    wire = b"".join(
        b"data: " + msgspec.json.encode({"choices": [{"index": 0} | row]}) + b"\n\n" for row in rows
    )
    events = reader.feed(wire + b"data: [DONE]\n\n")
    return assembled(events).candidates[0].parts, found


SITE = {"type": "url_citation", "url_citation": {"url": "https://a.example", "title": "A"}}
FILE = {"type": "file", "file": {"hash": "x"}}
END = {"delta": {}, "finish_reason": "stop"}


def test_annotations_before_the_text_wait_for_it():
    """Of a kind that has no address they are kept as their maker wrote them."""
    (text,), found = told(
        {"delta": {"annotations": [SITE, FILE]}}, {"delta": {"content": "a"}}, END
    )
    assert ["https://a.example", None] == [one.url for one in text.citations]
    assert msgspec.json.encode(FILE) == text.citations[1].native.data
    assert [] == found


def test_annotations_of_no_text_are_told():
    """There is nothing that they could stand on."""
    assert [("annotations", Loss.UNKNOWN)] == told({"delta": {"annotations": [SITE]}}, END)[1]


def test_probabilities_of_no_text_are_told():
    """Some servers send those of a call's tokens."""
    token = {"token": "{", "logprob": -0.5}
    row = {"delta": {}, "logprobs": {"content": [token]}}
    assert [("logprobs", Loss.UNKNOWN)] == told(row, END)[1]


@pytest.mark.parametrize("arguments", ["", "{}", "null"])
def test_a_call_without_a_name_is_never_an_empty_success(arguments):
    """The caller would be told to run something, and not what."""
    call = {"index": 0, "id": "i", "function": {"arguments": arguments}}
    frames = [
        {"id": "c", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    ]
    wire = b"".join(b"data: %b\n\n" % msgspec.json.encode(one) for one in frames)
    reader = Reader(AnswerContext(origin=StateOrigin("chat", "vendor", "main"), seed="s"))
    events = reader.feed(wire + b"data: [DONE]\n\n")
    assert "no name" in events[-1].fault.message
