"""Has the packages of others look at requests before they are planned."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from trivium.edge.credentials import HEADERS
from trivium.edge.exchange import Exchange
from trivium.faults import Fault, Kind
from trivium.pipeline.structs import Route
from trivium.plugin.hook import BeforeHook, HookRequest

log = structlog.get_logger(__name__)

SECONDS_MAX: Final = 10.0
"""After so long a request goes on without its hook."""


async def ask(
    exchange: Exchange,
    route: Route,
    hooks: Sequence[BeforeHook],
    go_on: Callable[[tuple[Exchange, Route]], None],
) -> None:
    """Go on with a request unless a hook refuses it. Never raises."""
    caller = exchange.caller
    assert caller is not None
    request = HookRequest(
        request_id=exchange.request_id,
        operation=route.operation.value,
        model=route.model or "",
        key_id=caller.key_id,
        user_id=caller.user_id,
        headers={
            name.decode("latin-1"): value.decode("latin-1")
            for name, value in exchange.headers.items()
            if name not in HEADERS
        },
        body=exchange.body,
    )
    try:
        refusal = await _refusal(request, hooks)
    except asyncio.CancelledError:
        if not exchange.gone:
            exchange.fail(Fault(Kind.STOPPING, "The gateway is restarting; try again."))
        return
    if exchange.gone:
        return
    if refusal is None:
        exchange.body = request.body
        go_on((exchange, route))
    else:
        log.info("hook_refused", request_id=exchange.request_id, fault=refusal.kind.value)
        exchange.fail(refusal)


async def _refusal(request: HookRequest, hooks: Sequence[BeforeHook]) -> Fault | None:
    """The fault with which a hook refuses a request; ``None``: none does."""
    for hook in hooks:
        body = request.body
        try:
            async with asyncio.timeout(SECONDS_MAX):
                await hook.before(request)
        except Fault as fault:
            return fault
        except Exception:
            log.exception("hook_failed", hook=type(hook).__name__, request_id=request.request_id)
            request.body = body
    return None
