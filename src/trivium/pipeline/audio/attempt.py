"""One attempt at speech or a transcript: as any other, but what comes may be sound.

Its first bytes go out at once, with the length where the vendor gives one. Nothing in a file can
say that it broke off, so one that does is cut. A whole answer may be wanted as a stream.
"""

import msgspec

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.pipeline.attempt import Attempt
from trivium.pipeline.audio.speech import Speech
from trivium.pipeline.binary import length_of
from trivium.pipeline.lane import Lane
from trivium.pipeline.story import Story
from trivium.routing.model import Step
from trivium.upstream.lines import Lines
from trivium.wire.audio.length.measure import Meter
from trivium.wire.passage import Facts

_NO_SOUND = (b"application/json", b"text/", b"application/problem")


class MediaAttempt(Attempt):
    """The sink of one upstream call whose answer may be sound."""

    __slots__ = ("_meter", "_sound", "_type")

    def __init__(self, story: Story, step: Step, lane: Lane, facts: Facts) -> None:
        super().__init__(story, step, lane, facts)
        self._sound = False
        self._type = b""
        self._meter: Meter | None = None

    def head(self, status: int, headers: Lines) -> None:
        """Sound is what a speech upstream answers with, unless it says otherwise."""
        super().head(status, headers)
        lane = self.lane
        if not isinstance(lane, Speech) or not 200 <= status < 300:
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
                self._meter = Meter(raw=lane.is_raw)

    def data(self, data: bytes) -> None:
        """A piece of the sound goes out in the turn it came."""
        if not self._sound:
            super().data(data)
            return
        try:
            self._begin()
            self._tell_of(data)
            self.story.exchange.write(data)
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
            self.story.exchange.finish(rest)
            self._succeed()
        except Exception as exc:  # noqa: BLE001 - told to whoever waits for the outcome
            self.crash(exc)

    def broke(self, fault: Fault) -> None:
        """The sound broke off: cut, once it has begun."""
        if not self._sound or not self._committed:
            super().broke(fault)
            return
        self._end(fault)
        self.story.exchange.break_off()
        self._succeed()

    def tell(self) -> None:
        """Leave what has been heard so far to the bill, should the answer break off."""
        if self._sound and self._committed and not self.outcome.done():
            self.story.usage = self._heard()
        else:
            super().tell()

    def _begin(self) -> None:
        if self._committed:
            return
        self._committed = True
        story = self.story
        story.first_byte_at = story.services.time()
        self._explain()
        story.status = 200
        story.let_go()
        story.exchange.begin(200, self._type, length=length_of(self.headers))
        if story.key is not None:
            story.services.health.heard(story.key)

    def _tell_of(self, data: bytes) -> None:
        self.story.deliver(data)
        if self._meter is not None:
            self._meter.feed(data)

    def _end(self, fault: Fault | None) -> None:
        story = self.story
        story.usage = self._heard()
        story.fault = fault
        story.settle()

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
        hold = self.story.hold
        tariff = None if hold is None else hold.quote.tariff
        return tariff is not None and (bool(tariff.millisecond) or "output" in tariff.kinds)

    def _answer(self, body: bytes) -> None:
        """A whole answer where a stream is wanted becomes that stream."""
        if not self.facts.stream:
            super()._answer(body)
            return
        story = self.story
        whole = self.lane.whole(body)
        story.usage = whole.usage
        self._commit()
        story.deliver_whole(whole.body)
        story.settle()
        story.exchange.finish(whole.body)
        self._succeed()
