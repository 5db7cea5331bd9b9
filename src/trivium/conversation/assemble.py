"""Events to a whole answer: the only place where deltas are joined."""

from collections.abc import Callable, Iterable

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.events import (
    Cited,
    Delta,
    Deltas,
    Done,
    Event,
    Failed,
    Finished,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Part
from trivium.conversation.opaque import Opaque
from trivium.conversation.parts import Citation, Reasoning, Refusal, Text, TokenLogprob
from trivium.conversation.usage import Usage
from trivium.faults import Fault


class _Growing:
    """A part whose deltas are still arriving."""

    __slots__ = ("candidate", "citations", "logprobs", "opaque", "part", "pieces")

    def __init__(self, part: Part, candidate: int) -> None:
        self.part = part
        self.candidate = candidate
        self.pieces: list[str] = []
        self.logprobs: list[TokenLogprob] = []
        self.citations: list[Citation] = []
        self.opaque: list[Opaque] = []

    def whole(self) -> Part:
        """Return the part with all that came after its start."""
        part, text = self.part, "".join(self.pieces)
        if self.opaque:
            part = msgspec.structs.replace(part, opaque=(*part.opaque, *self.opaque))
        if isinstance(part, ToolCall):
            arguments = part.arguments + text
            if not arguments and part.kind is CallKind.FUNCTION:
                arguments = "{}"
            return msgspec.structs.replace(part, arguments=arguments)
        if isinstance(part, Text):
            return msgspec.structs.replace(
                part,
                text=part.text + text,
                citations=(*part.citations, *self.citations),
                logprobs=(*part.logprobs, *self.logprobs),
            )
        if isinstance(part, Reasoning | Refusal):
            return msgspec.structs.replace(part, text=part.text + text)
        return part


class Assembler:
    """Joins the events of one answer. Feed them all, then ask for ``answer``."""

    __slots__ = ("_finishes", "_parts", "_start", "done", "fault", "tier", "usage")

    def __init__(self) -> None:
        self._parts: dict[int, _Growing] = {}
        self._finishes: dict[int, Finish] = {}
        self._start = Start()
        self.usage: Usage | None = None
        self.tier: str | None = None
        self.done = False
        self.fault: Fault | None = None
        """Why the answer broke off; ``None`` while it has not."""

    def feed(self, events: Iterable[Event]) -> None:
        """Add some events to the answer."""
        for event in events:
            if type(event) is Delta:
                growing = self._parts[event.index]
                growing.pieces.append(event.text)
                if event.logprobs:
                    growing.logprobs.extend(event.logprobs)
            elif type(event) is Deltas:
                self._parts[event.index].pieces += event.texts
            elif type(event) is PartStart:
                self._parts[event.index] = _Growing(event.part, event.candidate)
            elif type(event) is PartEnd:
                self._parts[event.index].opaque.extend(event.opaque)
            elif type(event) is Cited:
                self._parts[event.index].citations.append(event.citation)
            elif type(event) is Finished:
                self._finishes[event.candidate] = event.finish
            else:
                self._frame(event)

    def _frame(self, event: Event) -> None:
        if type(event) is UsageReport:
            self.usage = event.usage
        elif type(event) is Start:
            self._start = event
            self.usage = event.usage
            self.tier = event.service_tier
        elif type(event) is Done:
            self.done = True
            self.tier = event.service_tier or self.tier
        elif type(event) is Failed:
            self.fault = event.fault

    @property
    def parts(self) -> list[Part]:
        """All parts so far, in order of start, whichever candidate they belong to."""
        return [growing.whole() for growing in self._parts.values()]

    def answer(self) -> Answer:
        """Return the answer so far, also when the stream broke off; it has at least one
        candidate.
        """
        last = max([0, *self._finishes, *(one.candidate for one in self._parts.values())])
        said: list[list[Part]] = [[] for _ in range(last + 1)]
        for growing in self._parts.values():
            said[growing.candidate].append(growing.whole())
        return Answer(
            candidates=tuple(
                Candidate(tuple(parts), self._finishes.get(at, Finish(Unified.OTHER)))
                for at, parts in enumerate(said)
            ),
            usage=self.usage,
            id=self._start.id,
            model=self._start.model,
            service_tier=self.tier,
        )


def assembled(events: Iterable[Event]) -> Answer:
    """Return the answer that these events make. Raises its ``Fault`` if it broke off."""
    assembler = Assembler()
    assembler.feed(events)
    if assembler.fault is not None:
        raise assembler.fault
    return assembler.answer()


def each_part(answer: Answer, change: Callable[[Part], Part]) -> Answer:
    """Return the answer with each of its parts as ``change`` makes it."""
    return msgspec.structs.replace(
        answer,
        candidates=tuple(
            Candidate(tuple(map(change, one.parts)), one.finish) for one in answer.candidates
        ),
    )
