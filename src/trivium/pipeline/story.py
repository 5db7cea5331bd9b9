"""What is known about one request so far, and its end: settle once, record once."""

from typing import Any

from trivium.conversation.honesty import Report
from trivium.conversation.request import Conversation
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.ledger.model import Hold
from trivium.observe.record import Record
from trivium.pipeline.context import Exchange, Services
from trivium.recall.model import Recollection
from trivium.routing.model import Model, Step
from trivium.wire.operation import Operation
from trivium.wire.passage import Facts

NAME_MAX = 200
"""Characters of a caller-chosen name that a record keeps."""


class Story:
    """The mutable context of one request. Settles and records exactly once, whatever happened."""

    __slots__ = (
        "_settled",
        "attempts",
        "conversation",
        "exchange",
        "facts",
        "fault",
        "first_byte_at",
        "hold",
        "lost",
        "model",
        "operation",
        "recalled",
        "recollection",
        "report",
        "services",
        "shared",
        "status",
        "step",
        "usage",
    )

    def __init__(self, exchange: Exchange, operation: Operation, services: Services) -> None:
        self.exchange = exchange
        self.operation = operation
        self.services = services
        self.facts: Facts | None = None
        self.conversation: Conversation | None = None
        """The request in canonical form, once a translation has read it."""
        self.recollection: Recollection | None = None
        """What a responses request refers to, once that has been looked up."""
        self.report: Report | None = None
        """What the last attempt's translation left out and mended; ``None``: it had none."""
        self.recalled: Any = None
        """What is known of the state it carries (``sticky.Recalled``); ``None``: it has none."""
        self.lost: tuple[str, ...] = ()
        """Calls whose traces are forgotten, once a translation has read the request."""
        self.shared = False
        """Whether several channels could answer."""
        self.model: Model | None = None
        self.hold: Hold | None = None
        self.step: Step | None = None
        self.attempts = 0
        self.usage: Usage | None = None
        self.status = 0
        self.fault: Fault | None = None
        self.first_byte_at: float | None = None
        self._settled = False

    @property
    def size_bytes(self) -> int:
        """Bytes of the request with the history it refers to."""
        recollection = self.recollection
        return len(self.exchange.body if recollection is None else recollection.body)

    def settle(self) -> None:
        """Book what was used. Called before the last byte goes to the caller, and again in the
        clean-up of every request: only the first call counts.
        """
        if self._settled or self.hold is None:
            return
        self._settled = True
        self.services.ledger.settle(self.hold, self.model, self.usage)

    def record(self) -> None:
        """Queue the request's one row."""
        exchange = self.exchange
        caller = exchange.caller
        facts = self.facts
        step = self.step
        now = self.services.time()
        first = self.first_byte_at
        headers = exchange.headers
        report = self.report
        profile = headers.get(b"anthropic-user-profile-id") or headers.get(
            b"vendor-user-profile-id"
        )
        self.services.recorder.add(
            Record(
                request_id=exchange.request_id,
                at=self.services.clock.now() - (now - exchange.arrived),
                key_id=caller.key_id if caller else None,
                user_id=caller.user_id if caller else None,
                operation=self.operation.value,
                model=facts.model[:NAME_MAX] if facts else "",
                channel=step.binding.channel.name if step else "",
                upstream_model=step.binding.model if step else "",
                status=self.status,
                fault=self.fault.kind.value if self.fault else "",
                stream=facts.stream if facts else False,
                attempts=self.attempts,
                first_byte_ms=None if first is None else (first - exchange.arrived) * 1e3,
                total_ms=(now - exchange.arrived) * 1e3,
                bytes_in=len(exchange.body),
                bytes_out=exchange.bytes_out,
                usage=self.usage,
                end_user=profile[:NAME_MAX].decode("latin-1") if profile else "",
                dropped=report.dropped_names() if report else "",
                repaired=report.repaired_header() if report else "",
            )
        )
