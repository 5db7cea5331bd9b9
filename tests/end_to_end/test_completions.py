"""A text to be continued, by upstreams that only take conversations."""

import msgspec
import pytest

from gateway import Gateway, encoded, error_of
from scripted_upstream import Close, Double, Send, chunked, sized

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
PROVIDER = {"chat": "groq", "responses": "groq", "messages": "anthropic", "generate": "gemini"}

SAID = {
    "chat": {"id": "c1", "object": "chat.completion", "created": 1, "model": "x",
             "choices": [{"index": 0, "finish_reason": "length",
                          "message": {"role": "assistant", "content": " upon a time"}}],
             "usage": {"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5}},
    "messages": {"id": "msg_1", "type": "message", "role": "assistant", "model": "x",
                 "content": [{"type": "text", "text": " upon a time"}],
                 "stop_reason": "max_tokens", "stop_sequence": None,
                 "usage": {"input_tokens": 2, "output_tokens": 3}},
    "generate": {"candidates": [{"index": 0, "finishReason": "MAX_TOKENS", "content": {
                     "role": "model", "parts": [{"text": " upon a time"}]}}],
                 "usageMetadata": {"promptTokenCount": 2, "candidatesTokenCount": 3,
                                   "totalTokenCount": 5}},
}  # fmt: skip
CHUNK = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "x"}
STREAMED = {
    "chat": [
        {**CHUNK, "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]},
        {**CHUNK, "choices": [{"index": 0, "delta": {"content": " upon"}}]},
        {**CHUNK, "choices": [{"index": 0, "delta": {"content": " a time"}}]},
        {**CHUNK, "choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]},
        {**CHUNK, "choices": [], "usage": SAID["chat"]["usage"]},
        "[DONE]",
    ],
    "messages": [
        {"type": "message_start", "message": {**SAID["messages"], "content": [], "stop_reason": None,
                                              "usage": {"input_tokens": 2, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": " upon"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": " a time"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "max_tokens", "stop_sequence": None},
         "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ],
    "generate": [
        {"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": " upon"}]}}]},
        {"candidates": [{"index": 0, "finishReason": "MAX_TOKENS",
                         "content": {"role": "model", "parts": [{"text": " a time"}]}}],
         "usageMetadata": SAID["generate"]["usageMetadata"]},
    ],
}  # fmt: skip


def wire(shape):
    """The stream's bytes."""
    out = []
    for event in STREAMED[shape]:
        name = f"event: {event['type']}\n" if "type" in event else ""
        data = event if isinstance(event, str) else msgspec.json.encode(event).decode()
        out.append(f"{name}data: {data}\n\n".encode())
    return b"".join(out)


@pytest.mark.asyncio
@pytest.mark.parametrize("upstream", SAID)
async def test_a_text_is_continued_by_any_conversation(upstream):
    """One prompt is one turn; limit, stops and reason keep their meaning."""
    answer = [Send(sized(encoded(SAID[upstream]), headers=JSON))]
    async with (
        Double([answer]) as vendor,
        Gateway.to((PROVIDER[upstream], vendor)) as gateway,
    ):
        body = {"model": "m", "prompt": "Once", "max_tokens": 99, "stop": ["END"], "echo": True}
        status, headers, got = await gateway.post("/v1/completions", body)

        assert 200 == status, got
        found = msgspec.json.decode(got)
        assert [
            {"text": "Once upon a time", "index": 0, "logprobs": None, "finish_reason": "length"}
        ] == found["choices"]
        assert ("text_completion", "m", 5) == (
            found["object"], found["model"], found["usage"]["total_tokens"],
        )  # fmt: skip
        for word in (b"Once", b"99", b"END"):
            assert word in vendor.requests[0].body
        assert b"echo" not in vendor.requests[0].body
        assert b"trivium-dropped" not in headers
        assert (2, 3) == (gateway.records[0].usage.fresh, gateway.records[0].usage.output)


@pytest.mark.asyncio
@pytest.mark.parametrize("upstream", STREAMED)
@pytest.mark.parametrize("cut", [None, 1, 11])
async def test_a_continuation_streams_from_any_conversation(upstream, cut):
    """In whole objects, with usage where it was asked for, however the upstream was cut."""
    answer = [Send(chunked(wire(upstream), headers=SSE), cut=cut)]
    async with (
        Double([answer]) as vendor,
        Gateway.to((PROVIDER[upstream], vendor)) as gateway,
    ):
        body = {
            "model": "m",
            "prompt": ["Once"],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        status, _, got = await gateway.post("/v1/completions", body)

        assert 200 == status, got
        *blocks, last, end = got.split(b"\n\n")
        assert (b"data: [DONE]", b"") == (last, end)
        *frames, counted = [msgspec.json.decode(block[6:]) for block in blocks]
        assert " upon a time" == "".join(frame["choices"][0]["text"] for frame in frames)
        assert ["length"] == [
            reason for frame in frames if (reason := frame["choices"][0]["finish_reason"])
        ]
        assert ([], 2, 3) == (
            counted["choices"],
            counted["usage"]["prompt_tokens"],
            counted["usage"]["completion_tokens"],
        )


@pytest.mark.asyncio
@pytest.mark.parametrize("upstream", STREAMED)
async def test_a_stream_cut_at_any_byte_ends_legally(upstream):
    """Before the first word another status, after it the error and nothing behind it."""
    sent = wire(upstream)
    step = 7
    stops = range(1, sent.index(b" a time"), step)
    head = b"HTTP/1.1 200 OK\r\n" + SSE + b"Transfer-Encoding: chunked\r\n\r\n"
    scripts = [[Send(head + b"%x\r\n%b\r\n" % (stop, sent[:stop])), Close()] for stop in stops]
    async with (
        Double(scripts) as vendor,
        Gateway.to((PROVIDER[upstream], vendor)) as gateway,
    ):
        seen = set()
        for _ in stops:
            body = {"model": "m", "prompt": "Once", "stream": True}
            status, _, got = await gateway.post("/v1/completions", body)
            seen.add(status)
            if status == 200:
                *_, error, end = got.split(b"\n\n")
                assert (0, b"") == (got.count(b"[DONE]"), end)
                assert error.startswith(b'data: {"error":{')
        assert {200, 502} == seen


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("provider", "more", "param"),
    [
        ("anthropic", {"n": 2}, "n"),
        ("anthropic", {"logprobs": 2}, "logprobs"),
        ("groq", {"suffix": "The end."}, "suffix"),
        ("groq", {"best_of": 2}, "best_of"),
        ("groq", {"prompt": [1, 2]}, "prompt"),
        ("gemini", {"prompt": ["a", "b"]}, "prompt"),
    ],
)
async def test_what_an_upstream_has_not_is_refused_by_name(provider, more, param):
    """In the shape's own words, before anybody is called."""
    async with Double([]) as vendor, Gateway.to((provider, vendor)) as gateway:
        status, _, got = await gateway.post(
            "/v1/completions", {"model": "m", "prompt": "a", **more}
        )

        assert (400, param, "unsupported_parameter") == (
            status, error_of(got)["param"], error_of(got)["code"],
        )  # fmt: skip
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_hints_that_go_no_further_are_reported():
    """By their name in the request."""
    answer = [Send(sized(encoded(SAID["messages"]), headers=JSON))]
    async with Double([answer]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        body = {"model": "m", "prompt": "Once", "seed": 3, "min_p": 0.1}
        status, headers, _ = await gateway.post("/v1/completions", body)

        assert 200 == status
        assert b"seed;" in headers[b"trivium-dropped"]
        assert b"min_p;" in headers[b"trivium-dropped"]


@pytest.mark.asyncio
async def test_an_upstream_of_the_shape_comes_first():
    """And gets what only it can serve, byte for byte."""
    own = {"id": "cmpl-1", "object": "text_completion", "choices": [], "model": "x"}
    async with (
        Double([]) as chat,
        Double([[Send(sized(encoded(own), headers=JSON))]]) as native,
        Gateway.to(("openai", native), ("groq", chat)) as gateway,
    ):
        body = {"model": "m", "prompt": [1, 2], "suffix": "x", "best_of": 3}
        status, _, got = await gateway.post("/v1/completions", body)

        assert (200, encoded(own)) == (status, got)
        assert body == msgspec.json.decode(native.requests[0].body)


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True])
async def test_answers_and_probabilities_come_in_the_shape_s_own_form(stream):
    """Several answers, each with its tokens and where they stand."""
    tokens = [
        {"token": " upon", "logprob": -0.5, "bytes": None,
         "top_logprobs": [{"token": " upon", "logprob": -0.5, "bytes": None}]},
    ]  # fmt: skip
    said = [{"index": at, "logprobs": {"content": tokens}} for at in (0, 1)]
    if stream:
        events = [{**CHUNK, "choices": [{**one, "delta": {"content": " upon"}}]} for one in said]
        events += [
            {**CHUNK, "choices": [{"index": at, "delta": {}, "finish_reason": "stop"}]}
            for at in (0, 1)
        ]
        data = b"".join(b"data: " + encoded(event) + b"\n\n" for event in events)
        answer = [Send(chunked(data + b"data: [DONE]\n\n", headers=SSE))]
    else:
        message = {"role": "assistant", "content": " upon"}
        choices = [{**one, "message": message, "finish_reason": "stop"} for one in said]
        answer = [Send(sized(encoded({**SAID["chat"], "choices": choices}), headers=JSON))]
    async with Double([answer]) as vendor, Gateway.to(("groq", vendor)) as gateway:
        body = {"model": "m", "prompt": "Once", "n": 2, "logprobs": 1, "stream": stream}
        status, _, got = await gateway.post("/v1/completions", body)

        assert 200 == status, got
        asked = msgspec.json.decode(vendor.requests[0].body)
        assert (2, True, 1) == (asked["n"], asked["logprobs"], asked["top_logprobs"])
        if stream:
            frames = [msgspec.json.decode(block[6:]) for block in got.split(b"\n\n")[:-2]]
            choices = [choice for frame in frames for choice in frame["choices"] if choice["text"]]
        else:
            choices = msgspec.json.decode(got)["choices"]
        expected = {
            "tokens": [" upon"],
            "token_logprobs": [-0.5],
            "top_logprobs": [{" upon": -0.5}],
            "text_offset": [0],
        }
        assert [(0, expected), (1, expected)] == [
            (choice["index"], choice["logprobs"]) for choice in choices
        ]
