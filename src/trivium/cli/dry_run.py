"""A rehearsal without a gateway: the catalogue of the file, the codecs, and nobody to call."""

import asyncio
from typing import Any, Final

from trivium.clock import SystemClock
from trivium.identity.model import Caller
from trivium.ledger.quote import Pricing
from trivium.pipeline.explain import ExplainRequest, explain, offline
from trivium.pipeline.translation import Translator
from trivium.routing.router import Router
from trivium.secret import Keyring
from trivium.wire.codecs import CODECS
from trivium.wire.operation import TITLES, Operation

ANYBODY: Final = Caller(
    key_id=0,
    payer_id=0,
    user_id=0,
    unlimited=True,
    disabled=False,
    expires_at=float("inf"),
    models=frozenset(),
    prefixes=(),
)
"""A caller without limits, and without state: envelopes of real callers stay shut."""

_NO_KEYS: Final = Keyring(bytes(32))


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
        clock = SystemClock()
        services = offline(
            router,
            Translator(CODECS, _NO_KEYS, clock),
            Pricing(clock),
            clock,
            asyncio.get_running_loop(),
            fetches=fetches,
        )
        asked = ExplainRequest(operation=operation, body=body, model=model, strict=strict)
        return await explain(asked, ANYBODY, services)

    return {**asyncio.run(run()), "asked_for": TITLES[operation]}
