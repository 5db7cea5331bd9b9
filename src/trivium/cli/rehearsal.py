"""A rehearsal without a gateway: the catalogue of the file, the codecs, and nobody to call."""

import asyncio
from typing import Any, Final

from trivium.clock import SystemClock
from trivium.identity.model import Caller
from trivium.ledger.service import OpenLedger
from trivium.pipeline.explain import Asked, explain, offline
from trivium.pipeline.translation import Translator
from trivium.routing.policy import TITLES
from trivium.routing.router import Router
from trivium.wire.codecs import CODECS
from trivium.wire.operation import Operation

ANYBODY: Final = Caller(
    key_id=0,
    user_id=0,
    unlimited=True,
    disabled=False,
    expires_at=float("inf"),
    models=frozenset(),
    prefixes=(),
)
"""A caller without limits, and without state: envelopes of real callers stay shut."""

_NO_KEY: Final = bytes(32)


def rehearse(
    router: Router, operation: Operation, body: bytes, model: str, *, strict: bool
) -> dict[str, Any]:
    """What ``pipeline.explain`` tells, with the operation in words beside it."""

    async def run() -> dict[str, Any]:
        clock = SystemClock()
        services = offline(
            router,
            Translator(CODECS, _NO_KEY, clock),
            OpenLedger(),
            clock,
            asyncio.get_running_loop(),
        )
        asked = Asked(operation=operation, body=body, model=model, strict=strict)
        return await explain(asked, ANYBODY, services)

    return {**asyncio.run(run()), "asked_for": TITLES[operation]}
