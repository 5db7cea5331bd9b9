"""Canonical events as chat streams that every client reads."""

import msgspec
import pytest
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.answer_events import replayed
from trivium.conversation.assemble import assembled
from trivium.conversation.calls import CallKind, ToolCall
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
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    Audio,
    Citation,
    Image,
    Inline,
    Native,
    Reasoning,
    Refusal,
    Text,
    TokenLogprob,
    VendorPart,
)
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.chat.codec import CODEC

STOP = Finish(Unified.STOP)
CALLED = Finish(Unified.TOOL_CALLS)
OPAQUE = (Opaque("signature", b"sig", StateOrigin("messages", "anthropic", "a")),)


def seal(opaque):
    return "+".join(one.data.decode() for one in opaque)


def chunks(body):
    """Data of each frame, decoded; ``[DONE]`` must be the last."""
    frames = body.decode().split("\n\n")
    assert ["data: [DONE]", ""] == frames[-2:]
    return [msgspec.json.decode(frame.removeprefix("data: ")) for frame in frames[:-2]]


def deltas(body):
    return [choice["delta"] for chunk in chunks(body) for choice in chunk["choices"]]


def one(*parts, finish=STOP, usage=None):
    return replayed(Answer((Candidate(parts, finish),), usage))


def joined(body):
    """What the official accumulator makes of a stream."""
    state = ChatCompletionStreamState()
    for chunk in chunks(body):
        state.handle_chunk(ChatCompletionChunk.model_validate(chunk))
    return state.get_final_completion()


def test_the_order_of_a_plain_stream(stream_of):
    """Role, text, reason, end; each frame names answer, time and model alike."""
    body = stream_of(one(Text("Hi 👋")))
    head = {
        "id": "chatcmpl-abc",
        "object": "chat.completion.chunk",
        "created": 1795219200,
        "model": "public",
    }
    expected = [
        ({"role": "assistant", "content": "", "refusal": None}, None),
        ({"content": "Hi 👋"}, None),
        ({}, "stop"),
    ]
    assert [
        {
            **head,
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}],
        }
        for delta, reason in expected
    ] == chunks(body)


def test_trap_118_usage_is_the_very_last_chunk_and_only_where_asked(stream_of):
    """Asked: null on all others, then counters with no choice. Not asked: no word of it."""
    events = one(Text("x"), usage=Usage(fresh=12, cache_read=8, output=4, reasoning=3))
    *before, last = chunks(stream_of(events, usage_wanted=True))
    assert all(chunk["usage"] is None for chunk in before)
    assert [] == last["choices"]
    assert {
        "prompt_tokens": 20,
        "completion_tokens": 7,
        "total_tokens": 27,
        "prompt_tokens_details": {"cached_tokens": 8, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 3,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    } == last["usage"]
    assert b"usage" not in stream_of(events)


def test_trap_122_a_call_says_id_and_name_once(stream_of):
    """First piece: index, id, type, name, empty arguments; later ones leave the keys out."""
    body = stream_of(
        [
            Start(),
            PartStart(0, ToolCall("call_1", "f")),
            Delta(0, '{"a"'),
            Delta(0, ":1}"),
            PartEnd(0),
            Finished(CALLED),
            Done(),
        ]
    )
    assert [
        {
            "tool_calls": [
                {
                    "index": 0,
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "f", "arguments": ""},
                }
            ]
        },
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"a"'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]},
    ] == deltas(body)[1:4]


def test_trap_020_every_piece_of_arguments_is_passed_on_at_once(writing):
    """One event in, one frame out."""
    writer = CODEC.write_stream(writing())
    writer.feed([Start(), PartStart(0, ToolCall("call_1", "f"))])
    for piece in ("{", '"a"', ":1}"):
        assert 1 == writer.feed([Delta(0, piece)]).count(b"data: ")


def test_calls_that_overlap_come_one_after_the_other(stream_of):
    """Accumulators take the change of index for the end of a call."""
    body = stream_of(
        [
            Start(),
            PartStart(0, ToolCall("a", "f")),
            PartStart(1, ToolCall("b", "g")),
            Delta(1, '{"b":'),
            Delta(0, '{"a":1'),
            Delta(1, "2}"),
            PartEnd(1),
            Delta(0, "}"),
            PartEnd(0),
            Finished(CALLED),
            Done(),
        ]
    )
    indexes = [delta["tool_calls"][0]["index"] for delta in deltas(body) if "tool_calls" in delta]
    assert sorted(indexes) == indexes
    calls = joined(body).choices[0].message.tool_calls
    assert [("a", "f", '{"a":1}'), ("b", "g", '{"b":2}')] == [
        (call.id, call.function.name, call.function.arguments) for call in calls
    ]


def test_trap_019_text_and_calls_both_survive(stream_of):
    """The official accumulator has the text, the calls and the reason."""
    body = stream_of(one(Text("Look. "), ToolCall("a", "f", "{}"), Text("Now."), finish=CALLED))
    choice = joined(body).choices[0]
    assert ("Look. Now.", "f", "tool_calls") == (
        choice.message.content,
        choice.message.tool_calls[0].function.name,
        choice.finish_reason,
    )


def test_choices_are_introduced_in_order_of_index(stream_of):
    """Even if the second speaks first; each has one reason."""
    body = stream_of(
        [
            Start(),
            PartStart(0, Text(""), 1),
            Delta(0, "B"),
            PartStart(1, Text(""), 0),
            Delta(1, "A"),
            PartEnd(0),
            PartEnd(1),
            Finished(STOP, 0),
            Finished(CALLED, 1),
            Done(),
        ]
    )
    final = joined(body)
    assert [("A", "stop"), ("B", "tool_calls")] == [
        (choice.message.content, choice.finish_reason) for choice in final.choices
    ]


def test_reasoning_has_its_own_member_and_sections_stay_apart(stream_of):
    """Two thoughts are divided by a blank line; text follows as content."""
    body = stream_of(one(Reasoning("One."), Reasoning("Two."), Text("Yes.")))
    said = deltas(body)
    assert "One.\n\nTwo." == "".join(delta.get("reasoning_content", "") for delta in said)
    assert "Yes." == "".join(delta.get("content", "") for delta in said)


def test_attachments_ride_where_clients_carry_them_back(stream_of, read_request):
    """Appended as it came, the message gives the parts with what was sealed on them."""
    parts = (
        Reasoning("One.", opaque=OPAQUE),
        Reasoning("Two."),
        Text("Yes."),
        ToolCall("a", "f", "{}", opaque=OPAQUE),
    )
    said = deltas(stream_of(one(*parts, finish=CALLED), seal=seal))
    message = {"role": "assistant", "content": "Yes.", "reasoning_details": [], "tool_calls": []}
    message["reasoning_content"] = "".join(delta.get("reasoning_content", "") for delta in said)
    for delta in said:
        message["reasoning_details"] += delta.get("reasoning_details", [])
        for call in delta.get("tool_calls", []):
            if "id" in call:
                message["tool_calls"].append(call)
            else:
                message["tool_calls"][call["index"]].update(
                    {name: call[name] for name in call if name == "extra_content"}
                )
    message["tool_calls"][0]["function"]["arguments"] = "{}"
    turns = read_request(
        {"model": "m", "messages": [{"role": "user", "content": "Hi"}, message]},
        open=lambda text: OPAQUE if text == "sig" else None,
    ).turns
    assert parts == turns[1].parts


def test_refusals_have_their_own_member(stream_of):
    """And the accumulator finds them."""
    assert "No." == joined(stream_of(one(Refusal("No.")))).choices[0].message.refusal


def test_custom_calls_are_told_as_custom(stream_of):
    """A caller who declared a free-text tool gets its raw input."""
    body = stream_of(one(ToolCall("a", "patch", "*** Begin", CallKind.CUSTOM), finish=CALLED))
    assert [
        {
            "index": 0,
            "id": "a",
            "type": "custom",
            "custom": {"name": "patch", "input": ""},
        },
        {"index": 0, "custom": {"input": "*** Begin"}},
    ] == [delta["tool_calls"][0] for delta in deltas(body) if "tool_calls" in delta]


def test_callers_with_functions_get_a_function_call(stream_of):
    """The deprecated request is answered in its own words."""
    body = stream_of(one(ToolCall("a", "f", "{}"), finish=CALLED), {"functions": b"[]"})
    assert [
        {"function_call": {"name": "f", "arguments": ""}},
        {"function_call": {"arguments": "{}"}},
    ] == deltas(body)[1:3]
    assert "function_call" == chunks(body)[-1]["choices"][0]["finish_reason"]


def test_callers_with_functions_get_one_call(stream_of):
    """A second one would be glued to the first: name to name, arguments to arguments."""
    calls = (ToolCall("a", "f", "{}"), ToolCall("b", "g", "{}"))
    found = stream_of(one(*calls, finish=CALLED), {"functions": b"[{}]"})
    said = [delta["function_call"] for delta in deltas(found) if "function_call" in delta]
    assert [{"name": "f", "arguments": ""}, {"arguments": "{}"}] == said


def test_trap_022_citations_are_annotations_over_the_whole_content(stream_of):
    """Offsets count from the content's start; without a URL there is no annotation."""
    body = stream_of(
        [
            Start(),
            PartStart(0, Text("")),
            Delta(0, "👋 "),
            PartEnd(0),
            PartStart(1, Text("")),
            Delta(1, "See here."),
            Cited(1, Citation("https://e.com/", "E", 4, 8)),
            Cited(1, Citation("https://f.com/")),
            Cited(1, Citation(title="a book")),
            PartEnd(1),
            Finished(STOP),
            Done(),
        ]
    )
    found = [
        tuple(note["url_citation"].values())
        for delta in deltas(body)
        for note in delta.get("annotations", [])
    ]
    assert [(6, 10, "https://e.com/", "E"), (2, 11, "https://f.com/", "")] == found
    assert 2 == len(joined(body).choices[0].message.annotations), "the official SDK joins them"


def test_probabilities_ride_on_the_chunk_of_their_tokens(stream_of):
    """Bytes are filled in where the vendor left them out."""
    likely = (TokenLogprob("é", -0.5, (TokenLogprob("e", -1.0),)),)
    body = stream_of(
        [Start(), PartStart(0, Text("")), Delta(0, "é", likely), PartEnd(0), Finished(STOP), Done()]
    )
    entry = chunks(body)[1]["choices"][0]["logprobs"]["content"][0]
    assert {
        "token": "é",
        "logprob": -0.5,
        "bytes": [195, 169],
        "top_logprobs": [{"token": "e", "logprob": -1.0, "bytes": [101]}],
    } == entry


def test_media_come_whole(stream_of):
    """Sound as documented, its expiry last and alone; pictures as OpenRouter has them;
    vendors' own blocks not at all.
    """
    body = stream_of(
        one(
            Audio(Inline("audio/wav", "AAAA"), "Hi", "audio_1", 9),
            Image(Inline("image/png", "BBBB")),
            VendorPart(Native("generate", b"{}"), "executableCode", text="```\n1\n```"),
        )
    )
    assert [
        {"audio": {"id": "audio_1", "data": "AAAA", "transcript": "Hi"}},
        {"audio": {"expires_at": 9}},
        {"images": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,BBBB"}}]},
        {},
    ] == deltas(body)[1:]


@pytest.mark.parametrize(
    ("unified", "word"),
    [
        (Unified.STOP, "stop"),
        (Unified.STOP_SEQUENCE, "stop"),
        (Unified.TOOL_CALLS, "tool_calls"),
        (Unified.LENGTH, "length"),
        (Unified.CONTEXT_FULL, "length"),
        (Unified.CONTENT_FILTER, "content_filter"),
        (Unified.PAUSED, "content_filter"),
        (Unified.OTHER, "length"),
    ],
)
def test_trap_046_reasons_are_those_of_the_shape(stream_of, unified, word):
    """What is not complete does not look complete."""
    body = stream_of(one(Text("x"), finish=Finish(unified)))
    assert word == chunks(body)[-1]["choices"][0]["finish_reason"]


def test_trap_104_a_failure_is_an_error_frame_and_nothing_more(writing):
    """After the error nothing follows, whatever comes in."""
    writer = CODEC.write_stream(writing())
    writer.feed([Start(), PartStart(0, Text("")), Delta(0, "x")])
    body = writer.feed([Failed(Fault(Kind.UPSTREAM_OVERLOADED, "Busy."))])
    error, rest = body.split(b"\n\n")
    assert b"" == rest  # `[DONE]` would end half an answer as if it were whole
    told = msgspec.json.decode(error.removeprefix(b"data: "))
    assert ("Busy.", "req_7") == (told["error"]["message"], told["request_id"])
    assert b"" == writer.feed([Finished(STOP), Done()]) + writer.end(None)


@pytest.mark.parametrize("fault", [None, Fault(Kind.UPSTREAM_BROKE, "Cut.")])
def test_a_stream_without_an_end_is_given_one(writing, fault):
    """An error without ``[DONE]``, once."""
    writer = CODEC.write_stream(writing())
    writer.feed([Start()])
    body = writer.end(fault)
    assert body.startswith(b'data: {"error":')
    assert body.endswith(b'"request_id":"req_7"}\n\n')
    assert b"" == writer.end(fault)


def test_nothing_is_added_to_a_stream_that_ended(writing):
    """The terminal was written by ``feed``."""
    writer = CODEC.write_stream(writing())
    writer.feed(one(Text("x")))
    assert b"" == writer.end(None)


def test_a_silence_is_filled_with_a_comment(writing):
    """Which is no event for any reader of server-sent events."""
    writer = CODEC.write_stream(writing())
    assert b": keep-alive\n\n" == writer.heartbeat()
    assert b"" == writer.feed([KeepAlive()])


def test_feeding_event_by_event_writes_the_same(stream_of, writing):
    """How events are bundled does not show."""
    events = one(
        Reasoning("a"),
        Text("b", logprobs=()),
        ToolCall("c", "f", "{}"),
        finish=CALLED,
        usage=Usage(fresh=1),
    )
    writer = CODEC.write_stream(writing(usage_wanted=True))
    assert stream_of(events, usage_wanted=True) == b"".join(
        writer.feed([event]) for event in events
    )


def test_what_is_written_reads_as_it_was(stream_of, events_of):
    """Writing and reading again gives the answer, apart from names the gateway gave."""
    answer = Answer(
        (
            Candidate(
                (Reasoning("Hm."), Text("Yes."), ToolCall("a", "f", '{"a":1}')),
                Finish(Unified.TOOL_CALLS, "tool_calls"),
            ),
        ),
        Usage(fresh=3, output=2),
        "chatcmpl-abc",
        "public",
        "flex",
    )
    body = stream_of(replayed(answer), usage_wanted=True)
    assert answer == assembled(events_of(body))


def test_usage_is_the_last_reported(stream_of):
    """Counters replace each other; they are never added."""
    events = [Start("", "", Usage(fresh=1)), UsageReport(Usage(fresh=2, output=1)), Done()]
    assert 2 == chunks(stream_of(events, usage_wanted=True))[-1]["usage"]["prompt_tokens"]


def test_trap_071_a_call_of_a_free_text_tool_is_one_again(writing, asked):
    """The upstream knew a function with one ``input`` only."""
    tools = [{"type": "custom", "custom": {"name": "patch"}}]
    around = msgspec.structs.replace(writing(), request=asked(tools=tools))
    answer = Answer((Candidate((ToolCall("call_1", "patch", '{"input":"a\\nb"}'),), CALLED),))
    streamed = deltas(CODEC.write_stream(around).feed(replayed(answer)))
    first, *more = [delta["tool_calls"][0] for delta in streamed if "tool_calls" in delta]
    assert ("custom", {"name": "patch", "input": ""}) == (first["type"], first["custom"])
    assert "a\nb" == "".join(one["custom"]["input"] for one in more)
    (choice,) = msgspec.json.decode(CODEC.write_answer(answer, around))["choices"]
    assert {"name": "patch", "input": "a\nb"} == choice["message"]["tool_calls"][0]["custom"]
