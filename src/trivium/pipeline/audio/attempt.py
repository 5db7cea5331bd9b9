"""One attempt at speech or a transcript: as any other, but what comes may be sound.

Its first bytes go out at once, with the length where the vendor gives one. Nothing in a file can
say that it broke off, so one that does is cut. A whole answer may be wanted as a stream.
"""

import msgspec

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.pipeline.attempt import Attempt
from trivium.pipeline.audio.speech import SpeechLane
from trivium.pipeline.download import length_of
from trivium.pipeline.lane import Lane, explain
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.structs import WholeAnswer
from trivium.routing.model import Step
from trivium.upstream.answer import AnswerHeaders
from trivium.wire.audio.length.measure import LengthMeter
from trivium.wire.passage import RequestFacts

_NO_SOUND = (b"application/json", b"text/", b"application/problem")


class MediaAttempt(Attempt):
    """The sink of one upstream call whose answer may be sound."""

    __slots__ = ("_meter", "_sound", "_type")

    def __init__(
        self, context: RequestContext, step: Step, lane: Lane, facts: RequestFacts
    ) -> None:
        super().__init__(context, step, lane, facts)
        self._sound = False
        self._type = b""
        self._meter: LengthMeter | None = None

    def head(self, status: int, headers: AnswerHeaders) -> None:
        """Sound is what a speech upstream answers with, unless it says otherwise."""
        super().head(status, headers)
        lane = self.lane
        if not isinstance(lane, SpeechLane) or not 200 <= status < 300:
            return
        kind = dict(headers).get(b"content-type", b"").lower()
        if self.facts.stream:
            if not kind.startswith((b"text/event-stream", b"application/json")):
                self._give_up(
                    Fault(Kind.UPSTREAM_BROKE, "The upstream answered without streaming.")
                )
        elif kind.startswith(_NO_SOUND) and not kind.startswith(b"application/json"):
            self._give_up(Fault(Kind.UPSTREAM_BROKE, "The upstream answered with text."))
        elif not kind.startswith(b"application/json"):
            self._sound = True
            self._type = lane.type_of(kind)
            if self._by_length():
                self._meter = LengthMeter(raw=lane.is_raw)

    def data(self, data: bytes) -> None:
        """A piece of the sound goes out in the turn it came."""
        if not self._sound:
            super().data(data)
            return
        try:
            self._begin()
            self._tell_of(data)
            self.context.exchange.write(data)
        except Exception as exc:  # noqa: BLE001 - told to whoever waits for the outcome
            self.crash(exc)

    def done(self, rest: bytes = b"") -> None:
        """The sound is whole."""
        if not self._sound:
            super().done(rest)
            return
        if not rest and not self._committed:
            self._give_up(Fault(Kind.UPSTREAM_BROKE, "The upstream ended without an answer."))
            return
        try:
            self._begin()
            self._tell_of(rest)
            self._end(None)
            self.context.exchange.finish(rest)
            self._succeed()
        except Exception as exc:  # noqa: BLE001 - told to whoever waits for the outcome
            self.crash(exc)

    def broke(self, fault: Fault) -> None:
        """The sound broke off: cut, once it has begun."""
        if not self._sound or not self._committed:
            super().broke(fault)
            return
        self._end(fault)
        self.context.exchange.break_off()
        self._succeed()

    def book_usage(self) -> None:
        """Leave what has been heard so far to the bill, should the answer break off."""
        if self._sound and self._committed and not self.outcome.done():
            self.context.usage = self._heard()
        else:
            super().book_usage()

    def _begin(self) -> None:
        if self._committed:
            return
        self._committed = True
        context = self.context
        context.first_byte_at = context.services.time()
        explain(context, self.step, self.lane, self.headers)
        context.status = 200
        context.let_go()
        context.exchange.begin(200, self._type, length=length_of(self.headers))
        if context.key is not None:
            context.services.health.heard(context.key)

    def _tell_of(self, data: bytes) -> None:
        self.context.deliver(data)
        if self._meter is not None:
            self._meter.feed(data)

    def _end(self, fault: Fault | None) -> None:
        context = self.context
        context.usage = self._heard()
        context.fault = fault
        context.settle()

    def _heard(self) -> Usage | None:
        """What was used, with the seconds that were delivered where they are paid for."""
        known = self.facts.known
        seconds = None if self._meter is None else self._meter.seconds()
        if known is None or seconds is None:
            return known
        return msgspec.structs.replace(known, seconds=seconds)

    def _by_length(self) -> bool:
        """Whether it is paid for by what is delivered: by seconds, or by tokens, which nobody
        reports of bare sound.
        """
        hold = self.context.hold
        tariff = None if hold is None else hold.quote.tariff
        return tariff is not None and (bool(tariff.millisecond) or "output" in tariff.kinds)

    def _deliver(self, whole: WholeAnswer) -> None:
        """A whole answer where a stream is wanted becomes that stream."""
        if not self.facts.stream:
            super()._deliver(whole)
            return
        context = self.context
        context.usage = whole.usage
        self._commit()
        context.deliver_whole(whole.body)
        context.settle()
        context.exchange.finish(whole.body)
        self._succeed()
