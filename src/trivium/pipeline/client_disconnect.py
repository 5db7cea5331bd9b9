"""What becomes of an answer whose caller leaves.

Of a stream the vendor is cancelled at once, with one exception: when the model has said why it
ended and its count is all that is still to come, that is waited for, as it costs nothing more and
is the bill. Of a whole answer it is as well, by default, and the bill an estimate; a vendor bills
what it has begun, whoever hangs up, so with ``ledger.abandoned = "finish"`` the call goes on and
what it reports is booked.
"""

import asyncio
from collections.abc import Awaitable
from typing import Final

from trivium.faults import Fault, Kind
from trivium.pipeline.attempt import Attempt
from trivium.pipeline.request_context import RequestContext

COUNT_S: Final = 2.0
"""Seconds for which a count is waited for: vendors send it with the end or right behind it."""


async def wait_beyond_disconnect(
    context: RequestContext, attempt: Attempt, outcome: Awaitable[None]
) -> None:
    """Wait for an attempt's outcome, and where the caller has left for its count.

    Raises what the outcome raises; ``CancelledError`` when the caller has left.
    """
    left: asyncio.CancelledError | None = None
    try:
        await outcome
    except asyncio.CancelledError as error:
        left = error
    # not in the handler: compiled code must not await while an exception is on its way
    if left is not None:
        await counted(context, attempt)
        raise left


async def counted(context: RequestContext, attempt: Attempt) -> None:
    """Wait until the count of an answer has come that its caller did not stay for, if it may come.

    A second cancellation (the end of the worker) ends the wait.
    """
    if context.exchange.gone and not context.settled and _awaits_count(attempt):
        outcome = attempt.wait()
        attempt.resume()  # it may have been held for a caller that reads slowly
        await asyncio.wait((outcome,), timeout=COUNT_S)
        if outcome.done() and not outcome.cancelled():
            outcome.exception()  # whatever went wrong, nobody is left to be told


def _awaits_count(attempt: Attempt) -> bool:
    """Whether the model has ended its answer, and how much it wrote is still to be told."""
    watch = attempt.running
    if watch is None or watch.finished or not watch.stopped or attempt.facts.choices != 1:
        return False
    usage = watch.usage
    return usage is None or not usage.output_total


async def wait_abandoned(context: RequestContext, outcome: asyncio.Future[None]) -> None:
    """Wait for an attempt's outcome, beyond the caller's leaving if need be.

    Raises what the outcome raises; after the caller left any failure is ``Fault`` (CALLER_LEFT), as
    nobody wants another attempt. A second cancellation (the end of the worker) ends the wait.
    """
    try:
        await asyncio.shield(outcome)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or not context.exchange.gone or not context.called:
            raise
        task.uncancel()
    else:
        return
    abandoned = context.services.abandoned
    abandoned.add(task)
    left = Fault(Kind.CALLER_LEFT, "The caller left.")
    try:
        await outcome
    except Fault:
        raise left from None
    finally:
        abandoned.discard(task)
    context.fault = left
    context.status = left.status
