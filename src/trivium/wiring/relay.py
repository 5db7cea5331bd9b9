"""Builds the services that a request may call."""

import asyncio
import contextlib
import functools
import random
import ssl
from collections.abc import Callable
from typing import TYPE_CHECKING

from trivium.clock import SystemClock
from trivium.observe.log_throttle import LogThrottle
from trivium.observe.pseudonyms import Pseudonyms
from trivium.pipeline.services import Services
from trivium.routing.health import Health, log_change
from trivium.routing.latency import Latency
from trivium.routing.model import Catalogue
from trivium.routing.router import Router
from trivium.settings.model import Settings, UpstreamSettings
from trivium.settings.section import FetchSettings
from trivium.uploads.spool import Room
from trivium.upstream import tls
from trivium.upstream.pool import PooledClient
from trivium.upstream.request_writer import Composer
from trivium.upstream.resolve import Resolver
from trivium.upstream.url_fetch import UrlFetcher
from trivium.wire.registry import PASSAGES
from trivium.wiring.hooks import NO_HOOKS, Hooks, with_hooks
from trivium.wiring.secret import keys_of

if TYPE_CHECKING:
    from trivium.ledger.worker import WorkerLedger
    from trivium.observe.recorder import Recorder
    from trivium.storage.database import Database


def services_of(
    settings: Settings,
    catalogue: Catalogue,
    database: "Database",
    recorder: "Recorder",
    ledger: "WorkerLedger",
    stack: contextlib.AsyncExitStack,
    hooks: Hooks = NO_HOOKS,
) -> Services:
    """Everything a request may call; closed with the stack."""
    # after the port is open: the codecs are most of the code there is
    from trivium.pipeline.heartbeats import Heartbeats
    from trivium.pipeline.translation import Translator
    from trivium.response_store.service import ResponseStore
    from trivium.response_store.signatures.service import SignatureStore
    from trivium.storage.vault import Vault
    from trivium.wire.codecs import CODECS

    keys = keys_of(settings)
    loop = asyncio.get_running_loop()
    upstream = settings.upstream
    secure = functools.cache(lambda: tls.context(upstream.ca_file))
    client = _client(upstream, secure, stack)
    latency = Latency(loop.time)
    alone = database.is_sqlite and settings.server.workers == 1
    traces = SignatureStore(database, Vault(keys.ring("traces")), settings.traces, alone=alone)
    traces.start()
    stack.push_async_callback(traces.close)
    server = settings.server
    recall = ResponseStore(
        database,
        Vault(keys.ring("responses")),
        settings.responses,
        alone=alone,
        room=Room(server.upload_folder, 0, server.bodies_bytes_max, has_inputs=True),
    )
    recall.start()
    stack.push_async_callback(recall.close)
    return Services(
        router=Router(catalogue, random.random, latency.expected),
        passages=PASSAGES,
        client=client,
        composer=Composer(),
        translator=Translator(
            CODECS, keys.ring("envelopes"), SystemClock(), objects_max=settings.server.objects_max
        ),
        ledger=ledger,
        recorder=with_hooks(recorder, hooks),
        log_throttle=LogThrottle(SystemClock()),
        clock=SystemClock(),
        loop=loop,
        answer_bytes_max=upstream.answer_bytes_max,
        explain_headers=settings.server.explain_headers,
        response_store=recall,
        signatures=traces,
        heartbeats=Heartbeats(loop, settings.server.heartbeat_s),
        health=Health(loop.time, settings.routing, told=log_change),
        budget=settings.routing,
        latency=latency,
        allows_preferences=settings.routing.wishes,
        pseudonyms=Pseudonyms(
            keys.ring("attribution"),
            end_users=settings.records.hash_end_users,
            sessions=settings.records.hash_sessions,
        ),
        finishes=settings.ledger.abandoned == "finish",
        url_fetcher=foreign(settings.fetch, secure, stack),
    )


def _client(
    upstream: UpstreamSettings,
    secure: Callable[[], ssl.SSLContext],
    stack: contextlib.AsyncExitStack,
) -> PooledClient:
    now = asyncio.get_running_loop().time
    client = PooledClient(
        upstream,
        resolver=Resolver(upstream.dns_ttl_s, now),
        tls=secure,
        now=now,
        ca_file=upstream.ca_file,
    )
    stack.push_async_callback(client.close)
    return client


def foreign(
    fetch: FetchSettings, secure: Callable[[], ssl.SSLContext], stack: contextlib.AsyncExitStack
) -> UrlFetcher | None:
    """Return what fetches files by URL; ``None`` where the operator has not enabled it."""
    if not fetch.enabled:
        return None
    found = UrlFetcher(fetch, tls=secure)
    stack.push_async_callback(found.close)
    return found
