"""The messages shape in a cloud's wrapping, whoever asks: what is sent, and what comes back."""

import base64
import json

import msgspec
import pytest

from gateway import Gateway, error_of
from hosting_vendors import HOSTING, chunk, taken
from scripted_upstream import Double, Send, Wait, chunked, sized
from trivium.pipeline.wrapped_lane import UnwrappingWatch
from trivium.wire import event_stream

JSON = b"Content-Type: application/json\r\n"
FRAMES = b"Content-Type: application/vnd.amazon.eventstream\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
HELLO = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]}
CHAT = {"model": "m", "max_completion_tokens": 5, "messages": HELLO["messages"]}
MESSAGE = (
    b'{"id":"msg_1","type":"message","role":"assistant","model":"up","content":'
    b'[{"type":"text","text":"Ho"}],"stop_reason":"end_turn","stop_sequence":null,'
    b'"usage":{"input_tokens":9,"output_tokens":2}}'
)
EVENTS = [
    {
        "type": "message_start",
        "message": json.loads(MESSAGE) | {"content": [], "stop_reason": None},
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": "Grüße\u2028"},
    },
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 2},
    },
    {"type": "message_stop", "amazon-bedrock-invocationMetrics": {"inputTokenCount": 9}},
]
STREAM = [chunk(event) for event in EVENTS]
PLAIN = b"".join(b"event: %s\ndata: %s\n\n" % (e["type"].encode(), json.dumps(e).encode()) for e in EVENTS)  # fmt: skip


def behind(vendor, provider="invoked", **more):
    """A gateway in front of such a cloud."""
    return Gateway.to((provider, vendor), providers=HOSTING, upstream_model="up", **more)


@pytest.mark.asyncio
@pytest.mark.parametrize("provider", ["invoked", "predicted"])
@pytest.mark.parametrize(("path", "asked"), [("/v1/messages", HELLO), ("/v1/chat/completions", CHAT)])  # fmt: skip
async def test_a_whole_answer(provider, path, asked):
    """The body is one that the cloud takes, and the answer is in the caller's shape."""
    answer = [Send(sized(MESSAGE, headers=JSON))]
    async with Double([answer]) as vendor, behind(vendor, provider) as gateway:
        status, _, got = await gateway.post(path, asked)
        assert 200 == status, got
        sent, _ = taken(vendor.requests[0], stream=False)
        assert "/up" in sent
        assert b"Ho" in got
        assert (9, 2) == (gateway.records[0].usage.fresh, gateway.records[0].usage.output)


@pytest.mark.asyncio
async def test_what_passes_keeps_every_other_byte():
    """Members that nobody knows, in their order and spelling; whole answers as they came."""
    raw = b'{"model":"m","next":{"a":[1.50,"\\u0041"]},"max_tokens":5,"stream":false,"messages":[{"role":"user","content":"Hi"}]}'
    answer = [Send(sized(MESSAGE, headers=JSON))]
    async with Double([answer]) as vendor, behind(vendor) as gateway:
        _, _, got = await gateway.post("/v1/messages", raw)
        body = vendor.requests[0].raw.partition(b"\r\n\r\n")[2]
        kept = b'"next":{"a":[1.50,"\\u0041"]},"max_tokens":5,"messages":[{"role":"user","content":"Hi"}]'
        assert b"{%b,%b}" % (kept, b'"anthropic_version":"bedrock-2023-05-31"') == body
        assert MESSAGE == got


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("headers", "version", "betas"),
    [
        ([], "bedrock-2023-05-31", None),
        (["Anthropic-Version: 2023-06-01"], "bedrock-2023-05-31", None),
        (["Anthropic-Version: 2026-10-21"], "2026-10-21", None),
        (["Vendor-Version: 2026-10-21"], "2026-10-21", None),
        (["Anthropic-Beta: a-1, b-2", "Anthropic-Beta: a-1,c-3"], None, ["a-1", "b-2", "c-3"]),
    ],
)
async def test_version_and_betas_are_members(headers, version, betas):
    """The headers that change what a body means go where Bedrock reads them."""
    answer = [Send(sized(MESSAGE, headers=JSON))]
    async with Double([answer]) as vendor, behind(vendor) as gateway:
        assert 200 == (await gateway.post("/v1/messages", HELLO, *headers))[0]
        _, body = taken(vendor.requests[0], stream=False)
        assert version in (None, body["anthropic_version"])
        assert betas == body.get("anthropic_beta")


@pytest.mark.asyncio
async def test_vertex_has_betas_in_their_header():
    """And the stream in the body, as its own clients send them."""
    answer = [Send(chunked(PLAIN, headers=SSE))]
    async with Double([answer]) as vendor, behind(vendor, "predicted") as gateway:
        _, _, got = await gateway.post(
            "/v1/messages", HELLO | {"stream": True}, "Anthropic-Beta: a-1"
        )
        _, body = taken(vendor.requests[0], stream=True)
        assert "anthropic_beta" not in body
        assert b"a-1" == dict(vendor.requests[0].headers)[b"anthropic-beta"]
        assert PLAIN == got


@pytest.mark.asyncio
@pytest.mark.parametrize("cut", [None, 1, 7])
async def test_frames_become_the_shapes_own_events(cut):
    """However they were cut; the media type asked for is the cloud's."""
    answer = [Send(chunked(*STREAM, headers=FRAMES), cut=cut)]
    async with Double([answer]) as vendor, behind(vendor) as gateway:
        status, headers, got = await gateway.post("/v1/messages", HELLO | {"stream": True})
        assert 200 == status, got
        assert headers[b"content-type"].startswith(b"text/event-stream")
        taken(vendor.requests[0], stream=True)
        assert b"application/vnd.amazon.eventstream" == dict(vendor.requests[0].headers)[b"accept"]
        assert PLAIN == got
        (record,) = gateway.records
        assert ("", 9, 2) == (record.fault, record.usage.fresh, record.usage.output)


@pytest.mark.asyncio
@pytest.mark.parametrize("cut", [None, 7])
async def test_frames_are_translated(cut):
    """A chat client has its chunks."""
    answer = [Send(chunked(*STREAM, headers=FRAMES), cut=cut)]
    async with Double([answer]) as vendor, behind(vendor) as gateway:
        _, _, got = await gateway.post("/v1/chat/completions", CHAT | {"stream": True})
        taken(vendor.requests[0], stream=True)
        assert "Grüße" in got.decode()
        assert got.endswith(b"data: [DONE]\n\n")


def exception(kind="throttlingException"):
    """A frame that ends a stream."""
    return event_stream.exception(kind, b'{"message":"Slow down."}')


@pytest.mark.asyncio
async def test_an_exception_before_the_answer_has_its_own_status():
    """Nothing has been said, so another channel could still be asked."""
    answer = [Send(chunked(exception(), headers=FRAMES))]
    async with Double([answer]) as vendor, behind(vendor) as gateway:
        status, _, got = await gateway.post("/v1/messages", HELLO | {"stream": True})
        assert (429, "rate_limit_error") == (status, error_of(got)["type"])


WRONG = {
    "exception": exception("modelStreamErrorException"),
    "checksum": STREAM[3][:-1] + bytes([STREAM[3][-1] ^ 1]),
    "base64": event_stream.event("chunk", b'{"bytes":"%%%"}'),
    "payload": event_stream.event("chunk", b"[]"),
    "no JSON": chunk(b"Oops"),
    "deep": chunk(b"[" * 100_000),
    "huge": b"\xff\xff\xff\xf0\0\0\0\0",
    "cut": STREAM[3][:-5],
}


@pytest.mark.asyncio
@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(("path", "asked", "end"), [("/v1/messages", HELLO, b"event: error"), ("/v1/chat/completions", CHAT, b'data: {"error":{')])  # fmt: skip
async def test_a_stream_that_cannot_be_read_is_ended_with_an_error(wrong, path, asked, end):
    """After words that were said; the record says who broke it."""
    said = chunked(*STREAM[:3], headers=FRAMES).removesuffix(b"0\r\n\r\n")
    wire = b"%x\r\n%b\r\n0\r\n\r\n" % (len(WRONG[wrong]), WRONG[wrong])
    answer = [Send(said), Wait(0.05), Send(wire)]
    async with Double([answer]) as vendor, behind(vendor) as gateway:
        status, _, got = await gateway.post(path, asked | {"stream": True})
        assert 200 == status
        assert end in got
        assert "upstream_broke" == gateway.records[0].fault


@pytest.mark.asyncio
async def test_tokens_are_counted_in_the_clouds_own_words():
    """The body travels as base64 and could be answered; the number comes back."""
    answer = [Send(sized(b'{"inputTokens":14}', headers=JSON))]
    asked = {"model": "m", "messages": HELLO["messages"], "thinking": {"type": "adaptive"}}
    async with Double([answer]) as vendor, behind(vendor) as gateway:
        status, _, got = await gateway.post("/v1/messages/count_tokens", asked)
        assert (200, b'{"input_tokens":14}') == (status, got)
        sent = json.loads(vendor.requests[0].raw.partition(b"\r\n\r\n")[2])
        body = json.loads(base64.b64decode(sent["input"]["invokeModel"]["body"]))
        assert {"messages", "max_tokens", "anthropic_version"} == set(body)


@pytest.mark.asyncio
async def test_vertex_counts_by_the_model_of_the_body():
    """Its address names none."""
    answer = [Send(sized(b'{"input_tokens":14}', headers=JSON))]
    asked = {"model": "m", "messages": HELLO["messages"]}
    async with Double([answer]) as vendor, behind(vendor, "predicted") as gateway:
        _, _, got = await gateway.post("/v1/messages/count_tokens", asked)
        assert b'{"input_tokens":14}' == got
        sent = json.loads(vendor.requests[0].raw.partition(b"\r\n\r\n")[2])
        assert ("up", "vertex-2023-10-16") == (sent["model"], sent["anthropic_version"])


@pytest.mark.asyncio
async def test_an_answer_that_was_paused_goes_on_in_the_wrapping():
    """The next round of a translated conversation is sent as the first was."""
    paused = msgspec.json.encode(json.loads(MESSAGE) | {"stop_reason": "pause_turn"})
    script = [[Send(sized(paused, headers=JSON))], [Send(sized(MESSAGE, headers=JSON))]]
    asked = CHAT | {"web_search_options": {}}
    async with Double(script) as vendor, behind(vendor) as gateway:
        status, _, got = await gateway.post("/v1/chat/completions", asked)
        assert 200 == status, got
        assert 2 == len(vendor.requests)
        for request in vendor.requests:
            taken(request, stream=False)


@pytest.mark.asyncio
@pytest.mark.parametrize("wrong", ["checksum", "base64"])
async def test_a_stream_that_begins_so_is_no_answer(wrong):
    """Nothing was said: it has a status of its own."""
    answer = [Send(chunked(WRONG[wrong], headers=FRAMES))]
    async with Double([answer]) as vendor, behind(vendor) as gateway:
        status, _, got = await gateway.post("/v1/messages", HELLO | {"stream": True})
        assert (502, "api_error") == (status, error_of(got)["type"])


class _Once:
    """Gives everything at the second read."""

    def __init__(self):
        self.held = b""

    def feed(self, data):
        self.held += data
        return self.held if b"!" in data else b""


class _Asked:
    """Lets everything pass, and remembers what it was shown."""

    usage = error = None
    finished = stopped = False

    def __init__(self):
        self.shown = []

    def feed(self, data):
        self.shown.append(data)
        return data

    def end(self, fault, request_id):
        return b"end"


def test_a_watch_is_not_asked_for_more_by_a_frame_that_is_open():
    """Asked with nothing it would write the next piece of what it was shown."""
    asked = _Asked()
    watch = UnwrappingWatch(asked, _Once())
    assert b"" == watch.feed(b"data: {}\n\n")
    assert [] == asked.shown
    assert b"data: {}\n\n:!\n\n" == watch.feed(b":!\n\n")
    watch.feed(b"")
    assert b"" == asked.shown[-1]
    assert b"end" == watch.end(None, "req_1")
    assert (False, False, None) == (watch.finished, watch.stopped, watch.error)
