"""The pages plane, put together after the port listens."""

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import structlog

from trivium.edge.listener import Listener
from trivium.identity.model import InForce, left_to_others
from trivium.observe import logs
from trivium.settings.model import Settings
from trivium.settings.prices import list_price

log = structlog.get_logger()

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from fractions import Fraction

    from starlette.types import ASGIApp, Receive, Scope, Send

    from trivium.console.gateway import GatewayState
    from trivium.edge.readiness import Readiness
    from trivium.oauth.shared_rate_limits import SharedCounters
    from trivium.routing.model import Model
    from trivium.storage.database import Database
    from trivium.wiring.catalogue import StoredParts
    from trivium.wiring.metrics import Metrics
    from trivium.wiring.readiness import Parts


async def serve_pages(
    settings: Settings,
    listeners: list[Listener],
    parts: "Parts",
    people: "People",
    origin: str,
    metrics: "Metrics | None" = None,
) -> None:
    """Import the pages plane beside the first requests and hand it to the listeners.

    ``origin``: where the first of them listens. ``metrics``: numbers for Prometheus; ``None``:
    nobody wants them.
    """
    pages, mount = await asyncio.to_thread(_import_pages)

    async def readiness() -> "Readiness":
        return parts.now(database=await people.database.alive())

    server = settings.server
    application = pages(
        public_url=server.public_url,
        auth_url=server.auth_url,
        api_url=server.api_url,
        readiness=readiness,
        metrics=None if metrics is None else metrics.text,
        metrics_token=settings.metrics.token,
        routes=[mount("", app=people)],
    )
    for listener in listeners:
        listener.serve_pages(application)
    own = f"http://{server.admin_listen}" if server.admin_listen else origin
    await _tell_first_run(people.database, server.auth_url or server.public_url or own)


async def _tell_first_run(database: "Database", origin: str) -> None:
    """Print where the first administrator is made, while there is none."""
    from trivium.clock import SystemClock
    from trivium.identity.accounts.first_run import first_link
    from trivium.storage.errors import StorageError

    try:
        path = await first_link(database, SystemClock())
    except StorageError as error:
        log.warning("first_run_unknown", why=str(error))
        return
    if path is not None:
        logs.say(
            f"there is no administrator yet: open {origin.rstrip('/')}{path} to make one "
            "(once, within 24 hours), or run `trivium user create --admin`"
        )


class People:
    """The pages for people, built when the first of them is asked for: with all that they import,
    a worker that nobody visits would be half as large again.
    """

    def __init__(
        self,
        settings: Settings,
        database: "Database",
        shared: "SharedCounters | None" = None,
        in_force: InForce = left_to_others,
        models: "Callable[[], Iterable[Model]]" = tuple,
        multiplier: "Callable[[str], Fraction]" = list_price,
        stored: "StoredParts | None" = None,
        *,
        gateway: "Callable[[], GatewayState] | None" = None,
    ) -> None:
        """Close it when done. ``shared``: where all workers count; ``None``: nowhere.

        ``in_force``: called when the pages have changed keys; ``models``: returns those that can be
        asked for now; ``multiplier``: what a price group pays of the list price; ``stored``: the
        worker's parts of the catalogue in the database; ``gateway``: what the workers know of
        themselves.
        """
        self._stored = stored
        self._in_force = in_force
        self._models = models
        self._multiplier = multiplier
        self._gateway = gateway
        self.database = database
        self._settings = settings
        self._shared = shared
        self._stack = contextlib.AsyncExitStack()
        self._building: asyncio.Task[ASGIApp] | None = None

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer a request with the application, which is built at the first call."""
        if self._building is None or _failed(self._building):
            self._building = asyncio.create_task(self._build())
        # whoever asked first may leave while others wait
        application = await asyncio.shield(self._building)
        await application(scope, receive, send)

    async def _build(self) -> "ASGIApp":
        build, console_of = await asyncio.to_thread(_import_console)
        async with contextlib.AsyncExitStack() as stack:
            console = console_of(
                *(self._settings, self.database, stack, self._shared, self._in_force),
                *(self._models, self._multiplier, self._stored),
                **({} if self._gateway is None else {"gateway": self._gateway()}),
            )
            application: ASGIApp = build(console)
            self._stack = stack.pop_all()
        return application

    async def close(self) -> None:
        """Close the application, if it was built."""
        if self._building is not None:
            await asyncio.wait([self._building])
        await self._stack.aclose()


def _failed(building: "asyncio.Task[ASGIApp]") -> bool:
    """Whether it has to be tried again: what was missing then, a file perhaps, may be there now."""
    return building.done() and (building.cancelled() or building.exception() is not None)


def _import_pages() -> Any:
    from starlette.routing import Mount

    from trivium.edge import pages

    return pages.build, Mount


def _import_console() -> Any:
    from trivium.console import app
    from trivium.wiring.console import console_of

    return app.build, console_of
