"""An attempt whose answer goes out in the words of the cloud whose client asked.

They are found before anything is booked: an answer that has none is a failed attempt, and what the
record and the bill say is what the caller was sent. See ``Framing``.
"""

import msgspec

from trivium.faults import Fault
from trivium.pipeline.attempt import Attempt
from trivium.pipeline.lane import Lane
from trivium.pipeline.long_answer import LongAnswer
from trivium.pipeline.outcome import EagerOutcome
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Headers
from trivium.pipeline.structs import WholeAnswer
from trivium.routing.model import Step
from trivium.wire import json_size
from trivium.wire.passage import RequestFacts


class FramedAttempt(Attempt):
    """The sink of one upstream call, for a cloud's client."""

    __slots__ = ("_worded", "unframed")

    def __init__(
        self,
        context: RequestContext,
        step: Step,
        lane: Lane,
        facts: RequestFacts,
        direct: EagerOutcome | None = None,
    ) -> None:
        super().__init__(context, step, lane, facts, direct)
        self._worded: tuple[bytes, Headers] | None = None
        """A whole answer as it is sent, and headers for it."""
        self.unframed: Fault | None = None
        """Why no more of a stream is sent: a part of it has no room in a frame."""

    def pump(self, data: bytes) -> None:
        """As of any attempt; ends where no more can be sent. What is long is put into frames in a
        turn of its own.
        """
        if self.long is not None and not data and len(self._held) > json_size.LARGE_BYTES:
            self.tell()
        elif not self._take(data):
            return
        elif len(self._held) > json_size.LARGE_BYTES:
            self._wait_a_turn()
        else:
            self.tell()
        fault = self.unframed
        if fault is not None and not self._is_ending and not self.outcome.done():
            self.release()
            self.broke(fault)

    def _wait_a_turn(self) -> None:
        if self.call is not None:
            self.call.pause()
        self.long = self.long or LongAnswer(self)
        self.long.later()

    def send(self) -> None:
        """Send the answer in those words."""
        if self._whole is not None and self._worded is not None:
            body, told = self._worded
            self.context.exchange.extra += told
            self._whole = msgspec.structs.replace(self._whole, body=body)
        super().send()

    def framed(self, data: bytes) -> bytes:
        """A piece in those words; where it has none, the shape's own error in the place of it."""
        return b"".join(self._framed(data))

    def _framed(self, data: bytes) -> list[bytes]:
        exchange, framing = self.context.exchange, self.context.exchange.framing
        if framing is None or self.unframed is not None:
            return []
        try:
            return framing.pieces(data)
        except Fault as fault:
            self.unframed = fault
            watch = self.context.services.passages[self.context.operation].watch
            assert watch is not None
            return framing.pieces(watch(self.facts).end(fault, exchange.request_id))

    def _write_held(self, *, repeats: bool = False) -> None:
        held, self._held = self._held, b""
        exchange = self.context.exchange
        if exchange.gone:
            return
        self.context.deliver(held, repeats=repeats)
        pieces = self._framed(held)
        del held
        pieces.reverse()
        while pieces:  # one after another, as a frame may be long
            exchange.write(pieces.pop())

    def _deliver(self, whole: WholeAnswer) -> None:
        framing = self.context.exchange.framing
        if framing is not None:
            self._worded = framing.whole(whole.body)
        super()._deliver(whole)

    def _conclude(self) -> None:
        if self.context.fault is None:
            self.context.fault = self.unframed
        super()._conclude()
