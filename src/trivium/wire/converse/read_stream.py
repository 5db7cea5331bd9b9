"""Streams of the converse shape as canonical events.

What ends the stream is the end of the body: behind ``messageStop`` come the counters.
Sources, read on 2026-11-28: botocore 1.44's model of the service; the ConverseStream reference.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from trivium.conversation.events import Done, Event, Failed, Finished, Start, UsageReport
from trivium.conversation.shape_capabilities import Loss
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import errors
from trivium.wire.codec import AnswerContext
from trivium.wire.converse import answer_structs as forms
from trivium.wire.converse import failure, known_members
from trivium.wire.converse.read_answer import ended, tier
from trivium.wire.converse.read_usage import usage
from trivium.wire.converse.stream_blocks import ConverseBlocks
from trivium.wire.event_stream import EventFrame, EventFrames
from trivium.wire.lenient import decoded
from trivium.wire.text_repair import sound

_end_event: Final = msgspec.json.Decoder(forms.ConverseEndEvent).decode
_metadata_event: Final = msgspec.json.Decoder(forms.ConverseMetadataEvent).decode
_any: Final = msgspec.json.Decoder().decode

_DELTA: Final = "contentBlockDelta"
_OPENING: Final = "initial-response"
"""An event that other services begin with, and that says nothing."""
_NAME_MAX: Final = 64


class Reader:
    """Reads one streamed answer."""

    __slots__ = (
        "_blocks",
        "_context",
        "_events",
        "_frames",
        "_over",
        "_started",
        "_tier",
        "stopped",
        "usage",
    )

    def __init__(self, context: AnswerContext) -> None:
        self.usage: Usage | None = None
        self.stopped = False
        self._context = context
        self._frames = EventFrames()
        self._blocks = ConverseBlocks(context)
        self._started = False
        self._over = False
        self._tier: str | None = None
        self._events: dict[str, Callable[[bytes, list[Event]], None]] = {
            _DELTA: self._blocks.delta,
            "contentBlockStart": self._blocks.start,
            "contentBlockStop": self._blocks.stop,
            "messageStart": self._message,
            "messageStop": self._stop,
            "metadata": self._metadata,
        }

    def feed(self, data: bytes) -> list[Event]:
        """Events of what became whole."""
        out: list[Event] = []
        if self._over:
            return out
        try:
            for frame in self._frames.feed(data):
                self._frame(frame, out)
        except (ValueError, RecursionError):
            self._fail(failure.broke(), out)
        except Fault as fault:
            self._fail(fault, out)
        return out

    def end(self, fault: Fault | None) -> list[Event]:
        """``Done`` if the model has said why it ended, else ``Failed``."""
        out: list[Event] = []
        if self._over:
            return out
        if not self.stopped or fault is not None or self._frames.waiting:
            self._fail(fault or errors.cut_short(), out)
            return out
        self._over = True
        out.append(Done(self._tier))
        return out

    def _fail(self, fault: Fault, out: list[Event]) -> None:
        self._over = True
        out.append(Failed(fault))

    def _frame(self, frame: EventFrame, out: list[Event]) -> None:
        """Tell of one event. Raises ``Fault`` for an exception in its place, and ``ValueError`` for
        one that cannot be read.
        """
        kind = frame.word(":event-type")
        if kind == _DELTA and not self.stopped and self._blocks.flow(frame.payload, out):
            return
        if (fault := failure.ended(frame, self._context)) is not None:
            raise fault
        tell = self._events.get(kind)
        if tell is None:
            if kind != _OPENING:
                self._context.unread(kind[:_NAME_MAX] or "event", Loss.UNKNOWN)
            return
        if self.stopped and kind != "metadata":
            raise failure.broke("it goes on after its end")
        if not self._started:
            self._started = True
            out.append(Start())
        tell(sound(frame.payload), out)

    def _message(self, payload: bytes, out: list[Event]) -> None:  # noqa: ARG002 - as the others
        known_members.BEGINNING.look(payload, self._context.unread)

    def _stop(self, payload: bytes, out: list[Event]) -> None:
        known_members.END.look(payload, self._context.unread)
        event = _end_event(payload)
        self._blocks.close_all(out)
        self.stopped = True
        out.append(Finished(ended(event.stopReason, event)))

    def _metadata(self, payload: bytes, out: list[Event]) -> None:
        known_members.METADATA.look(payload, self._context.unread)
        event = _metadata_event(payload)
        self._tier = tier(event.serviceTier) or self._tier
        found = usage(decoded(_any, event.usage))
        if found is not None:
            self.usage = found
            out.append(UsageReport(found))
