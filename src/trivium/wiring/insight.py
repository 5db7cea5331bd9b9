"""Lets the admin API look at this worker."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING

from trivium.console.insight import WorkerInsight, WorkerStanding
from trivium.edge.listener import Listener
from trivium.pipeline.services import Services
from trivium.routing.overview import ChannelOverview, overview
from trivium.routing.reload import SettingsReader
from trivium.settings.model import Settings
from trivium.settings.source import SettingsSource
from trivium.upstream.pool import PooledClient
from trivium.upstream.vendor_identity import VendorIdentity

if TYPE_CHECKING:
    from trivium.ledger.worker import WorkerLedger
    from trivium.storage.database import Database
    from trivium.wiring.metrics import Metrics
    from trivium.wiring.readiness import Parts


def insight_of(
    settings: Settings,
    services: Services,
    database: "Database",
    reader: SettingsReader,
    parts: "Parts",
    listeners: Sequence[Listener],
    ledger: "WorkerLedger",
    metrics: "Metrics | None",
) -> WorkerInsight:
    """What can be seen of a worker, made of its parts."""
    started_at = int(services.clock.now())

    async def standing() -> WorkerStanding:
        found = parts.now(database=await database.alive())
        connections = [one for listener in listeners for one in listener.connections]
        return WorkerStanding(
            status=found.status,
            parts=found.parts,
            version=version("trivium"),
            started_at=started_at,
            worker={
                "connections": len(connections),
                "running": sum(one.busy for one in connections),
                "settlements_waiting": ledger.waiting,
            },
            workers=None if metrics is None else metrics.levels(),
            stale_secrets=sorted(reader.stale),
        )

    async def channels() -> list[ChannelOverview]:
        from trivium.routing.store import listed

        async with database.read() as conn:
            resting = await listed(conn)
        return overview(services.router.channels(), services.router.models(), resting)

    def identities() -> list[VendorIdentity]:
        client = services.client
        assert isinstance(client, PooledClient)
        return client.identities()

    def read() -> tuple[Settings, SettingsSource]:
        return reader.loaded or (settings, SettingsSource(name=""))

    return WorkerInsight(standing=standing, channels=channels, identities=identities, settings=read)
