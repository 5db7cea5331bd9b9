"""A rehearsal without a gateway: the catalogue of the file, the codecs, and nobody to call."""

import asyncio
from typing import Any, Final

from trivium.clock import Clock, SystemClock
from trivium.identity.model import Caller
from trivium.ledger import quote as quoting
from trivium.ledger.model import FREE, Quote
from trivium.ledger.service import OpenLedger, Payer
from trivium.pipeline.explain import Asked, explain, offline
from trivium.pipeline.translation import Translator
from trivium.routing.model import Model
from trivium.routing.policy import TITLES
from trivium.routing.router import Router
from trivium.secret import Keyring
from trivium.wire.codecs import CODECS
from trivium.wire.operation import Operation
from trivium.wire.passage import Facts

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

_NO_KEYS: Final = Keyring(bytes(32))


class Quotes(OpenLedger):
    """Knows prices, without any group's multiplier, and books nothing."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._tariffs = quoting.Tariffs({})

    def quote(
        self, caller: Payer, model: Model, operation: Operation, facts: Facts, body_bytes: int
    ) -> Quote:
        """The most this request can cost. Raises ``Fault`` (NOT_PERMITTED) without a price."""
        if quoting.is_free(model, operation):
            return FREE
        tariff = self._tariffs.of(model, caller.group, self._clock.now())
        return quoting.quote(tariff, model, operation, facts, body_bytes)


def rehearse(
    router: Router,
    operation: Operation,
    body: bytes,
    model: str,
    *,
    strict: bool,
    fetches: bool = False,
) -> dict[str, Any]:
    """What ``pipeline.explain`` tells, with the operation in words beside it."""

    async def run() -> dict[str, Any]:
        clock = SystemClock()
        services = offline(
            router,
            Translator(CODECS, _NO_KEYS, clock),
            Quotes(clock),
            clock,
            asyncio.get_running_loop(),
            fetches=fetches,
        )
        asked = Asked(operation=operation, body=body, model=model, strict=strict)
        return await explain(asked, ANYBODY, services)

    return {**asyncio.run(run()), "asked_for": TITLES[operation]}
