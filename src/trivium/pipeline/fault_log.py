"""What caller and operator are told of a request that failed."""

import asyncio

from trivium.faults import Fault, Kind
from trivium.pipeline.request_context import NAME_MAX, RequestContext
from trivium.providers.base import VendorRefusal
from trivium.routing.model import Step
from trivium.upstream.call import HeaderLines


def fault_of(context: RequestContext, error: Fault | asyncio.CancelledError) -> Fault | None:
    """What to answer with after this; ``None`` where the caller has left, which is written down."""
    if isinstance(error, Fault):
        return error
    if not context.exchange.gone:
        return Fault(Kind.STOPPING, "The gateway is restarting; try again.")
    context.fault = Fault(Kind.CALLER_LEFT, "The caller left.")
    context.status = context.status or context.fault.status
    return None


def log_fault(context: RequestContext, event: str, fault: Fault) -> None:
    """Log a fault of this request for the operator, once in a while; never mere info."""
    level = fault.row.level
    if level == "info":
        return
    channel = context.step.binding.channel.name if context.step else ""
    context.services.log_throttle.log(
        level,
        event,
        (event, fault.kind.value, channel),
        request_id=context.exchange.request_id,
        fault=fault.kind.value,
        channel=channel,
        model=context.facts.model[:NAME_MAX] if context.facts else "",
        message=fault.message,
    )


def vendor_fault(step: Step, status: int, headers: HeaderLines, body: bytes) -> Fault:
    """The fault that a vendor's refusal is."""
    named = {n.decode("latin-1"): v.decode("latin-1") for n, v in headers}
    return step.binding.channel.provider.failure(
        VendorRefusal(status=status, headers=named, body=body)
    )
