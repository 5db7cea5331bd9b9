"""What caller and operator are told of a request that failed."""

import asyncio

from trivium.faults import Fault, Kind
from trivium.pipeline.story import NAME_MAX, Story
from trivium.providers.base import Refusal
from trivium.routing.model import Step
from trivium.upstream.call import HeaderLines


def fault_of(story: Story, error: Fault | asyncio.CancelledError) -> Fault | None:
    """What to answer with after this; ``None`` where the caller has left, which is written down."""
    if isinstance(error, Fault):
        return error
    if not story.exchange.gone:
        return Fault(Kind.STOPPING, "The gateway is restarting; try again.")
    story.fault = Fault(Kind.CALLER_LEFT, "The caller left.")
    story.status = story.status or story.fault.status
    return None


def tell(story: Story, event: str, fault: Fault) -> None:
    """Log a fault of this request for the operator, once in a while; never mere info."""
    level = fault.row.level
    if level == "info":
        return
    channel = story.step.binding.channel.name if story.step else ""
    story.services.alarm.tell(
        level,
        event,
        (event, fault.kind.value, channel),
        request_id=story.exchange.request_id,
        fault=fault.kind.value,
        channel=channel,
        model=story.facts.model[:NAME_MAX] if story.facts else "",
        message=fault.message,
    )


def refused(step: Step, status: int, headers: HeaderLines, body: bytes) -> Fault:
    """The fault that a vendor's refusal is."""
    named = {n.decode("latin-1"): v.decode("latin-1") for n, v in headers}
    return step.binding.channel.provider.failure(Refusal(status=status, headers=named, body=body))
