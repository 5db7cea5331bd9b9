"""Where videos are made, and who looks after them."""

import asyncio
import contextlib
import functools
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.admission.addresses import networks
from trivium.settings.load import environment
from trivium.settings.model import Settings
from trivium.upstream import elsewhere, tls
from trivium.wiring.background import background

if TYPE_CHECKING:
    from trivium.jobs.studio import Studio
    from trivium.ledger.worker import WorkerLedger
    from trivium.pipeline.context import Services
    from trivium.routing.model import Channel
    from trivium.storage.database import Database


async def studio_of(
    settings: Settings,
    services: "Services",
    database: "Database",
    ledger: "WorkerLedger",
    stack: contextlib.AsyncExitStack,
) -> "Studio":
    """Jobs, whoever asks their upstreams, and a poller that runs until the worker ends."""
    from trivium.jobs.asking import Asking
    from trivium.jobs.keeping import Keeping
    from trivium.jobs.poll import Poller
    from trivium.jobs.service import Jobs
    from trivium.jobs.source import Source
    from trivium.jobs.studio import Studio
    from trivium.storage.root_key import root_keys
    from trivium.storage.vault import Vault
    from trivium.wiring.relay import pool_limits

    keys = root_keys(
        environment().get("TRIVIUM_SECRET"), Path(settings.storage.journal) / "trivium.key"
    )
    jobs = Jobs(
        database,
        Vault(keys.ring("jobs")),
        settings.jobs,
        spare=ledger.spare,
        interrupted=settings.ledger.interrupted,
    )

    def channel(name: str) -> "Channel | None":
        return services.router.channel(name)

    asking = Asking(services.client, services.composer, channel, services.future)
    others = elsewhere.client(
        pool_limits(settings.upstream),
        tls=functools.cache(lambda: tls.context(settings.upstream.ca_file)),
        now=asyncio.get_running_loop().time,
        networks=networks(settings.fetch.networks),
    )
    stack.push_async_callback(others.close)
    source = Source(asking, services.client, others)
    keep = None
    if services.assets is not None and settings.jobs.keep_days:
        keep = Keeping(jobs, source, services.assets).keep
    poller = Poller(jobs, asking, keep)
    stack.push_async_callback(poller.close)
    await background(stack, poller.run)
    return Studio(jobs, asking, source)
