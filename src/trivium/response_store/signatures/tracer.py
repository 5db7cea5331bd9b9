"""What a caller will not send back with a tool call, and putting it where it was.

Chat clients echo the id of a call, its name and arguments, and nothing else; so do some clients of
messages and responses. So the id is made here: it names a trace of the reasoning that came before
the call and of what was attached to it. Only calls that leave a trace are renamed, and the name is
a digest of the request and a number, so that no two calls of any upstream share it, whatever ids
the upstream counts out.

Some chat servers want the plain words of their reasoning back in a tool loop. Those leave a trace
too; whoever reads words reads anybody's, so such a trace does not lead to its maker.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.calls import ToolCall
from trivium.conversation.events import Delta, Deltas, Event, PartEnd, PartStart
from trivium.conversation.items import Part, Role, Turn
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import Reasoning, Text
from trivium.conversation.request import Conversation
from trivium.response_store.signatures.model import SignatureTrace
from trivium.wire.operation import Shape
from trivium.wire.state_refs import CALL_DIGITS, CALL_PREFIX

_OURS: Final = re.compile(f"{CALL_PREFIX}[0-9a-f]{{{CALL_DIGITS}}}").fullmatch


Note = Callable[[str, SignatureTrace], None]
"""Takes a trace and the id that leads to it."""


class _Turn:
    """What one candidate has said so far."""

    __slots__ = ("_reader", "before", "lead", "spoken")

    def __init__(self, reader: StateOrigin | None) -> None:
        self._reader = reader
        self.lead: list[Reasoning] = []
        self.before: list[Reasoning] = []
        self.spoken = False

    def think(self, part: Reasoning) -> None:
        """Note reasoning that only its maker can continue, or whose maker wants its words back."""
        if _made(part.opaque) or (self._reader is not None and part.text):
            (self.before if self.spoken else self.lead).append(part)

    def trace(self, opaque: tuple[Opaque, ...]) -> SignatureTrace | None:
        """What to remember of a call that has these attachments; ``None``: nothing."""
        thoughts = (*self.lead, *self.before)
        made = _made(opaque) or [one for part in thoughts for one in _made(part.opaque)]
        self.spoken = True
        maker = made[0].origin if made else self._reader if thoughts else None
        if maker is None:
            return None
        trace = SignatureTrace(maker, tuple(self.lead), tuple(self.before), opaque)
        self.lead, self.before = [], []
        return trace


def _made(opaque: tuple[Opaque, ...]) -> list[Opaque]:
    return [one for one in opaque if one.origin is not None]


class Tracer:
    """Makes the traces of one answer, whole or streamed. One object for each answer."""

    __slots__ = ("_count", "_note", "_reader", "_seed", "_thinking", "_turns")

    def __init__(self, seed: str, note: Note, reader: StateOrigin | None = None) -> None:
        """``seed`` belongs to no other answer; ``reader`` made it and wants plain words back."""
        self._reader = reader
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
            turn = self._turns.setdefault(at, _Turn(self._reader))
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
            # deltas first; most belong to no reasoning
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
        turn = self._turns.setdefault(event.candidate, _Turn(self._reader))
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
    conversation: Conversation, traces: Mapping[str, SignatureTrace]
) -> tuple[Conversation, tuple[str, ...]]:
    """The conversation with what its caller left out, and the ids whose traces are lost.

    Turns in which the caller did send something attached are left as they came. In chat, unless
    all of it is in the traces: those know the places, and that shape has one for all of a turn's
    reasoning. The other shapes keep the places themselves, and who sends reasoning back there
    misses nothing where a trace is gone.
    An id counts once, where it first stands: what was restored never changes as the history grows.
    """
    found = _Found(conversation, traces)
    turns = tuple(map(found.turn, conversation.turns))
    if found.words:
        turns = tuple(filter(found.stands, turns))
    lost = tuple(found.lost)
    if turns == conversation.turns:
        return conversation, lost
    return msgspec.structs.replace(conversation, turns=turns), lost


class _Found:
    """Puts what the traces of one request lead to where it was."""

    __slots__ = ("_echoed", "_placed", "_said", "_seen", "_traces", "lost", "words")

    def __init__(self, conversation: Conversation, traces: Mapping[str, SignatureTrace]) -> None:
        self._traces = traces
        self._seen: set[str] = set()
        self._placed = conversation.shape != Shape.CHAT.value
        """Whether reasoning has its own place in the history, maybe in a turn of its own."""
        thoughts = [
            part
            for turn in conversation.turns
            if turn.role is Role.ASSISTANT
            for part in turn.parts
            if isinstance(part, Reasoning | ToolCall)
        ]
        self._echoed = {one for part in thoughts for one in part.opaque}
        self._said = {part.text for part in thoughts if isinstance(part, Reasoning) and part.text}
        self.lost: list[str] = []
        self.words: set[str] = set()
        """Reasoning that was put back, and that may stand bare in a turn of its own."""

    def turn(self, turn: Turn) -> Turn:
        """One turn with what was left out of it."""
        if turn.role is not Role.ASSISTANT:
            return turn
        calls = [part.id for part in turn.parts if isinstance(part, ToolCall)]
        ours = [id_ for id_ in calls if _OURS(id_) and id_ not in self._seen]
        if not ours or self._is_sent(turn, ours):
            return turn
        self._seen.update(ours)
        known = {id_: self._traces[id_] for id_ in ours if id_ in self._traces}
        # whoever sends reasoning back has sent what there was, if the trace is not there to tell
        if not (self._placed and (self._echoed or self._said)):
            self.lost += [id_ for id_ in ours if id_ not in known]
        return self._restored(turn, known) if known else turn

    def stands(self, turn: Turn) -> bool:
        """Whether a turn is more than bare words of reasoning that were put back elsewhere."""
        return not turn.parts or not all(
            isinstance(part, Reasoning) and not part.opaque and part.text in self.words
            for part in turn.parts
        )

    def _is_sent(self, turn: Turn, ours: list[str]) -> bool:
        """Whether the caller sent the reasoning of these calls itself."""
        sent = {one for part in turn.parts for one in part.opaque}
        found = [self._traces[id_] for id_ in ours if id_ in self._traces]
        held = {one for trace in found for one in trace.attached}
        if not self._placed:
            return bool(sent) and (len(found) < len(ours) or not sent <= held)
        if sent or self._echoed & held:
            return True
        return any(
            part.text in self._said
            for trace in found
            if not trace.attached
            for part in (*trace.lead, *trace.before)
        )

    def _restored(self, turn: Turn, known: dict[str, SignatureTrace]) -> Turn:
        parts: list[Part] = [part for trace in known.values() for part in trace.lead]
        for part in turn.parts:
            if isinstance(part, Reasoning):
                continue  # the same words without what makes them valid
            if isinstance(part, ToolCall) and (trace := known.pop(part.id, None)) is not None:
                parts += trace.before
                parts.append(msgspec.structs.replace(part, opaque=trace.opaque))
            else:
                parts.append(part)
        if self._placed:
            self.words |= {part.text for part in parts if isinstance(part, Reasoning)} & self._said
        return msgspec.structs.replace(turn, parts=tuple(parts))
