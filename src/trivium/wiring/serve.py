"""Builds everything from the settings, top to bottom, and closes it in reverse.

The order is the start-up budget: what a refused setting needs comes first, then the port is
opened, then the database layer and the pages plane are imported. Until the key snapshot is loaded
connections are accepted and wait.
"""

import asyncio
import contextlib
import functools
import gc
import random
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from trivium.faults import Fault
from trivium.observe import logs
from trivium.pipeline.services import Services
from trivium.providers.images import Defaults, table
from trivium.routing.model import Catalogue
from trivium.routing.reload import FileWatch, SettingsReader
from trivium.routing.router import Router
from trivium.settings.errors import SettingsError
from trivium.settings.model import ServerSettings, Settings
from trivium.upstream.pool import PooledClient
from trivium.wiring import allocator
from trivium.wiring.assets import assets_of, is_apart, place
from trivium.wiring.background import background
from trivium.wiring.clock_jumps import ClockJumps
from trivium.wiring.files import unusable
from trivium.wiring.hooks import Hooks, hooks_of
from trivium.wiring.pages import People, serve_pages
from trivium.wiring.ports import listen
from trivium.wiring.prices import look_nightly
from trivium.wiring.relay import services_of
from trivium.wiring.secret import agreed, present
from trivium.wiring.shared import look_after, rates_of, shared_of
from trivium.wiring.stop import Stop
from trivium.wiring.stores import (
    admission_of,
    groups,
    kept_answers_of,
    ledger_of,
    open_stores,
    sweepers,
    watched,
)
from trivium.wiring.videos import video_services

if TYPE_CHECKING:
    from trivium.console.gateway import GatewayState
    from trivium.edge.listener import Listener
    from trivium.identity.snapshot import Snapshot
    from trivium.ledger.worker import WorkerLedger
    from trivium.observe.metrics.shared_memory import SharedNumbers
    from trivium.observe.recorder import Recorder
    from trivium.shared.state import SharedState
    from trivium.storage.database import Database
    from trivium.wiring.catalogue import StoredParts
    from trivium.wiring.metrics import Metrics
    from trivium.wiring.readiness import Parts


Ready = Callable[[list[str]], None]
"""Told the origins of the ports."""

GC_THRESHOLD: Final = 50_000
"""Allocations between collections of the youngest generation: requests leave few cycles behind,
and the default of 700 spends 3 % of a busy worker looking for them."""

_NO_FLAGS: Final[Mapping[str, str]] = {}

log = structlog.get_logger()


def _unheard(_: list[str]) -> None:
    """Ignore the origins, where nobody waits for them."""


async def serve(
    settings: Settings,
    *,
    config_path: Path | None,
    ready: Ready = _unheard,
    serving: Ready = _unheard,
    flags: Mapping[str, str] = _NO_FLAGS,
    sockets: Sequence[Sequence[socket.socket]] = (),
    places: "SharedNumbers | None" = None,
) -> int:
    """Run one worker until SIGTERM or SIGINT, drain it, and return the exit code.

    ``ready`` is told when the ports are open, ``serving`` when requests run. Raises SettingsError
    for what is wrong with the file or with those that it names, OSError when the port cannot be
    had, and the storage errors of a database that cannot be used. ``flags`` are settings given on
    the command line, which a reload must not take for changed. ``sockets`` are listened on instead
    of new ones, a list for each address. ``places``: where the numbers of other workers are;
    ``None``: it is alone.
    """
    logs.setup(settings.logs.level, settings.logs.format)
    allocator.tune()
    reader = SettingsReader(config_path, flags=flags)
    _, catalogue = reader.read()
    if problems := unusable(settings):
        raise SettingsError(*problems)
    present(settings)
    worker = _Worker(settings, catalogue, places, reader)
    watch = FileWatch(reader, (settings, catalogue), worker.swap, asked=worker.asked)
    # before anybody is told the process id: the first signal may come at once
    stop = Stop()
    stop.listen(supervised=bool(sockets))
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, watch.reload_now)
    with stop.calling_off():
        async with contextlib.AsyncExitStack() as stack:
            listeners, origins = await listen(settings, stack, sockets)
            server = settings.server
            stop.wait_for_callers(listeners, server.drain_notice_s, server.drain_s)
            ready(origins)
            await worker.put_together(listeners, origins[0], watch, stack)
            stop.serves()
            await worker.open(listeners, stack)
            serving(origins)
            if config_path is not None:
                await background(stack, watch.run)
            gc.collect()
            gc.freeze()
            gc.set_threshold(GC_THRESHOLD)
            await stop.told.wait()
            await _drained(settings.server, listeners, stop)
    return 0


async def _drained(server: ServerSettings, listeners: Sequence["Listener"], stop: Stop) -> None:
    """Leave: announce it first, then accept nothing more, then end running requests."""
    for listener in listeners:
        listener.leaving = stop.leaving
    await stop.notice(server.drain_notice_s)
    log.info("draining", limit_s=server.drain_s)
    ended = await asyncio.gather(
        *(one.drain(server.drain_s, server.drain_idle_s) for one in listeners)
    )
    log.info("drained", ended=sum(ended))


class _Worker:
    """The parts of one worker, in the order in which they are built."""

    services: Services
    _hooks: Hooks
    _ledger: "WorkerLedger"
    _database: "Database"
    _snapshot: "Snapshot"
    _metrics: "Metrics | None"
    _shared: "SharedState | None"
    _stored: "StoredParts"
    _parts: "Parts"
    _origin: str

    def __init__(
        self,
        settings: Settings,
        catalogue: Catalogue,
        places: "SharedNumbers | None",
        reader: SettingsReader,
    ) -> None:
        self._settings = settings
        self._catalogue = catalogue
        self._places = places
        self._reader = reader

    def _secrets_fresh(self) -> bool | None:
        return self._reader.is_fresh

    def _gateway(self, listeners: list["Listener"]) -> "GatewayState":
        """What pages and the admin API may ask of this worker."""
        from trivium.wiring.gateway import GatewayParts, gateway_state

        return gateway_state(
            GatewayParts(
                settings=self._settings,
                services=self.services,
                database=self._database,
                reader=self._reader,
                parts=self._parts,
                listeners=listeners,
                ledger=self._ledger,
                metrics=self._metrics,
            )
        )

    def _identities(self) -> bool | None:
        """Whether no channel's identity is missing; ``None`` where none was wanted yet."""
        from trivium.wiring.readiness import identified

        client = self.services.client
        assert isinstance(client, PooledClient)
        return identified(client.identities())

    def swap(self, read: Settings, new: Catalogue) -> None:
        """Put settings that were read again in force."""
        services = self.services
        services.router = Router(new, random.random, services.latency.expected)
        services.budget = read.routing
        services.allows_preferences = read.routing.wishes
        services.pictures = defaults(read)
        services.health.configure(read.routing)
        services.health.forget()
        self._ledger.regroup(groups(read))

    def asked(self) -> None:
        """Give resting channels and keys a fresh start on SIGHUP, even if no setting has changed:
        an operator may have paid a vendor's bill.
        """
        self.services.health.forget()

    async def put_together(
        self,
        listeners: Sequence["Listener"],
        origin: str,
        watch: FileWatch,
        stack: contextlib.AsyncExitStack,
    ) -> None:
        """Build everything that requests need; closed with the stack. Raises the storage errors,
        and SettingsError where the database's entries do not fit beside the file's.
        """
        from trivium.wiring.catalogue import stored_parts
        from trivium.wiring.readiness import Parts

        self._origin = origin
        database, snapshot, recorder = await open_stores(self._settings, stack)
        await agreed(self._settings, database)
        self._stored = stored_parts(self._settings, database, self._reader, watch)
        settings, catalogue = await self._stored.begin(self._settings, self._catalogue)
        if is_apart(settings):
            log.warning("assets_on_this_node", folder=place(settings).url)
        ledger = await ledger_of(settings, database, stack)
        self._hooks = hooks = hooks_of(settings)
        services = services_of(settings, catalogue, database, recorder, ledger, stack, hooks)
        self.services, self._ledger = services, ledger
        recorder.knows = functools.partial(_knows, services)
        self._database, self._snapshot = database, snapshot
        self._shared = shared = shared_of(settings)
        services.admission = await admission_of(shared, stack)
        await look_after(settings, services, database, shared, stack)
        await _equip(services, settings, database, ledger, origin, stack)
        poll_s = settings.storage.poll_s
        self._parts = parts = Parts(
            listeners, ledger, snapshot, shared, poll_s, self._secrets_fresh, self._identities
        )
        self._metrics = await _counting(
            settings, services, listeners, recorder, ledger, parts, self._places, stack
        )

    async def open(self, listeners: list["Listener"], stack: contextlib.AsyncExitStack) -> None:
        """Let requests in, then start what none of them waits for."""
        settings, snapshot = self._settings, self._snapshot
        key_refresher = await watched(snapshot, settings.storage.poll_s, stack)
        for listener in listeners:
            listener.open(self.services, snapshot.get, key_refresher.find, self._hooks.before)
        for sweeping in sweepers(self._database, settings):
            await background(stack, sweeping)
        await background(stack, ClockJumps(self.services.clock).run)
        await self._stored.follow(settings.storage.poll_s, stack)
        services = self.services
        await look_nightly(settings, services, self._database, self._stored, self._metrics, stack)
        people = People(
            settings,
            self._database,
            rates_of(self._shared),
            key_refresher.refresh_keys,
            lambda: services.router.models(),  # noqa: PLW0108 - a reload makes another router
            self._ledger.multiplier,
            self._stored,
            gateway=functools.partial(self._gateway, listeners),
        )
        stack.push_async_callback(people.close)
        pages = functools.partial(
            serve_pages,
            *(settings, listeners, self._parts, people, self._origin),
            metrics=self._metrics,
        )
        await background(stack, pages)


def _knows(services: Services, model: str) -> bool:
    """Whether this is the name of a model; of the catalogue that is in force when it is asked."""
    try:
        return services.router.find(model).name == model
    except Fault:
        return False


async def _equip(
    services: Services,
    settings: Settings,
    database: "Database",
    ledger: "WorkerLedger",
    origin: str,
    stack: contextlib.AsyncExitStack,
) -> None:
    """Add the services that only requests about media call."""
    services.kept_answers = await kept_answers_of(settings, database, ledger.journal.worker, stack)
    services.pictures = defaults(settings)
    services.assets = await assets_of(settings, database, origin, stack)
    services.video_services = await video_services(settings, services, database, ledger, stack)


async def _counting(
    settings: Settings,
    services: Services,
    listeners: Sequence["Listener"],
    recorder: "Recorder",
    ledger: "WorkerLedger",
    parts: "Parts",
    places: "SharedNumbers | None",
    stack: contextlib.AsyncExitStack,
) -> "Metrics | None":
    """Numbers for Prometheus; ``None``, and nothing imported, where nobody wants them."""
    if not settings.metrics.enabled:
        return None
    from trivium.wiring.metrics import Metrics

    metrics = Metrics(services, listeners, recorder, ledger, parts, places)
    await metrics.start(stack)
    return metrics


def defaults(settings: Settings) -> Defaults:
    """Return the models of the settings, and the shipped ones where the settings name none."""
    shipped, given = table().defaults, settings.images
    return Defaults(given.legacy_model or shipped.legacy, given.gpt_model or shipped.gpt)
