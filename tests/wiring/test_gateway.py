"""What pages ask of a worker is answered by what is in force there."""

from types import SimpleNamespace

import pytest

from gateway import Gateway
from pipeline.test_health_probe import OK, refusal
from scripted_upstream import Double
from trivium.console.gateway import ChannelTestError, InFlight
from trivium.wiring.gateway import gateway_state

pytestmark = pytest.mark.asyncio


async def test_a_channel_is_tested_with_each_of_its_keys():
    """Keys are counted from one; one that there is not, and one without a model, say so."""
    async with (
        Double([OK, refusal(b"401 Unauthorized")]) as vendor,
        Gateway.to(("openai", vendor), keys=("sk-one", "sk-two"), upstream_model="up") as gateway,
    ):
        state = gateway_state(gateway.services, [], None)
        assert ["openai-0"] == [channel.name for channel in state.channels()]
        well, refused = await state.tried("openai-0", None)
        assert (1, 200, "", "up") == (well.key, well.status, well.fault, well.upstream_model)
        assert (2, 401, "upstream_credential") == (refused.key, refused.status, refused.fault)
        assert refused.message
        with pytest.raises(ChannelTestError, match="there is no channel none"):
            await state.tried("none", None)
        assert [] == list(state.identities())


async def test_what_runs_is_counted_without_the_page_that_asks():
    """Of this worker alone, or of all where somebody knows of the others."""
    lines = [SimpleNamespace(busy=busy) for busy in (True, True, False, True)]
    listener = SimpleNamespace(connections=lines)
    state = gateway_state(None, [listener], None)
    assert InFlight(requests=2, workers=1) == state.in_flight()
    metrics = SimpleNamespace(running=lambda: (9, 4))
    assert InFlight(requests=8, workers=4) == gateway_state(None, [], metrics).in_flight()
    idle = SimpleNamespace(running=lambda: (0, 4))
    assert 0 == gateway_state(None, [], idle).in_flight().requests
