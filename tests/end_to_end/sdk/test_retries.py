"""The official SDKs' own retries on top of ours: never more calls than docs/routing.md says.

Counted at the vendors. The SDKs' pauses are left out: how long they wait changes no count, but for
the vendors' own times, which here never come.
"""

import asyncio
import contextlib
from pathlib import Path

import pytest

from end_to_end.sdk.clients import Wire, anthropic_at, google_at, openai_at
from gateway import Gateway
from scripted_upstream import Double, Reset, Send, Stall, Wait, chunked, sized
from trivium.settings.model import RoutingSettings

SAID = [{"role": "user", "content": "Hi"}]
JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
SDKS = ("openai", "anthropic", "gemini")
ERROR = b'{"error":{"message":"no","type":"server_error"}}'
NEVER = RoutingSettings(failures=1000, failures_ratio=2.0)
"""Breakers would only lower the counts."""
HALF = {
    "openai": b'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":'
    b'[{"index":0,"delta":{"content":"Y"},"finish_reason":null}]}\n\n',
    "anthropic": b'event: message_start\ndata: {"type":"message_start","message":{"id":"x","type":'
    b'"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null'
    b',"usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
    "gemini": b'data: {"candidates":[{"content":{"parts":[{"text":"Y"}],"role":"model"}}]}\n\n',
}


def refusal(status, more=b"", body=ERROR):
    return [Send(sized(body, status=status, headers=JSON + more))]


LATER = b"Retry-After: 30\r\n"
SLOW = RoutingSettings(slow_s=0.1)
QUICK = {"repeat_pause_s": 0.001}
TABLE = {
    # what every channel does: the script, channels, the gateway's budget, calls by SDK
    "503": (refusal(b"503 Busy"), 2, RoutingSettings(), (6, 6, 2)),
    "500": (refusal(b"500 Broken"), 2, RoutingSettings(), (6, 6, 2)),
    "connection reset": ([Reset()], 2, RoutingSettings(), (6, 6, 2)),
    "an error inside a 200": (refusal(b"200 OK"), 2, RoutingSettings(), (6, 6, 2)),
    "429": (refusal(b"429 Slow"), 2, RoutingSettings(), (6, 6, 2)),
    "429 with Retry-After": (refusal(b"429 Slow", LATER), 2, RoutingSettings(), (2, 2, 2)),
    "503 with Retry-After": (refusal(b"503 Busy", LATER), 2, RoutingSettings(), (2, 2, 2)),
    "key refused": (refusal(b"401 Unauthorized"), 2, RoutingSettings(), (2, 2, 2)),
    "request refused": (refusal(b"400 Bad"), 2, RoutingSettings(), (1, 1, 1)),
    "too slow, after slow_s": ([Wait(0.2), *refusal(b"500 Broken")], 2, SLOW, (1, 1, 1)),
    "seven channels": (refusal(b"503 Busy"), 7, RoutingSettings(), (15, 15, 5)),
    "attempts_max = 1": (refusal(b"503 Busy"), 2, RoutingSettings(attempts_max=1), (3, 3, 1)),
    "repeats = 1": (refusal(b"503 Busy"), 2, RoutingSettings(repeats=1, **QUICK), (9, 9, 3)),
    "breaks off after the first event": (None, 2, RoutingSettings(), (1, 1, 1)),
}


def ask(sdk, origin, key, *, stream=False):
    """One request by the vendor's own SDK, as it comes; its error is what is expected."""
    if sdk == "openai":
        with openai_at(f"{origin}/v1", key, Wire()) as client:
            told = client.chat.completions.create(model="m", messages=SAID, stream=stream)
            list(told)
    elif sdk == "anthropic":
        with anthropic_at(origin, key, Wire()) as client:
            told = client.messages.create(model="m", messages=SAID, max_tokens=9, stream=stream)
            list(told)
    else:
        with google_at(origin, key, Wire()) as client:
            if stream:
                list(client.models.generate_content_stream(model="m", contents="Hi"))
            else:
                client.models.generate_content(model="m", contents="Hi")


async def calls(sdk, script, channels, budget):
    """How often channels that always fail are called for one request of an SDK."""
    stream = script is None
    if stream:
        begun = chunked(HALF[sdk], headers=SSE)[: -len(b"0\r\n\r\n")]
        script = [Send(begun), Reset()]
    async with contextlib.AsyncExitStack() as stack:
        vendors = [await stack.enter_async_context(Double([script])) for _ in range(channels)]
        gateway = await stack.enter_async_context(
            Gateway.to(*((sdk, vendor) for vendor in vendors), budget=budget, rules=NEVER)
        )
        origin = f"http://127.0.0.1:{gateway.port}"
        with pytest.raises(Exception, match=r"(?i)upstream|no\b"):
            await asyncio.to_thread(ask, sdk, origin, gateway.key, stream=stream)
        return sum(len(vendor.requests) for vendor in vendors)


@pytest.mark.asyncio
@pytest.mark.parametrize("what", TABLE)
@pytest.mark.parametrize("sdk", SDKS)
async def test_calls_of_one_request_are_bounded_whatever_happens(sdk, what, monkeypatch):
    """Exactly as the table in docs/routing.md has it."""
    monkeypatch.setattr("time.sleep", lambda _: None)
    script, channels, budget, expected = TABLE[what]
    assert expected[SDKS.index(sdk)] == await calls(sdk, script, channels, budget)


def test_the_documented_table_is_the_measured_one():
    """Row by row."""
    text = (Path(__file__).parents[3] / "docs" / "routing.md").read_text()
    for what, (_, channels, _, counts) in TABLE.items():
        row = f"| {what} | {channels} | {' | '.join(map(str, counts))} |"
        assert row in text


@pytest.mark.asyncio
async def test_breakers_lower_the_counts_further(monkeypatch):
    """With the default five in a row, the sixth call of a channel is not made."""
    monkeypatch.setattr("time.sleep", lambda _: None)
    async with (
        Double([refusal(b"503 Busy")]) as first,
        Double([refusal(b"503 Busy")]) as second,
        Gateway.to(("openai", first), ("openai", second)) as gateway,
    ):
        origin = f"http://127.0.0.1:{gateway.port}"
        for _ in range(3):
            with pytest.raises(Exception, match=r"(?i)upstream"):
                await asyncio.to_thread(ask, "openai", origin, gateway.key)
        # five each, and then the first to be back for each of the four tries that are left
        assert 18 > len(first.requests) + len(second.requests) >= 10


@pytest.mark.asyncio
@pytest.mark.parametrize("sdk", SDKS)
async def test_a_stalled_channel_costs_one_call_and_the_next_answers_nobody_twice(sdk):
    """The SDK's own time-out is its caller's; the vendor is let go with it."""
    async with Double([[Stall()]]) as vendor, Gateway.to((sdk, vendor)) as gateway:
        task = asyncio.ensure_future(
            asyncio.to_thread(_impatient, sdk, f"http://127.0.0.1:{gateway.port}", gateway.key)
        )
        with pytest.raises(Exception, match=r"(?i)time"):
            await task
        async with asyncio.timeout(20):
            for peer in vendor.peers:
                await peer.left.wait()
        assert 1 == len(vendor.requests)


def _impatient(sdk, origin, key):
    if sdk == "openai":
        with openai_at(f"{origin}/v1", key, Wire(), timeout=0.3, max_retries=0) as client:
            client.chat.completions.create(model="m", messages=SAID)
    elif sdk == "anthropic":
        with anthropic_at(origin, key, Wire(), timeout=0.3, max_retries=0) as client:
            client.messages.create(model="m", messages=SAID, max_tokens=9)
    else:
        with google_at(origin, key, Wire(), timeout=300) as client:
            client.models.generate_content(model="m", contents="Hi")
