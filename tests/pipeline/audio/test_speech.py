"""Speech over real sockets: bytes as they come, events watched, bills by what was used."""

import asyncio
import base64

import msgspec
import pytest

from gateway import Gateway, error_of
from scripted_upstream import Close, Double, Reset, Send, Stall, Until, Wait, chunked, sized

SPEECH = "/v1/audio/speech"
HELLO = {"model": "m", "input": "Hello there.", "voice": "alloy"}
MP3 = b"Content-Type: audio/mpeg\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
JSON = b"Content-Type: application/json\r\n"
SOUND = bytes(range(256)) * 300


@pytest.mark.asyncio
async def test_sound_reaches_the_caller_byte_for_byte():
    """The model's name is the only change; the type is the specification's."""
    async with (
        Double([[Send(sized(SOUND, headers=MP3))]]) as vendor,
        Gateway.to(("openai", vendor), upstream_model="tts-1") as gateway,
    ):
        status, headers, body = await gateway.post(SPEECH, {**HELLO, "x_new": [1]})
        assert (200, SOUND) == (status, body)
        assert b"application/octet-stream" == headers[b"content-type"]
        assert b"%d" % len(SOUND) == headers[b"content-length"]
        assert b"openai-0" == headers[b"trivium-channel"]
        assert {**HELLO, "model": "tts-1", "x_new": [1]} == msgspec.json.decode(
            vendor.requests[0].body
        )
        assert b"POST /v1/audio/speech HTTP/1.1" == vendor.requests[0].line
        assert (b"accept", b"*/*") in vendor.requests[0].headers
        (record,) = gateway.records
        assert ("speech", 200, len("Hello there.")) == (
            record.operation,
            record.status,
            record.usage.characters,
        )


@pytest.mark.asyncio
async def test_the_first_bytes_go_out_before_the_last_have_come():
    """Whoever listens hears the beginning at once."""
    go_on = asyncio.Event()
    script = [
        Send(b"HTTP/1.1 200 OK\r\n" + MP3 + b"Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"),
        Until(go_on),
        Send(b"4\r\nlast\r\n0\r\n\r\n"),
    ]
    async with Double([script]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line = await gateway.wire()
        await line.send(gateway.head(SPEECH, msgspec.json.encode(HELLO)))
        await line.reader.readuntil(b"5\r\nfirst\r\n")
        go_on.set()
        await line.reader.readuntil(b"0\r\n\r\n")
        await line.close()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("accept", "upstream", "label"),
    [
        ("application/octet-stream", b"audio/mpeg", b"application/octet-stream"),
        ("*/*", b"audio/mpeg", b"application/octet-stream"),
        ("audio/*", b"audio/mpeg", b"audio/mpeg"),
        ("audio/wav, */*", b"application/octet-stream", b"audio/wav"),
    ],
)
async def test_whoever_asks_for_audio_is_told_which(accept, upstream, label):
    """Browsers choose a player by it; everybody else gets what the specification says."""
    script = [Send(sized(b"RIFF", headers=b"Content-Type: %s\r\n" % upstream))]
    async with Double([script]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        body = {**HELLO, "response_format": "wav"}
        _, headers, _ = await gateway.post(SPEECH, body, f"Accept: {accept}")
        assert label == headers[b"content-type"]


BREAKS = {
    "cut within its length": [
        Send(b"HTTP/1.1 200 OK\r\n" + MP3 + b"Content-Length: 99\r\n\r\nabc"),
        Wait(0.05),
        Close(),
    ],
    "reset between chunks": [
        Send(b"HTTP/1.1 200 OK\r\n" + MP3 + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
        Wait(0.05),
        Reset(),
    ],
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", BREAKS)
async def test_sound_that_breaks_off_is_cut_and_paid_for(name):
    """The caller sees that it is not whole; what was spoken is charged, and the record says why."""
    async with Double([BREAKS[name]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line = await gateway.wire()
        await line.send(gateway.head(SPEECH, msgspec.json.encode(HELLO)))
        await line.reader.readuntil(b"abc")
        assert await line.ended(2)
        await line.close()
        await asyncio.sleep(0.02)
        (record,) = gateway.records
        assert ("upstream_broke", 200) == (record.fault, record.status)
        assert 12 == record.usage.characters


@pytest.mark.asyncio
async def test_a_vendor_that_fails_before_its_first_byte_is_followed_by_another():
    """Nothing has gone out, so the next channel may speak."""
    async with (
        Double([[Send(sized(b"{}", status=b"503 Busy", headers=JSON))]]) as bad,
        Double([[Send(sized(b"sound", headers=MP3))]]) as good,
        Gateway.to(("openai", bad), ("openai", good)) as gateway,
    ):
        status, headers, body = await gateway.post(SPEECH, HELLO)
        assert (200, b"sound", b"2") == (status, body, headers[b"trivium-attempts"])


NO_SOUND = {
    "an error with 200": (
        JSON,
        b'{"error":{"message":"no voice","type":"invalid_request_error"}}',
        "failed to answer",
    ),
    "other JSON": (JSON, b'{"ok":true}', "not what its protocol says"),
    "a page": (b"Content-Type: text/html\r\n", b"<html>", "with text"),
    "nothing": (MP3, b"", "without an answer"),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", NO_SOUND)
async def test_what_is_no_sound_is_not_relayed_as_such(name):
    """An error is told as one."""
    headers, answer, why = NO_SOUND[name]
    async with (
        Double([[Send(sized(answer, headers=headers))]]) as vendor,
        Gateway.to(("openai", vendor)) as gateway,
    ):
        status, _, body = await gateway.post(SPEECH, HELLO)
        assert status >= 400
        assert why in error_of(body)["message"]


DELTA = b'data: {"type":"speech.audio.delta","audio":"QUJD"}\n\n'
DONE = b'data: {"type":"speech.audio.done","usage":{"input_tokens":4,"output_tokens":30,"total_tokens":34}}\n\n'


@pytest.mark.asyncio
async def test_events_pass_and_their_usage_is_read():
    """Untouched, with the tokens of the last one in the record."""
    async with (
        Double([[Send(chunked(DELTA, DELTA + DONE, headers=SSE))]]) as vendor,
        Gateway.to(("openai", vendor)) as gateway,
    ):
        status, headers, body = await gateway.post(SPEECH, {**HELLO, "stream_format": "sse"})
        assert (200, DELTA + DELTA + DONE) == (status, body)
        assert headers[b"content-type"].startswith(b"text/event-stream")
        (record,) = gateway.records
        assert (4, 30, 12) == (
            record.usage.fresh,
            record.usage.audio_output,
            record.usage.characters,
        )


@pytest.mark.asyncio
async def test_events_that_break_off_end_with_an_error_event():
    """As the SDKs see one: an event with a top-level error."""
    script = [
        Send(
            b"HTTP/1.1 200 OK\r\n"
            + SSE
            + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n" % (len(DELTA), DELTA)
        ),
        Wait(0.05),
        Close(),
    ]
    async with Double([script]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        _, _, body = await gateway.post(SPEECH, {**HELLO, "stream_format": "sse"})
        assert body.startswith(DELTA + b"event: error\ndata: ")
        assert "upstream_error" == msgspec.json.decode(body.split(b"data: ")[-1])["error"]["code"]


@pytest.mark.asyncio
async def test_a_caller_that_leaves_stops_the_vendor_within_a_second():
    """While the sound flows."""
    script = [
        Send(b"HTTP/1.1 200 OK\r\n" + MP3 + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
        Stall(),
    ]
    async with Double([script]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line = await gateway.wire()
        await line.send(gateway.head(SPEECH, msgspec.json.encode(HELLO)))
        await line.reader.readuntil(b"abc")
        await line.close()
        async with asyncio.timeout(20):
            await vendor.peers[0].left.wait()
        await asyncio.sleep(0.02)
        assert ["caller_left"] == [record.fault for record in gateway.records]


def generated(samples=b"\x01\x02" * 2400, mime="audio/L16;codec=pcm;rate=24000", **more):
    part = {"inlineData": {"mimeType": mime, "data": base64.b64encode(samples).decode()}}
    return msgspec.json.encode(
        {
            "candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}],
            "usageMetadata": {
                "promptTokenCount": 5,
                "candidatesTokenCount": 25,
                "totalTokenCount": 30,
            },
            **more,
        }
    )


@pytest.mark.asyncio
@pytest.mark.parametrize("asked", ["wav", "pcm"])
async def test_a_generate_content_model_speaks(asked):
    """Samples in base64 become a WAV file or bare samples; its tokens are audio."""
    async with (
        Double([[Send(sized(generated(), headers=JSON))]]) as vendor,
        Gateway.to(("gemini", vendor), upstream_model="gemini-3.8-flash-tts") as gateway,
    ):
        body = {**HELLO, "voice": "Kore", "response_format": asked, "instructions": "Say merrily:"}
        status, headers, sound = await gateway.post(SPEECH, body)
        assert 200 == status
        assert b"application/octet-stream" == headers[b"content-type"]
        assert (b"RIFF" if asked == "wav" else b"\x01\x02\x01\x02") == sound[:4]
        assert 4800 == len(sound) - (44 if asked == "wav" else 0)
        sent = msgspec.json.decode(vendor.requests[0].body)
        assert "Say merrily:\nHello there." == sent["contents"][0]["parts"][0]["text"]
        assert ["AUDIO"] == sent["generationConfig"]["responseModalities"]
        assert b"gemini-3.8-flash-tts:generateContent" in vendor.requests[0].line
        (record,) = gateway.records
        assert (5, 25, 0.1) == (
            record.usage.fresh,
            record.usage.audio_output,
            record.usage.seconds,
        )


@pytest.mark.asyncio
@pytest.mark.parametrize("asked", ["mp3", None])
async def test_a_format_that_needs_an_encoder_is_refused_by_name(asked):
    """Also where the request leaves the format to the default, which is one of them."""
    async with Double([[Send(b"")]]) as vendor, Gateway.to(("gemini", vendor)) as gateway:
        body = HELLO if asked is None else {**HELLO, "response_format": asked}
        status, _, answer = await gateway.post(SPEECH, body)
        error = error_of(answer)
        assert (400, "response_format") == (status, error["param"])
        assert "wav or pcm" in error["message"]
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_a_pace_that_cannot_be_asked_for_is_dropped_and_told():
    """Or refused, for whoever is strict."""
    async with (
        Double([[Send(sized(generated(), headers=JSON))]]) as vendor,
        Gateway.to(("gemini", vendor)) as gateway,
    ):
        body = {**HELLO, "response_format": "pcm", "speed": 1.5}
        _, headers, _ = await gateway.post(SPEECH, body)
        assert headers[b"trivium-dropped"].startswith(b"speed;act=dropped")
        status, _, _ = await gateway.post(SPEECH, body, "trivium-strict: true")
        assert 400 == status


@pytest.mark.asyncio
async def test_a_generate_content_model_speaks_in_events_too():
    """All in one, and then the last one with its usage."""
    async with (
        Double([[Send(sized(generated(), headers=JSON))]]) as vendor,
        Gateway.to(("gemini", vendor)) as gateway,
    ):
        body = {**HELLO, "response_format": "pcm", "stream_format": "sse"}
        status, headers, answer = await gateway.post(SPEECH, body)
        assert 200 == status
        assert headers[b"content-type"].startswith(b"text/event-stream")
        delta, done = (msgspec.json.decode(line[6:]) for line in answer.split(b"\n\n") if line)
        assert b"\x01\x02" * 2400 == base64.b64decode(delta["audio"])
        assert {"input_tokens": 5, "output_tokens": 25, "total_tokens": 30} == done["usage"]
        assert (b"accept", b"application/json") in vendor.requests[0].headers


@pytest.mark.asyncio
async def test_a_class_of_models_refuses_what_it_does_not_take():
    """By the channel's own name for the model, or by the class that its binding names."""
    async with (
        Double([[Send(sized(b"x", headers=MP3))]]) as vendor,
        Gateway.to(("openai", vendor), upstream_model="tts-1-hd") as gateway,
    ):
        for member, value in (("instructions", "softly"), ("stream_format", "sse")):
            status, _, body = await gateway.post(SPEECH, {**HELLO, member: value})
            assert (400, member) == (status, error_of(body)["param"])
        assert 200 == (await gateway.post(SPEECH, {**HELLO, "stream_format": "audio"}))[0]
