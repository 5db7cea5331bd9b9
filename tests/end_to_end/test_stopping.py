"""A stop sequence that the upstream does not take ends the answer all the same, and the call."""

import asyncio

import msgspec
import pytest

from end_to_end.features import answering, streams
from end_to_end.features.verdicts import heard, reading
from gateway import Gateway
from pipeline.test_translation import JSON, SSE, speaks
from scripted_upstream import Double, Send, Stall, chunked, sized
from trivium.conversation.finish import Unified
from trivium.wire.codecs import CODECS
from trivium.wire.operation import Shape

HEAD = b"HTTP/1.1 200 OK\r\n" + SSE + b"Transfer-Encoding: chunked\r\n\r\n"
RESPONSE = answering.responses(answering.message("One END two"))
PATHS = {
    "chat": ("/v1/chat/completions", {"stop": ["END"]}),
    "messages": ("/v1/messages", {"stop_sequences": ["END"], "max_tokens": 99}),
    "generate": (
        "/v1beta/models/m:streamGenerateContent?alt=sse",
        {"generationConfig": {"stopSequences": ["END"]}},
    ),
}


def asking(caller, *, stream):
    """Path and body of a greeting with a stop sequence."""
    path, more = PATHS[caller]
    turn = {"role": "user", "content": "Hi"}
    if caller == "generate":
        path = path if stream else "/v1beta/models/m:generateContent"
        return path, {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]} | more
    return path, {"model": "m", "stream": stream, "messages": [turn]} | more


def chunk(data):
    """One piece of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


@pytest.mark.asyncio
@pytest.mark.parametrize("caller", PATHS)
async def test_a_stream_is_over_where_the_sequence_is_said(caller):
    """The caller waits for nothing more, the vendor is cancelled, and what came is paid for."""
    path, body = asking(caller, stream=True)
    frames = streams.frames("responses", RESPONSE)
    said = next(at for at, one in enumerate(frames) if b"output_text.done" in one)
    script = [
        Send(HEAD + chunk(b"".join(frames[: said - 1]))),
        Send(chunk(frames[said - 1])),
        Stall(),
    ]
    async with Double([script]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        speaks(gateway, "responses")
        async with asyncio.timeout(30):
            status, headers, got = await gateway.post(path, body)
            await vendor.peers[0].left.wait()
        (record,) = gateway.records
        asked = msgspec.json.decode(vendor.requests[0].body)
    assert 200 == status
    answer = heard(caller, got).answer()
    (candidate,) = answer.candidates
    assert "One " == "".join(part.text for part in candidate.parts)
    expected = Unified.STOP_SEQUENCE if caller == "messages" else Unified.STOP
    assert expected is candidate.finish.unified
    assert "stop" not in asked
    assert b"stop" in headers[b"trivium-dropped"]
    assert (True, "") == (record.usage.estimated, record.fault)
    assert record.usage.output == 3
    assert record.usage.input_total > 0


@pytest.mark.asyncio
@pytest.mark.parametrize("caller", PATHS)
async def test_a_whole_answer_is_cut(caller):
    """It is paid for as its vendor counted it."""
    path, body = asking(caller, stream=False)
    script = [Send(sized(msgspec.json.encode(RESPONSE), headers=JSON))]
    async with Double([script]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        speaks(gateway, "responses")
        status, _, got = await gateway.post(path, body)
        (record,) = gateway.records
    (candidate,) = CODECS[Shape(caller)].read_answer(got, reading(caller)).candidates
    assert (200, ["One "]) == (status, [part.text for part in candidate.parts])
    assert (7, False) == (record.usage.output_total, record.usage.estimated)


@pytest.mark.asyncio
async def test_a_stream_without_it_is_told_to_its_end():
    """With its vendor's own count; what might have been a sequence is not lost."""
    wire = streams.stream("responses", answering.responses(answering.message("One EN")))
    path, body = asking("chat", stream=True)
    script = [Send(chunked(wire, headers=SSE), cut=7)]
    async with Double([script]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        speaks(gateway, "responses")
        _, _, got = await gateway.post(path, body)
        (record,) = gateway.records
    (candidate,) = heard("chat", got).answer().candidates
    assert "One EN" == "".join(part.text for part in candidate.parts)
    assert (7, False) == (record.usage.output_total, record.usage.estimated)
