"""A provider with a signature and a shape of its own is a folder and a row, nothing else."""

import importlib
import json
import sys
import time

import pytest

from gateway import Gateway
from plugin.northwind import (
    ANSWER,
    DOWN,
    EXAMPLE,
    FRAMES,
    KEY_ID,
    PIECES,
    SECRET,
    STREAM,
    framed,
    is_signed,
)
from scripted_upstream import Double, Send, chunked, sized
from trivium.providers.registry import PROVIDERS

CHAT = {
    "model": "m",
    "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
}
CHAT_ANSWER = {
    "id": "c", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "plain"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}  # fmt: skip
PLAIN = [
    Send(sized(json.dumps(CHAT_ANSWER).encode(), headers=b"Content-Type: application/json\r\n"))
]


@pytest.fixture
def providers(monkeypatch):
    """Every provider and Northwind, read from the example's folder as it lies there."""
    monkeypatch.syspath_prepend(str(EXAMPLE / "src"))
    provider = importlib.import_module("trivium_northwind.provider").PROVIDER
    yield {**PROVIDERS, provider.name: provider}
    for name in [each for each in sys.modules if each.split(".")[0] == "trivium_northwind"]:
        del sys.modules[name]


def served(providers, *channels, **more):
    """A gateway to these channels, of which the first is Northwind's."""
    own = {"credential": {"key_id": KEY_ID}}
    return Gateway.to(*channels, providers=providers, channel=own, **more)


@pytest.mark.asyncio
async def test_a_chat_caller_is_answered_whole(providers):
    """Written in the vendor's words, signed, and read back."""
    async with Double([ANSWER]) as vendor, served(providers, ("northwind", vendor)) as gateway:
        status, _, body = await gateway.post("/v1/chat/completions", CHAT | {"max_tokens": 9})
        (seen,), (record,) = vendor.requests, gateway.records
    said = json.loads(body)
    assert (200, "Hello from the north") == (status, said["choices"][0]["message"]["content"])
    assert {"engine": "m", "say": [{"who": "rules", "text": "Be brief."}, {"who": "user", "text": "Hi"}],
            "most": 9} == json.loads(seen.body)  # fmt: skip
    assert b"POST /v1/converse HTTP/1.1" == seen.line
    assert is_signed(seen, time.time())
    assert SECRET.encode() not in seen.raw
    assert (1000, 500, "northwind-0") == (record.usage.fresh, record.usage.output, record.channel)


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", "/v1/messages"])
async def test_every_shape_is_answered_in_a_stream(providers, path):
    """Frames of its own upstream, server-sent events to the caller."""
    asked = {
        "/v1/chat/completions": CHAT,
        "/v1/responses": {"model": "m", "input": "Hi"},
        "/v1/messages": {"model": "m", "max_tokens": 9, "messages": CHAT["messages"][1:]},
    }[path]
    async with Double([STREAM]) as vendor, served(providers, ("northwind", vendor)) as gateway:
        status, headers, body = await gateway.post(path, asked | {"stream": True})
        (seen,), (record,) = vendor.requests, gateway.records
    assert (200, True) == (status, b"text/event-stream" in dict(headers)[b"content-type"])
    assert b"Hello " in body
    assert b"from the north" in body
    assert b"POST /v1/converse/live HTTP/1.1" == seen.line
    assert FRAMES.encode() == dict(seen.headers)[b"accept"]
    assert is_signed(seen, time.time())
    assert (1000, 500) == (record.usage.fresh, record.usage.output)


BROKEN = {
    "down": DOWN,
    "an error in a whole answer": [
        Send(sized(b'{"error":{"message":"no","code":"server_is_overloaded"}}'))
    ],
    "nonsense": [Send(sized(b"<html>"))],
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", BROKEN)
async def test_another_channel_answers_where_the_vendor_fails(providers, name):
    """As with any other."""
    async with (
        Double([BROKEN[name]]) as vendor,
        Double([PLAIN]) as other,
        served(providers, ("northwind", vendor), ("openai", other)) as gateway,
    ):
        status, _, body = await gateway.post("/v1/chat/completions", CHAT)
    assert (200, "plain") == (status, json.loads(body)["choices"][0]["message"]["content"])
    assert 1 == len(vendor.requests)


HEAD = f"Content-Type: {FRAMES}\r\n".encode()
CUT = {
    "in mid-answer": ([framed({"text": "Hel"})], 200),
    "no frame": ([b"\xff\xff\xff\xff"], 502),
    "an error at once": ([framed({"text": "Hel"}), framed({"error": {"message": "no"}})], 502),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", CUT)
async def test_a_stream_that_breaks_off_ends_in_the_callers_words(providers, name):
    """What came is delivered; where nothing was, the status tells."""
    wire, told = CUT[name]
    broken = [Send(chunked(*wire, headers=HEAD))]
    async with Double([broken]) as vendor, served(providers, ("northwind", vendor)) as gateway:
        status, _, body = await gateway.post("/v1/chat/completions", CHAT | {"stream": True})
        (record,) = gateway.records
    assert (told, told == 200, "upstream_broke") == (status, b"Hel" in body, record.fault)
    assert b'"error"' in body


@pytest.mark.asyncio
async def test_what_the_shape_cannot_carry_is_refused_by_name(providers):
    """In the caller's spelling; a hint is left out and told."""
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    async with Double([ANSWER]) as vendor, served(providers, ("northwind", vendor)) as gateway:
        refused = await gateway.post("/v1/chat/completions", CHAT | {"tools": [tool]})
        hinted = await gateway.post("/v1/chat/completions", CHAT | {"top_p": 0.5})
    assert (400, "tools") == (refused[0], json.loads(refused[2])["error"]["param"])
    told = dict(hinted[1])[b"trivium-dropped"]
    assert (200, b"top_p") == (hinted[0], told.partition(b";")[0])


def test_the_stream_reader_takes_any_cut(providers):
    """Where the network cuts does not matter."""
    codec = providers["northwind"].own.codec()
    wire = b"".join(map(framed, PIECES))
    from trivium.conversation.opaque import StateOrigin
    from trivium.wire.codec import AnswerContext

    context = AnswerContext(origin=StateOrigin("vendor", "northwind", "c"), model="m")
    whole = codec.read_stream(context).feed(wire)
    for cut in range(1, len(wire)):
        reader = codec.read_stream(context)
        assert whole == reader.feed(wire[:cut]) + reader.feed(wire[cut:]) + reader.end(None)
