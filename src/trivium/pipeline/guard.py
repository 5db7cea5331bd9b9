"""What stands around a served request: whatever goes wrong in it is answered, and ends there."""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self

from trivium.admission.service import OPEN, Permit
from trivium.faults import Fault, Kind
from trivium.pipeline.services import Exchange
from trivium.wire import errors


class Guard:
    """Answers with a fault whatever leaves its block, and gives back what admission ``given``.

    A cancelled request is told that the gateway is stopping, unless its caller has gone.
    """

    __slots__ = ("_crashed", "_exchange", "given")

    def __init__(self, exchange: Exchange, crashed: Callable[..., object]) -> None:
        """``crashed`` logs what nobody planned: ``functools.partial(log.error, "it_crashed")``."""
        self._exchange = exchange
        self._crashed = crashed
        self.given: Permit = OPEN

    def __enter__(self) -> Self:
        """Nothing is held yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Return whether what went wrong was answered; the end of the process is not."""
        try:
            return error is None or self._answers(error)
        finally:
            self.given.leave(0)

    def _answers(self, error: BaseException) -> bool:
        exchange = self._exchange
        if isinstance(error, Fault):
            exchange.fail(error)
        elif isinstance(error, asyncio.CancelledError):
            if not exchange.gone:
                exchange.fail(Fault(Kind.STOPPING, "The gateway is restarting; try again."))
        elif isinstance(error, Exception):
            self._crashed(request_id=exchange.request_id, exc_info=error)
            exchange.fail(errors.internal())
        else:
            return False
        return True
