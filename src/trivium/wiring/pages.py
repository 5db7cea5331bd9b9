"""The pages plane, put together after the port listens."""

import asyncio
from typing import TYPE_CHECKING, Any

from trivium.edge.listener import Listener
from trivium.settings.model import Settings

if TYPE_CHECKING:
    from trivium.identity.snapshot import Snapshot
    from trivium.storage.database import Database


async def serve_pages(
    settings: Settings,
    listeners: list[Listener],
    database: "Database",
    snapshot: "Snapshot",
) -> None:
    """Import the pages plane beside the first requests and hand it to the listeners."""
    pages = await asyncio.to_thread(_import_pages)

    async def readiness() -> dict[str, bool]:
        return {
            "database": await database.alive(),
            "keys": snapshot.age() < 10 * settings.storage.poll_s,
            "accepting": not listeners[0].draining,
        }

    server = settings.server
    application = pages(
        public_url=server.public_url,
        auth_url=server.auth_url,
        api_url=server.api_url,
        readiness=readiness,
    )
    for listener in listeners:
        listener.serve_pages(application)


def _import_pages() -> Any:
    from trivium.edge import pages

    return pages.build
