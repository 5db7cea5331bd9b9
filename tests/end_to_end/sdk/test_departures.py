"""A program that stops listening frees the vendor within a second, through every SDK."""

import asyncio

import anthropic as anthropic_sdk
import openai as openai_sdk
import pytest

from end_to_end.sdk.clients import anthropic_at, genai, openai_at

TURN = [{"role": "user", "content": "x"}]
FREED_S = 1.0


def chat(client, model):
    return client.chat.completions.create(model=f"gpt-{model}", messages=TURN, stream=True)


def responses(client, model):
    return client.responses.create(model=f"gpt-{model}", input="x", stream=True)


def messages(client, model):
    return client.messages.create(model=f"claude-{model}", max_tokens=9, messages=TURN, stream=True)


@pytest.mark.parametrize(
    ("sdk", "call"), [("openai", chat), ("openai", responses), ("anthropic", messages)]
)
def test_closing_a_stream(request, vendor, sdk, call):
    """After the first pieces."""
    stream = call(request.getfixturevalue(sdk), "endless")
    pieces = iter(stream)
    for _ in range(8):
        next(pieces)
    asked = vendor.last
    assert not asked.left.is_set()
    stream.close()
    assert asked.left.wait(FREED_S)


def test_letting_a_google_stream_go(genai, vendor):
    """Its generator is closed; the SDK closes the connection."""
    stream = genai.models.generate_content_stream(model="gemini-endless", contents="x")
    for _ in range(8):
        next(stream)
    asked = vendor.last
    assert not asked.left.is_set()
    stream.close()
    assert asked.left.wait(FREED_S)


@pytest.mark.parametrize("where", ["before the answer", "in mid-answer"])
@pytest.mark.parametrize("sdk", ["openai", "anthropic", "genai"])
def test_cancelling_a_task(gateway, key, vendor, sdk, where):
    """The asynchronous clients, before the vendor has said anything and after."""
    model = "silent" if where == "before the answer" else "endless"

    async def listen(client):
        if sdk == "genai":
            stream = await client.aio.models.generate_content_stream(
                model=f"gemini-{model}", contents="x"
            )
        else:
            stream = await {"openai": chat, "anthropic": messages}[sdk](client, model)
        async for _ in stream:
            pass

    async def run():
        before = len(vendor.asked)
        async with made(sdk, gateway, key) as client:
            task = asyncio.create_task(listen(client))
            while len(vendor.asked) == before:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.2)
            asked = vendor.last
            assert not asked.left.is_set()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return await asyncio.to_thread(asked.left.wait, FREED_S)

    assert asyncio.run(run())


def made(sdk, gateway, key):
    """An asynchronous client."""
    if sdk == "openai":
        return openai_sdk.AsyncOpenAI(base_url=f"{gateway.origin}/v1", api_key=key)
    if sdk == "anthropic":
        return anthropic_sdk.AsyncAnthropic(base_url=gateway.origin, api_key=key)
    return Closing(
        genai.Client(api_key=key, http_options={"base_url": f"{gateway.origin}/vendorc"})
    )


class Closing:
    """google-genai's client as a context manager of the asynchronous kind."""

    def __init__(self, client):
        self._client = client

    async def __aenter__(self):
        return self._client

    async def __aexit__(self, *exc):
        await self._client.aio.aclose()


def test_a_program_that_gives_up_waiting(gateway, key, vendor, wire):
    """The SDK's own time-out, before the vendor has said anything."""
    with (
        openai_at(f"{gateway.origin}/v1", key, wire, timeout=0.3, max_retries=0) as client,
        pytest.raises(openai_sdk.APITimeoutError),
    ):
        chat(client, "silent")
    assert vendor.last.left.wait(FREED_S)
    with (
        anthropic_at(gateway.origin, key, wire, timeout=0.3, max_retries=0) as client,
        pytest.raises(anthropic_sdk.APITimeoutError),
    ):
        messages(client, "silent")
    assert vendor.last.left.wait(FREED_S)
