"""Counts of tokens: the lane to an upstream of another shape, and the estimate without one."""

from trivium.conversation import estimate
from trivium.conversation.fit import fitted
from trivium.conversation.losses import Report
from trivium.conversation.request import Conversation
from trivium.conversation.target import TargetFacts
from trivium.pipeline.lane import notes_of
from trivium.pipeline.services import Headers
from trivium.pipeline.structs import WholeAnswer
from trivium.providers.failure import error_event
from trivium.providers.quirks import repair_count
from trivium.wire import token_count
from trivium.wire.codec import UpstreamCodec
from trivium.wire.operation import Operation


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
