"""The shared state is wired to what uses it, and left out where there is none."""

import contextlib

import pytest

from gateway import Gateway
from scripted_upstream import Double
from trivium.admission import script
from trivium.clock import FixedClock
from trivium.routing import shared_breakers
from trivium.routing.channel_health import Breaker, HealthKey
from trivium.settings.model import Settings, SharedSettings
from trivium.settings.section import OAuthSettings as Rules
from trivium.storage.root_key import RootKeys
from trivium.wiring.console import oauth_of
from trivium.wiring.shared import rates_of, share, shared_of
from valkey_server import reached


@pytest.mark.asyncio
async def test_without_an_address_nothing_is_shared():
    """And health asks nobody."""
    assert shared_of(Settings()) is None
    assert rates_of(None) is None
    async with Double() as vendor, Gateway.to(("openai", vendor)) as gateway:
        async with contextlib.AsyncExitStack() as stack:
            await share(None, gateway.services, stack)
        assert gateway.services.health.peers is None


@pytest.mark.asyncio
async def test_health_is_told_to_the_server_by_the_account_of_the_channel(valkey):
    """The scripts of limits come first, then those of health."""
    async with Double() as vendor, Gateway.to(("openai", vendor)) as gateway:
        services = gateway.services
        state = shared_of(Settings(shared=SharedSettings(url=valkey.url)))
        async with contextlib.AsyncExitStack() as stack:
            await share(state, services, stack)
            peers = services.health.peers
            opened = Breaker(until=services.time() + 5)
            peers.changed(HealthKey("openai-0", 0, "up"), opened)
            await peers.sync()
            told = await state.call(
                len(script.SCRIPTS) + shared_breakers.SCRIPTS.index(shared_breakers.SYNC),
                [shared_breakers.OPENED, shared_breakers.PERMITS],
                ["w", "-1", 1],
            )
        (mark,) = shared_breakers.accounts(services.router.channel("openai-0"))
        assert [f"openai-0\n{mark}\nup"] == [row[0].decode() for row in told[2]]
        assert not state.is_up


@pytest.mark.asyncio
async def test_the_oauth_endpoints_of_all_workers_count_together(valkey, database):
    """Each with a connection and a memory of its own; their script is where they look for it."""
    settings = Settings(shared=SharedSettings(url=valkey.url), oauth=Rules(token_per_minute=2))
    async with contextlib.AsyncExitStack() as stack:
        workers = []
        for _ in range(2):
            state = shared_of(settings)
            stack.callback(state.close)
            await reached(state)
            keys = RootKeys(b"k" * 32)
            workers.append(oauth_of(settings, database, FixedClock(), keys, rates_of(state)))
        taken = [await worker.exchanges.take("gwc_1") for worker in workers * 2]
    assert [None, None, 60, 60] == taken
