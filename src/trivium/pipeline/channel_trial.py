"""Asks each key of a channel one short question, as an operator wants to know whether it serves.

What is sent is what a caller's chat would have become, found out by ``explain``; a prober asks the
same. It has no account to be booked on, and no record: it is told to whoever asked for it.
"""

import asyncio
from typing import Any, Final

import msgspec

from trivium.identity.model import Caller
from trivium.pipeline.explain import ExplainRequest, explain, offline
from trivium.pipeline.services import Services
from trivium.routing.model import Channel
from trivium.upstream.call import Client
from trivium.upstream.channel_test import ChannelTest, check_channel
from trivium.upstream.request_writer import Composer
from trivium.wire.operation import Operation

TOKENS: Final = 16
"""The least that every vendor takes as a limit."""
NAMES_TOLD: Final = 20
"""Of the models that a channel serves."""

ANYBODY: Final = Caller(
    key_id=0,
    user_id=0,
    payer_id=0,
    unlimited=True,
    disabled=False,
    expires_at=float("inf"),
    models=frozenset(),
    prefixes=(),
)
"""A caller without limits, and without state: envelopes of real callers stay shut."""


async def short_chat(
    services: Services, channel: Channel, model: str | None = None
) -> dict[str, Any] | str:
    """What a short chat sends to a channel, in its own shape, and for which public model; a text
    that says why it takes none. ``model``: by its public name; ``None``: the first that will do.
    """
    names = [
        each.name
        for each in services.router.models()
        if any(binding.channel.name == channel.name for binding in each.bindings)
    ]
    if model is not None and model not in names:
        return f"it does not serve {model} (it serves: {', '.join(names[:NAMES_TOLD]) or 'none'})"
    rehearsal = offline(
        services.router,
        services.translator,
        services.ledger,
        services.clock,
        asyncio.get_running_loop(),
    )
    why = "no model is bound to it"
    for name in names if model is None else [model]:
        body = {
            "model": name,
            "messages": [{"role": "user", "content": "Say OK."}],
            "max_completion_tokens": TOKENS,
            "trivium": {"channel": channel.name},
        }
        asked = ExplainRequest(operation=Operation.CHAT, body=msgspec.json.encode(body))
        told = await explain(asked, ANYBODY, rehearsal)
        if told["refused"] is None:
            return {**told["steps"][0], "model": name}
        why = str(told["refused"]["message"])
    return why


async def tried(
    client: Client, composer: Composer, channel: Channel, step: dict[str, Any]
) -> list[tuple[int, ChannelTest]]:
    """What came of one request with each key of a channel, one after the other."""
    found = []
    for number in range(max(1, len(channel.credentials))):
        request = composer.compose(
            channel,
            number,
            Operation(step["operation"]),
            step["upstream_model"],
            bytes(step["body"]),
        )
        found.append((number, await check_channel(client, request, channel.provider)))
    return found
