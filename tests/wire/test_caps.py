"""An answer that holds too much of something is the upstream's failure."""

import msgspec
import pytest

from trivium.conversation.events import Done, Failed, spelled
from trivium.conversation.opaque import StateOrigin
from trivium.faults import Fault, Kind
from trivium.wire import caps, sse
from trivium.wire.codec import AnswerContext, ReadContext
from trivium.wire.codecs import CODECS
from trivium.wire.generate.array import ArrayWatch
from trivium.wire.operation import Shape

CONTEXT = AnswerContext(origin=StateOrigin("x", "vendor", "main"), seed="s", model="m")
CITED = {"type": "url_citation", "url": "u", "start_index": 0, "end_index": 1}


def chat(delta, end="stop"):
    """One choice, whole."""
    choice = {"index": 0, "message": {"role": "assistant", "content": "", **delta}}
    return {"id": "c", "choices": [{**choice, "finish_reason": end}]}


def responses(*items):
    """Items of an answer."""
    return {"id": "r", "status": "completed", "output": list(items)}


def message(*blocks):
    """Blocks of an answer."""
    return {"id": "m", "type": "message", "stop_reason": "end_turn", "content": list(blocks)}


def generate(*parts, **more):
    """Parts of one candidate."""
    content = {"role": "model", "parts": list(parts)}
    return {"candidates": [{"index": 0, "content": content, "finishReason": "STOP", **more}]}


def called(at):
    """A call of the chat shape."""
    return {"index": at, "id": f"i{at}", "function": {"name": "f", "arguments": "{}"}}


def item(at):
    """A call of the responses shape."""
    return {"type": "function_call", "call_id": f"c{at}", "name": "f", "arguments": "{}"}


MANY = range(caps.PARTS_MAX + 1)
LINKS = range(caps.CITATIONS_MAX + 1)
OFFSET = {"segment": {"endIndex": 1}}
TOO_MUCH = {
    "chat calls": chat({"tool_calls": [called(at) for at in MANY]}),
    "chat choices": {"choices": [{"message": {"content": "x"}}] * 129},
    "chat images": chat({"images": [{"image_url": {"url": "data:image/png;base64,AAAA"}}] * 1025}),
    "chat annotations": chat(
        {"content": "x", "annotations": [{"type": "url_citation", "url_citation": CITED}] * len(LINKS)}
    ),
    "responses items": responses(*map(item, MANY)),
    "responses parts": responses(
        {"type": "message", "content": [{"type": "output_text", "text": "x"}] * len(MANY)}
    ),
    "responses annotations": responses(
        {"type": "message", "content": [
            {"type": "output_text", "text": "x", "annotations": [CITED] * len(LINKS)}]}
    ),
    "messages blocks": message(*[{"type": "text", "text": "x"}] * len(MANY)),
    "messages citations": message(
        {"type": "text", "text": "x", "citations": [
            {"type": "web_search_result_location", "url": "u", "cited_text": "x"}] * len(LINKS)}
    ),
    "generate calls": generate(*[{"functionCall": {"name": "f", "args": {}}}] * len(MANY)),
    "generate code": generate(*[{"executableCode": {"code": "x"}}] * len(MANY)),
    "generate candidates": {"candidates": [{"content": {"parts": [{"text": "x"}]}}] * 65},
    "generate groundings": generate({"text": "x"}, groundingMetadata={
        "groundingChunks": [{"web": {"uri": "u"}}],
        "groundingSupports": [{**OFFSET, "groundingChunkIndices": [0]}] * len(LINKS)}),
}  # fmt: skip


@pytest.mark.parametrize("name", TOO_MUCH)
def test_a_whole_answer_that_holds_too_much_is_refused(name):
    """By the name of what there is too much of, before it is made into anything."""
    codec = CODECS[Shape(name.split()[0])]
    with pytest.raises(Fault, match="which is too many") as raised:
        codec.read_answer(msgspec.json.encode(TOO_MUCH[name]), CONTEXT)
    assert Kind.UPSTREAM_BROKE is raised.value.kind


def frame(data, event=b""):
    """One frame of a stream."""
    return sse.frame(msgspec.json.encode(data), event)


def event(kind, **members):
    """One named event."""
    return frame({"type": kind, **members}, kind.encode())


def delta(delta):
    """One frame of the chat shape."""
    return frame({"id": "c", "choices": [{"index": 0, "delta": delta}]})


STREAMS = {
    "chat calls": [delta({"tool_calls": [called(at)]}) for at in MANY],
    "chat nameless calls": [delta({"tool_calls": [{"index": at}]}) for at in MANY],
    "chat parts": [delta({"content": "x", "reasoning_content": "y"}) for _ in MANY],
    "chat choices": [frame({"choices": [{}] * 129})],
    "responses items": [
        event("response.output_item.added", output_index=at, item=item(at)) for at in MANY
    ],
    "responses texts": [
        event("response.output_text.delta", output_index=0, content_index=at, delta="x")
        for at in MANY
    ],
    "responses end": [event("response.completed", response=responses(*map(item, MANY)))],
    "messages blocks": [
        event("content_block_start", index=at, content_block={"type": "text", "text": ""})
        for at in MANY
    ],
    "messages citations": [
        event("content_block_start", index=0, content_block={"type": "text", "text": "x"}),
        *[event("content_block_delta", index=0, delta={"type": "citations_delta"})] * len(LINKS),
    ],
    "generate calls": [
        frame(generate({"functionCall": {"name": "f", "args": {}}})) for _ in MANY
    ],
    "generate groundings": [
        frame(generate({"text": "x"}, groundingMetadata={"webSearchQueries": ["q"]}))
    ] * 513,
}  # fmt: skip


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_that_holds_too_much_fails(name, together):
    """Where it goes past the limit, and nothing is told after it."""
    reader = CODECS[Shape(name.split()[0])].read_stream(CONTEXT)
    frames = STREAMS[name]
    events = [
        one for data in ([b"".join(frames)] if together else frames) for one in reader.feed(data)
    ]
    events += reader.end(None)
    failed = [one for one in events if type(one) is Failed]
    assert [events[-1]] == failed
    assert "which is too many" in failed[0].fault.message


@pytest.mark.parametrize("shape", ["chat", "messages", "generate"])
def test_as_much_as_is_allowed_is_read(shape):
    """All of it, and the answer ends well."""
    some = range(caps.PARTS_MAX)
    body = {
        "chat": chat({"tool_calls": [called(at) for at in some]}),
        "messages": message(*[{"type": "text", "text": "x"}] * len(some)),
        "generate": generate(*[{"functionCall": {"name": "f", "args": {}}}] * len(some)),
    }[shape]
    answer = CODECS[Shape(shape)].read_answer(msgspec.json.encode(body), CONTEXT)
    assert len(some) == len(answer.candidates[0].parts)


def test_a_text_of_many_braces_is_no_crowd_of_objects():
    """A frame with a file of code in it passes, in as many reads as it takes."""
    data = frame({"id": "c", "choices": [{"index": 0, "delta": {"content": '{"' * 300_000}}]})
    reader = CODECS[Shape.CHAT].read_stream(CONTEXT)
    events = [
        one for at in range(0, len(data), 30_000) for one in reader.feed(data[at : at + 30_000])
    ]
    events += reader.feed(frame({"choices": [{"delta": {}, "finish_reason": "stop"}]}))
    events += reader.end(None)
    assert type(events[-1]) is Done
    assert '{"' * 300_000 == "".join(one.text for one in spelled(events) if hasattr(one, "text"))


@pytest.mark.parametrize("form", ["frame", "element"])
def test_a_frame_of_nothing_but_objects_is_refused(form):
    """Before it is made into values, on the lane that passes bytes on too."""
    crowd = b'{"candidates":[' + b"{}," * caps.OBJECTS_MAX + b"{}]}"
    watch, data = (
        (sse.Splitter(), b"data: " + crowd + b"\n\n")
        if form == "frame"
        else (ArrayWatch(), b"[" + crowd + b",")
    )
    for at in range(0, len(data) - 30_000, 30_000):
        assert b"" == watch.feed(data[at : at + 30_000]).strip(b"[")
    with pytest.raises(Fault, match="JSON objects"):
        watch.feed(data[at + 30_000 :])


CITED_BLOCK = {"type": "web_search_result_location", "url": "https://a", "cited_text": "x"}
HISTORIES = {
    "messages citations": (
        {"messages": [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": [
                {"type": "text", "text": "x", "citations": [CITED_BLOCK] * len(LINKS)}]},
            {"role": "user", "content": "b"}], "max_tokens": 9},
        len(LINKS),
    ),
    "responses annotations": (
        {"input": [{"type": "message", "role": "assistant", "content": [
            {"type": "output_text", "text": "x", "annotations": [CITED] * len(LINKS)}]}]},
        len(LINKS),
    ),
    "chat annotations": (
        {"messages": [{"role": "assistant", "content": "x", "annotations": [
            {"type": "url_citation", "url_citation": CITED}] * len(LINKS)}]},
        len(LINKS),
    ),
    "responses reasoning": (
        {"input": [{"type": "reasoning", "id": "rs_1", "summary": [
            {"type": "summary_text", "text": "x"}] * len(MANY)}]},
        0,
    ),
    "responses unknown": (
        {"input": [{"type": "x_call", "id": "x_1", "content": [{"type": "x"}] * len(MANY)}]},
        0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HISTORIES)
def test_a_history_is_not_an_answer(name):
    """What no upstream may send a caller may: the objects of its request are limited elsewhere."""
    members, cited = HISTORIES[name]
    table = {name: msgspec.Raw(msgspec.json.encode(one)) for name, one in members.items()}
    table["model"] = msgspec.Raw(b'"m"')
    said = CODECS[Shape(name.split()[0])].read_request(table, ReadContext())
    parts = [part for turn in said.turns for part in turn.parts]
    assert parts
    assert cited == sum(len(getattr(part, "citations", ())) for part in parts)


@pytest.mark.parametrize("raw", [b"", b"null", b"[]", b"[", b"{}", b"1"])
def test_what_is_no_list_has_no_rows(raw):
    """Whatever an upstream or a caller wrote there."""
    assert [] == caps.rows(raw) == caps.cited(raw)


def test_too_many_citations_are_refused():
    """Those of an answer; a caller's own are bounded by its body."""
    many = b"[" + b",".join([b"1"] * (caps.CITATIONS_MAX + 1)) + b"]"
    assert caps.CITATIONS_MAX + 1 == len(caps.rows(many))
    with pytest.raises(Fault, match="citations"):
        caps.cited(many)
