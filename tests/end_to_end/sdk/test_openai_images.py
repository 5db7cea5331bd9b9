"""The official OpenAI client for Python on pictures, through a gateway to both kinds of upstream."""

import base64
import contextlib

import pytest
from openai import AsyncOpenAI, BadRequestError

from assets.stores import folder_objects
from assets.test_service import made
from gateway import Gateway
from pictures import BASE64, PICTURE, USAGE, answer, drawn, event, streamed
from scripted_upstream import Close, Double, Send

PARTIAL = event("image_generation.partial_image", partial_image_index=0, created_at=1)
COMPLETED = event("image_generation.completed", usage=USAGE, created_at=1, size="1024x1024")


@contextlib.asynccontextmanager
async def client_of(script, *, provider="openai", name="gpt-image-1"):
    """The client, and the gateway and vendor behind it."""
    async with (
        Double([script]) as vendor,
        Gateway.to((provider, vendor), name=name) as gateway,
        AsyncOpenAI(
            base_url=f"http://127.0.0.1:{gateway.port}/v1", api_key=gateway.key, max_retries=0
        ) as client,
    ):
        yield client, gateway, vendor


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("provider", "name", "script"),
    [
        ("openai", "gpt-image-1", answer(usage=USAGE)),
        ("gemini", "gemini-2.5-flash-image", drawn()),
    ],
)
async def test_a_picture(provider, name, script):
    """With its usage, whoever drew it."""
    async with client_of(script, provider=provider, name=name) as (client, _, _):
        made = await client.images.generate(model=name, prompt="A cat.", size="1024x1024")
    assert PICTURE == base64.b64decode(made.data[0].b64_json)
    assert made.usage.output_tokens > 0
    assert made.usage.total_tokens == made.usage.input_tokens + made.usage.output_tokens


@pytest.mark.asyncio
async def test_a_stream_of_pictures():
    """Partial ones, then the finished one."""
    script = streamed(PARTIAL, PARTIAL, COMPLETED)
    async with client_of(script) as (client, _, _):
        stream = await client.images.generate(
            model="gpt-image-1", prompt="A cat.", stream=True, partial_images=2
        )
        events = [one async for one in stream]
    assert ["image_generation.partial_image"] * 2 == [one.type for one in events[:2]]
    assert ("image_generation.completed", BASE64, 200) == (
        events[2].type, events[2].b64_json, events[2].usage.output_tokens,
    )  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize("cut", [0, 20, 60])
async def test_a_stream_that_breaks_raises(cut):
    """Between two events, and in the middle of a picture."""
    broken = PARTIAL + COMPLETED[: len(COMPLETED) // 2 - cut]
    script = [Send(streamed(broken)[0].data), Close()]
    async with client_of(script) as (client, gateway, _):
        stream = await client.images.generate(model="gpt-image-1", prompt="A cat.", stream=True)
        with pytest.raises(Exception, match=r"ended in mid-answer|closed"):
            [one async for one in stream]
        assert "upstream_broke" == gateway.records[0].fault


@pytest.mark.asyncio
async def test_an_address(database, tmp_path, clock):
    """Of a vendor that only gives bytes."""
    async with client_of(answer(), name="dall-e-3") as (client, gateway, _):
        gateway.services.assets = made(database, folder_objects(tmp_path), clock)
        found = await client.images.generate(model="dall-e-3", prompt="A cat.")
    assert found.data[0].url.startswith("https://x.example/assets/")
    assert found.data[0].b64_json is None


@pytest.mark.asyncio
async def test_a_violation_is_a_bad_request():
    """Param and code are set."""
    async with client_of(answer()) as (client, _, vendor):
        with pytest.raises(BadRequestError) as told:
            await client.images.generate(model="gpt-image-1", prompt="x", style="vivid")
    assert ("style", "unsupported_parameter", []) == (
        told.value.param, told.value.code, vendor.requests,
    )  # fmt: skip


@pytest.mark.asyncio
async def test_a_model_may_be_left_out():
    """Then it is legacy model A."""
    async with client_of(answer(), name="dall-e-2") as (client, _, _):
        found = await client.images.generate(prompt="A cat.", response_format="b64_json")
    assert BASE64 == found.data[0].b64_json
