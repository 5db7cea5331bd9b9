"""What a request is answered with that went wrong, whatever happened."""

import asyncio
from typing import Final

import structlog

from trivium.faults import Fault, Kind
from trivium.pipeline import routing_preferences
from trivium.pipeline.fault_log import fault_of, log_fault
from trivium.pipeline.request_context import RequestContext
from trivium.wire import errors
from trivium.wire.form import no_form
from trivium.wire.operation import FORM_ONLY, Shape

log = structlog.get_logger()

OVERLOADED: Final = 529
"""Anthropic's status for an overloaded model; its SDKs have a class of their own for it."""


def answer(context: RequestContext, error: BaseException) -> None:
    """Answer with what went wrong, in the caller's own shape; one who left gets no answer."""
    if not isinstance(error, Fault | asyncio.CancelledError):
        log.error("request_crashed", request_id=context.exchange.request_id, exc_info=error)
        _fail(context, errors.internal())
        return
    fault = fault_of(context, error)
    if fault is not None:
        is_no_form = fault.kind is Kind.MALFORMED_JSON and context.operation in FORM_ONLY
        _fail(context, no_form("This operation") if is_no_form else fault)


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
