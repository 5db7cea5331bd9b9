"""Channels are asked whether they are well, and what they say counts."""

import asyncio
import contextlib

import msgspec
import pytest
from structlog.testing import capture_logs

from gateway import Gateway
from scripted_upstream import Double, Reset, Send, sized
from trivium.faults import Fault, Kind
from trivium.pipeline import health_probe
from trivium.pipeline.health_probe import HealthProber
from trivium.routing.channel_health import HealthKey
from trivium.settings.entries import Probe
from trivium.settings.model import RoutingSettings

JSON = b"Content-Type: application/json\r\n"
LIST = [Send(sized(b'{"object":"list","data":[]}', headers=JSON))]
ANSWER = (
    b'{"id":"x","object":"chat.completion","model":"up","choices":[{"index":0,"message":'
    b'{"role":"assistant","content":"OK"},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}'
)
OK = [Send(sized(ANSWER, headers=JSON))]
RULES = RoutingSettings(failures=1, cooldown_s=0.05)
UP = HealthKey("openai-0", 0, "up")


def refusal(status):
    return [Send(sized(b'{"error":{"message":"no"}}', status=status, headers=JSON))]


@contextlib.asynccontextmanager
async def probed(vendor, *, provider="openai", rules=RULES, keys=(), **probe):
    """A gateway whose one channel is probed, the prober, and the channel."""
    more = {"channel": {"probe": Probe(every_s=60, **probe)}, "upstream_model": "up"}
    async with Gateway.to((provider, vendor), rules=rules, keys=keys, **more) as gateway:
        channel = gateway.services.router.channel(f"{provider}-0")
        yield gateway, HealthProber(gateway.services), channel


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("provider", "line"),
    [
        ("openai", b"GET /v1/models HTTP/1.1"),
        ("anthropic", b"GET /v1/models HTTP/1.1"),
        ("gemini", b"GET /v1beta/models HTTP/1.1"),
        ("llamacpp", b"GET /v1/models HTTP/1.1"),
    ],
)
async def test_each_key_fetches_the_vendors_list_of_models(provider, line):
    """With the channel's own credentials; nothing is recorded or changed where all is well."""
    async with (
        Double([LIST]) as vendor,
        probed(vendor, provider=provider, keys=("sk-one", "sk-two")) as (gateway, prober, channel),
    ):
        await prober.ask(channel)
        assert [line] * 2 == [seen.line for seen in vendor.requests]
        assert [True, True] == [
            key in seen.raw
            for key, seen in zip((b"sk-one", b"sk-two"), vendor.requests, strict=True)
        ]
        assert ({}, []) == (gateway.services.health.open(), gateway.records)


@pytest.mark.asyncio
async def test_a_refused_key_is_put_aside_before_a_caller_meets_it():
    """The other key stays."""
    async with (
        Double([LIST, refusal(b"401 Unauthorized")]) as vendor,
        probed(vendor, keys=("sk-one", "sk-two")) as (gateway, prober, channel),
    ):
        await prober.ask(channel)
        assert [HealthKey("openai-0", 1, "")] == list(gateway.services.health.open())


@pytest.mark.asyncio
async def test_a_mended_key_is_back_without_a_caller():
    """Once its rest is over, and not before."""
    async with Double([LIST]) as vendor, probed(vendor) as (gateway, prober, channel):
        health = gateway.services.health
        health.configure(msgspec.structs.replace(RULES, recheck_s=0.05))
        health.failed(UP, Fault(Kind.UPSTREAM_CREDENTIAL, "no"))
        await prober.ask(channel)
        assert 0 == len(vendor.requests)
        await asyncio.sleep(0.06)
        await prober.ask(channel)
        assert (1, {}) == (len(vendor.requests), health.open())


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("script", "rests"),
    [
        ([Reset()], True),
        (refusal(b"502 Bad Gateway"), True),
        (refusal(b"503 Busy"), True),
        (refusal(b"404 Not Found"), False),
        (refusal(b"403 Forbidden"), False),
        (refusal(b"429 Slow"), False),
        (refusal(b"400 Bad"), False),
    ],
)
async def test_a_list_tells_of_the_host_and_the_account_only(script, rests):
    """What says nothing of the model's health is said to the operator, once."""
    async with Double([script]) as vendor, probed(vendor) as (gateway, prober, channel):
        with capture_logs() as logs:
            await prober.ask(channel)
            if not rests:
                await prober.ask(channel)
        assert ([UP] if rests else []) == list(gateway.services.health.open())
        told = [line["event"] for line in logs if line["event"] == "probe_impossible"]
        assert ([] if rests else ["probe_impossible"]) == told


@pytest.mark.asyncio
async def test_a_short_answer_tells_of_its_model_and_is_on_record_without_a_user():
    """With what it used, so that a reconciliation with the vendor's bill knows it."""
    async with (
        Double([OK]) as vendor,
        probed(vendor, kind="answer", keys=("sk-one", "sk-two")) as (gateway, prober, channel),
    ):
        await prober.ask(channel)
        await prober.ask(channel)
        assert [b"POST /v1/chat/completions HTTP/1.1"] * 2 == [s.line for s in vendor.requests]
        assert b"sk-one" in vendor.requests[0].raw
        assert b"sk-two" in vendor.requests[1].raw
        sent = msgspec.json.decode(vendor.requests[0].body)
        assert ("up", 16, None) == (
            sent["model"], sent["max_completion_tokens"], sent.get("trivium"),
        )  # fmt: skip
        record = gateway.records[0]
        assert ("m", "up", 200, None, "openai-0", 9) == (
            record.model, record.upstream_model, record.status, record.user_id, record.channel,
            record.usage.fresh,
        )  # fmt: skip
        assert [] == gateway.services.ledger.holds


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "script",
    [
        refusal(b"500 Broken"),
        [Send(sized(b"<html>fine</html>"))],
        [Send(sized(b'{"error":{"message":"no","type":"server_error"}}', headers=JSON))],
    ],
)
async def test_a_short_answer_that_is_none_counts_against_the_model(script):
    """An error inside a 200 as well."""
    async with (
        Double([script, OK]) as vendor,
        probed(vendor, kind="answer") as (gateway, prober, channel),
    ):
        await prober.ask(channel)
        assert [UP] == list(gateway.services.health.open())
        await asyncio.sleep(0.06)
        await prober.ask(channel)
        assert {} == gateway.services.health.open()
        assert ["upstream_", ""] == [record.fault[:9] for record in gateway.records]


@pytest.mark.asyncio
async def test_a_channel_that_takes_no_chat_is_told_of():
    """A misconfiguration, not a failure."""
    async with (
        Double([OK]) as vendor,
        probed(vendor, kind="answer", model="gone") as (gateway, prober, channel),
    ):
        with capture_logs() as logs:
            await prober.ask(channel)
        assert ["probe_impossible"] == [line["event"] for line in logs]
        assert ({}, 0) == (gateway.services.health.open(), len(vendor.requests))


@pytest.mark.asyncio
async def test_a_path_of_the_operators_own_is_asked(monkeypatch):
    """An engine with a health page."""
    async with Double([LIST]) as vendor, probed(vendor, path="/health?deep=1") as (_, p, channel):
        await p.ask(channel)
        assert b"GET /health?deep=1 HTTP/1.1" == vendor.requests[0].line


class Peers:
    """Others who may have the turn."""

    def __init__(self, mine):
        self.mine = mine
        self.asked = []

    def may_probe(self, key):
        return True

    async def turn(self, name, seconds):
        self.asked.append((name, seconds))
        return self.mine


@pytest.mark.asyncio
@pytest.mark.parametrize("mine", [True, False])
async def test_one_worker_asks_for_all_in_each_round(mine, monkeypatch):
    """Rounds begin at any time within the interval, and one probe of a channel runs at a time."""
    now = [1000.0]
    monkeypatch.setattr(health_probe.random, "random", lambda: 0.5)
    monkeypatch.setattr(health_probe.random, "uniform", lambda a, b: 1.0)
    async with Double([LIST]) as vendor, probed(vendor) as (gateway, prober, _):
        gateway.services.time = lambda: now[0]
        gateway.services.health.peers = peers = Peers(mine)
        for at in (1000, 1029, 1030, 1031, 1089, 1090):
            now[0] = float(at)
            prober.look()
            prober.look()
            await asyncio.sleep(0.05)
        assert [("probe:openai-0", 45.0)] * 2 == peers.asked
        assert 2 * mine == len(vendor.requests)


@pytest.mark.asyncio
async def test_channels_without_a_probe_are_left_alone():
    """Off by default; and the end of the worker ends what runs."""
    async with Double([LIST]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        prober = HealthProber(gateway.services)
        prober.look()
        assert {} == prober._running
        task = asyncio.create_task(prober.run())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert [] == vendor.requests
