"""Upstreams that fail at random in every way there is: correct answers, or correct errors."""

import asyncio
import random

import msgspec
import pytest

from gateway import Gateway
from scripted_upstream import Close, Double, Reset, Send, Wait, chunked, sized
from trivium.settings.entries import Timeouts
from trivium.settings.model import RoutingSettings

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
CHAT = "/v1/chat/completions"
SAID = [{"role": "user", "content": "Hi"}]
WHOLE = (
    b'{"id":"x","object":"chat.completion","model":"up","choices":[{"index":0,"message":'
    b'{"role":"assistant","content":"Yes."},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}'
)
CHUNKS = [
    (
        b'data: {"id":"x","object":"chat.completion.chunk","model":"up","choices":[{"index":0,'
        b'"delta":{"content":"Ye"},"finish_reason":null}]}\n\n'
    ),
    (
        b'data: {"id":"x","object":"chat.completion.chunk","model":"up","choices":[{"index":0,'
        b'"delta":{"content":"s."},"finish_reason":"stop"}]}\n\n'
    ),
    (
        b'data: {"id":"x","object":"chat.completion.chunk","model":"up","choices":[],'
        b'"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}\n\n'
    ),
    b"data: [DONE]\n\n",
]
SHARE = 0.3


def good(stream):
    """A whole answer of either kind."""
    return chunked(*CHUNKS, headers=SSE) if stream else sized(WHOLE, headers=JSON)


def failing(stream, chance):
    """One of the ways to fail, anywhere in the answer."""
    answer = good(stream)
    cut = chance.randrange(len(answer) - 6)
    error = b'{"error":{"message":"no","type":"server_error"}}'
    return chance.choice(
        [
            [Reset()],
            [Close()],
            [Send(answer[:cut]), Reset()],
            [Send(answer[:cut]), Close()],
            [Send(answer[:cut]), Wait(0.6), Close()],
            [Send(b"\x00\x01\x02\x03")],
            [Send(sized(b"<html>oops</html>", status=b"502 Bad Gateway"))],
            [Send(sized(b"<html>fine</html>"))],
            [Send(sized(error, headers=JSON))],
            [Send(sized(error, status=b"500 Broken", headers=JSON))],
            [Send(sized(error, status=b"503 Busy", headers=JSON))],
            [Send(sized(error, status=b"429 Slow", headers=JSON + b"Retry-After-Ms: 20\r\n"))],
            [Send(sized(error, status=b"529 Overloaded", headers=JSON))],
            [Send(chunked(b"data: " + error + b"\n\n", headers=SSE))],
        ]
    )


def script(stream, chance, requests):
    """What one upstream does, request by request."""
    return [
        failing(stream, chance) if chance.random() < SHARE else [Send(good(stream))]
        for _ in range(requests)
    ]


def is_legal(stream, status, body):
    """Whether it is the answer, or an error that clients of this shape can read."""
    if status != 200:
        return msgspec.json.decode(body)["error"]["message"] != ""
    if not stream:
        return body == WHOLE
    frames = [one[6:] for one in body.split(b"\n\n") if one.startswith(b"data: ")]
    done = frames[-1] == b"[DONE]"
    said = [msgspec.json.decode(frame) for frame in (frames[:-1] if done else frames)]
    text = "".join(
        choice["delta"].get("content", "") for one in said for choice in one.get("choices", ())
    )
    return text == "Yes." if done else "error" in said[-1] and "Yes.".startswith(text)


async def run(stream, requests, seed):
    """Statuses and bodies of so many requests, twenty at a time, and the gateway's records."""
    chance = random.Random(seed)
    scripts = [script(stream, chance, requests * 3) for _ in range(3)]
    gate = asyncio.Semaphore(20)
    async with (
        Double(scripts[0]) as one,
        Double(scripts[1]) as two,
        Double(scripts[2]) as three,
        Double([[Send(good(stream))]]) as healthy,
        Gateway.to(
            *(("openai", double) for double in (one, two, three, healthy)),
            timeouts=Timeouts(first_byte=0.3, idle=0.3), heartbeat_s=0.1,
            rules=RoutingSettings(cooldown_s=0.01, cooldown_max_s=0.02),
        ) as gateway,
    ):  # fmt: skip
        body = {"model": "m", "stream": stream, "messages": SAID}

        async def ask():
            async with gate:
                return await gateway.post(CHAT, body)

        got = await asyncio.gather(*(ask() for _ in range(requests)))
        await asyncio.sleep(0.05)
        assert requests / 2 < sum(len(double.requests) for double in (one, two, three))
        assert requests == len(gateway.records)
        assert requests == len({r for r, _ in gateway.services.ledger.settled})
        assert requests == len(gateway.services.ledger.settled)
        assert not gateway.services.heartbeats._stories
        return got


@pytest.mark.asyncio
@pytest.mark.parametrize("seed", [1, 2])
async def test_with_one_healthy_channel_every_whole_answer_is_had(seed):
    """Three others fail three times in ten; nobody sees it."""
    got = await run(False, 200, seed)
    assert [(200, WHOLE)] * 200 == [(status, body) for status, _, body in got]


@pytest.mark.asyncio
@pytest.mark.parametrize("seed", [3, 4])
async def test_every_stream_is_whole_or_ends_with_an_error_of_its_shape(seed):
    """And never the same words twice. What broke after its first byte cannot be had elsewhere."""
    got = await run(True, 200, seed)
    assert [True] * 200 == [is_legal(True, status, body) for status, _, body in got]
    whole = sum(b'"error"' not in body for _, _, body in got)
    assert whole >= 150


@pytest.mark.slow
@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True])
async def test_a_long_run_is_no_different(stream):
    """Twenty thousand requests of each kind."""
    for seed in range(20):
        got = await run(stream, 1000, seed)
        assert all(is_legal(stream, status, body) for status, _, body in got)
