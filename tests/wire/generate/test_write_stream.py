"""Streams for callers of the shape, as events and as one array."""

import json

import pytest

from trivium.conversation.answer_events import replayed
from trivium.conversation.assemble import assembled
from trivium.conversation.calls import ToolCall
from trivium.conversation.events import (
    Cited,
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
from trivium.conversation.opaque import SIGNATURE, Opaque
from trivium.conversation.parts import (
    Citation,
    Image,
    Inline,
    Reasoning,
    ReasoningForm,
    Text,
    TokenLogprob,
)
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.heartbeat import heartbeat
from trivium.wire.operation import Shape

WHOLE = [
    "text", "function-call", "parallel-calls", "thoughts", "blocked", "max-tokens", "cached",
    "media", "words", "candidates",
]  # fmt: skip
STOP = Finish(Unified.STOP)
TEXT = [Start(), PartStart(0, Text(text="")), Delta(0, "Hel"), Delta(0, "lo"), PartEnd(0)]
END = [Finished(STOP), UsageReport(Usage(fresh=6, output=3)), Done()]
FAULT = Fault(Kind.UPSTREAM_OVERLOADED, "Overloaded.")


def chunk(*parts, index=0, **members):
    return {
        "candidates": [{"content": {"role": "model", "parts": list(parts)}, "index": index}],
        **members,
        "modelVersion": "gemini-pro",
        "responseId": "0a",
    }


def parts(one):
    return [part for told in one.get("candidates", ()) for part in told["content"].get("parts", ())]


def test_chunks_are_complete_messages_and_the_last_says_why(wires):
    """Every one has the frame; the end and the counters come once."""
    *texts, last = wires.chunks(wires.streamed(TEXT + END))
    assert [chunk({"text": "Hel"}), chunk({"text": "lo"})] == texts
    assert {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": ""}]},
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {"promptTokenCount": 6, "candidatesTokenCount": 3, "totalTokenCount": 9},
        "modelVersion": "gemini-pro",
        "responseId": "0a",
    } == last


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_what_is_written_reads_as_the_same_answer(wires, name, size):
    """However the events are grouped, as events and as an array."""
    events = wires.events(wires.fixture(f"{name}.sse"))
    feeds = [events[at : at + size] for at in range(0, len(events), size)]
    run = wires.streamed(*feeds)
    first, again = assembled(events), assembled(wires.events(run))
    assert [one.finish.unified for one in first.candidates] == [
        one.finish.unified for one in again.candidates
    ]
    assert [_shown(one) for one in first.candidates] == [_shown(one) for one in again.candidates]
    assert first.usage == again.usage
    array = wires.streamed(*feeds, array=True)
    assert wires.chunks(run) == json.loads(array)
    assert array.startswith(b"[{")
    assert array.endswith(b"}]")


def _shown(candidate):
    return [
        (type(part).__name__, getattr(part, "text", ""), getattr(part, "arguments", ""))
        for part in candidate.parts
    ]


def test_a_call_is_one_part(wires):
    """Its deltas wait for its end; parallel calls may overlap."""
    events = [
        Start(),
        PartStart(0, ToolCall(id="1", name="f")),
        PartStart(1, ToolCall(id="2", name="g")),
        Delta(0, '{"a":'),
        Delta(1, "{}"),
        Delta(0, "1}"),
        PartEnd(1),
        PartEnd(0),
        *END,
    ]
    two, one = wires.chunks(wires.streamed(*[[event] for event in events]))
    assert [{"functionCall": {"id": "1", "name": "f", "args": {"a": 1}}}] == parts(one)
    assert chunk({"functionCall": {"id": "2", "name": "g", "args": {}}}) == two


@pytest.mark.parametrize("end", [END, [Failed(FAULT)], []], ids=["whole", "failed", "cut"])
@pytest.mark.parametrize("array", [False, True])
def test_an_answer_that_ends_on_a_call_has_no_empty_part(wires, end, array):
    """Which Go would send back as `{}`; an answer that breaks off has lost none of its calls."""
    one, two = ToolCall(id="1", name="f"), ToolCall(id="2", name="g")
    events = [*TEXT, PartStart(1, one), PartEnd(1), PartStart(2, two), PartEnd(2), *end]
    run = wires.streamed(*[[event] for event in events], array=array)
    found = json.loads(run) if array else wires.chunks(run)
    said = [part for one in found for part in parts(one)]
    assert [{"text": "Hel"}, {"text": "lo"}] == said[:2]
    assert ["f", "g"] == [part["functionCall"]["name"] for part in said[2:]]
    assert bool(end == END) == ("finishReason" in str(found[-1]))
    assert bool(end != END) == ("error" in found[-1])


def test_a_call_waits_for_nothing_but_the_end(wires):
    """What follows it lets it out at once, also of another kind."""
    writer = wires.writer()
    assert b"" == writer.feed([Start(), PartStart(0, ToolCall(id="1", name="f")), PartEnd(0)])
    assert b"functionCall" in writer.feed([PartStart(1, Text(text=""))])


def test_what_was_held_of_one_candidate_waits_for_no_other(wires):
    """Each has its own last part."""
    calls = [ToolCall(id="1", name="f"), ToolCall(id="2", name="g")]
    events = [Start()]
    for number, call in enumerate(calls):
        events += [PartStart(number, call, candidate=number), PartEnd(number)]
    events += [Finished(STOP, candidate=1), Finished(STOP), Done()]
    (last,) = wires.chunks(wires.streamed(events))
    assert ["f", "g"] == [
        one["content"]["parts"][0]["functionCall"]["name"] for one in last["candidates"]
    ]


def test_thoughts_are_marked_and_their_signature_rides_on_the_call(wires):
    """Also when thoughts are hidden."""
    sig = Opaque(SIGNATURE, b"sig", wires.other, "claude-x")
    events = [
        Start(),
        PartStart(0, Reasoning(text="", form=ReasoningForm.SUMMARY)),
        Delta(0, "Plan."),
        PartEnd(0, (sig,)),
        PartStart(1, ToolCall(id="1", name="f")),
        Delta(1, "{}"),
        PartEnd(1),
        *END,
    ]
    thought, call = wires.chunks(wires.streamed(events))
    assert chunk({"text": "Plan.", "thought": True}) == thought
    (part,) = parts(call)
    assert (sig,) == wires.open(part["thoughtSignature"])


def test_without_a_call_the_signature_comes_last(wires):
    """On the empty text of the last chunk."""
    sig = Opaque(SIGNATURE, b"sig", wires.other, "claude-x")
    events = [
        Start(),
        PartStart(0, Reasoning(text="", form=ReasoningForm.HIDDEN)),
        PartEnd(0, (sig,)),
        *[PartStart(1, Text(text="")), Delta(1, "Hi"), PartEnd(1)],
        *END,
    ]
    text, last = wires.chunks(wires.streamed(events))
    assert chunk({"text": "Hi"}) == text
    (part,) = last["candidates"][0]["content"]["parts"]
    assert (sig,) == wires.open(part["thoughtSignature"])


def test_media_is_one_chunk(wires):
    """It comes whole."""
    image = Image(source=Inline("image/png", "AAAA"))
    found = wires.chunks(wires.streamed([Start(), PartStart(0, image), PartEnd(0), *END]))
    assert [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}] == parts(found[0])


def test_citations_count_bytes(wires):
    """On the last chunk, in the part they are of."""
    events = [
        Start(),
        PartStart(0, Text(text="")),
        Delta(0, "Grüße aus "),
        Delta(0, "Köln."),
        Cited(0, Citation("https://a.example", "A", 10, 14)),
        PartEnd(0),
        *END,
    ]
    last = wires.chunks(wires.streamed(events))[-1]
    assert {
        "groundingChunks": [{"web": {"uri": "https://a.example", "title": "A"}}],
        "groundingSupports": [
            {
                "segment": {"startIndex": 12, "endIndex": 17, "text": "Köln"},
                "groundingChunkIndices": [0],
            }
        ],
    } == last["candidates"][0]["groundingMetadata"]


@pytest.mark.parametrize("words", ["long ", "\u00fcber \u6674 "])
def test_a_text_that_comes_in_one_go_and_is_long_is_not_kept(wires, words):
    """Its citations say where they are and do not quote it; what is written of it is the same."""
    text = words * 400_000
    at = len(text) - 3
    events = [
        Start(),
        PartStart(0, Text(text="")),
        *[Delta(0, text[start : start + 65_536]) for start in range(0, len(text), 65_536)],
        Cited(0, Citation("https://a.example", "A", 10, at)),
        PartEnd(0),
        *END,
    ]
    chunks = wires.chunks(wires.streamed(*[[event] for event in events]))
    said = "".join(part["text"] for chunk in chunks for part in parts(chunk))
    assert text == said
    (support,) = chunks[-1]["candidates"][0]["groundingMetadata"]["groundingSupports"]
    ends = {"startIndex": len(text[:10].encode()), "endIndex": len(text[:at].encode())}
    assert ends == support["segment"]


def test_probabilities_stand_in_their_chunk(wires):
    """Beside the text."""
    events = [*TEXT[:2], Delta(0, "a", (TokenLogprob("a", -1.0),)), PartEnd(0), *END]
    (candidate,) = wires.chunks(wires.streamed(events))[0]["candidates"]
    assert {
        "content": {"role": "model", "parts": [{"text": "a"}]},
        "logprobsResult": {"chosenCandidates": [{"token": "a", "logProbability": -1.0}]},
        "index": 0,
    } == candidate


@pytest.mark.parametrize(
    ("unified", "args"),
    [
        (Unified.LENGTH, []),
        (Unified.CONTEXT_FULL, []),
        (Unified.CONTENT_FILTER, []),
        (Unified.OTHER, [{"_raw": '{"a'}]),
    ],
)
def test_half_a_call_is_dropped_at_the_limit_and_kept_otherwise(wires, unified, args):
    """Only the end of the answer tells which it is."""
    events = [
        Start(),
        PartStart(0, ToolCall(id="1", name="f")),
        Delta(0, '{"a'),
        PartEnd(0),
        Finished(Finish(unified)),
        Done(),
    ]
    found = wires.chunks(wires.streamed(*[[event] for event in events]))
    assert args == [
        part["functionCall"]["args"]
        for one in found
        for part in one["candidates"][0]["content"]["parts"]
        if "functionCall" in part
    ]
    assert "finishReason" in found[-1]["candidates"][0]


@pytest.mark.parametrize("at", range(len(TEXT + END)))
@pytest.mark.parametrize("told", ["event", "end", "silence"])
def test_a_failure_at_any_place_is_the_last_event(wires, at, told):
    """Trap 104: ``error`` first, an integer code, no end before it."""
    events = (TEXT + END)[:at]
    if told == "event":
        run = wires.streamed([*events, Failed(FAULT)])
    else:
        run = wires.streamed(events, fault=FAULT if told == "end" else None)
    *before, last = wires.chunks(run)
    assert run.split(b"\r\n\r\n")[-2].startswith(b'data: {"error":{')
    assert (503 if told != "silence" else 502) == last["error"]["code"]
    assert not any("finishReason" in one["candidates"][0] for one in before)


@pytest.mark.parametrize("at", [0, 1, 3, 5])
def test_a_broken_array_is_closed(wires, at):
    """Legal JSON whatever happens."""
    run = wires.streamed([*TEXT[:at], Failed(FAULT)], array=True)
    assert 503 == json.loads(run)[-1]["error"]["code"]


def test_nothing_follows_the_end(wires):
    """One terminal."""
    writer_run = wires.streamed(TEXT + END, [KeepAlive()], fault=FAULT)
    assert wires.streamed(TEXT + END) == writer_run


def test_a_heartbeat_is_an_empty_event(wires):
    """google-genai fails on comments, its chats on chunks without a candidate; an array has no
    place for one.
    """
    sent = heartbeat(Shape.GENERATE)
    assert wires.streamed([KeepAlive()]).startswith(sent + b"data: ")
    assert sent + wires.streamed([Start(), *END]) == wires.streamed([Start(), KeepAlive(), *END])
    assert b"[{" == wires.streamed([Start(), KeepAlive(), *END], array=True)[:2]


def test_an_empty_answer_is_one_chunk(wires):
    """With an end and counters."""
    (only,) = wires.chunks(wires.streamed([Start(), *END]))
    assert "STOP" == only["candidates"][0]["finishReason"]
    assert only["usageMetadata"]


def test_a_whole_answer_streams_as_well(wires):
    """For upstreams that cannot stream."""
    answer = wires.answer(wires.fixture("calls.json"))
    again = wires.assembled(wires.events(wires.streamed(replayed(answer))))
    assert [_shown(answer.candidates[0])] == [_shown(again.candidates[0])]


def test_characters_at_which_clients_split_lines_are_escaped(wires):
    """google-genai splits lines at them; JSON may say them in two ways."""
    text = "a\u2028b\u2029c\u0085d"
    events = [*TEXT[:2], Delta(0, text), PartEnd(0), *END]
    for array in (False, True):
        run = wires.streamed(events, array=array)
        assert 1 == len(run.splitlines()[0].decode().splitlines())
        assert not set("\u2028\u2029\u0085") & set(run.decode())
    assert text == wires.assembled(wires.events(wires.streamed(events))).candidates[0].parts[0].text
