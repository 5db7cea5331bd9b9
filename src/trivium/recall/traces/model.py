"""What a caller will not send back with a tool call, and putting it where it was.

Chat clients echo the id of a call, its name and arguments, and nothing else. So the id is made
here: it names a trace of the reasoning that came before the call and of what was attached to it.
Only calls that leave a trace are renamed, and the name is a digest of the request and a number, so
that no two calls of any upstream share it, whatever ids the upstream counts out.
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.calls import ToolCall
from trivium.conversation.events import Delta, Deltas, Event, PartEnd, PartStart
from trivium.conversation.items import Part, Role, Turn
from trivium.conversation.opaque import Opaque, Origin
from trivium.conversation.parts import Reasoning, Text
from trivium.conversation.request import Conversation
from trivium.wire.marks import CALL_DIGITS, CALL_PREFIX

_encode: Final = msgspec.msgpack.Encoder().encode


class Trace(msgspec.Struct, frozen=True, array_like=True):
    """What is remembered under one id."""

    maker: Origin
    lead: tuple[Reasoning, ...] = ()
    """Reasoning that stands before the turn's text."""
    before: tuple[Reasoning, ...] = ()
    """Reasoning between the text, or the call before, and this call."""
    opaque: tuple[Opaque, ...] = ()
    """Attached to the call itself."""


_decode: Final = msgspec.msgpack.Decoder(Trace).decode

Note = Callable[[str, Trace], None]
"""Takes a trace and the id that leads to it."""


def packed(trace: Trace) -> bytes:
    """As it is stored."""
    return _encode(trace)


def unpacked(value: bytes) -> Trace | None:
    """The trace; ``None`` when another version wrote it."""
    try:
        return _decode(value)
    except msgspec.DecodeError:
        return None


class _Turn:
    """What one candidate has said so far."""

    __slots__ = ("before", "lead", "spoken")

    def __init__(self) -> None:
        self.lead: list[Reasoning] = []
        self.before: list[Reasoning] = []
        self.spoken = False

    def think(self, part: Reasoning) -> None:
        """Reasoning that only its maker can continue; any other needs no trace."""
        if _made(part.opaque):
            (self.before if self.spoken else self.lead).append(part)

    def trace(self, opaque: tuple[Opaque, ...]) -> Trace | None:
        """What to remember of a call that has these attachments; ``None``: nothing."""
        thoughts = (*self.lead, *self.before)
        made = _made(opaque) or [one for part in thoughts for one in _made(part.opaque)]
        self.spoken = True
        if not made or (maker := made[0].origin) is None:
            return None
        trace = Trace(maker, tuple(self.lead), tuple(self.before), opaque)
        self.lead, self.before = [], []
        return trace


def _made(opaque: tuple[Opaque, ...]) -> list[Opaque]:
    return [one for one in opaque if one.origin is not None]


class Tracer:
    """Leaves the traces of one answer, whole or streamed. One object per answer."""

    __slots__ = ("_count", "_note", "_seed", "_thinking", "_turns")

    def __init__(self, seed: str, note: Note) -> None:
        """``seed`` belongs to no other answer."""
        self._seed = seed
        self._note = note
        self._count = 0
        self._turns: dict[int, _Turn] = {}
        self._thinking: dict[int, tuple[int, Reasoning, list[str]]] = {}

    def answer(self, answer: Answer) -> Answer:
        """The answer as the caller is to see it."""
        if not _has_calls(answer):
            return answer
        candidates = []
        for at, candidate in enumerate(answer.candidates):
            turn = self._turns.setdefault(at, _Turn())
            parts: list[Part] = []
            for part in candidate.parts:
                if isinstance(part, Reasoning):
                    turn.think(part)
                elif isinstance(part, ToolCall):
                    part = self._named(part, turn, part.opaque)  # noqa: PLW2901 - renamed
                elif isinstance(part, Text) and part.text:
                    turn.spoken = True
                parts.append(part)
            candidates.append(Candidate(tuple(parts), candidate.finish))
        return msgspec.structs.replace(answer, candidates=tuple(candidates))

    def events(self, events: list[Event]) -> list[Event]:
        """The events as the caller is to see them; the same list where nothing was renamed."""
        renamed: dict[int, PartStart] = {}
        ends = _Ends(events)
        for at, event in enumerate(events):
            # HOT: deltas first; most belong to no reasoning
            if type(event) is Delta:
                if event.index in self._thinking:
                    self._thinking[event.index][2].append(event.text)
            elif type(event) is Deltas:
                if event.index in self._thinking:
                    self._thinking[event.index][2].extend(event.texts)
            elif type(event) is PartStart:
                started = self._started(event, ends)
                if started is not event:
                    renamed[at] = started
            elif type(event) is PartEnd and event.index in self._thinking:
                candidate, part, pieces = self._thinking.pop(event.index)
                whole = msgspec.structs.replace(
                    part, text="".join(pieces), opaque=(*part.opaque, *event.opaque)
                )
                self._turns[candidate].think(whole)
        if not renamed:
            return events
        return [renamed.get(at, event) for at, event in enumerate(events)]

    def _started(self, event: PartStart, ends: "_Ends") -> PartStart:
        part = event.part
        turn = self._turns.setdefault(event.candidate, _Turn())
        if isinstance(part, Reasoning):
            self._thinking[event.index] = (event.candidate, part, [part.text])
        elif isinstance(part, ToolCall):
            named = self._named(part, turn, (*part.opaque, *ends.of(event.index)))
            if named is not part:
                return PartStart(event.index, named, event.candidate)
        elif isinstance(part, Text):
            turn.spoken = True
        return event

    def _named(self, call: ToolCall, turn: _Turn, opaque: tuple[Opaque, ...]) -> ToolCall:
        trace = turn.trace(opaque)
        if trace is None:
            return call
        digest = hashlib.sha256(f"{self._seed}.{self._count}".encode()).hexdigest()
        self._count += 1
        id_ = CALL_PREFIX + digest[:CALL_DIGITS]
        self._note(id_, trace)
        return msgspec.structs.replace(call, id=id_)


def _has_calls(answer: Answer) -> bool:
    for candidate in answer.candidates:
        for part in candidate.parts:
            if type(part) is ToolCall:
                return True
    return False


class _Ends:
    """What the ends in one read attach to their parts: shapes that attach give calls whole."""

    __slots__ = ("_events", "_found")

    def __init__(self, events: list[Event]) -> None:
        self._events = events
        self._found: dict[int, tuple[Opaque, ...]] | None = None

    def of(self, index: int) -> tuple[Opaque, ...]:
        """Of one part; all are looked for together, the first time."""
        if self._found is None:
            ends = reversed(self._events)
            self._found = {end.index: end.opaque for end in ends if type(end) is PartEnd}
        return self._found.get(index, ())


def retraced(
    conversation: Conversation, traces: Mapping[str, Trace]
) -> tuple[Conversation, tuple[str, ...]]:
    """The conversation with what its caller left out, and the ids whose traces are lost.

    Turns in which the caller did send something attached are left as they came, unless all of it
    is in the traces: those know the places, and the shape has one for all of a turn's reasoning.
    An id counts once, where it first stands: what was restored never changes as the history grows.
    """
    seen: set[str] = set()
    lost: list[str] = []
    turns = tuple(_retraced(turn, traces, seen, lost) for turn in conversation.turns)
    if turns == conversation.turns:
        return conversation, tuple(lost)
    return msgspec.structs.replace(conversation, turns=turns), tuple(lost)


def _retraced(turn: Turn, traces: Mapping[str, Trace], seen: set[str], lost: list[str]) -> Turn:
    if turn.role is not Role.ASSISTANT:
        return turn
    sent = {one for part in turn.parts for one in part.opaque}
    calls = [part for part in turn.parts if isinstance(part, ToolCall)]
    ours = [call.id for call in calls if call.id.startswith(CALL_PREFIX) and call.id not in seen]
    if not ours or (sent and not sent <= _held(ours, traces)):
        return turn
    seen.update(ours)
    lost += [id_ for id_ in ours if id_ not in traces]
    known = {id_: traces[id_] for id_ in ours if id_ in traces}
    if not known:
        return turn
    parts: list[Part] = [part for trace in known.values() for part in trace.lead]
    for part in turn.parts:
        if isinstance(part, Reasoning):
            continue  # the same words without what makes them valid
        if isinstance(part, ToolCall) and (trace := known.pop(part.id, None)) is not None:
            parts += trace.before
            parts.append(msgspec.structs.replace(part, opaque=trace.opaque))
        else:
            parts.append(part)
    return msgspec.structs.replace(turn, parts=tuple(parts))


def _held(ids: list[str], traces: Mapping[str, Trace]) -> set[Opaque]:
    """All attachments that these traces lead to; none where one of them is lost."""
    if any(id_ not in traces for id_ in ids):
        return set()
    found = [traces[id_] for id_ in ids]
    thoughts = (part for trace in found for part in (*trace.lead, *trace.before))
    return {
        *(one for part in thoughts for one in part.opaque),
        *(one for trace in found for one in trace.opaque),
    }
