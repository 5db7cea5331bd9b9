"""Waits for a whole answer that nobody is left to read, so that the bill is the vendor's own.

A vendor bills an answer that it has begun, whoever hangs up. With ``ledger.abandoned = "finish"``
the call goes on and what it reports is booked; by default it is cancelled and estimated. Streams
are cancelled either way: what was delivered is known.
"""

import asyncio

from trivium.faults import Fault, Kind
from trivium.pipeline.request_context import RequestContext


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
