"""What pages and the admin API may ask of this worker, and of the others on its node."""

import functools
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

from trivium.console.gateway import (
    ChannelTestError,
    ChannelTrial,
    GatewayState,
    InFlight,
    WorkerStanding,
)
from trivium.edge.listener import Listener
from trivium.pipeline import channel_trial
from trivium.pipeline.explain import ExplainRequest, explain
from trivium.pipeline.services import Services
from trivium.pipeline.vendor_models import vendor_list
from trivium.routing.model import Channel
from trivium.routing.overview import ChannelOverview, overview
from trivium.routing.reload import SettingsReader
from trivium.settings.model import Settings
from trivium.settings.source import SettingsSource
from trivium.upstream.channel_test import ChannelTest
from trivium.upstream.pool import PooledClient
from trivium.upstream.vendor_identity import VendorIdentity

if TYPE_CHECKING:
    from trivium.ledger.worker import WorkerLedger
    from trivium.storage.database import Database
    from trivium.wiring.metrics import Metrics
    from trivium.wiring.readiness import Parts


class GatewayParts(NamedTuple):
    """What a worker is made of, as far as it can be asked about."""

    settings: Settings
    services: Services
    database: "Database"
    reader: SettingsReader
    parts: "Parts"
    listeners: Sequence[Listener]
    ledger: "WorkerLedger"
    metrics: "Metrics | None"
    """Knows of the other workers; ``None``: nobody does."""


def gateway_state(worker: GatewayParts) -> GatewayState:
    """Return the questions; each is answered by what is in force when it is asked."""
    services, listeners, metrics = worker.services, worker.listeners, worker.metrics

    def in_flight() -> InFlight:
        if metrics is None:
            busy = sum(one.busy for listener in listeners for one in listener.connections)
            return InFlight(requests=max(0, busy - 1), workers=1)
        requests, workers = metrics.running()
        # whoever asks has one under way
        return InFlight(requests=max(0, requests - 1), workers=workers)

    def channels() -> Iterable[Channel]:
        return services.router.channels()

    def identities() -> Sequence[VendorIdentity]:
        client = services.client
        assert isinstance(client, PooledClient)
        return client.identities()

    async def tried(name: str, model: str | None) -> tuple[ChannelTrial, ...]:
        channel = services.router.channel(name)
        if channel is None:
            raise ChannelTestError(f"there is no channel {name} that is switched on")
        step = await channel_trial.short_chat(services, channel, model)
        if isinstance(step, str):
            raise ChannelTestError(step)
        found = await channel_trial.tried(services.client, services.composer, channel, step)
        return tuple(_trial(channel, n, step["upstream_model"], came) for n, came in found)

    async def explained(asked: ExplainRequest) -> dict[str, Any]:
        return await explain(asked, channel_trial.ANYBODY, services)

    return GatewayState(
        in_flight=in_flight,
        channels=channels,
        identities=identities,
        tried=tried,
        listed=functools.partial(vendor_list, services.client, services.composer, services.clock),
        explained=explained,
        **_seen(worker),
    )


def _seen(worker: GatewayParts) -> dict[str, Any]:
    """How to look at the worker itself, by members of ``GatewayState``."""
    services = worker.services
    started_at = int(services.clock.now())

    async def standing() -> WorkerStanding:
        found = worker.parts.now(database=await worker.database.alive())
        connections = [one for listener in worker.listeners for one in listener.connections]
        metrics = worker.metrics
        return WorkerStanding(
            status=found.status,
            parts=found.parts,
            version=version("trivium"),
            started_at=started_at,
            worker={
                "connections": len(connections),
                "running": sum(one.busy for one in connections),
                "settlements_waiting": worker.ledger.waiting,
            },
            workers=None if metrics is None else metrics.levels(),
            stale_secrets=sorted(worker.reader.stale),
        )

    async def resting() -> list[ChannelOverview]:
        from trivium.routing.store import listed

        async with worker.database.read() as conn:
            found = await listed(conn)
        return overview(services.router.channels(), services.router.models(), found)

    def read() -> tuple[Settings, SettingsSource]:
        return worker.reader.loaded or (worker.settings, SettingsSource(name=""))

    return {"standing": standing, "overview": resting, "settings": read}


def _trial(channel: Channel, number: int, model: str, came: ChannelTest) -> ChannelTrial:
    first, fault = came.first_byte_s, came.fault
    return ChannelTrial(
        key=number + 1 if channel.credentials else None,
        upstream_model=model,
        status=came.status,
        first_byte_ms=None if first is None else round(first * 1e3),
        total_ms=round(came.total_s * 1e3),
        fault="" if fault is None else fault.kind.value,
        message="" if fault is None else fault.message,
    )
