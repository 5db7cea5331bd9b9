"""Counts of tokens: the lane to an upstream of another shape, and the estimate without one."""

from collections.abc import Coroutine
from typing import Any, Final

from trivium.conversation import estimate
from trivium.conversation.fit import fitted
from trivium.conversation.losses import Report
from trivium.conversation.request import Conversation
from trivium.conversation.target import TargetFacts
from trivium.faults import Fault, Kind
from trivium.pipeline.fault_log import log_fault
from trivium.pipeline.lane import ESTIMATED, notes_of
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Headers
from trivium.pipeline.structs import WholeAnswer
from trivium.providers.failure import error_event
from trivium.providers.quirks import repair_count
from trivium.wire import token_count
from trivium.wire.codec import UpstreamCodec
from trivium.wire.operation import Operation

_UNCOUNTED: Final = frozenset({Kind.NO_ROUTE, Kind.UNREPRESENTABLE})
"""Faults of a count that no upstream can be asked for."""


class TokenCount:
    """One attempt's translation of a count. See ``Lane``."""

    __slots__ = ("_asked", "body", "operation", "report")

    def __init__(
        self,
        asked: Operation,
        operation: Operation,
        spoken: Conversation,
        codec: UpstreamCodec,
        goal: TargetFacts,
        *,
        strict: bool = False,
        quirks: frozenset[str] = frozenset(),
    ) -> None:
        """``asked`` is the caller's operation, ``operation``, ``codec`` and ``quirks`` the
        upstream's.

        Raises ``Fault`` when the conversation cannot be carried.
        """
        self.operation = operation
        self.report = Report(goal.title, strict=strict)
        self._asked = asked
        written = codec.write_request(
            fitted(token_count.counted(spoken), goal, self.report), goal, self.report
        )
        counted = token_count.body(operation, written, goal.model)
        self.body = repair_count(quirks, operation, counted)

    @property
    def notes(self) -> Headers:
        """What was left out and mended: it was not counted as it stands in the request."""
        return notes_of(self.report)

    def whole(self, body: bytes) -> WholeAnswer:
        """The number in the caller's shape; free of charge, so without usage."""
        number = token_count.read(self.operation, body, error_event)
        return WholeAnswer(token_count.write(self._asked, number), None)

    def watch(self) -> None:
        """A count never streams."""
        return


def estimated(asked: Operation, spoken: Conversation) -> bytes:
    """The whole body for the caller, by our own count."""
    return token_count.write(asked, estimate.tokens(spoken))


async def count(context: RequestContext, work: Coroutine[Any, Any, None]) -> None:
    """Have tokens counted; by our own rule where no upstream does it, and say so."""
    refused: Fault | None = None
    try:
        await work
    except Fault as fault:
        if not _is_uncounted(context, fault):
            raise
        refused = fault
    if refused is not None:
        log_fault(context, "attempt_failed", refused)
        refused.forget()  # as in ``failover``: a circle would keep all that is counted
        members, facts = context.members, context.facts
        assert members is not None
        assert facts is not None
        body = context.services.translator.estimate(context, members, facts)
        worded = context.exchange.worded(body)
        context.status = 200
        context.exchange.extra.append((ESTIMATED, b"tokens"))
        context.exchange.answer(200, worded)


def _is_uncounted(context: RequestContext, fault: Fault) -> bool:
    """Whether our own count may stand in: not where the caller's own request is at fault."""
    if fault.kind is Kind.UPSTREAM_REJECTED:
        # of another shape it is our translation that the vendor refused
        return context.step is not None and context.step.operation is not context.operation
    return fault.row.fallback or fault.kind in _UNCOUNTED
