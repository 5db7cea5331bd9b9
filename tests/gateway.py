"""A whole gateway in this process, without a database: real sockets on both sides.

async with Double([...]) as vendor, Gateway.to(openai=vendor) as gateway:
    status, headers, body = await gateway.post("/v1/chat/completions", {...})
"""

import asyncio
import contextlib
from hashlib import sha256

import msgspec

from edge.wires import Wire
from trivium.clock import SystemClock
from trivium.edge.cors import Cors
from trivium.edge.limits import ServerLimits
from trivium.edge.listener import Listener
from trivium.identity import keys
from trivium.identity.model import Caller
from trivium.ledger.service import OpenLedger
from trivium.observe.log_throttle import LogThrottle
from trivium.pipeline.heartbeats import Heartbeats
from trivium.pipeline.services import Services
from trivium.pipeline.translation import Translator
from trivium.providers.registry import PROVIDERS
from trivium.routing import catalogue
from trivium.routing.health import Health, log_change
from trivium.routing.latency import Latency
from trivium.routing.router import Router
from trivium.secret import Keyring
from trivium.settings.entries import BindingEntry, ChannelEntry, ModelEntry, Timeouts
from trivium.settings.model import Settings, UpstreamSettings
from trivium.upstream.pool import PooledClient
from trivium.upstream.request_writer import Composer
from trivium.upstream.resolve import Resolver
from trivium.wire.codecs import CODECS
from trivium.wire.registry import PASSAGES

VENDOR_KEY = "sk-vendor-0123456789abcdef"
BASE = {
    "openai": "/v1",
    "cohere": "/compatibility/v1",
    "anthropic": "",
    "gemini": "",
    "llamacpp": "/v1",
    "groq": "/v1",
}


class MemoryRecorder:
    """Keeps request records where a test can read them."""

    def __init__(self):
        self.records = []

    def add(self, record):
        self.records.append(record)


class CountingLedger(OpenLedger):
    """Counts the three moments."""

    def __init__(self):
        self.holds = []
        self.settled = []

    def hold(self, request_id, caller, quote, budgets=(), who=None):
        self.holds.append(request_id)
        return super().hold(request_id, caller, quote)

    def settle(self, hold, usage, end="", channel=""):
        self.settled.append((hold.request_id, usage))
        return super().settle(hold, usage, end)


def settings_for(
    channels,
    *,
    name="m",
    upstream_model=None,
    timeouts=None,
    keys=(),
    strategy="weight",
    fallback=None,
    channel=None,
    model=None,
    stand_in=None,
    binding=None,
):
    """One model, `m` unless named, bound to (provider, double) pairs in order of priority, or all
    at one where another strategy is to order them.

    ``fallback`` names a second model, which has the last of the pairs to itself.
    """
    split = len(channels) - (fallback is not None)
    return Settings(
        channels=tuple(
            ChannelEntry(
                name=f"{provider}-{number}",
                provider=provider,
                api_keys=keys,
                base_url=f"http://127.0.0.1:{double.port}{BASE.get(provider, '/v1')}",
                timeouts=timeouts or Timeouts(),
                **{
                    "api_key": None if keys else VENDOR_KEY,
                    **((channel or {}) if number == 0 else {}),
                },
            )
            for number, (provider, double) in enumerate(channels)
        ),
        models=(
            ModelEntry(
                name=name,
                strategy=strategy,
                fallbacks=(fallback,) if fallback else (),
                **{"free": True, **(model or {})},
                bindings=tuple(
                    BindingEntry(
                        channel=f"{provider}-{number}",
                        priority=number if strategy == "weight" else 0,
                        model=upstream_model,
                        **(binding or {}),
                    )
                    for number, (provider, _) in enumerate(channels[:split])
                ),
            ),
            *(
                ModelEntry(
                    name=fallback,
                    **{"free": True, **(stand_in or {})},
                    bindings=(
                        BindingEntry(channel=f"{provider}-{split}", model=f"{fallback}-own"),
                    ),
                )
                for provider, _ in channels[split:]
            ),
        ),
    )


class Gateway:
    """See the module."""

    def __init__(self, listener, port, key, services):
        self.listener = listener
        self.port = port
        self.key = key
        self.services = services

    @property
    def records(self):
        return self.services.recorder.records

    @classmethod
    @contextlib.asynccontextmanager
    async def to(
        cls,
        *channels,
        limits=None,
        models=frozenset(),
        cors=(),
        query_key=True,
        pages_only=False,
        people=True,
        recall=None,
        traces=None,
        heartbeat_s=0,
        budget=None,
        rules=None,
        who=None,
        admission=None,
        trusted_proxies=(),
        providers=PROVIDERS,
        settings=None,
        tls=lambda: None,
        **more,
    ):
        """Serve `m` from these (provider, double) pairs."""
        loop = asyncio.get_running_loop()
        settings = settings or settings_for(channels, **more)
        client = PooledClient(
            UpstreamSettings(keepalive_s=20, connections_max=100, wait_s=1, header_bytes_max=65536),
            resolver=Resolver(30, loop.time),
            tls=tls,
            now=loop.time,
        )
        latency = Latency(loop.time)
        services = Services(
            router=Router(catalogue.build(settings, providers), lambda: 0.5, latency.expected),
            latency=latency,
            passages=PASSAGES,
            client=client,
            composer=Composer(),
            translator=Translator(CODECS, Keyring(b"k" * 32), SystemClock()),
            ledger=CountingLedger(),
            recorder=MemoryRecorder(),
            log_throttle=LogThrottle(SystemClock()),
            clock=SystemClock(),
            loop=loop,
            answer_bytes_max=1_000_000,
            explain_headers=True,
            response_store=recall,
            signatures=traces,
            heartbeats=Heartbeats(loop, heartbeat_s),
            budget=budget,
            health=Health(loop.time, rules, told=log_change),
        )
        services.admission = admission or services.admission
        key = keys.issue(lambda n: bytes(range(n)))
        caller = Caller(
            key_id=7,
            user_id=3,
            payer_id=3,
            unlimited=False,
            disabled=False,
            expires_at=float("inf"),
            models=models,
            prefixes=(),
            **(who or {}),
        )
        listener = Listener(
            limits=limits or ServerLimits(),
            clock=SystemClock(),
            cors=Cors(cors),
            query_key=query_key,
            pages_only=pages_only,
            people=people,
            trusted_proxies=trusted_proxies,
        )
        ((_, port),) = await listener.listen(host="127.0.0.1", port=0)
        listener.open(services, {sha256(key.encode()).digest(): caller}.get)
        try:
            gateway = cls(listener, port, key, services)
            gateway.caller = caller
            yield gateway
        finally:
            listener.close()
            await client.close()
            await asyncio.sleep(0.02)

    def head(self, path, body=b"", *headers, method="POST", key=True):
        """The bytes of a request."""
        lines = [f"{method} {path} HTTP/1.1", "Host: gateway", f"Content-Length: {len(body)}"]
        if key:
            lines.append(f"Authorization: Bearer {self.key}")
        lines += headers
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    async def wire(self):
        """A raw connection; the caller closes it."""
        return await Wire.to(self.port)

    async def post(self, path, body, *headers):
        """One request, one answer."""
        return await self.send(self.head(path, encoded(body), *headers))

    async def get(self, path, *headers, key=True):
        """One GET."""
        return await self.send(self.head(path, b"", *headers, method="GET", key=key))

    async def delete(self, path, *headers):
        """One DELETE."""
        return await self.send(self.head(path, b"", *headers, method="DELETE"))

    async def send(self, raw):
        """Any bytes, one answer."""
        line = await self.wire()
        try:
            await line.send(raw)
            return await line.answer()
        finally:
            await line.close()


def encoded(body):
    """JSON bytes of whatever is not bytes yet."""
    return body if isinstance(body, bytes) else msgspec.json.encode(body)


def error_of(body):
    """The `error` member of a GatewayError."""
    return msgspec.json.decode(body)["error"]
