"""A streamed answer read in one shape and written in another, as it comes."""

import io
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from trivium.conversation.answer_losses import LossReporter
from trivium.conversation.calls import ToolCall
from trivium.conversation.events import (
    Delta,
    Done,
    Event,
    Failed,
    Finished,
    KeepAlive,
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

Told: TypeAlias = Callable[[Usage | None, bytes], Usage]
"""What the caller is told that was used where the vendor did not count: ``RequestContext.told``."""

_QUIET: Final = frozenset({Start, KeepAlive, UsageReport})
"""Events that are no answer yet: an error may still follow them."""


PIECE_CHARS: Final = 65_536
"""Of a text that came in one piece, written in frames of so many."""

_ENDS: Final = frozenset({Finished, Done})


def _is_long(event: Event) -> bool:
    return type(event) is Delta and len(event.text) > PIECE_CHARS and not event.logprobs


def _begins_call(event: Event) -> bool:
    return type(event) is PartStart and type(event.part) is ToolCall


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
        "_mute",
        "_names",
        "_placing",
        "_quiet",
        "_reader",
        "_readers",
        "_rounds",
        "_told",
        "_tracer",
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
    ) -> None:
        """``readers`` makes the reader of each round, ``rounds`` makes one answer of them.

        ``placing`` reports what the caller's shape has no place for. ``names``: tools that are
        called otherwise upstream (``conversation/tool_names.py``). ``mute``: for callers who did
        not ask for readable reasoning.
        """
        self._readers = readers
        self._rounds = rounds
        self._cutter = cutter
        self._told = told
        self._mute = mute
        self._used: Usage | None = None
        """What the caller was told that was used, where the vendor did not say."""
        self._placing = placing
        self._tracer = tracer
        self._names = names
        self._reader = readers()
        self._writer = writer
        self._quiet = True
        self._held: list[Event] = []
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
        """Frames for the caller of one upstream read; nothing until there is an answer."""
        return self._take(self._reader.feed(data))

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """Frames that end the answer legally; the writer knows the request id.

        Raises ``Continue`` where the vendor paused.
        """
        del request_id
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

    def _take(self, events: list[Event]) -> bytes:
        events = self._own(events)
        if events:
            self._placing.events(events)
            last = events[-1]
            if type(last) is Failed:
                self.error = last.fault
                events = events[:-1]
            elif type(last) is Done and self._placing.unheard:
                self.error = unheard(self._placing.unheard)
                events = [event for event in events if type(event) not in _ENDS]
            elif type(last) is Done:
                self.finished = True
                if self._told is not None and not is_count(self.usage):
                    return self._tell_count(events, self._told)
        if self._quiet:
            # heartbeats of a vendor that says nothing yet are not sent: a million would be kept
            self._held += [event for event in events if type(event) is not KeepAlive]
            for event in events:
                if type(event) not in _QUIET:
                    break
            else:
                return b""
            self._quiet = False
            events, self._held = self._held, []
        return self._written(events) if events else b""

    def _written(self, events: list[Event]) -> bytes:
        """The events as frames, none of them from a piece of text of megabytes.

        Of such a piece there is never more than what was read of it and what is written.
        """
        for event in events:
            if type(event) is Delta and len(event.text) > PIECE_CHARS:
                break
        else:
            return self._writer.feed(events)
        if any(map(_begins_call, events)):  # the writer of a call looks for its end as well
            return self._writer.feed(events)
        out = io.BytesIO()
        events.reverse()
        while events:
            event = events.pop()
            if type(event) is Delta and _is_long(event):
                for at in range(0, len(event.text), PIECE_CHARS):
                    piece = event.text[at : at + PIECE_CHARS]
                    out.write(self._writer.feed([Delta(event.index, piece)]))
            else:
                # one by one: in some shapes the end of a text says all of it again
                out.write(self._writer.feed([event]))
            del event
        return out.getvalue()

    def _tell_count(self, events: list[Event], told: Told) -> bytes:
        """The last events of an answer, with a count of our own before the end."""
        self._quiet = False
        held, self._held = self._held, []
        out = self._written([*held, *events[:-1]])
        self._used = told(self.usage, out)
        return out + self._writer.feed([UsageReport(self._used), events[-1]])
