"""A streamed answer read in one shape and written in another, as it comes."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import msgspec

from trivium.conversation.answer_losses import LossReporter
from trivium.conversation.calls import ToolCall
from trivium.conversation.events import (
    Delta,
    Deltas,
    Done,
    Event,
    Failed,
    Finished,
    KeepAlive,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.stop_sequences import Cutter
from trivium.conversation.tool_names import restored_events
from trivium.conversation.unrequested_reasoning import ReasoningRemover
from trivium.conversation.usage import Usage, added
from trivium.faults import Fault, Kind
from trivium.ledger.unreported_usage import is_count
from trivium.pipeline.continuation import Rounds
from trivium.response_store.signatures.tracer import Tracer
from trivium.wire.codec import StreamReader, StreamWriter
from trivium.wire.passage import PieceWritten

Told: TypeAlias = Callable[[Usage | None, bytes], Usage]
"""What the caller is told that was used where the vendor did not count: ``RequestContext.told``."""

_QUIET: Final = frozenset({Start, KeepAlive, UsageReport})
"""Events that are no answer yet: an error may still follow them."""


PIECE_CHARS: Final = 65_536
"""Of a text that came in one piece, written in frames of so many."""
LONG_BYTES: Final = 1_048_576
"""Written of an answer: the events of one that has more are not written in one turn. Of a text that
came in one piece: it is written in other turns than it was read in."""

_ENDS: Final = frozenset({Finished, Done})
_REPEATS: Final = frozenset({PartEnd, *_ENDS})
"""In some shapes these say once more all that was said."""


def _is_long(event: Event) -> bool:
    return type(event) is Delta and len(event.text) > PIECE_CHARS and not event.logprobs


def _is_short(event: Event) -> bool:
    return type(event) is Deltas or (type(event) is Delta and not _is_long(event))


def unheard(kind: str) -> Fault:
    """The fault of an answer that is nothing but a part that nobody can tell."""
    return Fault(
        Kind.UPSTREAM_BROKE,
        f"The upstream answered with nothing but a part of an unknown kind: {kind[:80]}.",
    )


class TranslatedStream:
    """A stream read in one shape and written in another. See ``StreamWatch``."""

    __slots__ = (
        "_cutter",
        "_held",
        "_last",
        "_left",
        "_mute",
        "_names",
        "_placing",
        "_quiet",
        "_reader",
        "_readers",
        "_repeats",
        "_rounds",
        "_size",
        "_start",
        "_told",
        "_tracer",
        "_unsaid",
        "_used",
        "_writer",
        "error",
        "finished",
    )

    def __init__(
        self,
        readers: Callable[[], StreamReader],
        writer: StreamWriter,
        placing: LossReporter,
        names: Mapping[str, str],
        tracer: Tracer | None = None,
        rounds: Rounds | None = None,
        cutter: Cutter | None = None,
        told: Told | None = None,
        mute: ReasoningRemover | None = None,
        *,
        repeats: bool = False,
    ) -> None:
        """``readers`` makes the reader of each round, ``rounds`` makes one answer of them.

        ``placing`` reports what the caller's shape has no place for. ``names``: tools that are
        called otherwise upstream (``conversation/tool_names.py``). ``mute``: for callers who did
        not ask for readable reasoning. ``repeats``: what the writer says of the ends of parts and
        of the answer has all been said before; other writers say a call at its end, and only there.
        """
        self._readers = readers
        self._rounds = rounds
        self._cutter = cutter
        self._told = told
        self._mute = mute
        self._repeats = repeats
        self._used: Usage | None = None
        """What the caller was told that was used, where the vendor did not say."""
        self._placing = placing
        self._tracer = tracer
        self._names = names
        self._reader = readers()
        self._writer = writer
        self._quiet = True
        self._held: list[Event] = []
        self._size = 0
        """Bytes written so far."""
        self._left: list[list[Event]] = []
        """What was read and is not written yet, the last first; each is written in one go."""
        self._start = 0
        """Characters of the long text that comes next which are written already."""
        self._unsaid = 0
        """Characters of long texts that the writer keeps, to say them at an end."""
        self._last: Event | None = None
        """``Done`` or ``Failed``, once it was read: how it ends when nothing is left."""
        self.finished = False
        self.error: Fault | None = None

    @property
    def usage(self) -> Usage | None:
        """The last usage reported so far, of all rounds."""
        if self._used is not None:
            return self._used
        if self._cutter is not None and self._cutter.is_cut:
            return self._cutter.usage
        used = self._reader.usage
        return used if self._rounds is None else added(self._rounds.used, used)

    @property
    def stopped(self) -> bool:
        """Whether the model has said why it ended, or was cut short."""
        return self.finished or self._reader.stopped

    def feed(self, data: bytes) -> bytes:
        """Frames for the caller of one upstream read; nothing until there is an answer.

        Raises ``PieceWritten`` where they are so many that others must have a turn in between.
        """
        return self._next() if self._left else self._take(self._reader.feed(data))

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """Frames that end the answer legally; the writer knows the request id.

        Raises ``Continue`` where the vendor paused, and ``PieceWritten`` as ``feed`` does: then it
        is to be asked again when nothing is left. What is left by then is not written any more.
        """
        del request_id
        self._left, self._last = [], None
        if self.finished:
            return b""
        out = b"" if self.error is not None else self._take(self._reader.end(fault))
        self._go_on(fault, out)
        return out if self._is_whole() else out + self._broken_off(fault)

    def _go_on(self, fault: Fault | None, rest: bytes) -> None:
        more = self._rounds.more() if self._rounds is not None and fault is None else None
        if more is not None:
            self._reader = self._readers()
            more.rest = rest
            raise more

    def _is_whole(self) -> bool:
        return self.finished

    def _broken_off(self, fault: Fault | None) -> bytes:
        self._quiet = False
        held, self._held = self._held, []
        return (self._writer.feed(held) if held else b"") + self._writer.end(fault or self.error)

    def _own(self, events: list[Event]) -> list[Event]:
        """The events as this caller is to be told them."""
        if self._names:
            events = restored_events(events, self._names)
        if self._rounds is not None:
            events = self._rounds.events(events)
        if self._cutter is not None:
            events = self._cutter.events(events)
        if self._tracer is not None:
            events = self._tracer.events(events)
        return events if self._mute is None else self._mute.events(events)

    def _without_end(self, events: list[Event]) -> list[Event]:
        """The events that are written, how the answer ends being kept apart."""
        self._placing.events(events)
        last = events[-1]
        if type(last) is Failed:
            self._last = last
            return events[:-1]
        if type(last) is Done and self._placing.unheard:
            self._last = Failed(unheard(self._placing.unheard))
            return [event for event in events if type(event) not in _ENDS]
        if type(last) is Done:
            self._last = last
            if self._told is not None and not is_count(self.usage):
                self._quiet = False
        return events

    def _take(self, events: list[Event]) -> bytes:
        events = self._own(events)
        if events:
            events = self._without_end(events)
        if self._quiet:
            # heartbeats of a vendor that says nothing yet are not sent: a million would be kept
            self._held += [event for event in events if type(event) is not KeepAlive]
            for event in events:
                if type(event) not in _QUIET:
                    break
            else:
                self._close()
                return b""
            self._quiet = False
            events, self._held = self._held, []
        elif self._held:
            events, self._held = [*self._held, *events], []
        out = self._written(events) if events else b""
        if self._last is not None:
            self._close()
        return out

    def _close(self) -> None:
        """Show how the answer ended, now that everything before that is written."""
        last, self._last = self._last, None
        if type(last) is Failed:
            self.error = last.fault
        elif last is not None:
            self.finished = True

    def _written(self, events: list[Event]) -> bytes:
        """The events as frames, or the first part of them. Raises ``PieceWritten``."""
        for event in events:
            if type(event) is Delta:
                if len(event.text) > PIECE_CHARS:
                    break
            elif self._size > LONG_BYTES and type(event) in _REPEATS:
                break
        else:
            out = self._fed(events, [])
            self._size += len(out)
            return out
        self._left = _parts(events)
        if any(type(event) is Delta and len(event.text) > LONG_BYTES for event in events):
            raise PieceWritten(b"")
        return self._next()

    def _next(self) -> bytes:
        """Frames of what is left, up to some size. Raises ``PieceWritten`` if there is more.

        Of a long answer every event that says all of it again is written in a turn of its own, and
        so is every end behind a long part of which the writer says nothing before.
        """
        left = self._left
        out: list[bytes] = []
        size = 0
        repeats = False
        while left:
            events = left[-1]
            first = events[0] if events else None
            ends = first is None or type(first) in _REPEATS
            apart = ends and self._size > LONG_BYTES
            waits = ends and self._unsaid > LONG_BYTES
            if size > LONG_BYTES or (size and apart) or (out and waits):
                raise PieceWritten(b"".join(out), repeats=repeats)
            repeats = apart and self._repeats
            is_piece = type(first) is Delta and _is_long(first)
            if type(first) is Delta and is_piece:
                end = self._start + PIECE_CHARS
                events = [Delta(first.index, first.text[self._start : end])]
                self._start = end if end < len(first.text) else 0
            if waits and self._is_uncounted(events):
                self._count(b"".join(out))
                raise PieceWritten(b"".join(out))
            if not self._start:
                left.pop()
            if apart and type(first) is PartEnd:
                left.append([])  # what the writer puts off
            frames = self._fed(events, out)
            if is_piece and not frames:
                self._unsaid += PIECE_CHARS
            out.append(frames)
            size += len(frames)
            self._size += len(frames)
        self._close()
        if repeats:  # raised though nothing is left, since it is not to be read
            raise PieceWritten(b"".join(out), repeats=True)
        return b"".join(out)

    def _fed(self, events: list[Event], before: list[bytes]) -> bytes:
        """Frames of these events; the end of an answer has a count before it, if need be ours.

        ``before``: what was written already and is sent in the same piece.
        """
        is_uncounted = self._is_uncounted(events)
        is_done = bool(events) and type(events[-1]) is Done
        used = self._used
        if not is_done or (used is None and not is_uncounted):
            return self._writer.feed(events)
        out = self._writer.feed(events[:-1])
        if used is None or is_uncounted:
            used = self._count(b"".join([*before, out]))
        return out + self._writer.feed([UsageReport(used), events[-1]])

    def _is_uncounted(self, events: list[Event]) -> bool:
        """Whether these end an answer of which nobody has counted what was used."""
        if not events or type(events[-1]) is not Done or self._told is None:
            return False
        return not is_count(self.usage)

    def _count(self, before: bytes) -> Usage:
        """Count what was used; ``before``: what was written and not sent yet."""
        assert self._told is not None
        rest = self._writer.unsaid()
        used = self._used = self._told(self.usage, before + rest if before else rest)
        return used


def _parts(events: list[Event]) -> list[list[Event]]:
    """What was read, by what is written in one go; the last comes first."""
    out: list[list[Event]] = []
    ends = {one.index: one.opaque for one in events if type(one) is PartEnd}
    before: Event = KeepAlive()
    for event in events:
        one = event
        if type(event) is PartStart and type(event.part) is ToolCall:
            # writers look for the attachments of a call's end as well, which is not at hand then
            opaque = (*event.part.opaque, *ends.get(event.index, ()))
            ends[event.index] = ()
            call = msgspec.structs.replace(event.part, opaque=opaque)
            one = PartStart(event.index, call, event.candidate)
        elif type(event) is PartEnd:
            one = PartEnd(event.index, ends[event.index])
        if _is_short(one) and _is_short(before):
            out[-1].append(one)
        else:
            out.append([one])
        before = one
    out.reverse()
    return out
