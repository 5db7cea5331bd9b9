"""A rehearsal without a gateway: the catalogue of the file, the codecs, and nobody to call."""

import asyncio
from typing import Any, Final

from trivium.clock import SystemClock
from trivium.ledger.quote import Pricing
from trivium.pipeline.channel_trial import ANYBODY
from trivium.pipeline.explain import ExplainRequest, explain, offline
from trivium.pipeline.services import Services
from trivium.pipeline.translation import Translator
from trivium.routing.router import Router
from trivium.secret import Keyring
from trivium.wire.codecs import CODECS
from trivium.wire.operation import TITLES, Operation

_NO_KEYS: Final = Keyring(bytes(32))


def rehearsal(router: Router, *, fetches: bool = False) -> Services:
    """Services that call nobody, within a running loop. ``fetches``: whether the gateway that is
    rehearsed fetches files by URL.
    """
    clock = SystemClock()
    return offline(
        router,
        Translator(CODECS, _NO_KEYS, clock),
        Pricing(clock),
        clock,
        asyncio.get_running_loop(),
        fetches=fetches,
    )


def explain_offline(
    router: Router,
    operation: Operation,
    body: bytes,
    model: str,
    *,
    strict: bool,
    fetches: bool = False,
) -> dict[str, Any]:
    """Return what ``pipeline.explain`` finds, with the operation in words beside it."""

    async def run() -> dict[str, Any]:
        services = rehearsal(router, fetches=fetches)
        asked = ExplainRequest(operation=operation, body=body, model=model, strict=strict)
        return await explain(asked, ANYBODY, services)

    return {**asyncio.run(run()), "asked_for": TITLES[operation]}
