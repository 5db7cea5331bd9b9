"""Classifications through a whole gateway."""

import asyncio

import pytest
from openai import AsyncOpenAI

from gateway import Gateway, error_of
from pictures import BASE64, JSON
from scripted_upstream import Double, Send, Stall, sized
from trivium.edge.limits import ServerLimits

PATH = "/v1/moderations"
ANSWER = (
    b'{"id":"modr-1","model":"omni-moderation-latest","results":[{"flagged":true,"categories":'
    b'{"violence":true},"category_scores":{"violence":0.9},"category_applied_input_types":'
    b'{"violence":["text","image"]}}], "more": [1]}'
)
OK = [Send(sized(ANSWER, headers=JSON))]
NAME = "omni-moderation-latest"


@pytest.mark.asyncio
async def test_an_answer_passes_byte_for_byte():
    """With whatever the vendor adds."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor), name=NAME) as gateway:
        status, _, body = await gateway.post(PATH, {"input": ["kind words", "others"]})
        assert (200, ANSWER) == (status, body)
        assert "moderations" == gateway.records[0].operation


@pytest.mark.asyncio
async def test_a_refusal_is_told_in_the_gateways_words():
    """One error body everywhere."""
    refusal = b'{"error":{"message":"bad picture","type":"invalid_request_error","param":"input"}}'
    script = [Send(sized(refusal, status=b"400 Bad Request", headers=JSON))]
    async with Double([script]) as vendor, Gateway.to(("openai", vendor), name=NAME) as gateway:
        status, _, body = await gateway.post(PATH, {"input": "x"})
        assert (400, "invalid_request_error") == (status, error_of(body)["type"])


@pytest.mark.asyncio
async def test_a_body_beyond_the_limit_is_refused():
    """Pictures come inside of it."""
    limits = ServerLimits(body_bytes_max=2000)
    async with (
        Double([OK]) as vendor,
        Gateway.to(("openai", vendor), name=NAME, limits=limits) as gateway,
    ):
        status, _, body = await gateway.post(PATH, {"input": "x" * 3000})
        assert (413, "request_too_large") == (status, error_of(body)["code"])
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_who_leaves_ends_the_call():
    """The vendor is not kept waiting."""
    async with (
        Double([[Stall()]]) as vendor,
        Gateway.to(("openai", vendor), name=NAME) as gateway,
    ):
        line = await gateway.wire()
        await line.send(gateway.head(PATH, b'{"input":"x"}'))
        while not vendor.requests:
            await asyncio.sleep(0.01)
        await line.close()
        while not gateway.records:
            await asyncio.sleep(0.01)
        assert "caller_left" == gateway.records[0].fault


@pytest.mark.asyncio
@pytest.mark.parametrize("body", [{"input": "x"}, {"input": "x", "model": "gone"}])
async def test_without_an_upstream_the_model_is_not_found(body):
    """By name; no chat model is asked in its place."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor), name="gpt-5") as gateway:
        status, _, answered = await gateway.post(PATH, body)
        told = error_of(answered)
        assert (404, "model_not_found", "model") == (status, told["code"], told["param"])
        assert body.get("model", NAME) in told["message"]
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_the_official_client_sends_pictures():
    """Beside text, in one input."""
    parts = [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{BASE64}"}},
    ]
    async with (
        Double([OK]) as vendor,
        Gateway.to(("openai", vendor), name=NAME) as gateway,
        AsyncOpenAI(base_url=f"http://127.0.0.1:{gateway.port}/v1", api_key=gateway.key) as client,
    ):
        found = await client.moderations.create(model=NAME, input=parts)
    assert found.results[0].flagged
    assert ["text", "image"] == found.results[0].category_applied_input_types.violence
