"""A worker that ends: what runs, what is on its way, what is pipelined; nobody loses a request."""

import asyncio
import time

import msgspec
import pytest

from edge.wires import Wire
from gateway import Gateway, encoded, error_of
from scripted_upstream import Close, Double, Send, Stall, Until, let_go, sized

MESSAGES = [{"role": "user", "content": "Hi"}]
CHAT = "/v1/chat/completions"
HELLO = {"model": "m", "messages": MESSAGES}
JSON = b"Content-Type: application/json\r\n"
OK = [Send(sized(b'{"object":"chat.completion","choices":[]}', headers=JSON))]
SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
FIRST = {
    CHAT: b'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n',
    "/v1/responses": b'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","created_at":1,"status":"in_progress","model":"m","output":[]}}\n\n',
    "/v1/messages": b'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":5,"output_tokens":1}}}\n\n',
    "/v1beta/models/m:streamGenerateContent?alt=sse": b'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Hi"}]},"index":0}]}\n\n',
    "/v1beta/models/m:streamGenerateContent": b'[{"candidates":[{"content":{"role":"model","parts":[{"text":"Hi"}]},"index":0}]}\n',
}
"""The first frame of a stream at each path."""
PROVIDER = {CHAT: "openai", "/v1/responses": "openai", "/v1/messages": "anthropic"}
BODY = {
    CHAT: HELLO | {"stream": True},
    "/v1/responses": {"model": "m", "input": "Hi", "stream": True},
    "/v1/messages": HELLO | {"stream": True, "max_tokens": 9},
}
CONTENTS = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}


def tail_is_legal(path, tail, request_id):
    """Whether the bytes after the first frame end a stream of this path with an error."""
    frames = [part for part in tail.split(b"\n\n") if part]
    if path == CHAT:
        error = msgspec.json.decode(frames[-1].removeprefix(b"data: "))
    elif path == "/v1/responses":
        name, data = frames[-1].split(b"\n")
        assert b"event: response.failed" == name
        event = msgspec.json.decode(data.removeprefix(b"data: "))
        assert ("failed", len(frames)) == (event["response"]["status"], event["sequence_number"])
        return request_id in tail and event["response"]["error"]["message"]
    elif path == "/v1/messages":
        name, data = frames[-1].split(b"\n")
        assert b"event: error" == name
        error = msgspec.json.decode(data.removeprefix(b"data: "))
        assert "overloaded_error" == error["error"]["type"]
    elif "alt=sse" in path:
        error = msgspec.json.decode(frames[-1].removeprefix(b"data: "))
        assert 503 == error["error"]["code"]
    else:
        error = msgspec.json.decode(b"[0" + tail)[-1]
        assert 503 == error["error"]["code"]
    return request_id == error["request_id"].encode() and error["error"]["message"]


def streaming(gateway, path):
    """A request for a stream at a path."""
    return gateway.head(path, encoded(BODY.get(path, CONTENTS)))


async def begun(gateway, path):
    """A connection with a stream on it whose first frame has come, and the answer's head."""
    line = await gateway.wire()
    await line.send(streaming(gateway, path))
    head = await asyncio.wait_for(line.reader.readuntil(b"\r\n\r\n"), 5)
    got = b""
    while FIRST[path].rstrip(b"\n") not in got:
        size = int(await asyncio.wait_for(line.reader.readline(), 5), 16)
        got += (await line.reader.readexactly(size + 2))[:-2]
    return line, dict(row.split(b": ", 1) for row in head[:-4].split(b"\r\n")[1:]), got


async def rest(line):
    """Everything up to the last chunk, which must come, and the end of the connection."""
    got = b""
    while size := int(await asyncio.wait_for(line.reader.readline(), 5), 16):
        got += (await line.reader.readexactly(size + 2))[:-2]
    assert b"\r\n" == await line.reader.readexactly(2)
    assert b"" == await asyncio.wait_for(line.reader.read(), 5)
    await line.close()
    return got


@pytest.mark.asyncio
@pytest.mark.parametrize("path", FIRST)
async def test_a_stream_is_ended_in_its_own_words_when_its_time_is_up(path):
    """The last chunk, the shape's own error with the request id, a record and one settlement."""
    script = [Send(SSE + FIRST[path]), Stall()]
    if path.endswith("Content"):
        script[0] = Send(SSE.replace(b"text/event-stream", b"application/json") + FIRST[path])
    async with (
        Double([script]) as vendor,
        Gateway.to((PROVIDER.get(path, "gemini"), vendor)) as gateway,
    ):
        line, headers, got = await begun(gateway, path)
        assert 1 == await gateway.listener.drain(0.1)
        tail = got.partition(FIRST[path].rstrip(b"\n"))[2] + await rest(line)
        assert tail_is_legal(path, tail, headers[b"request-id"])
        assert b"restarting" in tail
        (record,) = gateway.records
        assert ("stopping", 200) == (record.fault, record.status)
        assert 1 == len(gateway.services.ledger.settled)
        await let_go(vendor)


@pytest.mark.asyncio
async def test_a_stream_that_ends_in_time_is_left_alone():
    """Draining waits for it, and no longer."""
    go_on = asyncio.Event()
    end = b'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    script = [Send(SSE + FIRST[CHAT]), Until(go_on), Send(end), Close()]
    async with Double([script]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line, _, got = await begun(gateway, CHAT)
        draining = asyncio.ensure_future(gateway.listener.drain(30, 1.0))
        await asyncio.sleep(0.05)
        assert not draining.done()
        go_on.set()
        assert FIRST[CHAT] + end == got + await rest(line)
        assert 0 == await asyncio.wait_for(draining, 20)
        assert "" == gateway.records[0].fault


@pytest.mark.asyncio
async def test_a_whole_answer_that_runs_out_of_time_is_a_503():
    """Told to come back, and on record."""
    async with Double([[Stall()]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line = await gateway.wire()
        await line.send(gateway.head(CHAT, encoded(HELLO)))
        while not vendor.requests:
            await asyncio.sleep(0.01)
        assert 1 == await gateway.listener.drain(0.1)
        status, headers, body = await line.answer()
        assert (503, b"close", "service_unavailable") == (
            status, headers[b"connection"], error_of(body)["code"],
        )  # fmt: skip
        assert await line.ended()
        assert "stopping" == gateway.records[0].fault
        await line.close()


@pytest.mark.asyncio
async def test_an_upload_that_runs_out_of_time_is_a_503():
    """It has no answer yet, and gets one instead of a cut."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line = await gateway.wire()
        await line.send(gateway.head(CHAT, encoded(HELLO))[:-5])
        await asyncio.sleep(0.05)
        assert 1 == await gateway.listener.drain(0.1)
        status, headers, body = await line.answer()
        assert (503, b"close", "service_unavailable") == (
            status, headers[b"connection"], error_of(body)["code"],
        )  # fmt: skip
        await line.close()


@pytest.mark.asyncio
async def test_an_upload_that_ends_in_time_is_served_and_told_to_close():
    """`Connection: close`, so that the next request goes elsewhere."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line = await gateway.wire()
        raw = gateway.head(CHAT, encoded(HELLO))
        await line.send(raw[:-5])
        await asyncio.sleep(0.05)
        draining = asyncio.ensure_future(gateway.listener.drain(5))
        await asyncio.sleep(0.05)
        await line.send(raw[-5:])
        status, headers, _ = await line.answer()
        assert (200, b"close") == (status, headers[b"connection"])
        assert await line.ended()
        assert 0 == await draining
        await line.close()


@pytest.mark.asyncio
async def test_draining_closes_what_is_idle_and_takes_nothing_new():
    """An idle connection soon, though others still run."""
    async with Double([[Stall()]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        idle, busy = await gateway.wire(), await gateway.wire()
        await idle.send(gateway.head("/", method="GET"))
        await idle.answer()
        await busy.send(gateway.head(CHAT, encoded(HELLO)))
        while not vendor.requests:
            await asyncio.sleep(0.01)
        draining = asyncio.ensure_future(gateway.listener.drain(2.0))
        assert b"" == await asyncio.wait_for(idle.reader.read(), 20)
        assert not draining.done()
        with pytest.raises(ConnectionError):
            await Wire.to(gateway.port)
        assert not draining.done()
        assert 1 == await draining
        assert 503 == (await busy.answer())[0]
        await idle.close()
        await busy.close()


@pytest.mark.asyncio
async def test_a_drain_does_not_count_time_in_which_everything_stood_still():
    """As a suspended machine does: whoever would have asked meanwhile could not, and does now."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line = await gateway.wire()
        await line.send(gateway.head("/", method="GET"))
        await line.answer()
        draining = asyncio.ensure_future(gateway.listener.drain(8))
        await asyncio.sleep(0.1)
        time.sleep(1.5)  # noqa: ASYNC251 - gateway and caller are what stands still
        await asyncio.sleep(0.1)
        await line.send(gateway.head(CHAT, encoded(HELLO)))
        status, headers, _ = await line.answer()
        assert (200, b"close") == (status, headers[b"connection"])
        assert 0 == await draining
        await line.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("cut", [1, 20, -1])
async def test_a_head_that_is_on_its_way_is_waited_for_in_a_drain(cut):
    """As long as heads are waited for at any time."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line = await gateway.wire()
        head, end, body = gateway.head(CHAT, encoded(HELLO)).partition(b"\r\n\r\n")
        head += end
        await line.send(head[:cut])
        await asyncio.sleep(0.05)
        draining = asyncio.ensure_future(gateway.listener.drain(4))
        await asyncio.sleep(1.5)
        await line.send(head[cut:] + body)
        status, headers, _ = await line.answer()
        assert (200, b"close") == (status, headers[b"connection"])
        assert 0 == await draining
        await line.close()


@pytest.mark.asyncio
async def test_a_head_that_runs_out_of_time_in_a_drain_is_a_503():
    """The caller is told; its connection is not just cut."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line = await gateway.wire()
        await line.send(gateway.head(CHAT, encoded(HELLO))[:40])
        await asyncio.sleep(0.05)
        assert 1 == await gateway.listener.drain(0.1)
        status, headers, _ = await line.answer()
        assert (503, b"close") == (status, headers[b"connection"])
        await line.close()


@pytest.mark.asyncio
async def test_whose_stream_had_begun_before_the_drain_may_ask_once_more():
    """Its head said nothing of a close, and cannot any more."""
    go_on = asyncio.Event()
    end = b'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    script = [Send(SSE + FIRST[CHAT]), Until(go_on), Send(end), Close()]
    async with Double([script, OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line, headers, _ = await begun(gateway, CHAT)
        assert b"connection" not in headers
        draining = asyncio.ensure_future(gateway.listener.drain(8))
        await asyncio.sleep(0.05)
        go_on.set()
        await line.reader.readuntil(b"data: [DONE]\n\n\r\n0\r\n\r\n")
        await line.send(gateway.head(CHAT, encoded(HELLO)))
        status, headers, _ = await line.answer()
        assert (200, b"close") == (status, headers[b"connection"])
        assert 0 == await draining
        await line.close()


@pytest.mark.asyncio
async def test_what_a_caller_pipelined_before_the_drain_is_all_answered():
    """The last answer says that the connection closes, none before it."""
    go_on = asyncio.Event()
    async with (
        Double([[Until(go_on), *OK], OK, OK]) as vendor,
        Gateway.to(("openai", vendor)) as gateway,
    ):
        line = await gateway.wire()
        await line.send(gateway.head(CHAT, encoded(HELLO)) * 3)
        while not vendor.requests:
            await asyncio.sleep(0.01)
        draining = asyncio.ensure_future(gateway.listener.drain(8))
        await asyncio.sleep(0.05)
        go_on.set()
        said = [(await line.answer())[:2] for _ in range(3)]
        assert [(200, None), (200, None), (200, b"close")] == [
            (status, headers.get(b"connection")) for status, headers in said
        ]
        assert 0 == await draining
        await line.close()


@pytest.mark.asyncio
async def test_a_caller_that_reads_nothing_does_not_hold_up_the_end():
    """What it will not take is thrown away with the connection."""
    block = FIRST[CHAT] * 4000
    async with (
        Double([[Send(SSE + block), Stall()]]) as vendor,
        Gateway.to(("openai", vendor)) as gateway,
    ):
        line = await gateway.wire()
        await line.send(streaming(gateway, CHAT))
        await asyncio.sleep(0.3)
        async with asyncio.timeout(20):
            assert 1 == await gateway.listener.drain(0.1)
        assert not gateway.listener.connections
        await line.close()


@pytest.mark.asyncio
async def test_a_request_that_was_on_its_way_when_the_drain_began_is_answered():
    """On a connection that had served, and on one that had just come; each is told it closes."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        served, fresh = await gateway.wire(), await gateway.wire()
        await served.send(gateway.head(CHAT, encoded(HELLO)))
        await served.answer()
        draining = asyncio.ensure_future(gateway.listener.drain(4))
        await asyncio.sleep(0.1)
        for line in (served, fresh):
            await line.send(gateway.head(CHAT, encoded(HELLO)))
            status, headers, _ = await line.answer()
            assert (200, b"close") == (status, headers[b"connection"])
            assert await line.ended()
            await line.close()
        assert 0 == await asyncio.wait_for(draining, 20)
