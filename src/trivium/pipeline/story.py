"""What is known about one request so far, and its end: settle once, record once."""

import functools
from typing import TYPE_CHECKING, Any, Final

import msgspec

from trivium.admission.service import OPEN
from trivium.conversation.honesty import Report
from trivium.conversation.request import Conversation
from trivium.conversation.usage import Usage
from trivium.faults import Blame, Fault, Kind
from trivium.ledger import estimate, media
from trivium.ledger.model import Hold
from trivium.observe.record import Record
from trivium.pipeline.context import Exchange, Headers, Services
from trivium.recall.model import Recollection
from trivium.routing.choice import Wishes
from trivium.routing.condition import Key
from trivium.routing.model import Model, Skip, Step
from trivium.wire.operation import AUDIO, SHAPE, Operation
from trivium.wire.passage import Facts
from trivium.wire.peek import Members
from trivium.wire.written import Delivered, Written

if TYPE_CHECKING:
    from trivium.pipeline.hedging import Race

_SAID: Final = frozenset({"messages", "input", "contents"})
"""Members that are the conversation itself, which no answer repeats."""
_STREAM_HEADERS: Final[Headers] = [(b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no")]

NAME_MAX = 200
"""Characters of a caller-chosen name that a record keeps."""
_NAMES: Final = {operation: operation.value for operation in Operation}
"""``value`` is a property that calls: 0.14 us."""


class Story:
    """The mutable context of one request. Settles and records exactly once, whatever happened."""

    __slots__ = (
        "_said",
        "_settled",
        "attempts",
        "cache_key",
        "called",
        "conversation",
        "cost_nanos",
        "cut",
        "delivered",
        "end_user",
        "exchange",
        "facts",
        "failures",
        "fault",
        "final",
        "first_byte_at",
        "fitting",
        "given",
        "hold",
        "key",
        "let_go_bytes",
        "lost",
        "members",
        "model",
        "operation",
        "owed",
        "picture",
        "race",
        "recalled",
        "recollection",
        "report",
        "services",
        "shared",
        "skipped",
        "spare",
        "stand_ins",
        "status",
        "step",
        "stood_in",
        "usage",
        "wishes",
    )

    def __init__(self, exchange: Exchange, operation: Operation, services: Services) -> None:
        self.exchange, self.operation, self.services = exchange, operation, services
        self.facts: Facts | None = None
        self.members: Members | None = None
        """The request's members, as long as another attempt may need them."""
        self.conversation: Conversation | None = None
        """The request in canonical form, once a translation has read it."""
        # the same as one channel may have it, where that took a turn of its own
        self.fitting: tuple[Step, Report, Conversation] | None = None
        self.recollection: Recollection | None = None
        """What a responses request refers to, once that has been looked up."""
        self.picture: Any = None  # ``drawing.Asked`` of a request for pictures
        self.report: Report | None = None
        """What the last attempt's translation left out and mended; ``None``: it had none."""
        self.recalled: Any = None
        """What is known of the state it carries (``sticky.Recalled``); ``None``: it has none."""
        self.lost: tuple[str, ...] = ()
        """Calls whose traces are forgotten, once a translation has read the request."""
        self.key: Key | None = None  # whose health the running attempt tells of
        self.race: Race | None = None
        """Between attempts that may run at once; ``None``: they run one after another."""
        self.wishes: Wishes | None = None
        """What the caller wishes of the route; ``None``: nothing."""
        self.cache_key, self.end_user = b"", ""
        """What keeps it with others that share a prompt cache; for whom, as the caller says."""
        self.stand_ins: list[Model] = []
        """Models that may answer in place of the one asked for."""
        self.failures: list[tuple[str, str]] = []
        """Channels that failed and how, in order."""
        self.skipped: tuple[Skip, ...] = ()
        """Channels that the plan passed over."""
        self.stood_in = self.shared = False
        """Whether a fallback of the model that was asked for is being tried; whether several
        channels could answer."""
        self.model: Model | None = None
        self.given = OPEN
        """What admission let it in with."""
        self.hold: Hold | None = None
        self.step: Step | None = None
        self.attempts = self.status = 0
        self.usage: Usage | None = None
        self.owed: Usage | None = None
        """What a vendor reports, and charges, of a request that it declined after its work."""
        self.fault: Fault | None = None
        self.first_byte_at: float | None = None
        self.called = self._settled = self.cut = self.final = self.spare = False
        """Whether the running attempt has sent the request upstream. Whether its answer may be over
        before its vendor's: it is cut at a stop sequence. Whether the vendor's last report counts
        all of an answer that its caller did not stay for. Whether its bytes are of no use once
        they are read."""
        self.delivered = self.let_go_bytes = 0
        """Bytes of the answer that the caller was sent; size of the request, once it is let go."""
        self._said: Delivered | None = None
        """What tells how much a model wrote in them."""
        self.cost_nanos = 0
        """What the caller was charged, once that is settled."""

    @property
    def body(self) -> bytes:
        """The request with the history it refers to."""
        recollection = self.recollection
        return self.exchange.body if recollection is None else recollection.body

    @property
    def size_bytes(self) -> int:
        """Bytes of the request with the history it refers to."""
        return len(self.body)

    def let_go(self) -> None:
        """The answer has begun, so nobody is asked again: keep no byte of the request.

        A stream may take minutes, and an agent's request 100 KiB.
        """
        exchange = self.exchange
        self.let_go_bytes = self.let_go_bytes or self._received()
        exchange.drop_body()
        if self.members is not None:
            self.members.let_go()

    def slim(self) -> None:
        """A large request was read, and only translations of it will be sent: keep what it says,
        and not its bytes as well.
        """
        if not self.spare or self.members is None:
            return
        self.let_go_bytes = self._received()
        self.members.slim(_SAID)
        recollection = self.recollection
        if recollection is not None:
            recollection.asked.slim(_SAID)
            self.recollection = msgspec.structs.replace(recollection, body=b"")
        self.exchange.drop_body()

    def settle(self) -> None:
        """Book what was used. Called before the last byte goes to the caller, and again in the
        clean-up of every request: only the first call counts.
        """
        if self._settled or self.hold is None:
            return
        self._settled = True
        hold = self.hold
        if hold.quote.tariff is None:
            self.services.ledger.settle(hold, self.usage)
            return
        used = self._used(hold.quote.input_tokens)
        if used is not None:
            self.usage = used
        model, fault = self.model, self.fault
        if model is not None and model.free:
            used = None  # a model that stood in for one with a price
        end = "" if fault is None else fault.kind.value
        self.cost_nanos = self.services.ledger.settle(hold, used, end)

    @property
    def is_settled(self) -> bool:
        """Whether what was used is booked."""
        return self._settled

    @property
    def early(self) -> bool:
        """Whether a heartbeat has begun a stream that holds nothing of an answer yet."""
        return self.first_byte_at is None and self.streaming and self.exchange.begun

    @property
    def streaming(self) -> bool:
        """Whether the caller asked for a stream."""
        return self.facts is not None and self.facts.stream

    def open_stream(self) -> None:
        """Send the head of a streamed answer, unless a heartbeat has."""
        exchange = self.exchange
        if exchange.begun:
            return
        self.status = 200
        assert self.facts is not None
        if self.facts.array:
            exchange.begin(200, b"application/json")
        else:
            exchange.extra += _STREAM_HEADERS
            exchange.begin(200, b"text/event-stream; charset=utf-8")

    def begin(self) -> None:
        """Forget what an earlier attempt left: only the one that answers is paid for."""
        if self.race is None:
            self.called = False
            self.usage = self.owed = None

    def deliver(self, data: bytes) -> None:
        """Remember that a piece of the answer was sent. HOT: once per upstream read."""
        self.delivered += len(data)
        said = self._said
        if said is None:
            said = self._said = Delivered(SHAPE[self.operation], whole=self._is_whole())
        said.add(data)

    def told(self, reported: Usage | None, rest: bytes) -> Usage:
        """What the caller is told that was used: what the bill will say.

        ``rest``: what of the answer is yet to be delivered, all of it that tells of a text.
        """
        hold = self.hold
        if hold is not None and hold.quote.tariff is not None:
            input_tokens = hold.quote.input_tokens
        else:
            input_tokens = estimate.tokens(self.let_go_bytes or self._received())
        return estimate.used(
            reported, input_tokens, functools.partial(self.written, rest), final=True
        )

    def written(self, rest: bytes = b"") -> Written:
        """What the model wrote in what was delivered, and in what is to follow."""
        said = self._said
        if said is None:
            said = Delivered(SHAPE[self.operation], whole=True)
        return said.written(rest)

    def _is_whole(self) -> bool:
        return not self.streaming and self.operation not in AUDIO

    def _used(self, input_tokens: int) -> Usage | None:
        """What is charged for; ``None`` for nothing. The written policy: docs/billing.md."""
        if not self.called:
            return None
        fault = self.fault
        if fault is not None and not self.delivered and fault.kind is not Kind.CALLER_LEFT:
            owed = self.owed if fault.row.blame is Blame.CALLER else None
            return owed if owed is not None and estimate.is_believable(owed) else None
        facts, hold = self.facts, self.hold
        known = None if facts is None else facts.known
        if known is not None and hold is not None and hold.quote.tariff is not None:
            tariff = hold.quote.tariff
            return media.used(tariff, known, self.usage, is_delivered=self.delivered > 0)
        return estimate.used(
            self.usage, input_tokens, self.written, final=fault is None or self.final
        )

    def _received(self) -> int:
        upload = self.exchange.upload
        return len(self.exchange.body) if upload is None else upload.size

    def _models(self) -> tuple[str, str]:
        """The model that answered or is paid, and the one asked for if that is another.

        Of those that stood in and failed the log tells: nobody is to read that they were asked for.
        """
        asked = self.facts.model[:NAME_MAX] if self.facts else ""
        model = self.model
        answered = self.first_byte_at is not None or self.cost_nanos
        if not self.stood_in or model is None or not answered or model.name == asked:
            return asked, ""
        return model.name, asked

    def record(self) -> None:
        """Queue the request's one row."""
        # HOT: once a request
        exchange, services = self.exchange, self.services
        caller = exchange.caller
        facts = self.facts
        if self.stood_in or facts is None:
            model, asked = self._models()
        else:
            model, asked = facts.model[:NAME_MAX], ""
        binding = None if self.step is None else self.step.binding
        arrived = exchange.arrived
        took_s = services.time() - arrived
        first = self.first_byte_at
        fault = self.fault
        headers = exchange.headers
        report = self.report
        profile = headers.get(b"anthropic-user-profile-id") or headers.get(
            b"vendor-user-profile-id"
        )
        # names cost as much as values: the order of Record's fields
        services.recorder.add(
            Record(
                exchange.request_id,
                services.clock.now() - took_s,
                None if caller is None else caller.key_id,
                None if caller is None else caller.user_id,
                _NAMES[self.operation],
                model,
                asked,
                "" if binding is None else binding.channel.name,
                "" if binding is None else binding.model,
                self.status,
                "" if fault is None else fault.kind.value,
                facts is not None and facts.stream,
                self.attempts,
                None if first is None else (first - arrived) * 1e3,
                took_s * 1e3,
                self.let_go_bytes or self._received(),
                exchange.bytes_out,
                self.usage,
                profile[:NAME_MAX].decode("latin-1") if profile else self.end_user,
                report.dropped_names() if report else "",
                report.repaired_header() if report else "",
            )
        )
