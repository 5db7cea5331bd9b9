"""Bad weather around a request: crowds, slow neighbours, hosts that cannot be reached, no room."""

import asyncio
import heapq
import json
import random
import ssl

import msgspec
import pytest

from gateway import Gateway, settings_for
from scripted.stage import SSE, Call, Upstream, play
from scripted.test_breaking import BODY, FIXTURES, pieces_of, script
from scripted_upstream import Close, Double, Send, Stall, Until, sized
from trivium.faults import Fault, Kind
from trivium.providers.registry import PROVIDERS
from trivium.routing import catalogue
from trivium.routing.latency import Latency
from trivium.routing.router import Router
from trivium.settings.entries import BindingEntry, ChannelEntry, ModelEntry
from trivium.settings.model import RoutingSettings, Settings, UpstreamSettings
from trivium.upstream.pool import PooledClient
from trivium.upstream.resolve import Resolver
from trivium.wire.operation import Operation

JSON = b"Content-Type: application/json\r\n"
CHAT = "/v1/chat/completions"
HELLO = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
ANSWER = (
    b'{"id":"x","object":"chat.completion","model":"up","choices":[{"index":0,"message":'
    b'{"role":"assistant","content":"Yes."},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}'
)
OK = [Send(sized(ANSWER, headers=JSON))]
BROKEN = [Send(sized(b'{"error":{"message":"no"}}', status=b"500 Broken", headers=JSON))]


@pytest.mark.asyncio
@pytest.mark.parametrize("heals", [True, False])
async def test_of_a_crowd_one_request_meets_a_channel_that_recovers(heals):
    """All others are answered elsewhere meanwhile; what the probe finds holds for all."""
    go = asyncio.Event()
    probe = [Until(go), *(OK if heals else BROKEN)]
    async with (
        Double([BROKEN, BROKEN, probe, OK]) as one,
        Double([OK]) as two,
        Gateway.to(
            ("openai", one), ("openai", two), rules=RoutingSettings(failures=2, cooldown_s=0.1)
        ) as gateway,
    ):
        for _ in range(2):
            await gateway.post(CHAT, HELLO)
        await asyncio.sleep(0.12)
        crowd = [asyncio.ensure_future(gateway.post(CHAT, HELLO)) for _ in range(200)]
        while sum(task.done() for task in crowd) < 199:
            await asyncio.sleep(0.01)
        assert 3 == len(one.requests)
        go.set()
        answered = await asyncio.gather(*crowd)
        assert [200] * 200 == [status for status, *_ in answered]
        assert (3, 202 - heals) == (len(one.requests), len(two.requests))
        await gateway.post(CHAT, HELLO)
        assert 3 + heals == len(one.requests)


@pytest.mark.asyncio
async def test_requests_that_hang_at_one_channel_hold_up_nobody_elsewhere():
    """Sixty hang at one of three; a hundred and twenty are answered while they do."""
    go = asyncio.Event()
    async with (
        Double([[Until(go), *OK]]) as slow,
        Double([OK]) as one,
        Double([OK]) as two,
        Gateway.to(*(("openai", d) for d in (slow, one, two)), strategy="price") as gateway,
    ):

        def ask(channel):
            return asyncio.ensure_future(
                gateway.post(CHAT, HELLO, f"trivium-channel: openai-{channel}")
            )

        hanging = [ask(0) for _ in range(60)]
        while len(slow.requests) < 60:
            await asyncio.sleep(0.01)
        quick = await asyncio.gather(*(ask(1 + number % 2) for number in range(120)))
        assert [200] * 120 == [status for status, *_ in quick]
        assert not any(task.done() for task in hanging)
        go.set()
        assert [200] * 60 == [status for status, *_ in await asyncio.gather(*hanging)]


def three(strategy):
    """A catalogue of one model at three equal channels."""
    return catalogue.build(
        Settings(
            channels=tuple(
                ChannelEntry(name=name, provider="openai", api_key="sk-0123456789")
                for name in "abc"
            ),
            models=(
                ModelEntry(
                    name="m",
                    free=True,
                    strategy=strategy,
                    bindings=tuple(BindingEntry(channel=name) for name in "abc"),
                ),
            ),
        ),
        PROVIDERS,
    )


def simulate(seconds, rate, takes, seed=7):
    """(moment, channel, how long it took) of each request, by a clock that costs nothing.

    ``takes``: seconds to the first byte by channel and moment.
    """
    now, chance = [0.0], random.Random(seed)
    latency = Latency(lambda: now[0])
    router = Router(three("latency"), chance.random, latency.expected)
    model = router.find("m")
    running, done, at = [], [], 0.0
    while at < seconds:
        at += chance.expovariate(rate)
        while running and running[0][0] <= at:
            now[0], channel, took = heapq.heappop(running)
            latency.add(channel, "m", took)
        now[0] = at
        channel = router.plan(model, Operation.CHAT).steps[0].binding.channel.name
        latency.begin(channel, "m")
        took = takes(channel, at) * chance.uniform(0.9, 1.1)
        heapq.heappush(running, (at + took, channel, took))
        done.append((at, channel, took))
    return done


def test_one_slow_channel_of_three_leaves_the_others_p99_alone():
    """It is looked at again now and then, by one request and not by a crowd."""
    done = simulate(600, 200, lambda channel, _: 2.0 if channel == "a" else 0.1)
    after = [(channel, took) for at, channel, took in done if at > 10]
    times = sorted(took for _, took in after)
    slow = sum(channel == "a" for channel, _ in after)
    assert times[int(len(times) * 0.99)] < 0.12
    assert 1 <= slow < len(after) * 0.001


def test_a_channel_that_is_quick_again_gets_its_share_back():
    """Within some minutes."""
    done = simulate(900, 100, lambda c, at: 2.0 if c == "a" and at < 300 else 0.1)
    late = [channel for at, channel, _ in done if at > 600]
    assert late.count("a") > len(late) * 0.2


class Closed(Upstream):
    """A client whose first calls cannot be opened."""

    def __init__(self, *faults):
        super().__init__([("head", 200, SSE)])
        self.faults = list(faults)

    async def open(self, request, sink):
        await asyncio.sleep(0)
        if self.faults:
            self.calls.append(Call(sink, []))
            self.calls[-1].state = "ended"
            raise self.faults.pop(0)
        return await super().open(request, sink)


WEATHER = {
    "no such name": (Kind.UPSTREAM_UNREACHABLE, 502),
    "no TLS": (Kind.UPSTREAM_UNREACHABLE, 502),
    "connect limit": (Kind.UPSTREAM_TIMEOUT, 504),
    "no connection free": (Kind.UPSTREAM_BUSY, 503),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("what", WEATHER)
@pytest.mark.parametrize("spare", [True, False])
async def test_what_cannot_be_called_is_answered_elsewhere_or_refused(what, spare, monkeypatch):
    """At once, and nothing is charged for it; our own limits count against nobody."""
    kind, status = WEATHER[what]
    pieces = pieces_of((FIXTURES / "chat" / "text-usage.sse").read_bytes())
    good = [*script(pieces), ("done",)]

    def client(*_):
        made = Closed(Fault(kind, what))
        made.scripts = (good,)
        return made

    monkeypatch.setattr("scripted.stage.Upstream", client)
    done = await play("chat", "chat", BODY["chat"], good, spare="chat" if spare else None)
    ((usage, end),) = done.settled
    if spare:
        assert (200, 2, "") == (done.audience.status, done.record.attempts, end)
        assert usage.output_total > 0
    else:
        assert (status, None, kind.value) == (done.audience.status, usage, end)
        assert json.loads(done.audience.heard)["error"]["message"]
    assert (kind is Kind.UPSTREAM_BUSY) == (not done.services.health.breakers)


def replaced(gateway, doubles, **changes):
    """The same gateway with its first channel changed."""
    settings = settings_for([("openai", double) for double in doubles])
    first = msgspec.structs.replace(settings.channels[0], **changes)
    settings = msgspec.structs.replace(settings, channels=(first, *settings.channels[1:]))
    gateway.services.router = Router(catalogue.build(settings, PROVIDERS), lambda: 0.5)


@pytest.mark.asyncio
async def test_a_vendor_that_speaks_no_tls_is_replaced_by_the_next():
    """On real sockets."""
    async with (
        Double([OK], greeting=[Send(sized(b"plain"))]) as plain,
        Double([OK]) as good,
        Gateway.to(("openai", plain), ("openai", good)) as gateway,
    ):
        gateway.services.client._connector._tls = ssl.create_default_context
        replaced(gateway, (plain, good), base_url=f"https://127.0.0.1:{plain.port}/v1")
        status, headers, _ = await gateway.post(CHAT, HELLO)
        assert (200, b"openai-0;failed=upstream_unreachable, openai-1;answered") == (
            status, headers[b"trivium-route"],
        )  # fmt: skip
        assert [] == plain.requests


@pytest.mark.asyncio
async def test_when_all_connections_are_taken_the_next_channel_answers():
    """On real sockets, with room for one; the first is not blamed."""
    loop = asyncio.get_running_loop()
    async with (
        Double([[Stall()]]) as full,
        Double([OK]) as good,
        Gateway.to(("openai", full), ("openai", good)) as gateway,
    ):
        gateway.services.client = client = PooledClient(
            UpstreamSettings(
                keepalive_s=20, connections_max=1, wait_s=0.05, header_bytes_max=65536
            ),
            resolver=Resolver(30, loop.time),
            tls=lambda: None,
            now=loop.time,
        )
        first = asyncio.ensure_future(gateway.post(CHAT, HELLO))
        while not full.requests:
            await asyncio.sleep(0.01)
        status, headers, _ = await gateway.post(CHAT, HELLO)
        assert (200, b"openai-0;failed=upstream_busy, openai-1;answered") == (
            status, headers[b"trivium-route"],
        )  # fmt: skip
        assert {} == gateway.services.health.breakers
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await client.close()


@pytest.mark.asyncio
async def test_connections_that_close_as_they_are_reused_cost_nobody_an_answer():
    """A vendor that hangs up after each answer without saying so, asked again at once: the news
    of the end and the next request cross.
    """
    async with (
        Double([[*OK, Close()]]) as vendor,
        Gateway.to(("openai", vendor)) as gateway,
    ):
        got = [(await gateway.post(CHAT, HELLO))[0] for _ in range(100)]
        assert [200] * 100 == got
        crowd = await asyncio.gather(*(gateway.post(CHAT, HELLO) for _ in range(50)))
        assert [200] * 50 == [status for status, *_ in crowd]
        assert {} == gateway.services.health.breakers
