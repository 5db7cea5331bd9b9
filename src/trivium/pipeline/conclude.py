"""The end of a request that nothing can skip: answered whatever happened, settled, recorded."""

import asyncio
from collections.abc import Awaitable
from typing import Final

import structlog

from trivium.admission.service import OPEN
from trivium.faults import Fault, Kind
from trivium.pipeline import entrance, wishing
from trivium.pipeline.story import Story
from trivium.pipeline.telling import fault_of, tell
from trivium.wire import errors
from trivium.wire.form import no_form
from trivium.wire.operation import FORM_ONLY, Shape

log = structlog.get_logger()

OVERLOADED: Final = 529
"""Anthropic's status for an overloaded model; its SDKs have a class of their own for it."""


async def carry(story: Story, work: Awaitable[None]) -> None:
    """Have a request answered, or answer with what went wrong; settle and record. Never raises."""
    try:
        await work
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - the caller is told
        answer_error(story, error)
    finally:
        close(story)


def fail_now(story: Story, error: BaseException) -> None:
    """End a request that failed before it had a task, as ``carry`` does. Never raises."""
    try:
        try:
            answer_error(story, error)
        finally:
            close(story)
    except Exception:
        log.exception("request_crashed", request_id=story.exchange.request_id)


def answer_error(story: Story, error: BaseException) -> None:
    """Answer with what went wrong, in the caller's own shape; one who left gets no answer."""
    if not isinstance(error, Fault | asyncio.CancelledError):
        log.error("request_crashed", request_id=story.exchange.request_id, exc_info=error)
        _fail(story, errors.internal())
        return
    fault = fault_of(story, error)
    if fault is not None:
        is_no_form = fault.kind is Kind.MALFORMED_JSON and story.operation in FORM_ONLY
        _fail(story, no_form("This operation") if is_no_form else fault)


def close(story: Story) -> None:
    """End a request, however it went: settle once, give its slots back, record it."""
    pulse = story.services.pulse
    if pulse is not None and story.streaming:
        pulse.forget(story)
    if not story.settled:
        story.settle()
    if story.given is not OPEN:
        story.given.leave(entrance.used(story), story.cost_nanos)
    story.record()


def _fail(story: Story, fault: Fault) -> None:
    """Tell the caller, in its own dialect."""
    tell(story, "request_failed", fault)
    fault.forget()
    if fault.kind is Kind.UPSTREAM_OVERLOADED and story.exchange.shape is Shape.MESSAGES:
        fault.status = OVERLOADED  # the status by which these callers know it from an outage
    story.fault = fault
    if not story.exchange.begun:
        story.status = fault.status
    story.settle()
    if story.services.explain_headers:
        story.exchange.extra += wishing.route(story)
    if story.early:
        wishing.tell_late(story)
        assert story.facts is not None
        watch = story.services.passages[story.operation].watch
        assert watch is not None
        story.exchange.finish(watch(story.facts).end(fault, story.exchange.request_id))
    else:
        story.exchange.fail(fault)
