"""Asks channels whether they are well, also while no caller does; what they say counts as health.

Off unless a channel sets ``probe``. A resting channel is not disturbed; one whose rest is over is
probed here, so that it is back before a caller needs it. Where workers share a state, one of them
asks for all.

A list of models costs nothing. It tells of the account and of the host, not of a model: a refused
key or an unreachable host counts, whatever else it answers does not. A short answer tells of its
model and costs the operator what the vendor takes: nobody asked for it, so there is no account to
book it on. It has a request record without a user, by which ``trivium reconcile`` knows it.
"""

import asyncio
import functools
import random
import secrets
from typing import Any, Final

import msgspec
import structlog

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.observe.record import Record
from trivium.pipeline.channel_trial import short_chat
from trivium.pipeline.services import Services
from trivium.providers.address import listing
from trivium.providers.failure import error_event
from trivium.routing.channel_health import HealthKey
from trivium.routing.model import Binding, Channel
from trivium.upstream.channel_test import ChannelTest, check_channel
from trivium.upstream.request import Request
from trivium.wire.operation import Operation

TICK_S: Final = 1.0
"""How often it is seen who is due."""
WAIT_S: Final = 30.0
"""The longest a probe waits for an answer to begin: a list that takes longer is no list."""

_OF_HOST: Final = frozenset(
    {
        Kind.UPSTREAM_UNREACHABLE,
        Kind.UPSTREAM_BROKE,
        Kind.UPSTREAM_TIMEOUT,
        Kind.UPSTREAM_OVERLOADED,
    }
)
"""What a list of models may tell of the whole channel."""

log = structlog.get_logger()


class HealthProber:
    """Asks one worker's channels whether they are well, each in its time."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._due: dict[str, float] = {}
        """When each channel is asked next, in the loop's seconds."""
        self._turns: dict[str, int] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._told: set[str] = set()
        """Channels that cannot be asked, said once."""

    async def run(self) -> None:
        """Ask whoever is due, for ever."""
        try:
            while True:
                await asyncio.sleep(TICK_S)
                self.look()
        finally:
            for task in self._running.values():
                task.cancel()
            await asyncio.gather(*self._running.values(), return_exceptions=True)

    def look(self) -> None:
        """Begin with whoever is due, each channel once at a time."""
        now = self._services.time()
        channels = {c.name: c for c in self._services.router.channels() if c.probe.every_s}
        for name in self._due.keys() - channels.keys():
            del self._due[name]
        for name, channel in channels.items():
            every_s = channel.probe.every_s
            # the first at any time of the round: many gateways are started together
            due = self._due.setdefault(name, now + every_s * random.random())  # noqa: S311 - jitter
            if now < due or name in self._running:
                continue
            self._due[name] = now + every_s * random.uniform(0.8, 1.2)  # noqa: S311 - jitter
            task = asyncio.get_running_loop().create_task(self._ask(channel))
            self._running[name] = task
            task.add_done_callback(functools.partial(self._ended, name))

    def _ended(self, name: str, task: asyncio.Task[None]) -> None:
        del self._running[name], task

    async def _ask(self, channel: Channel) -> None:
        peers = self._services.health.peers
        try:
            if peers is None or await peers.turn(
                f"probe:{channel.name}", channel.probe.every_s * 0.75
            ):
                await self.ask(channel)
        except Exception:
            log.exception("probe_crashed", channel=channel.name)

    async def ask(self, channel: Channel) -> None:
        """One probe of a channel, now."""
        if channel.probe.kind == "answer":
            await self._chat(channel)
            return
        path = channel.probe.path or listing(channel.provider, channel.base_url)
        if path is None:
            self._say(channel, "its provider has no list of models; set probe.path")
            return
        for credential in range(max(1, len(channel.credentials))):
            await self._list(channel, credential, path)

    async def _list(self, channel: Channel, credential: int, path: str) -> None:
        services = self._services
        health = services.health
        whole = HealthKey(channel.name, credential, "")
        if not health.askable(whole):
            return
        health.claim(whole)
        came = await self._call(services.composer.glance(channel, credential, path), channel)
        fault = came.fault
        if fault is None:
            health.succeeded(whole)
        elif fault.kind is Kind.UPSTREAM_CREDENTIAL:
            health.failed(whole, fault)
        else:
            health.left(whole)
            if fault.kind not in _OF_HOST:
                self._say(channel, f"its list of models is refused: {fault.message}")
                return
            for binding in self._bindings(channel):
                health.failed(HealthKey(channel.name, credential, binding.model), fault)

    async def _chat(self, channel: Channel) -> None:
        step = await self._step(channel)
        if step is None:
            return
        services = self._services
        count = max(1, len(channel.credentials))
        credential = self._turns.get(channel.name, 0) % count
        self._turns[channel.name] = credential + 1
        model, operation = step["upstream_model"], Operation(step["operation"])
        key = HealthKey(channel.name, credential, model)
        if not services.health.askable(key):
            return
        services.health.claim(key)
        at, began = services.clock.now(), services.time()
        request = services.composer.compose(
            channel, credential, operation, model, bytes(step["body"])
        )
        came = await self._call(request, channel)
        usage, fault = None, came.fault
        if fault is None:
            usage, fault = _read(services, operation, came.body)
        if fault is None:
            services.health.succeeded(key)
        else:
            services.health.failed(key, fault)
        first = came.first_byte_s
        services.recorder.add(
            Record(
                request_id=f"req_probe_{secrets.token_hex(12)}",
                at=at,
                operation=operation.value,
                model=step["model"],
                channel=channel.name,
                upstream_model=model,
                status=came.status or (fault.status if fault else 0),
                fault=fault.kind.value if fault else "",
                attempts=1,
                first_byte_ms=None if first is None else first * 1e3,
                total_ms=(services.time() - began) * 1e3,
                bytes_in=len(step["body"]),
                bytes_out=len(came.body),
                usage=usage,
            )
        )

    async def _call(self, request: Request, channel: Channel) -> ChannelTest:
        limits = request.limits
        limits = msgspec.structs.replace(limits, first_byte=min(limits.first_byte, WAIT_S))
        request = msgspec.structs.replace(request, limits=limits)
        return await check_channel(self._services.client, request, channel.provider)

    def _bindings(self, channel: Channel) -> list[Binding]:
        return [
            binding
            for model in self._services.router.models()
            for binding in model.bindings
            if binding.channel.name == channel.name
        ]

    async def _step(self, channel: Channel) -> dict[str, Any] | None:
        """What a short chat sends to this channel, in its own shape; ``None`` if it takes none."""
        found = await short_chat(self._services, channel, channel.probe.model)
        if isinstance(found, str):
            self._say(channel, found)
            return None
        return found

    def _say(self, channel: Channel, why: str) -> None:
        if channel.name not in self._told:
            self._told.add(channel.name)
            log.warning("probe_impossible", channel=channel.name, why=why)


def _read(
    services: Services, operation: Operation, body: bytes
) -> tuple[Usage | None, Fault | None]:
    """What an answer cost, and what is wrong with it."""
    try:
        answer = services.passages[operation].answer(body)
    except Fault as fault:
        return None, fault
    return answer.usage, None if answer.error is None else error_event(answer.error)
