"""Streams on their way to the caller: untouched, watched, ended legally, never faster than read."""

import asyncio
import resource
from pathlib import Path

import msgspec
import pytest

from gateway import Gateway, encoded, error_of
from pipeline.test_translation import ASKED, JSON, OTHERS, PROVIDER, speaks
from scripted_upstream import (
    Close,
    Double,
    Flood,
    Reset,
    Send,
    Stall,
    Until,
    Wait,
    chunked,
    let_go,
    sized,
)
from trivium.edge.limits import ServerLimits
from trivium.pipeline.lane import PassThrough
from trivium.settings.entries import Timeouts

FIXTURES = Path(__file__).parent.parent / "fixtures"
SSE = b"Content-Type: text/event-stream\r\n"
HEAD = b"HTTP/1.1 200 OK\r\n" + SSE + b"Transfer-Encoding: chunked\r\n\r\n"

SAID = [{"role": "user", "content": "x"}]
CHAT = ("openai", "/v1/chat/completions", {"model": "m", "stream": True, "messages": SAID,
        "stream_options": {"include_usage": True}})  # fmt: skip
COMPLETIONS = ("openai", "/v1/completions", {"model": "m", "stream": True, "prompt": "x",
               "stream_options": {"include_usage": True}})  # fmt: skip
RESPONSES = ("openai", "/v1/responses", {"model": "m", "stream": True, "input": "x"})
MESSAGES = ("anthropic", "/v1/messages", {"model": "m", "stream": True, "max_tokens": 9,
            "messages": SAID})  # fmt: skip
GENERATE = ("gemini", "/v1beta/models/m:streamGenerateContent?alt=sse", {"contents": []})
ARRAY = ("gemini", "/v1beta/models/m:streamGenerateContent", {"contents": []})

STREAMS = {
    "chat": (CHAT, FIXTURES / "chat" / "text-usage.sse"),
    "completions": (COMPLETIONS, FIXTURES / "completions" / "usage.sse"),
    "responses": (RESPONSES, FIXTURES / "responses" / "text.sse"),
    "messages": (MESSAGES, FIXTURES / "messages" / "thinking.sse"),
    "generate": (GENERATE, FIXTURES / "generate" / "text.sse"),
    "array": (ARRAY, FIXTURES / "generate" / "text.array.json"),
}
ENDINGS = {
    "chat": b'data: {"error":{',
    "completions": b'data: {"error":{',
    "responses": b"event: response.failed",
    "messages": b"event: error",
    "generate": b'data: {"error":{',
    "array": b'{"error":{',
}


def cut_at_events(wire: bytes) -> list[bytes]:
    """The stream in pieces of one event."""
    end = b"\r\n\r\n" if b"\r\n\r\n" in wire else b"\n\n"
    return [piece + end for piece in wire.split(end) if piece]


def piece(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


@pytest.mark.asyncio
@pytest.mark.parametrize("name", STREAMS)
async def test_a_stream_passes_byte_for_byte_however_it_is_cut(name):
    """In one piece, event by event, and a few bytes at a time; usage is on record."""
    (provider, path, body), file = STREAMS[name]
    wire = file.read_bytes()
    scripts = [
        [Send(chunked(wire, headers=SSE))],
        [Send(HEAD), Send(b"".join(piece(p) for p in cut_at_events(wire))), Send(b"0\r\n\r\n")],
        [Send(chunked(wire, headers=SSE), cut=7)],
    ]
    async with Double(scripts) as vendor, Gateway.to((provider, vendor)) as gateway:
        for _ in scripts:
            status, headers, got = await gateway.post(path, body)
            assert (200, wire) == (status, got)
            if name == "array":
                assert b"application/json" == headers[b"content-type"]
            else:
                assert headers[b"content-type"].startswith(b"text/event-stream")
                assert b"no" == headers[b"x-accel-buffering"]
        assert [("", True)] * 3 == [(r.fault, r.stream) for r in gateway.records]
        assert gateway.records[0].usage.output_total > 0
        assert 1 == len({msgspec.json.encode(r.usage) for r in gateway.records})


@pytest.mark.asyncio
async def test_usage_is_asked_for_and_hidden_again_when_the_caller_had_not_asked():
    """The caller's other bytes are untouched; the bill has its figure."""
    provider, path, body = CHAT
    wire = (FIXTURES / "chat" / "text-usage.sse").read_bytes()
    asked = {k: v for k, v in body.items() if k != "stream_options"}
    async with (
        Double([[Send(chunked(wire, headers=SSE))]]) as vendor,
        Gateway.to((provider, vendor)) as gateway,
    ):
        _, _, got = await gateway.post(path, asked)
        sent = msgspec.json.decode(vendor.requests[0].body)
        assert {"include_usage": True} == sent["stream_options"]
        assert b'"choices":[]' not in got.replace(b" ", b"")
        assert got.endswith(b"data: [DONE]\n\n")
        kept = set(cut_at_events(got))
        assert 1 == len([e for e in cut_at_events(wire) if e not in kept])
        assert gateway.records[0].usage.output_total > 0


@pytest.mark.asyncio
@pytest.mark.parametrize("end", ["reset", "close", "clean"])
@pytest.mark.parametrize("name", STREAMS)
async def test_a_stream_that_breaks_at_any_event_is_ended_legally(name, end):
    """What came is delivered, then the shape's own error with the request id; nobody else is tried.

    No ``[DONE]`` follows: clients that pass over errors would take half an answer for the whole.
    """
    (provider, path, body), file = STREAMS[name]
    wire = file.read_bytes()
    events = [wire[:i] for i in range(200, len(wire) - 300, 300)] if name == "array" else [
        b"".join(cut_at_events(wire)[: n + 1]) for n in range(len(cut_at_events(wire)) - 2)
    ]  # fmt: skip
    last = {"reset": Reset(), "close": Close(), "clean": Send(b"0\r\n\r\n")}[end]
    scripts = [[Send(HEAD + piece(sent)), last] for sent in events]
    assert scripts
    async with (
        Double(scripts) as vendor,
        Double([[Send(chunked(wire, headers=SSE))]]) as spare,
        Gateway.to((provider, vendor), (provider, spare)) as gateway,
    ):
        begun = 0
        for sent in events:
            status, headers, got = await gateway.post(path, body)
            assert 200 == status
            if got == wire:
                continue  # nothing had been delivered, so another channel could answer
            begun += 1
            if end == "clean" and name in ("chat", "completions") and b"error" not in got:
                continue  # a finish reason had passed: only the sentinel was missing
            assert b"[DONE]" not in got
            assert ENDINGS[name] in got[-2000:]
            assert headers[b"x-request-id"] in got
            if name != "array":
                assert got.startswith(sent)
        assert begun
        broken = [r for r in gateway.records if r.fault]
        sentinel_only = end == "clean" and name in ("chat", "completions")
        assert {"upstream_broke"} == {r.fault for r in broken} or sentinel_only
        assert len(events) == len(gateway.services.ledger.settled)


@pytest.mark.asyncio
@pytest.mark.parametrize("name", [n for n in STREAMS if n != "completions"])
async def test_an_error_before_the_first_event_is_a_real_status(name):
    """A vendor that says 200 and then fails may be replaced, or reported as what it is."""
    (provider, path, body), file = STREAMS[name]
    error = {
        "chat": b'data: {"error":{"message":"Busy","type":"server_error","code":"server_is_overloaded"}}\n\n',
        "responses": b'event: error\ndata: {"type":"error","code":"server_is_overloaded","message":"Busy"}\n\n',
        "messages": b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy"}}\n\n',
        "generate": b'data: {"error":{"code":503,"message":"Busy","status":"UNAVAILABLE"}}\n\n',
        "array": b'[{"error":{"code":503,"message":"Busy","status":"UNAVAILABLE"}}]',
    }[name]  # fmt: skip
    script = [Send(chunked(error, headers=SSE))]
    async with Double([script]) as vendor:
        async with Gateway.to((provider, vendor)) as gateway:
            status, _, got = await gateway.post(path, body)
            assert (529 if name == "messages" else 503) == status
            assert "overloaded_error" == error_of(got)["type"]
        async with (
            Double([[Send(chunked(file.read_bytes(), headers=SSE))]]) as spare,
            Gateway.to((provider, vendor), (provider, spare)) as gateway,
        ):
            assert (200, file.read_bytes()) == (await gateway.post(path, body))[::2]


@pytest.mark.asyncio
async def test_an_error_in_mid_stream_is_told_in_our_words():
    """The vendor's text with its secrets is not forwarded."""
    provider, path, body = MESSAGES
    wire = (FIXTURES / "messages" / "text.sse").read_bytes()
    first = b"".join(cut_at_events(wire)[:3])
    leak = b'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"dead at https://inner.example/?key=sk-vendor-0123456789abcdef"}}\n\n'
    script = [Send(HEAD + piece(first)), Wait(0.1), Send(piece(leak) + b"0\r\n\r\n")]
    async with Double([script]) as vendor, Gateway.to((provider, vendor)) as gateway:
        _, _, got = await gateway.post(path, body)
        assert got.startswith(first)
        assert b'event: error\ndata: {"error":{' in got
        assert b"sk-vendor" not in got
        assert b"inner.example" not in got
        assert 1 == got.count(b"event: error")


@pytest.mark.asyncio
async def test_comments_are_no_answer_yet():
    """A heartbeat before an error does not commit the gateway to a 200."""
    provider, path, body = CHAT
    script = [Send(HEAD + piece(b": PROCESSING\n\n")), Reset()]
    async with Double([script]) as vendor, Gateway.to((provider, vendor)) as gateway:
        assert 502 == (await gateway.post(path, body))[0]


@pytest.mark.asyncio
async def test_each_event_is_passed_on_as_it_comes():
    """The first event arrives while the vendor still holds the second."""
    provider, path, body = CHAT
    gate = asyncio.Event()
    events = cut_at_events((FIXTURES / "chat" / "text.sse").read_bytes())
    rest = b"".join(piece(e) for e in events[1:]) + b"0\r\n\r\n"
    script = [Send(HEAD + piece(events[0])), Until(gate), Send(rest)]
    async with Double([script]) as vendor, Gateway.to((provider, vendor)) as gateway:
        line = await gateway.wire()
        await line.send(gateway.head(path, encoded(body)))
        await asyncio.wait_for(line.reader.readuntil(events[0]), 20)
        gate.set()
        await asyncio.wait_for(line.reader.readuntil(b"[DONE]"), 20)
        await line.close()


@pytest.mark.asyncio
async def test_a_json_answer_to_a_request_for_a_stream_is_not_passed_as_one():
    """The client would wait for events that never come."""
    provider, path, body = CHAT
    answer = b'{"id":"c","choices":[],"usage":null}'
    async with (
        Double([[Send(sized(answer, headers=b"Content-Type: application/json\r\n"))]]) as vendor,
        Gateway.to((provider, vendor)) as gateway,
    ):
        assert 502 == (await gateway.post(path, body))[0]


@pytest.mark.asyncio
@pytest.mark.parametrize(("script", "which"), [
    ([Stall()], "first_byte"),
    ([Send(HEAD), Stall()], "idle"),
])  # fmt: skip
async def test_a_vendor_that_is_too_slow_before_the_first_event_is_a_504(script, which):
    """Both before its head and between its head and its first event."""
    provider, path, body = CHAT
    limits = Timeouts(first_byte=0.3, idle=0.3)
    async with (
        Double([script]) as vendor,
        Gateway.to((provider, vendor), timeouts=limits) as gateway,
    ):
        status, _, got = await gateway.post(path, body)
        assert (504, "upstream_timeout") == (status, error_of(got)["code"])


@pytest.mark.asyncio
async def test_a_vendor_that_falls_silent_in_mid_stream_is_ended_legally():
    """The idle limit ends the stream in the shape's own words."""
    provider, path, body = MESSAGES
    first = cut_at_events((FIXTURES / "messages" / "text.sse").read_bytes())[0]
    async with (
        Double([[Send(HEAD + piece(first)), Stall()]]) as vendor,
        Gateway.to((provider, vendor), timeouts=Timeouts(idle=0.3)) as gateway,
    ):
        _, _, got = await gateway.post(path, body)
        assert got.startswith(first)
        assert b"timeout_error" in got
        assert "upstream_timeout" == gateway.records[0].fault
        await let_go(vendor)


@pytest.mark.asyncio
async def test_two_hundred_megabytes_to_a_caller_that_reads_nothing_stay_with_the_vendor():
    """Back-pressure reaches the vendor, and the process does not grow."""
    provider, path, body = CHAT
    block = piece(
        b'data: {"choices":[{"index":0,"delta":{"content":"' + b"x" * 65_400 + b'"}}]}\n\n'
    )
    script = [Send(HEAD), Flood(block, 3200), Send(b"0\r\n\r\n")]
    async with Double([script]) as vendor, Gateway.to((provider, vendor)) as gateway:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        line = await gateway.wire()
        line.writer.transport.pause_reading()
        line.writer.write(gateway.head(path, encoded(body)))
        await asyncio.sleep(1.5)
        stalled = vendor.sent
        await asyncio.sleep(0.5)
        assert stalled == vendor.sent
        assert vendor.sent < 40_000_000
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert grown < 64 * 1024
        line.writer.transport.resume_reading()
        taken = 0
        while taken < 60_000_000:
            taken += len(await asyncio.wait_for(line.reader.read(1 << 20), 5))
        assert vendor.sent > stalled
        await line.close()
        await let_go(vendor)


@pytest.mark.asyncio
async def test_no_byte_of_one_answer_is_ever_in_another():
    """Fifty streams at once over shared connections, some broken off by their callers."""
    provider, path, body = CHAT

    def event(n: int) -> bytes:
        return b'data: {"choices":[{"index":0,"delta":{"content":"%d"}}]}\n\n' % n

    async with Double([]) as vendor:
        vendor.script = [
            [Send(HEAD + b"".join(piece(event(n)) for _ in range(20)) + piece(b"data: [DONE]\n\n"), cut=97),
             Send(b"0\r\n\r\n")]
            for n in range(50)
        ]  # fmt: skip
        async with Gateway.to((provider, vendor), limits=ServerLimits()) as gateway:

            async def one(n: int) -> None:
                line = await gateway.wire()
                await line.send(gateway.head(path, encoded(body)))
                if n % 5 == 0:
                    await line.reader.readuntil(b"data: ")
                    line.writer.transport.abort()
                    return
                _, _, got = await line.answer()
                seen = set(cut_at_events(got)) - {b"data: [DONE]\n\n"}
                assert 1 == len(seen)
                assert got.count(b"content") == 20
                await line.close()

            await asyncio.gather(*(one(n) for n in range(50)))
            assert 50 == len(gateway.services.ledger.settled)


class Crashing:
    """A stream watch with a bug, from its second read on or at once. See ``StreamWatch``."""

    finished = False
    error = usage = None

    def __init__(self, reads):
        self.reads = reads

    def feed(self, data):
        self.reads -= 1
        if self.reads < 0:
            raise ZeroDivisionError
        return data

    def end(self, fault, request_id):
        raise ZeroDivisionError


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("reads", [1, 2])
async def test_a_bug_in_reading_an_answer_is_a_500(monkeypatch, stream, reads):
    """The connection may be back in its pool by then: nobody else would tell the caller."""
    monkeypatch.setattr(PassThrough, "watch", lambda _: Crashing(0))
    monkeypatch.setattr(PassThrough, "whole", lambda *_: 1 / 0)
    raw = sized(b"data: {}\n\n", headers=SSE) if stream else sized(b"{}")
    pieces = [raw] if reads == 1 else [raw[:-3], raw[-3:]]
    async with (
        Double([[Send(one) for one in pieces]]) as vendor,
        Gateway.to(("openai", vendor)) as gateway,
        asyncio.timeout(20),
    ):
        status, _, body = await gateway.post(CHAT[1], {**CHAT[2], "stream": stream})
        assert (500, "internal_error") == (status, error_of(body)["code"])
        assert b"Zero" not in body
        assert "internal" == gateway.records[0].fault


@pytest.mark.asyncio
@pytest.mark.parametrize("how", [[Wait(0.02), Send(piece(b"data: {}\n\n"))], [Reset()]])
async def test_a_bug_in_mid_stream_ends_it(monkeypatch, how):
    """The caller sees that the answer is not whole."""
    monkeypatch.setattr(PassThrough, "watch", lambda _: Crashing(1))
    script = [Send(HEAD + piece(b"data: {}\n\n")), *how]
    async with (
        Double([script]) as vendor,
        Gateway.to(("openai", vendor)) as gateway,
        asyncio.timeout(20),
    ):
        line = await gateway.wire()
        await line.send(gateway.head(CHAT[1], encoded(CHAT[2])))
        got = await line.reader.read()
        assert got.startswith(b"HTTP/1.1 200 OK")
        assert not got.endswith(b"0\r\n\r\n")
        await line.close()
        assert "internal" == gateway.records[0].fault


@pytest.mark.asyncio
@pytest.mark.parametrize(("caller", "upstream"), OTHERS)
async def test_an_error_in_place_of_a_stream_says_what_is_wrong(caller, upstream):
    """With status 200 and no events: agents shorten the prompt only if they are told to."""
    error = {"error": {"message": "Too long.", "code": "context_length_exceeded"}}
    answer = [Send(sized(encoded(error), headers=JSON))]
    async with Double([answer]) as vendor, Gateway.to((PROVIDER[upstream], vendor)) as gateway:
        speaks(gateway, upstream)
        path, body = ASKED[caller](True)
        status, _, got = await gateway.post(path, body)
        assert 400 == status, got
        assert "prompt is too long" in error_of(got)["message"]
