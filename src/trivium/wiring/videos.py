"""Where videos are made, and who looks after them."""

import asyncio
import contextlib
import functools
from typing import TYPE_CHECKING

from trivium.admission.addresses import networks
from trivium.settings.model import Settings
from trivium.upstream import tls, vendor_files
from trivium.wiring.background import background
from trivium.wiring.secret import keys_of
from trivium.wiring.shared import channels_of

if TYPE_CHECKING:
    from trivium.jobs.video_services import VideoServices
    from trivium.ledger.worker import WorkerLedger
    from trivium.pipeline.services import Services
    from trivium.storage.database import Database


async def video_services(
    settings: Settings,
    services: "Services",
    database: "Database",
    ledger: "WorkerLedger",
    stack: contextlib.AsyncExitStack,
) -> "VideoServices":
    """Jobs, whoever asks their upstreams, and a poller that runs until the worker ends."""
    from trivium.jobs.poll import Poller
    from trivium.jobs.service import Jobs
    from trivium.jobs.video_archive import VideoArchive
    from trivium.jobs.video_client import VideoClient
    from trivium.jobs.video_download import VideoDownloader
    from trivium.jobs.video_services import VideoServices
    from trivium.storage.vault import Vault

    jobs = Jobs(
        database,
        Vault(keys_of(settings).ring("jobs")),
        settings.jobs,
        money=ledger,
        interrupted=settings.ledger.interrupted,
    )

    video_client = VideoClient(
        services.client, services.composer, channels_of(services), services.future
    )
    others = vendor_files.client(
        settings.upstream,
        tls=functools.cache(lambda: tls.context(settings.upstream.ca_file)),
        now=asyncio.get_running_loop().time,
        networks=networks(settings.fetch.networks),
    )
    stack.push_async_callback(others.close)
    source = VideoDownloader(video_client, services.client, others)
    keep = None
    if services.assets is not None and settings.jobs.keep_days:
        keep = VideoArchive(jobs, source, services.assets).keep
    poller = Poller(jobs, video_client, keep)
    stack.push_async_callback(poller.close)
    await background(stack, poller.run)
    return VideoServices(jobs, video_client, source)
