"""What the operator is told of failures: those that are not a caller's own doing."""

from trivium.faults import Fault
from trivium.pipeline.story import NAME_MAX, Story


def tell(story: Story, event: str, fault: Fault) -> None:
    """Log a fault of this request, once in a while; nothing of what its row calls mere info."""
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
