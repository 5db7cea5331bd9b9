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
import ssl
from collections.abc import Callable, Coroutine, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import structlog

from trivium.admission.addresses import networks
from trivium.admission.script import SCRIPTS, ScriptedWindows
from trivium.admission.service import Admission
from trivium.admission.spending import Spending
from trivium.clock import SystemClock
from trivium.edge.cors import Cors
from trivium.edge.limits import Limits as EdgeLimits
from trivium.edge.listener import Listener
from trivium.observe import logs
from trivium.observe.alarm import Alarm
from trivium.pipeline.context import Services
from trivium.routing.breaker import Rules
from trivium.routing.health import Health, log_change
from trivium.routing.latency import Latency
from trivium.routing.model import Catalogue
from trivium.routing.reload import FileWatch, Reader
from trivium.routing.router import Router
from trivium.routing.tries import Budget
from trivium.settings.load import environment
from trivium.settings.model import Routing, Server, Settings, Upstream
from trivium.settings.prices import multiplier
from trivium.shared.address import parse
from trivium.shared.state import SharedState
from trivium.upstream import tls
from trivium.upstream.message import Composer
from trivium.upstream.origin_pool import Limits as PoolLimits
from trivium.upstream.pool import PooledClient
from trivium.upstream.resolve import Resolver
from trivium.wire.registry import PASSAGES

if TYPE_CHECKING:
    from trivium.identity.snapshot import Snapshot
    from trivium.ledger.worker import WorkerLedger
    from trivium.observe.recorder import Recorder
    from trivium.observe.sweep import Sweeper
    from trivium.recall.sweep import Sweeper as Forgetter
    from trivium.storage.database import Database

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
) -> int:
    """Run one worker until SIGTERM or SIGINT, drain it, and return the exit code.

    Raises SettingsError for what the file alone can be wrong about, OSError when the port cannot
    be had, and the storage errors of a database that cannot be used. ``flags`` are settings given
    on the command line, which a reload must not take for changed.
    """
    logs.setup(settings.logs.level, settings.logs.format)
    reader = Reader(config_path, flags=flags)
    _, catalogue = reader.read()
    stop = asyncio.Event()

    def swap(read: Settings, new: Catalogue) -> None:
        services.router = Router(new, random.random, services.latency.expected)
        services.budget = _budget(read.routing)
        services.wishes = read.routing.wishes
        services.health.configure(_rules(read.routing), read.routing.recheck_s)
        services.health.forget()
        ledger.regroup(_groups(read))

    watch = FileWatch(reader, (settings, catalogue), swap)
    # before anybody is told the process id: the first signal may come at once
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    loop.add_signal_handler(signal.SIGHUP, watch.reload_now)
    async with contextlib.AsyncExitStack() as stack:
        listeners, origins = await _listen(settings, stack)
        ready(origins)
        database, snapshot, recorder = await _memory(settings, stack)
        ledger = await _ledger(settings, database, stack)
        services = _services(settings, catalogue, database, recorder, ledger, stack)
        services.admission = await _admission(settings, database, snapshot, stack)
        for listener in listeners:
            listener.open(services, snapshot.get)
        await _background(stack, snapshot.watch(settings.storage.poll_s))
        await _background(stack, _sweeper(database, settings).run())
        await _background(stack, _forgetter(database, settings).run())
        if config_path is not None:
            await _background(stack, watch.run())
        await _background(stack, _pages(settings, listeners, database, snapshot))
        gc.collect()
        gc.freeze()
        gc.set_threshold(GC_THRESHOLD)
        await stop.wait()
        log.info("draining", limit_s=settings.server.drain_s)
        ended = await asyncio.gather(*(a.drain(settings.server.drain_s) for a in listeners))
        log.info("drained", ended=sum(ended))
    return 0


async def _listen(
    settings: Settings, stack: contextlib.AsyncExitStack
) -> tuple[list[Listener], list[str]]:
    server = settings.server
    tls_context = _server_tls(server)
    scheme = "https" if tls_context else "http"
    addresses = [(server.listen, False)]
    if server.admin_listen:
        addresses.append((server.admin_listen, True))
    listeners: list[Listener] = []
    origins: list[str] = []
    for address, pages_only in addresses:
        host, _, port = address.rpartition(":")
        listener = Listener(
            limits=_edge_limits(server),
            clock=SystemClock(),
            cors=Cors(server.cors_origins),
            query_key=server.query_key,
            pages_only=pages_only,
            scheme=scheme,
            trusted_proxies=networks(server.trusted_proxies),
        )
        stack.callback(listener.close)
        bound = await listener.listen(
            host=host.strip("[]") or None,
            port=int(port),
            backlog=server.backlog,
            reuse_port=server.workers > 1 or None,
            ssl=tls_context,
        )
        listeners.append(listener)
        origins += [f"{scheme}://{f'[{h}]' if ':' in h else h}:{p}" for h, p in bound]
    return listeners, origins


async def _memory(
    settings: Settings, stack: contextlib.AsyncExitStack
) -> "tuple[Database, Snapshot, Recorder]":
    """The database and what is kept of it in memory. Imported here: it costs most of a second."""
    from trivium.identity.snapshot import Snapshot
    from trivium.observe.recorder import Recorder
    from trivium.storage import migrate
    from trivium.storage.database import Database

    database = Database(settings.storage.url, settings.storage.pool)
    stack.push_async_callback(database.close)
    await migrate.ensure(database)
    snapshot = Snapshot(database, SystemClock())
    await snapshot.load()
    recorder = Recorder(database, settings.records)
    recorder.start()
    stack.push_async_callback(recorder.close)
    return database, snapshot, recorder


async def _ledger(
    settings: Settings, database: "Database", stack: contextlib.AsyncExitStack
) -> "WorkerLedger":
    """Our own ledger, after what dead workers left is booked. Raises StorageDown."""
    from trivium.ledger.journal import Journal
    from trivium.ledger.turns import Turns, worker_name
    from trivium.ledger.worker import WorkerLedger
    from trivium.storage.errors import StorageDown

    folder = Path(settings.storage.journal)
    try:
        journal = Journal(folder, worker_name())
    except OSError as error:
        raise StorageDown(f"cannot write the journal in {folder}: {error.strerror}") from None
    ledger = WorkerLedger(
        journal,
        SystemClock(),
        groups=_groups(settings),
        interrupted=settings.ledger.interrupted,
    )
    turns = Turns(database, ledger, folder, settings.ledger, SystemClock())
    stack.push_async_callback(turns.close)
    await turns.recover()
    turns.start()
    return ledger


async def _admission(
    settings: Settings,
    database: "Database",
    snapshot: "Snapshot",
    stack: contextlib.AsyncExitStack,
) -> Admission:
    """Limits, with what keys have spent already and, if there is one, the shared state."""
    clock = SystemClock()
    spending = Spending(database, clock, snapshot.callers, lambda: snapshot.revision)
    await spending.load()
    await _background(stack, spending.watch())
    if not settings.shared.url:
        return Admission(clock, purse_of=spending.purse)
    state = SharedState(
        parse(settings.shared.url), SCRIPTS, returned=lambda: windows.renew(list(running))
    )
    windows = ScriptedWindows(state)
    admission = Admission(clock, purse_of=spending.purse, shared=windows)
    running = admission.running
    stack.callback(state.close)
    await state.start()
    await _background(stack, state.run())
    await _background(stack, windows.keep(running))
    return admission


def _groups(settings: Settings) -> dict[str, Fraction]:
    return {name: multiplier(text) for name, text in settings.groups.items()}


def _services(
    settings: Settings,
    catalogue: Catalogue,
    database: "Database",
    recorder: "Recorder",
    ledger: "WorkerLedger",
    stack: contextlib.AsyncExitStack,
) -> Services:
    # after the port is open: the codecs are most of the code there is
    from trivium.pipeline.pulse import Pulse
    from trivium.pipeline.translation import Translator
    from trivium.recall.service import Recall
    from trivium.recall.traces.service import Traces
    from trivium.recall.vault import Vault
    from trivium.storage.root_key import root_keys
    from trivium.wire.codecs import CODECS

    keys = root_keys(
        environment().get("TRIVIUM_SECRET"), Path(settings.storage.journal) / "trivium.key"
    )
    loop = asyncio.get_running_loop()
    upstream = settings.upstream
    client = PooledClient(
        _pool_limits(upstream),
        resolver=Resolver(upstream.dns_ttl_s, loop.time),
        tls=functools.cache(lambda: tls.context(upstream.ca_file)),
        now=loop.time,
    )
    stack.push_async_callback(client.close)
    latency = Latency(loop.time)
    alone = database.is_sqlite and settings.server.workers == 1
    traces = Traces(database, Vault(keys.ring("traces")), settings.traces, alone=alone)
    traces.start()
    stack.push_async_callback(traces.close)
    recall = Recall(database, Vault(keys.ring("responses")), settings.responses, alone=alone)
    recall.start()
    stack.push_async_callback(recall.close)
    return Services(
        router=Router(catalogue, random.random, latency.expected),
        passages=PASSAGES,
        client=client,
        composer=Composer(),
        translator=Translator(CODECS, keys.ring("envelopes"), SystemClock()),
        ledger=ledger,
        recorder=recorder,
        alarm=Alarm(SystemClock()),
        clock=SystemClock(),
        loop=loop,
        answer_bytes_max=upstream.answer_bytes_max,
        explain_headers=settings.server.explain_headers,
        recall=recall,
        traces=traces,
        pulse=Pulse(loop, settings.server.heartbeat_s),
        health=Health(
            loop.time,
            _rules(settings.routing),
            recheck_s=settings.routing.recheck_s,
            told=log_change,
        ),
        budget=_budget(settings.routing),
        latency=latency,
        wishes=settings.routing.wishes,
    )


def _rules(routing: Routing) -> Rules:
    return Rules(
        failures=routing.failures,
        ratio=routing.failures_ratio,
        window_s=routing.window_s,
        cooldown_s=routing.cooldown_s,
        cooldown_max_s=routing.cooldown_max_s,
    )


def _budget(routing: Routing) -> Budget:
    return Budget(
        attempts=routing.attempts_max,
        seconds=routing.attempts_s,
        slow_s=routing.slow_s,
        repeats=routing.repeats,
        pause_s=routing.repeat_pause_s,
    )


def _forgetter(database: "Database", settings: Settings) -> "Forgetter":
    from trivium.recall.sweep import Sweeper as Forgetter

    return Forgetter(database, settings.responses)


def _sweeper(database: "Database", settings: Settings) -> "Sweeper":
    from trivium.observe.sweep import Sweeper

    return Sweeper(database, settings.records.retention_days)


async def _background(stack: contextlib.AsyncExitStack, work: Coroutine[Any, Any, None]) -> None:
    """Run something beside the requests until the worker ends."""
    task = asyncio.get_running_loop().create_task(work)

    async def end() -> None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    stack.push_async_callback(end)


async def _pages(
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

    application = pages(public_url=settings.server.public_url, readiness=readiness)
    for listener in listeners:
        listener.serve_pages(application)


def _import_pages() -> Any:
    from trivium.edge import pages

    return pages.build


def _edge_limits(server: Server) -> EdgeLimits:
    return EdgeLimits(
        header_bytes_max=server.header_bytes_max,
        headers_max=server.headers_max,
        body_bytes_max=server.body_bytes_max,
        header_timeout_s=server.header_timeout_s,
        body_timeout_s=server.body_timeout_s,
        keepalive_s=server.keepalive_s,
        pipeline_max=server.pipeline_max,
        write_high_bytes=server.write_high_bytes,
        connections_max=server.connections_max,
        half_closed_cancels=server.half_closed == "cancel",
    )


def _pool_limits(upstream: Upstream) -> PoolLimits:
    return PoolLimits(
        keepalive_s=upstream.keepalive_s,
        connections_max=upstream.connections_max,
        wait_s=upstream.wait_s,
        header_bytes_max=upstream.header_bytes_max,
    )


def _server_tls(server: Server) -> ssl.SSLContext | None:
    if not server.tls_certificate:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(server.tls_certificate, server.tls_key)
    context.set_alpn_protocols(["http/1.1"])
    return context
