"""A channel is asked one short question with each of its keys."""

import pytest

from gateway import Gateway
from pipeline.test_health_probe import LIST, OK, refusal
from scripted_upstream import Double
from trivium.pipeline.channel_trial import short_chat, tried

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
async def test_a_short_chat_is_in_the_channels_own_shape(provider):
    """Of a model that it serves, by its own name."""
    async with (
        Double([]) as vendor,
        Gateway.to((provider, vendor), upstream_model="up") as gateway,
    ):
        channel = gateway.services.router.channel(f"{provider}-0")
        step = await short_chat(gateway.services, channel)
        assert ("up", True) == (step["upstream_model"], b"Say OK." in bytes(step["body"]))
        assert "it does not serve none (it serves: " in (
            await short_chat(gateway.services, channel, "none")
        )
        assert [] == vendor.requests


async def test_each_key_is_tried_and_nothing_is_booked():
    """What came of each is told, whatever it was."""
    async with (
        Double([OK, refusal(b"401 Unauthorized")]) as vendor,
        Gateway.to(("openai", vendor), keys=("sk-one", "sk-two"), upstream_model="up") as gateway,
    ):
        services = gateway.services
        channel = services.router.channel("openai-0")
        step = await short_chat(services, channel)
        (first, well), (second, refused) = await tried(
            services.client, services.composer, channel, step
        )
        assert (0, 200, None) == (first, well.status, well.fault)
        assert (1, 401, "upstream_credential") == (second, refused.status, refused.fault.kind.value)
        assert [True, True] == [
            key in seen.raw
            for key, seen in zip((b"sk-one", b"sk-two"), vendor.requests, strict=True)
        ]
        assert [] == gateway.records


async def test_a_channel_without_a_model_says_so():
    """Instead of being asked for nothing."""
    async with Double([LIST]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        channel = gateway.services.router.channel("openai-0")
        other = type(channel)(
            **{n: getattr(channel, n) for n in channel.__struct_fields__} | {"name": "other"}
        )
        assert "no model is bound to it" == await short_chat(gateway.services, other)
