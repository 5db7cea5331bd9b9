"""Builds everything from the settings, top to bottom, and closes it in reverse.

The order is the start-up budget: what a refused setting needs comes first, then the port is
opened, then the database layer and the pages plane are imported. Until the key snapshot is loaded
connections are accepted and wait.
"""

import asyncio
import contextlib
import gc
import random
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from trivium.observe import logs
from trivium.pipeline.context import Services
from trivium.routing.model import Catalogue
from trivium.routing.reload import FileWatch, Reader
from trivium.routing.router import Router
from trivium.settings.errors import SettingsError
from trivium.settings.model import Settings
from trivium.wiring.assets import assets_of
from trivium.wiring.background import background
from trivium.wiring.files import unusable
from trivium.wiring.images import defaults
from trivium.wiring.memory import (
    admission_of,
    groups,
    ledger_of,
    memory,
    sweepers,
    watched,
)
from trivium.wiring.pages import People, serve_pages
from trivium.wiring.ports import listen
from trivium.wiring.relay import budget, rules, services_of
from trivium.wiring.shared import look_after, rates_of, shared_of
from trivium.wiring.studio import studio_of

if TYPE_CHECKING:
    from trivium.edge.listener import Listener
    from trivium.ledger.worker import WorkerLedger
    from trivium.observe.metrics.places import Places
    from trivium.observe.recorder import Recorder
    from trivium.storage.database import Database
    from trivium.wiring.metrics import Metrics

Ready = Callable[[list[str]], None]
"""Told the origins that are listened on."""

GC_THRESHOLD: Final = 50_000
"""Allocations between collections of the youngest generation: requests leave few cycles behind,
and the default of 700 spends 3 % of a busy worker looking for them."""

_NO_FLAGS: Final[Mapping[str, str]] = {}

log = structlog.get_logger()


async def serve(
    settings: Settings,
    *,
    config_path: Path | None,
    ready: Ready,
    flags: Mapping[str, str] = _NO_FLAGS,
    sockets: Sequence[Sequence[socket.socket]] = (),
    places: "Places | None" = None,
) -> int:
    """Run one worker until SIGTERM or SIGINT, drain it, and return the exit code.

    Raises SettingsError for what is wrong with the file or with those that it names, OSError when
    the port cannot be had, and the storage errors of a database that cannot be used. ``flags`` are
    settings given on the command line, which a reload must not take for changed. ``sockets`` are
    listened on instead of new ones, a list for each address. ``places``: where the numbers of other
    workers are; ``None``: it is alone.
    """
    logs.setup(settings.logs.level, settings.logs.format)
    reader = Reader(config_path, flags=flags)
    _, catalogue = reader.read()
    if problems := unusable(settings):
        raise SettingsError(*problems)
    stop = asyncio.Event()

    def swap(read: Settings, new: Catalogue) -> None:
        services.router = Router(new, random.random, services.latency.expected)
        services.budget = budget(read.routing)
        services.wishes = read.routing.wishes
        services.pictures = defaults(read)
        services.health.configure(rules(read.routing), read.routing.recheck_s)
        services.health.forget()
        ledger.regroup(groups(read))

    def asked() -> None:
        # an operator who has paid a vendor's bill changes no setting, and sends SIGHUP
        services.health.forget()

    watch = FileWatch(reader, (settings, catalogue), swap, asked=asked)
    # before anybody is told the process id: the first signal may come at once
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    loop.add_signal_handler(signal.SIGHUP, watch.reload_now)
    async with contextlib.AsyncExitStack() as stack:
        listeners, origins = await listen(settings, stack, sockets)
        ready(origins)
        database, snapshot, recorder = await memory(settings, stack)
        ledger = await ledger_of(settings, database, stack)
        services = services_of(settings, catalogue, database, recorder, ledger, stack)
        shared = shared_of(settings)
        services.admission = await admission_of(database, snapshot, shared, stack)
        await look_after(settings, services, database, shared, stack)
        await _equip(services, settings, database, ledger, origins[0], stack)
        metrics = await _counting(settings, services, listeners, recorder, ledger, places, stack)
        lookout = await watched(snapshot, settings.storage.poll_s, stack)
        for listener in listeners:
            listener.open(services, snapshot.get, lookout.look)
        for sweeping in sweepers(database, settings):
            await background(stack, sweeping)
        if config_path is not None:
            await background(stack, watch.run())
        people = People(settings, database, rates_of(shared), lookout.look)
        stack.push_async_callback(people.close)
        await background(stack, serve_pages(settings, listeners, snapshot, people, metrics))
        gc.collect()
        gc.freeze()
        gc.set_threshold(GC_THRESHOLD)
        await stop.wait()
        log.info("draining", limit_s=settings.server.drain_s)
        ended = await asyncio.gather(*(a.drain(settings.server.drain_s) for a in listeners))
        log.info("drained", ended=sum(ended))
    return 0


async def _equip(
    services: Services,
    settings: Settings,
    database: "Database",
    ledger: "WorkerLedger",
    origin: str,
    stack: contextlib.AsyncExitStack,
) -> None:
    """Add what only requests about media call."""
    services.pictures = defaults(settings)
    services.assets = await assets_of(settings, database, origin, stack)
    services.studio = await studio_of(settings, services, database, ledger, stack)


async def _counting(
    settings: Settings,
    services: Services,
    listeners: Sequence["Listener"],
    recorder: "Recorder",
    ledger: "WorkerLedger",
    places: "Places | None",
    stack: contextlib.AsyncExitStack,
) -> "Metrics | None":
    """Numbers for Prometheus; ``None``, and nothing imported, where nobody wants them."""
    if not settings.metrics.enabled:
        return None
    from trivium.wiring.metrics import metrics_of

    return await metrics_of(services, listeners, recorder, ledger, places, stack)
