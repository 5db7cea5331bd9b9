"""Asks each key of a channel one short question, as an operator wants to know whether it serves.

What is sent is what a caller's chat would have become, found out by ``explain``; a prober asks the
same. It has no account to be booked on, and no record: it is told to whoever asked for it.
"""

import asyncio
from typing import Any, Final

import msgspec

from trivium.faults import Fault
from trivium.identity.model import Caller
from trivium.pipeline.explain import ExplainRequest, explain, offline
from trivium.pipeline.services import Services
from trivium.providers.failure import error_event
from trivium.routing.model import Channel
from trivium.upstream.blanking import blanked
from trivium.upstream.call import Client
from trivium.upstream.channel_test import ChannelTest, check_channel
from trivium.upstream.request_writer import Composer
from trivium.wire import errors
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts
from trivium.wire.registry import PASSAGES

TOKENS: Final = 16
"""The least that every vendor takes as a limit."""
NAMES_TOLD: Final = 20
"""Of the models that a channel serves."""

_STREAMED: Final = {
    Operation.GENERATE: Operation.GENERATE_STREAM,
    Operation.CONVERSE: Operation.CONVERSE_STREAM,
}
"""Operations whose streams are another one."""

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
    services: Services, channel: Channel, model: str | None = None, *, stream: bool = False
) -> dict[str, Any] | str:
    """What a short chat sends to a channel, in its own shape, and for which public model; a text
    that says why it takes none. ``model``: by its public name; ``None``: the first that will do.
    ``stream``: whether the answer is wanted as one.
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
        body: dict[str, Any] = {
            "model": name,
            "messages": [{"role": "user", "content": "Say OK."}],
            "max_completion_tokens": TOKENS,
            "trivium": {"channel": channel.name},
        }
        if stream:
            body["stream"] = True
        asked = ExplainRequest(operation=Operation.CHAT, body=msgspec.json.encode(body))
        told = await explain(asked, ANYBODY, rehearsal)
        if told["refused"] is None:
            return {**told["steps"][0], "model": name, "stream": stream}
        why = str(told["refused"]["message"])
    return why


async def tried(
    client: Client, composer: Composer, channel: Channel, step: dict[str, Any]
) -> list[tuple[int, ChannelTest]]:
    """What came of one request with each key of a channel, one after the other."""
    found = []
    operation, stream = Operation(step["operation"]), bool(step.get("stream"))
    for number in range(max(1, len(channel.credentials))):
        request = composer.compose(
            channel,
            number,
            operation,
            step["upstream_model"],
            bytes(step["body"]),
            stream=stream,
        )
        came = await check_channel(client, request, channel.provider)
        if stream and came.fault is None:
            fault = _stream_fault(channel, operation, came.body)
            came = msgspec.structs.replace(came, fault=fault)
        if came.fault is not None:
            came.fault.message = blanked(channel, came.fault.message)
        found.append((number, came))
    return found


def _stream_fault(channel: Channel, operation: Operation, body: bytes) -> Fault | None:
    """What is wrong with a streamed answer; ``None``: it is whole."""
    start = PASSAGES[_STREAMED.get(operation, operation)].watch
    if start is None:
        return None
    watch = start(RequestFacts(model="", stream=True))
    wrapping = channel.provider.wrappings.get(operation)
    try:
        if wrapping is not None and wrapping.stream is not None:
            body = wrapping.stream().feed(body)
        watch.feed(body)
        watch.end(None, "")
    except Fault as fault:
        return fault
    if watch.error is not None:
        return watch.error if isinstance(watch.error, Fault) else error_event(watch.error)
    return None if watch.finished else errors.cut_short()
