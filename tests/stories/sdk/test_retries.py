"""The official SDKs' own retries on top of ours: never more calls than docs/routing.md says."""

import asyncio

import pytest

from doubles import Double, Send, Wait, sized
from gateway import Gateway
from stories.sdk.clients import Wire, anthropic_at, google_at, openai_at
from trivium.routing.tries import Budget

SAID = [{"role": "user", "content": "Hi"}]
JSON = b"Content-Type: application/json\r\n"
SDK_TRIES = {"openai": 3, "anthropic": 3, "gemini": 1}
"""Calls of one request by each SDK's own rule: two retries, two, none (2026-11-21)."""


def refusal(status):
    return [Send(sized(b'{"error":{"message":"no"}}', status=status, headers=JSON))]


def ask(provider, origin, key):
    """One request by the vendor's own SDK, as it comes; its error is what is expected."""
    if provider == "openai":
        with openai_at(f"{origin}/v1", key, Wire()) as client:
            client.chat.completions.create(model="m", messages=SAID)
    elif provider == "anthropic":
        with anthropic_at(origin, key, Wire()) as client:
            client.messages.create(model="m", messages=SAID, max_tokens=9)
    else:
        with google_at(origin, key, Wire()) as client:
            client.models.generate_content(model="m", contents="Hi")


async def calls(provider, script, **more):
    """How often two channels that always fail are called for one request of an SDK."""
    async with (
        Double([script]) as first,
        Double([script]) as second,
        Gateway.to((provider, first), (provider, second), **more) as gateway,
    ):
        with pytest.raises(Exception, match=r"(?i)upstream"):
            await asyncio.to_thread(ask, provider, f"http://127.0.0.1:{gateway.port}", gateway.key)
        return len(first.requests) + len(second.requests)


@pytest.mark.asyncio
@pytest.mark.parametrize("provider", SDK_TRIES)
async def test_an_outage_is_met_once_a_channel_for_each_try_of_the_sdk(provider):
    """3 x 2 for those that retry, 1 x 2 for the one that does not."""
    assert SDK_TRIES[provider] * 2 == await calls(provider, refusal(b"503 Busy"))


@pytest.mark.asyncio
@pytest.mark.parametrize("provider", SDK_TRIES)
async def test_what_failed_slowly_is_called_once_in_all(provider):
    """The vendor may still be at it; nobody asks again."""
    slow = [Wait(0.2), *refusal(b"500 Broken")]
    assert 1 == await calls(provider, slow, budget=Budget(slow_s=0.1))


@pytest.mark.asyncio
@pytest.mark.parametrize("provider", SDK_TRIES)
async def test_refused_credentials_are_met_once_each_in_all(provider):
    """They stay refused."""
    assert 2 == await calls(provider, refusal(b"401 Unauthorized"))
