"""Silence is broken before anybody cuts the line, and an answer after it is whole."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from gateway import Gateway, encoded, error_of
from scripted_upstream import Close, Double, Reset, Send, Stall, Wait, chunked, sized
from trivium.pipeline.heartbeats import Heartbeats
from trivium.settings.entries import Timeouts
from trivium.wire.heartbeat import heartbeat
from trivium.wire.operation import Shape

FIXTURES = Path(__file__).parent.parent / "fixtures"
SSE = b"Content-Type: text/event-stream\r\n"
HEAD = b"HTTP/1.1 200 OK\r\n" + SSE + b"Transfer-Encoding: chunked\r\n\r\n"
SAID = [{"role": "user", "content": "x"}]
BEAT_S = 0.05
SILENCE = Wait(0.4)

STREAMS = {
    "chat": ("openai", "/v1/chat/completions", {"model": "m", "stream": True, "messages": SAID,
             "stream_options": {"include_usage": True}}, "chat/text-usage.sse", Shape.CHAT),
    "completions": ("openai", "/v1/completions", {"model": "m", "stream": True, "prompt": "x",
                    "stream_options": {"include_usage": True}}, "completions/usage.sse",
                    Shape.COMPLETIONS),
    "responses": ("openai", "/v1/responses", {"model": "m", "stream": True, "input": "x"},
                  "responses/text.sse", Shape.RESPONSES),
    "messages": ("anthropic", "/v1/messages", {"model": "m", "stream": True, "max_tokens": 9,
                 "messages": SAID}, "messages/thinking.sse", Shape.MESSAGES),
    "generate": ("gemini", "/v1beta/models/m:streamGenerateContent?alt=sse", {"contents": []},
                 "generate/text.sse", Shape.GENERATE),
    "array": ("gemini", "/v1beta/models/m:streamGenerateContent", {"contents": []},
              "generate/text.array.json", Shape.GENERATE),
}  # fmt: skip
ENDINGS = {
    "chat": b'data: {"error":{',
    "completions": b'data: {"error":{',
    "responses": b"event: response.failed",
    "messages": b"event: error",
    "generate": b'data: {"error":{',
    "array": b'{"error":{',
}


def beat_of(name: str) -> bytes:
    return heartbeat(STREAMS[name][4], array=name == "array")


def without(got: bytes, beat: bytes, *, told: bool = False) -> bytes:
    """What is left when the heartbeats at the front are taken off, and what is told after them
    unless that is wanted.
    """
    while got.startswith(beat):
        got = got[len(beat) :]
    if not told and got.startswith(b": trivium-"):
        got = got.partition(b"\n\n")[2]
    return got


@pytest.mark.asyncio
@pytest.mark.parametrize("name", STREAMS)
async def test_a_vendor_that_is_slow_to_answer_is_covered_by_heartbeats(name):
    """The head goes out first, then heartbeats, then the answer byte for byte."""
    provider, path, body, file, _ = STREAMS[name]
    wire = (FIXTURES / file).read_bytes()
    async with (
        Double([[SILENCE, Send(chunked(wire, headers=SSE))]]) as vendor,
        Gateway.to((provider, vendor), heartbeat_s=BEAT_S) as gateway,
    ):
        status, _, got = await gateway.post(path, body)

        beat = beat_of(name)
        assert status == 200
        assert got.startswith(beat * 2)
        assert without(got, beat) == wire
        assert [(200, "")] == [(r.status, r.fault) for r in gateway.records]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "file", "blank", "beat"),
    [("chat", "chat/text.sse", b"\n\n", b": keep-alive\n\n"),
     ("generate", "generate/text.sse", b"\r\n\r\n", b"\r\n\r\n"),
     ("generate", "generate/lf.sse", b"\n\n", b"\n\n")],
)  # fmt: skip
async def test_a_silence_within_an_answer_is_broken_between_two_events(name, file, blank, beat):
    """Never within one: what is held back of a torn event stays held. The line ends are the
    stream's own.
    """
    provider, path, body, _, _ = STREAMS[name]
    wire = (FIXTURES / file).read_bytes()
    first = wire.index(blank) + len(blank)
    torn = [wire[: first + 9], wire[first + 9 :]]
    script = [
        Send(HEAD),
        *(x for p in torn for x in (Send(b"%x\r\n%s\r\n" % (len(p), p)), SILENCE)),
    ]
    async with (
        Double([[*script, Send(b"0\r\n\r\n")]]) as vendor,
        Gateway.to((provider, vendor), heartbeat_s=BEAT_S) as gateway,
    ):
        _, _, got = await gateway.post(path, body)

        assert got.startswith(wire[:first] + beat)
        events = [one for one in got.split(blank) if one not in (b"", b": keep-alive")]
        assert wire.split(blank)[:-1] == events


@pytest.mark.asyncio
@pytest.mark.parametrize("mark", [b"b64_json", b"QUJD", b'"partial_image_index"'])
async def test_no_heartbeat_falls_into_a_picture(mark):
    """Of its event a part has gone out: a comment in the midst would be read as base64."""
    partial = b'event: image_generation.partial_image\ndata: {"type":"image_generation.partial_image","b64_json":"QUJDQUJD","partial_image_index":0}\n\n'
    done = b'event: image_generation.completed\ndata: {"type":"image_generation.completed","b64_json":"QUJD"}\n\n'
    at = partial.index(mark) + 4
    pieces = [partial[:at], partial[at:], done]
    script = [
        Send(HEAD),
        *(x for p in pieces for x in (Send(b"%x\r\n%s\r\n" % (len(p), p)), SILENCE)),
    ]
    async with (
        Double([[*script, Send(b"0\r\n\r\n")]]) as vendor,
        Gateway.to(("openai", vendor), heartbeat_s=BEAT_S) as gateway,
    ):
        body = {"model": "m", "prompt": "x", "stream": True, "partial_images": 1}
        _, _, got = await gateway.post("/v1/images/generations", body)

        assert partial in got
        assert partial + b": keep-alive\n\n" in got
        assert done in got


@pytest.mark.asyncio
@pytest.mark.parametrize("name", STREAMS)
async def test_an_error_before_the_first_heartbeat_is_a_real_status(name):
    """Nothing has been promised yet."""
    provider, path, body, _, _ = STREAMS[name]
    script = [Send(sized(b'{"error":{"message":"no"}}', status=b"500 Broken"))]
    async with Double([script]) as vendor, Gateway.to((provider, vendor), heartbeat_s=5) as gateway:
        assert 502 == (await gateway.post(path, body))[0]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "end",
    [[Reset()], [Close()], [Send(sized(b'{"error":{"message":"no"}}', status=b"503 Busy"))],
     [Send(sized(b'{"error":{"message":"no"}}'))], [Stall()]],
    ids=["reset", "close", "503", "error200", "stall"],
)  # fmt: skip
@pytest.mark.parametrize("name", STREAMS)
async def test_an_error_after_a_heartbeat_is_told_in_the_shapes_own_words(name, end):
    """With the request id inside, nothing charged, and the fault on record."""
    provider, path, body, _, _ = STREAMS[name]
    async with (
        Double([[SILENCE, *end]]) as vendor,
        Gateway.to(
            (provider, vendor), heartbeat_s=BEAT_S, timeouts=Timeouts(first_byte=0.9)
        ) as gateway,
    ):
        status, headers, got = await gateway.post(path, body)

        request_id = headers[b"x-request-id"]
        told = without(got, beat_of(name))
        assert status == 200
        assert ENDINGS[name] in told
        assert request_id in told
        (record,) = gateway.records
        assert record.fault.startswith("upstream_")
        assert [(record.request_id, None)] == gateway.services.ledger.settled
        if name == "array":
            assert "error" in msgspec.json.decode(got)[0]


@pytest.mark.asyncio
async def test_another_channel_may_still_answer_after_heartbeats():
    """A heartbeat is no byte of an answer; the caller sees one answer, whole."""
    provider, path, body, file, _ = STREAMS["messages"]
    wire = (FIXTURES / file).read_bytes()
    async with (
        Double([[SILENCE, Reset()]]) as first,
        Double([[Send(chunked(wire, headers=SSE))]]) as second,
        Gateway.to((provider, first), (provider, second), heartbeat_s=BEAT_S) as gateway,
    ):
        _, _, got = await gateway.post(path, body)

        assert wire == without(got, beat_of("messages"))
        assert 2 == gateway.records[0].attempts


@pytest.mark.asyncio
async def test_an_answer_that_is_not_streamed_gets_none():
    """Whatever the time it takes: its status is not known yet."""
    answer = b'{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}'
    async with (
        Double([[SILENCE, Send(sized(answer))]]) as vendor,
        Gateway.to(("openai", vendor), heartbeat_s=BEAT_S) as gateway,
    ):
        asked = {"model": "m", "messages": SAID}
        status, _, got = await gateway.post("/v1/chat/completions", asked)
        assert (200, answer) == (status, got)


@pytest.mark.asyncio
async def test_a_caller_that_leaves_in_a_silence_is_let_go():
    """The vendor is released, and nobody is looked after any more."""
    provider, path, body, _, _ = STREAMS["chat"]
    async with (
        Double([[Stall()]]) as vendor,
        Gateway.to((provider, vendor), heartbeat_s=BEAT_S) as gateway,
    ):
        line = await gateway.wire()
        await line.send(gateway.head(path, encoded(body)))
        await asyncio.sleep(0.4)
        await line.close()
        async with asyncio.timeout(20):
            await vendor.peers[0].left.wait()
        assert ["caller_left"] == [r.fault for r in gateway.records]


@pytest.mark.asyncio
async def test_a_gateway_that_stops_ends_a_silent_stream_legally():
    """The stop is told as the shape tells an error."""
    provider, path, body, _, _ = STREAMS["responses"]
    async with (
        Double([[Stall()]]) as vendor,
        Gateway.to((provider, vendor), heartbeat_s=BEAT_S) as gateway,
    ):
        waiting = asyncio.create_task(gateway.post(path, body))
        await asyncio.sleep(0.4)
        await gateway.listener.drain(0.01)
        status, _, got = await waiting
        assert status == 200
        assert b"event: response.failed" in got


@pytest.mark.asyncio
async def test_switched_off_a_silence_stays_a_silence():
    """An error after it is a real status, however late."""
    provider, path, body, _, _ = STREAMS["chat"]
    async with (
        Double([[SILENCE, Reset()]]) as vendor,
        Gateway.to((provider, vendor), heartbeat_s=0) as gateway,
    ):
        status, _, got = await gateway.post(path, body)
        assert status == 502
        assert "upstream_error" == error_of(got)["code"]


class _Loop:
    """A loop whose time stands and whose timers are counted."""

    def __init__(self):
        self.armed = []

    def time(self):
        return 100.0

    def call_later(self, delay, callback):
        self.armed.append(callback)
        return callback


def test_nobody_ticks_for_nobody():
    """The ticker begins with the first stream and ends after the last."""
    loop = _Loop()
    heartbeats = Heartbeats(loop, 10)
    context = object()
    heartbeats.watch(context)
    heartbeats.watch(object())
    assert 1 == len(loop.armed)

    heartbeats = Heartbeats(loop := _Loop(), 10)
    heartbeats.watch(context)
    heartbeats.forget(context)
    heartbeats.forget(context)
    loop.armed.pop()()
    assert [] == loop.armed


@pytest.mark.asyncio
@pytest.mark.parametrize("name", STREAMS)
async def test_a_stream_that_a_heartbeat_began_says_late_who_answers(name):
    """In a comment before the answer, where the shape's clients skip comments."""
    provider, path, body, file, shape = STREAMS[name]
    wire = (FIXTURES / file).read_bytes()
    broken = [SILENCE, Send(sized(b"{}", status=b"500 Broken"))]
    async with (
        Double([broken]) as bad,
        Double([[Send(chunked(wire, headers=SSE))]]) as good,
        Gateway.to((provider, bad), (provider, good), heartbeat_s=BEAT_S) as gateway,
    ):
        _, headers, got = await gateway.post(path, body)
        beat = beat_of(name)
        assert b"trivium-channel" not in headers
        comment = (
            f": trivium-channel: {provider}-1\n: trivium-attempts: 2\n: trivium-route: "
            f"{provider}-0;failed=upstream_broke, {provider}-1;answered\n\n"
        ).encode()
        told = b"" if shape is Shape.GENERATE else comment
        assert told + wire == without(got, beat, told=True)


@pytest.mark.asyncio
@pytest.mark.parametrize("shown", [True, False])
async def test_an_early_stream_that_fails_says_late_who_did(shown):
    """Unless the operator keeps it to himself."""
    broken = [SILENCE, Send(sized(b"{}", status=b"500 Broken"))]
    async with (
        Double([broken]) as bad,
        Gateway.to(("openai", bad), heartbeat_s=BEAT_S) as gateway,
    ):
        gateway.services.explain_headers = shown
        _, path, body, _, _ = STREAMS["chat"]
        _, _, got = await gateway.post(path, body)
        beat = beat_of("chat")
        rest = without(got, beat, told=True)
        assert shown == rest.startswith(b": trivium-route: openai-0;failed=upstream_broke\n\n")
        assert (1, 0) == (rest.count(ENDINGS["chat"]), rest.count(b"[DONE]"))


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["chat", "completions", "responses", "messages", "array"])
async def test_a_vendor_that_keeps_the_line_open_after_its_last_event_keeps_nobody_waiting(name):
    """The answer ends instead of beating on, is whole on record, and the vendor is let go."""
    provider, path, body, file, _ = STREAMS[name]
    wire = (FIXTURES / file).read_bytes()
    open_end = [Send(HEAD + b"%x\r\n%s\r\n" % (len(wire), wire)), Stall()]
    async with (
        Double([open_end]) as vendor,
        Gateway.to((provider, vendor), heartbeat_s=BEAT_S) as gateway,
    ):
        status, _, got = await asyncio.wait_for(gateway.post(path, body), 20)
        # a vendor that was kept from answering at once is covered as well
        answer = without(got, beat_of(name))
        assert (200, wire) == (status, answer)
        async with asyncio.timeout(20):
            await vendor.peers[0].left.wait()
        assert [(200, "")] == [(r.status, r.fault) for r in gateway.records]
        assert 1 == len(gateway.services.ledger.settled)
