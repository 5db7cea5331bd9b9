"""Two lanes from a caller's shape to a channel's: the same shape passes, another is translated.

A lane is made for one attempt, from the kept original: what a fallback needs is never what an
earlier attempt left over. ``pipeline/translation.py`` has the other lane.
"""

from collections.abc import Iterator
from typing import Any, Final, Protocol

from trivium.conversation.losses import Mend, Report
from trivium.faults import Fault, Kind
from trivium.pipeline import routing_preferences
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Exchange, Headers
from trivium.pipeline.structs import WholeAnswer
from trivium.providers.failure import error_event
from trivium.providers.quirks import repair, repair_answer, repair_request
from trivium.routing.model import Step
from trivium.upstream.call import HeaderLines
from trivium.wire.operation import Operation
from trivium.wire.passage import PassThroughSpec, RequestFacts, StreamWatch
from trivium.wire.peek import Members

ESTIMATED: Final = b"trivium-estimated"
"""Header that names what we counted because no upstream did: ``tokens`` or ``usage``."""


_NO_NOTES: Final[Headers] = []
"""Nothing is ever left out of what passes."""


def is_strict(exchange: Exchange) -> bool:
    """Whether the caller takes nothing but what it asked for."""
    assert exchange.caller is not None
    if exchange.caller.strict:
        return True
    header = exchange.headers.get(b"trivium-strict")
    return header is not None and header.lower() == b"true"


def notes_of(report: Report, *, estimated: bool = False) -> Headers:
    """What was left out and what was mended, and whether usage is our own count."""
    told = (
        (b"trivium-dropped", report.dropped_header()),
        (b"trivium-repaired", report.repaired_header()),
        (ESTIMATED, "usage" if estimated else ""),
    )
    return [(name, value.encode("ascii", "replace")) for name, value in told if value]


_EXPLAINED: Final = b"trivium-channel: %b\r\ntrivium-attempts: %b\r\n"


class Lane(Protocol):
    """What one attempt sends, and what becomes of the answer."""

    operation: Operation
    """What the channel is asked for."""
    body: Any
    """What it is sent: bytes, or a ``Body`` that is written in pieces."""

    @property
    def report(self) -> Report | None:
        """What was left out and mended; ``None`` where nothing ever is."""
        ...

    @property
    def notes(self) -> Headers:
        """Headers that tell the caller what was left out or mended."""
        ...

    def whole(self, body: bytes) -> WholeAnswer:
        """A whole 200 answer for the caller. Raises ``Fault`` when it is none."""
        ...

    def watch(self) -> StreamWatch | None:
        """A fresh watch for a streamed answer; ``None`` where the operation never streams."""
        ...


def explain(context: RequestContext, step: Step, lane: Lane, headers: HeaderLines) -> None:
    """Add the headers that tell the caller who answers, and what was left out for it.

    ``headers``: the vendor's own, of which some are handed on.
    """
    exchange, channel = context.exchange, step.binding.channel
    notes = lane.notes
    if notes:
        exchange.extra += notes
    returns = channel.provider.returns
    if returns:
        exchange.extra += [
            (name, value) for name, value in headers if name.decode("latin-1") in returns
        ]
    if context.services.explain_headers:
        name, attempts = channel.name.encode(), b"%d" % context.attempts
        if exchange.begun:  # by a heartbeat: they are told in a comment
            exchange.extra += [(b"trivium-channel", name), (b"trivium-attempts", attempts)]
        else:
            exchange.lines += _EXPLAINED % (name, attempts)
        if context.failures or context.skipped:
            exchange.extra += routing_preferences.routing_header(context)
    if context.stood_in and context.model is not None:
        exchange.extra.append((b"trivium-model", context.model.name.encode()))


class SteppedLane:
    """What a lane is, too, that makes a whole answer in steps, each of which may take long."""

    __slots__ = ()

    def steps(self, body: bytes) -> Iterator[WholeAnswer | None]:
        """As ``whole``: nothing where others may have a turn of the loop, then the answer."""
        raise NotImplementedError


def in_steps(lane: Lane, body: bytes) -> Iterator[WholeAnswer | None]:
    """What a lane makes of a whole answer, in as many steps as it has. Raises as ``whole`` does."""
    if isinstance(lane, SteppedLane):
        yield from lane.steps(body)
    else:
        yield lane.whole(body)


class PassThrough:
    """The caller's own shape: bytes in, bytes out, usage observed on the side."""

    __slots__ = ("_facts", "_now", "_passage", "_quirks", "body", "notes", "operation", "report")

    def __init__(
        self,
        step: Step,
        passage: PassThroughSpec,
        members: Members,
        facts: RequestFacts,
        body: bytes,
        now: float,
    ) -> None:
        """``body`` is the caller's; ``now`` in seconds since the epoch, for repairs."""
        binding = step.binding
        provider = binding.channel.provider
        changes = passage.changes(members, facts, binding.model, provider.capabilities.stream_usage)
        self.operation = step.operation
        self.report: Report | None = None
        self.notes = _NO_NOTES
        if provider.quirks:
            mended, repaired = repair_request(provider.quirks, step.operation, members)
            if mended:
                changes = {**changes, **mended}
                self._tell(binding.model, repaired)
        self.body = members.splice(changes) if changes else body
        self._passage = passage
        self._facts = facts
        self._quirks = provider.quirks
        self._now = now

    def _tell(self, model: str, repaired: list[str]) -> None:
        """Report what of the request is not as the caller wrote it."""
        self.report = Report(f"{self.operation.value} of {model}")
        for where in repaired:
            self.report.repair(Mend.SPELLING, where)
        self.notes = notes_of(self.report)

    def whole(self, body: bytes) -> WholeAnswer:
        """The same bytes, unless the provider has a quirk to mend.

        Raises ``Fault`` for an error in the clothes of an answer.
        """
        if self._quirks:
            body = repair_answer(
                self._quirks, self.operation, body, facts=self._facts, at=self._now
            )
        answer = self._passage.answer(body)
        if answer.error is not None:
            raise error_event(answer.error)
        if self._facts.stream:
            raise Fault(Kind.UPSTREAM_BROKE, "The upstream answered without streaming.")
        return WholeAnswer(body, answer.usage)

    def watch(self) -> StreamWatch | None:
        """The shape's own watch, behind a repair where the provider needs one."""
        if self._passage.watch is None:
            return None
        watch = self._passage.watch(self._facts)
        if not self._quirks:
            return watch
        return repair(
            self._quirks,
            self.operation,
            watch,
            facts=self._facts,
            at=self._now,
            asked_bytes=len(self.body),
        )
