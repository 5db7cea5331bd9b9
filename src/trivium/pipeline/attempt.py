"""One attempt: a sink that turns a vendor's answer into the caller's, in the loop turn it came.

A refusal, a break or an error event before the first byte to the caller ends the attempt with a
fault, so that another channel may be tried. After the first byte nothing is retried: the stream is
ended in its own shape's words. Settlement always precedes the last byte.
"""

import asyncio
from codecs import BOM_UTF8
from typing import Final

from trivium.faults import Fault, Kind
from trivium.ledger.amounts import format_usd
from trivium.pipeline import hedging, routing_preferences
from trivium.pipeline.continuation import Continue
from trivium.pipeline.fault_log import vendor_fault
from trivium.pipeline.lane import ESTIMATED, Lane, explain, in_steps
from trivium.pipeline.long_answer import LongAnswer, LongWhole
from trivium.pipeline.outcome import EagerOutcome, FinishedAnswer, Outcome
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Flow
from trivium.pipeline.structs import Mode, WholeAnswer
from trivium.providers.failure import error_event
from trivium.routing.model import Step
from trivium.upstream.answer import AnswerHeaders
from trivium.upstream.call import Call, HeaderLines, Sink
from trivium.wire import json_size
from trivium.wire.heartbeat import is_answer
from trivium.wire.operation import SHAPE
from trivium.wire.passage import PieceWritten, RequestFacts, StreamWatch

REFUSAL_BYTES_MAX: Final = 65_536


_WAITING, _WHOLE, _STREAM, _REFUSAL = Mode


class Attempt(Flow, Sink, FinishedAnswer):
    """The sink of one upstream call."""

    __slots__ = (
        "_committed", "_direct", "_held", "_is_ending", "_last", "_mode", "_most", "_parts",
        "_size", "_watch", "_whole", "call", "context", "facts", "going_on", "headers", "lane",
        "long", "outcome", "status", "step",
    )  # fmt: skip

    def __init__(
        self,
        context: RequestContext,
        step: Step,
        lane: Lane,
        facts: RequestFacts,
        direct: EagerOutcome | None = None,
    ) -> None:
        """``direct``: told of the outcome in the place of a future (``handle.EagerTask``).

        What ends such an answer is sent in the next turn of the loop, with all that ended in this.
        """
        self.context = context
        self.step = step
        self.lane = lane
        self.facts = facts
        self.outcome: Outcome = direct or context.services.future()
        """Done when the caller has its answer; a fault when another channel may be tried."""
        self.going_on: bytes | None = None
        """What the same channel is to be sent next, as its answer was not whole."""
        self.status = 0
        self.headers: HeaderLines = ()
        self.call: Call | None = None
        """The call that runs; ``None``: it has yet to begin, or has ended."""
        self.long: LongAnswer | None = None
        """What writes the rest of a long read, in the turns to come."""
        self._committed = self._is_ending = False
        self._held = self._last = b""
        self._direct = direct
        self._whole: WholeAnswer | None = None
        self._mode = _WAITING
        self._most = context.services.answer_bytes_max
        self._parts: list[bytes] = []
        self._size = 0
        self._watch: StreamWatch | None = None

    # --- the call's side ----------------------------------------------------------------------

    def head(self, status: int, headers: AnswerHeaders) -> None:
        """The vendor's status decides how its body is read."""
        self.status = status
        self.headers = headers
        if not 200 <= status < 300:
            self._mode = _REFUSAL
        elif self.facts.stream and (self.facts.array or not headers.is_json()):
            try:
                if self._watch is None:
                    self._watch = self.lane.watch()
            except Exception as exc:  # noqa: BLE001 - told to whoever waits for the outcome
                self.crash(exc)
            self._mode = _WHOLE if self._watch is None else _STREAM
        else:
            self._mode = _WHOLE

    def data(self, data: bytes) -> None:
        """Body bytes of one read."""
        if self.long is not None:
            self.long.add(data)
        elif self._mode is _STREAM:
            try:
                self.pump(data)
            except Exception as exc:  # noqa: BLE001 - told to whoever waits for the outcome
                self.crash(exc)
        else:
            self._gather(data)

    def done(self, rest: bytes = b"") -> None:
        """The vendor's body is whole."""
        self.call = None  # it has ended by itself, and holds its sink
        if self.long is not None:
            self.long.end(rest=rest)
            return
        try:
            if self._mode is _STREAM:
                if not rest or self._take(rest):
                    if self._answers():
                        self._commit()
                    self._end_stream(None)
                return
            body: bytes | None = rest  # all of it, where it came in one read
            if self._mode is not _WHOLE or self._parts or len(rest) > self._most:
                body = self._gathered(rest)
            if body is not None:
                self._begin_whole(body.removeprefix(BOM_UTF8))
        except Exception as exc:  # noqa: BLE001 - told to whoever waits for the outcome
            self._end_without(exc)

    def broke(self, fault: Fault) -> None:
        """The vendor's answer cannot go on."""
        if self.long is not None:
            self.long.end(fault)
            return
        self.call = None  # as in ``done``
        if not self._committed:
            self._give_up(fault)
            return
        try:
            self._end_stream(fault)
        except Exception as exc:  # noqa: BLE001 - told to whoever waits for the outcome
            self.crash(exc)

    # --- the caller's side --------------------------------------------------------------------

    def attach(self, call: Call) -> None:
        """The call runs: from now on the caller's pace and departure reach it."""
        self.call = call
        self.context.called = True
        if self.context.exchange.congested:  # by what was sent before
            call.pause()

    def pause(self) -> None:
        """The caller reads too slowly: stop reading upstream."""
        if self.call is not None:
            self.call.pause()

    def resume(self) -> None:
        """The caller has caught up."""
        if self.long is not None:
            self.long.later()
        elif self.call is not None:
            self.call.resume()

    def interrupt(self, fault: Fault) -> bool:
        """End a begun stream legally, now."""
        if self._is_ending:
            return True
        if not self._committed or self.outcome.done():
            return False
        self.release()
        self.broke(fault)
        return True

    def conclude(self) -> bool:
        """End an answer whose terminal event has passed, though the vendor keeps the line open."""
        watch = self._watch
        if self._is_ending:
            return True
        if not self._committed or self.outcome.done() or watch is None or not watch.finished:
            return False
        self.release()
        self.done()
        return True

    def book_usage(self) -> None:
        """Leave what the vendor has reported so far to the bill, should the answer break off."""
        # not the outcome is asked: one whose caller has left awaits it no longer
        watch, context = self._watch, self.context
        if self._committed and watch is not None and not context.settled:
            context.usage = watch.usage
            # of several answers the first to end does not tell what the others come to
            context.final = watch.finished or (watch.stopped and self.facts.choices == 1)

    @property
    def running(self) -> StreamWatch | None:
        """The watch of a stream that has begun and goes on."""
        return self._watch if self._committed and self.call is not None else None

    @property
    def is_between_events(self) -> bool:
        """Whether a heartbeat would fall between two events, as nothing goes out by halves."""
        return True

    def again(self) -> None:
        """Be ready for the next part of an answer that was not whole."""
        self.going_on = None
        self._mode = _WAITING
        self._parts, self._size = [], 0

    def wait(self) -> "asyncio.Future[None]":
        """What to wait for from here on."""
        self.outcome = future = self.context.services.future()
        return future

    def release(self) -> None:
        """Let the vendor's connection go, whatever state it is in. Nothing of it is written."""
        self.long = None
        # the call holds its sink: without this each request leaves a cycle to the collector
        call, self.call = self.call, None
        if call is not None:
            call.abort()

    def settle(self) -> None:
        """Book what the answer came to, and say so in the head of a whole one; ``send`` follows."""
        context = self.context
        context.settle()
        if self._whole is not None and context.services.explain_headers:
            exchange, usage, mark = context.exchange, context.usage, (ESTIMATED, b"usage")
            exchange.lines += b"trivium-cost: %b\r\n" % format_usd(context.cost_nanos).encode()
            if usage is not None and usage.estimated and mark not in exchange.extra:
                exchange.extra.append(mark)

    def send(self) -> None:
        """Send the answer, or what is left of it, once it is booked."""
        whole, exchange = self._whole, self.context.exchange
        if whole is None:
            exchange.finish(self._last)
        else:
            exchange.answer(200, whole.body, content_type=whole.content_type)
        outcome = self.outcome
        if self._direct is not None or not outcome.done():
            outcome.set_result(None)

    # --- own ------------------------------------------------------------------------------------

    def _gather(self, data: bytes) -> None:
        self._size += len(data)
        if self._mode is not _REFUSAL and self._size > self._most:
            self._give_up(Fault(Kind.UPSTREAM_BROKE, "The upstream's answer is too large."))
        elif self._mode is not _REFUSAL or self._size - len(data) < REFUSAL_BYTES_MAX:
            self._parts.append(data)

    def _gathered(self, rest: bytes) -> bytes | None:
        """The body that came in several reads; ``None``: it was a refusal, or too large."""
        if self._mode is _REFUSAL:
            body = b"".join([*self._parts, rest])[:REFUSAL_BYTES_MAX]
            self.broke(vendor_fault(self.step, self.status, self.headers, body))
            return None
        if rest:
            self.data(rest)
        if self.outcome.done():
            return None
        body = b"".join(self._parts)
        self._parts.clear()  # held as long as the answer, they would be all of it once more
        return body

    def pump(self, data: bytes) -> None:
        """Hand on what the watch makes of these bytes, or of none: the next piece."""
        if self._take(data):
            self.tell()

    def tell(self) -> None:
        """Send what is held, once it is of an answer."""
        if self._answers():
            self._commit()
        if self._committed:
            self._write_held()
            if self.context.cut:
                self.conclude()

    def framed(self, data: bytes) -> bytes:
        """A piece as it is sent: in the shape's own words, here."""
        return data

    def _write_held(self, *, repeats: bool = False) -> None:
        held, self._held = self._held, b""
        if not self.context.exchange.gone:
            self.context.deliver(held, repeats=repeats)
            self.context.exchange.write(self.framed(held))

    def _hold_piece(self, piece: PieceWritten) -> LongAnswer:
        """Keep the vendor waiting while more of what it sent is written."""
        repeats = piece.repeats and not self._held
        self._held = self._held + piece.out if self._held else piece.out
        if self._committed:
            self._write_held(repeats=repeats)
        if self.call is not None:
            self.call.pause()
        long = self.long = self.long or LongAnswer(self)
        long.later()
        return long

    def _answers(self) -> bool:
        """Whether what is held begins the answer: comments are heartbeats, an error may follow."""
        if self._committed or not self._held:
            return False
        return self.facts.array or is_answer(self._held, SHAPE[self.context.operation])

    def _take(self, data: bytes) -> bool:
        """Let the watch see what was read, and hold what it lets through; ``False``: it is over."""
        watch = self._watch
        assert watch is not None
        try:
            out = watch.feed(data)
        except PieceWritten as piece:
            self._hold_piece(piece)
            return True
        except Fault as fault:
            self.release()
            self.broke(fault)
            return False
        self._held = self._held + out if self._held else out
        if watch.error is not None:
            self.release()
            error = watch.error
            self.broke(error if isinstance(error, Fault) else error_event(error))
            return False
        return True

    def _commit(self) -> None:
        if self.context.race is not None:
            hedging.win(self.context, self, self.lane.report)
        self._committed = True
        self.context.first_byte_at = self.context.services.time()
        explain(self.context, self.step, self.lane, self.headers)
        if self.context.exchange.begun:
            routing_preferences.report_late(self.context)
        self.context.status = 200
        self.context.let_go()
        self.lane.body = b""
        self.headers = ()
        self.context.open_stream()
        if self.context.key is not None:
            self.context.services.health.heard(self.context.key)

    def _end_stream(self, fault: Fault | None) -> None:
        watch = self._watch
        assert watch is not None
        context, exchange, held = self.context, self.context.exchange, self._held
        if self.long is not None:  # more of what was read is written first
            self._write_held()
            self.long.end(fault)
            return
        is_first = fault is None and not self._committed
        if not is_first and held and not exchange.gone:
            context.deliver(held)  # before the watch ends: it may have to count
            held = b""
        try:
            tail = watch.end(fault, exchange.request_id)
        except PieceWritten as piece:
            if is_first:
                self._commit()
                context.deliver(held)
            exchange.write(self.framed(self._held))
            self._held = b""
            self._hold_piece(piece).end(fault)
            return
        if is_first:
            if not watch.finished or watch.error is not None:
                raise Fault(Kind.UPSTREAM_BROKE, "The upstream ended without an answer.")
            self._commit()
        elif fault is None and not watch.finished:
            fault = Fault(Kind.UPSTREAM_BROKE, "The upstream ended in mid-answer.")
        self.book_usage()
        self._last, held = self.framed(self._held + tail), held + tail
        if exchange.gone:
            fault = fault or Fault(Kind.CALLER_LEFT, "The caller left.")
        elif held:
            context.deliver(held)
        context.fault = fault
        self._conclude()

    def _begin_whole(self, body: bytes) -> None:
        self.lane.body = b""  # the vendor has it
        if len(body) > json_size.PACED_BYTES:
            self.long = LongWhole(self, in_steps(self.lane, body), self._deliver, self._end_without)
        else:
            self._deliver(self.lane.whole(body))

    def _end_without(self, error: Exception) -> None:
        if isinstance(error, Continue):
            self._go_on(error)
        elif isinstance(error, Fault):
            self.broke(error)
        else:
            self.crash(error)

    def _deliver(self, whole: WholeAnswer) -> None:
        context = self.context
        if context.race is not None:
            hedging.win(context, self, self.lane.report)
        context.usage = whole.usage
        context.status = 200
        context.first_byte_at = context.services.time()
        explain(self.context, self.step, self.lane, self.headers)
        context.deliver_whole(whole.body)
        self._whole = whole
        self._conclude()

    def _conclude(self) -> None:
        if self.context.fault is not None:
            self.context.exchange.spoil()
        if self._direct is None:
            self.settle()
            self.send()
        else:
            self._is_ending = True
            self._direct.ends.add(self)

    def _go_on(self, more: Continue) -> None:
        self.release()
        self.going_on = more.body
        self._held += more.rest
        if self._committed and self._held:
            self._write_held()
        self._succeed()

    def _succeed(self) -> None:
        if not self.outcome.done():
            self.outcome.set_result(None)

    def _give_up(self, fault: Fault) -> None:
        self.release()
        if self._direct is not None or not self.outcome.done():
            self.outcome.set_exception(fault)

    def crash(self, error: Exception) -> None:
        """End the attempt by what nobody planned.

        The call has no one else to tell: raised into the event loop, the error would leave the
        caller waiting for ever, as the connection may have been given back already.
        """
        self.release()
        if not self.outcome.done():
            self.outcome.set_exception(error)
        self.book_usage()
