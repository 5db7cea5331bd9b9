"""The end of a request that nothing can skip: answered whatever happened, settled, recorded."""

import asyncio
from collections.abc import Awaitable
from typing import Final

import structlog

from trivium.admission.service import OPEN
from trivium.faults import Fault, Kind
from trivium.pipeline import request_admission, response_state, routing_preferences
from trivium.pipeline.fault_log import fault_of, log_fault
from trivium.pipeline.request_context import RequestContext
from trivium.wire import errors, json_size
from trivium.wire.form import no_form
from trivium.wire.operation import FORM_ONLY, Shape

log = structlog.get_logger()

OVERLOADED: Final = 529
"""Anthropic's status for an overloaded model; its SDKs have a class of their own for it."""


async def carry(context: RequestContext, work: Awaitable[None]) -> None:
    """Have a request answered, or answer with what went wrong; settle and record. Never raises."""
    try:
        await work
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - the caller is told
        answer_error(context, error)
    finally:
        close(context)


def fail_now(context: RequestContext, error: BaseException) -> None:
    """End a request that failed before it had a task, as ``carry`` does. Never raises."""
    try:
        try:
            answer_error(context, error)
        finally:
            close(context)
    except Exception:
        log.exception("request_crashed", request_id=context.exchange.request_id)


def answer_error(context: RequestContext, error: BaseException) -> None:
    """Answer with what went wrong, in the caller's own shape; one who left gets no answer."""
    if not isinstance(error, Fault | asyncio.CancelledError):
        log.error("request_crashed", request_id=context.exchange.request_id, exc_info=error)
        _fail(context, errors.internal())
        return
    fault = fault_of(context, error)
    if fault is not None:
        is_no_form = fault.kind is Kind.MALFORMED_JSON and context.operation in FORM_ONLY
        _fail(context, no_form("This operation") if is_no_form else fault)


def close(context: RequestContext) -> None:
    """End a request, however it went: settle once, give its slots back, record it."""
    heartbeats = context.services.heartbeats
    if heartbeats is not None and context.streaming:
        heartbeats.forget(context)
    if not context.settled:
        context.settle()
    if context.given is not OPEN:
        context.given.leave(request_admission.used(context))
    if context.recollection is not None:
        response_state.discard(context)
    context.record()
    # nobody is left to be told to stop, and a circle would keep the request until it is collected
    context.exchange.task = None
    if context.size_bytes > json_size.LARGE_BYTES:
        context.let_go()  # the connection is a circle with its parser, and may keep all of it


def _fail(context: RequestContext, fault: Fault) -> None:
    """Tell the caller, in its own shape."""
    log_fault(context, "request_failed", fault)
    fault.forget()
    if fault.kind is Kind.UPSTREAM_OVERLOADED and context.exchange.shape is Shape.MESSAGES:
        fault.status = OVERLOADED  # the status by which these callers know it from an outage
    context.fault = fault
    if not context.exchange.begun:
        context.status = errors.status(fault, context.exchange.shape)
    context.settle()
    if context.services.explain_headers:
        context.exchange.extra += routing_preferences.routing_header(context)
    if context.early:
        routing_preferences.report_late(context)
        context.exchange.spoil()
        assert context.facts is not None
        watch = context.services.passages[context.operation].watch
        assert watch is not None
        exchange = context.exchange
        exchange.finish(exchange.framed(watch(context.facts).end(fault, exchange.request_id)))
    else:
        context.exchange.fail(fault)
