"""The state that workers and nodes share, and what they and the operator learn of upstreams."""

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from trivium.admission import script
from trivium.oauth import shared_rate_limits as rates
from trivium.pipeline.services import Services
from trivium.routing import shared_breakers
from trivium.routing.breaker_log import BreakerLog
from trivium.settings.model import Settings
from trivium.shared.connection import parse
from trivium.shared.state import SharedState
from trivium.wiring.background import background

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivium.routing.model import Channel
    from trivium.storage.database import Database

_SHARING: Final = len(script.SCRIPTS)
"""Where the scripts of shared health begin."""
_RATES: Final = _SHARING + len(shared_breakers.SCRIPTS)
"""Where those of the OAuth endpoints' rates begin."""


def shared_of(settings: Settings) -> SharedState | None:
    """The shared state, not reached for yet; ``None`` where there is none."""
    url = settings.shared.url
    scripts = (*script.SCRIPTS, *shared_breakers.SCRIPTS, *rates.SCRIPTS)
    return SharedState(parse(url), scripts) if url else None


def rates_of(shared: SharedState | None) -> rates.SharedCounters | None:
    """Return where the OAuth endpoints count; ``None`` without a shared state."""
    return None if shared is None else rates.SharedCounters(shared, _RATES)


async def look_after(
    settings: Settings,
    services: Services,
    database: "Database",
    shared: SharedState | None,
    stack: contextlib.AsyncExitStack,
) -> None:
    """Share what is found of the upstreams, note it for the operator, and go and find out."""
    await share(shared, services, stack)
    await note(settings, services, database, stack)
    await probe(services, stack)


async def note(
    settings: Settings, services: Services, database: "Database", stack: contextlib.AsyncExitStack
) -> None:
    """Store what rests, for the operator."""
    breaker_log = BreakerLog(database, services.clock, services.time, channels_of(services))
    if database.is_sqlite and settings.server.workers == 1:
        breaker_log.forgotten()  # the only gateway there is begins anew
    services.health.watchers.append(breaker_log)
    await background(stack, breaker_log.run)


async def probe(services: Services, stack: contextlib.AsyncExitStack) -> None:
    """Send health probes to the channels that have them configured."""
    from trivium.pipeline.health_probe import HealthProber

    await background(stack, HealthProber(services).run)


async def share(
    state: SharedState | None, services: Services, stack: contextlib.AsyncExitStack
) -> None:
    """Connect to the shared state, and exchange the health of upstreams with other workers."""
    if state is None:
        return
    health = services.health
    peers = shared_breakers.SharedBreakers(
        state, _SHARING, health, channels_of(services), asyncio.get_running_loop().time
    )
    health.peers = peers
    health.watchers.append(peers)
    state.returned.append(peers.returned)
    stack.callback(state.close)
    await state.start()
    await background(stack, state.run)
    await background(stack, peers.run)


def channels_of(services: Services) -> "Callable[[str], Channel | None]":
    """Return what finds a channel in the router that is in force when asked."""

    def channel_of(name: str) -> "Channel | None":
        return services.router.channel(name)

    return channel_of
