"""What the pages may ask of this worker, and of the others on its node."""

import functools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from trivium.console.gateway import ChannelTestError, ChannelTrial, GatewayState, InFlight
from trivium.edge.listener import Listener
from trivium.pipeline import channel_trial
from trivium.pipeline.services import Services
from trivium.pipeline.vendor_models import vendor_list
from trivium.routing.model import Channel
from trivium.upstream.channel_test import ChannelTest
from trivium.upstream.pool import PooledClient
from trivium.upstream.vendor_identity import VendorIdentity

if TYPE_CHECKING:
    from trivium.wiring.metrics import Metrics


def gateway_state(
    services: Services, listeners: Sequence[Listener], metrics: "Metrics | None"
) -> GatewayState:
    """Return the questions; each is answered by what is in force when it is asked. ``metrics``:
    knows of the other workers; ``None``: nobody does.
    """

    def in_flight() -> InFlight:
        if metrics is None:
            busy = sum(one.busy for listener in listeners for one in listener.connections)
            return InFlight(requests=max(0, busy - 1), workers=1)
        requests, workers = metrics.running()
        # whoever asks has one under way
        return InFlight(requests=max(0, requests - 1), workers=workers)

    def channels() -> Iterable[Channel]:
        return services.router.channels()

    def identities() -> Iterable[VendorIdentity]:
        client = services.client
        assert isinstance(client, PooledClient)
        return client.identities()

    async def tried(name: str, model: str | None) -> tuple[ChannelTrial, ...]:
        channel = services.router.channel(name)
        if channel is None:
            raise ChannelTestError(f"there is no channel {name} that is switched on")
        step = await channel_trial.short_chat(services, channel, model)
        if isinstance(step, str):
            raise ChannelTestError(step)
        found = await channel_trial.tried(services.client, services.composer, channel, step)
        return tuple(_trial(channel, n, step["upstream_model"], came) for n, came in found)

    return GatewayState(
        in_flight=in_flight,
        channels=channels,
        identities=identities,
        tried=tried,
        listed=functools.partial(vendor_list, services),
    )


def _trial(channel: Channel, number: int, model: str, came: ChannelTest) -> ChannelTrial:
    first, fault = came.first_byte_s, came.fault
    return ChannelTrial(
        key=number + 1 if channel.credentials else None,
        upstream_model=model,
        status=came.status,
        first_byte_ms=None if first is None else round(first * 1e3),
        total_ms=round(came.total_s * 1e3),
        fault="" if fault is None else fault.kind.value,
        message="" if fault is None else fault.message,
    )
