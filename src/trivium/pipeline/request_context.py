"""What is known about one request so far, and its end: settle once, record once."""

import functools
from typing import Final

import msgspec

from trivium.admission.service import OPEN, Permit
from trivium.conversation.losses import Report
from trivium.conversation.request import Conversation
from trivium.conversation.usage import Usage
from trivium.faults import Blame, Fault, Kind
from trivium.ledger import audio_cost, unreported_usage
from trivium.ledger.model import Hold, Quote
from trivium.observe.record import Record
from trivium.pipeline.race import Race
from trivium.pipeline.services import Exchange, Headers, Services
from trivium.pipeline.structs import AffinityState, ImageOrder, Route
from trivium.response_store.model import Recollection
from trivium.routing.candidates import RoutingPreferences
from trivium.routing.channel_health import HealthKey
from trivium.routing.model import Model, Plan, Skip, Step
from trivium.settings.budget import Budget
from trivium.wire.attribution import NOBODY, Attributed
from trivium.wire.operation import BINARY_STREAMS, EVENT_STREAM, INPUT_ONLY, SHAPE, Operation
from trivium.wire.output_count import DeliveredOutput
from trivium.wire.output_tally import OutputCount
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import Members

_SAID: Final = frozenset({"messages", "input", "contents"})
"""Members that are the conversation itself, which no answer repeats."""
_EVENTS: Final = b"text/event-stream; charset=utf-8"
_FRAMES: Final = EVENT_STREAM.encode()
_STREAM_HEADERS: Final[Headers] = [(b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no")]

NAME_MAX = 200
"""Characters of a caller-chosen name that a record keeps."""
_NAMES: Final = {operation: operation.value for operation in Operation}
"""``value`` is a property that calls: 0.14 us."""


class RequestContext:
    """The mutable context of one request. Settles and records exactly once, whatever happened."""

    __slots__ = (
        "_said",
        "_whole",
        "affinity",
        "attempts",
        "attribution",
        "body",
        "budgets",
        "cache_key",
        "called",
        "conversation",
        "cost_nanos",
        "cut",
        "delivered",
        "exchange",
        "facts",
        "failures",
        "fault",
        "final",
        "first_byte_at",
        "fitting",
        "given",
        "hold",
        "image_order",
        "is_spoken_for",
        "key",
        "lost",
        "members",
        "model",
        "operation",
        "owed",
        "plain",
        "plan",
        "plan_fault",
        "preferences",
        "quote",
        "race",
        "received_bytes",
        "recollection",
        "report",
        "route",
        "services",
        "settled",
        "shared",
        "size_bytes",
        "skipped",
        "spare",
        "stand_ins",
        "status",
        "step",
        "steps_taken",
        "stood_in",
        "streaming",
        "usage",
    )

    # --- what came ------------------------------------------------------------------------------

    received_bytes: int
    """Size of the request as it came."""
    body: bytes
    """The request with the history it refers to, as long as another attempt may need it."""
    size_bytes: int
    """Of that, when it came."""
    plain: bool
    """Whether it is known to be words alone: to carry no state and to refer to nothing."""
    facts: RequestFacts | None
    """What the request says of itself, once that is read."""
    streaming: bool
    """Whether the caller asks for a stream."""
    members: Members | None
    """Its members, as long as another attempt may need them."""
    conversation: Conversation | None
    """The request in canonical form, once a translation has read it."""
    fitting: tuple[Step, Report, Conversation] | None
    """The same as one channel may have it, where that took a turn of its own."""
    recollection: Recollection | None
    """What a responses request refers to, once that has been looked up."""
    image_order: ImageOrder | None
    """Of a request for pictures: which."""
    affinity: AffinityState | None
    """What is known of the state it carries; ``None``: it has none."""
    lost: tuple[str, ...]
    """Calls whose traces are forgotten, once a translation has read the request."""
    preferences: RoutingPreferences | None
    """What the caller wishes of the route; ``None``: nothing."""
    cache_key: bytes
    """What keeps it with others that share a prompt cache; empty: nothing."""
    is_spoken_for: bool
    """Whether a header says whom or what it is for."""
    attribution: Attributed
    """Whom and what it is for, as the caller says."""
    spare: bool
    """Whether its bytes are of no use once they are read."""

    # --- what was decided -----------------------------------------------------------------------

    steps_taken: int
    """How many of ``pipeline/steps.py`` are done, or wait for something."""
    model: Model | None
    """The model that is asked, or stands in for that one."""
    stand_ins: list[Model]
    """Models that may answer in place of the one asked for."""
    stood_in: bool
    """Whether one of them is being tried."""
    given: Permit
    """What admission let it in with."""
    budgets: tuple[Budget, ...]
    """All that it counts against, once that is held."""
    quote: Quote | None
    """The most that it may cost."""
    hold: Hold | None
    """That, reserved; ``None``: nothing is."""
    plan: Plan | None
    """Channels that may answer, in order, until they are tried."""
    plan_fault: Fault | None
    """Why there is no plan."""
    skipped: tuple[Skip, ...]
    """Channels that the plan passed over."""
    shared: bool
    """Whether several channels could answer."""
    race: Race | None
    """Between attempts that may run at once; ``None``: they run one after another."""

    # --- what was answered ----------------------------------------------------------------------

    attempts: int
    """How many were begun."""
    step: Step | None
    """The running or last attempt's."""
    key: HealthKey | None
    """Whose health it tells of."""
    report: Report | None
    """What its translation left out and mended; ``None``: it had none."""
    called: bool
    """Whether it has sent the request upstream."""
    cut: bool
    """Whether its answer may be over before its vendor's: it is cut at a stop sequence."""
    failures: list[tuple[str, str]]
    """Channels that failed and how, in order."""
    status: int
    """The HTTP status that the caller was sent; 0: none yet."""
    fault: Fault | None
    """How it ended, if not well."""
    first_byte_at: float | None
    """Loop time of the answer's first byte."""
    delivered: int
    """Bytes of the answer that the caller was sent."""

    # --- what it costs --------------------------------------------------------------------------

    usage: Usage | None
    """What the vendor reported, then what is charged for."""
    owed: Usage | None
    """What a vendor reports, and charges, of a request that it declined after its work."""
    final: bool
    """Whether its last report counts all of an answer that the caller did not stay for."""
    settled: bool
    """Whether what was used is booked."""
    cost_nanos: int
    """What the caller was charged, once that is settled."""

    def __init__(self, exchange: Exchange, route: Route, services: Services) -> None:
        self.exchange, self.route, self.services = exchange, route, services
        self.operation = route.operation
        self.body = exchange.body
        self.size_bytes = len(exchange.body)
        upload = exchange.upload
        self.received_bytes = self.size_bytes if upload is None else upload.size
        self.facts = self.members = self.conversation = self.fitting = None
        self.recollection = self.image_order = self.affinity = self.preferences = None
        self.lost, self.cache_key, self.attribution = (), b"", NOBODY
        self.budgets = ()
        self.stand_ins, self.failures, self.skipped = [], [], ()
        self.given = OPEN
        self.model = self.quote = self.hold = self.plan = self.plan_fault = self.race = None
        self.step = self.key = self.report = self.fault = self.first_byte_at = None
        self.usage = self.owed = None
        self.steps_taken = self.attempts = self.status = 0
        self.delivered = self.cost_nanos = 0
        self.called = self.cut = self.final = self.spare = self.stood_in = self.shared = False
        self.plain = self.streaming = self.settled = self.is_spoken_for = False
        self._said: DeliveredOutput | None = None
        """What tells how much a model wrote in what was delivered of a stream."""
        self._whole = b""
        """An answer that was delivered whole."""

    def replace_body(self, body: bytes) -> None:
        """Go on with another body: the history it refers to is in it, or what is ours is not."""
        self.body = body
        self.size_bytes = len(body)
        self.plain = False

    def let_go(self) -> None:
        """The answer has begun, so nobody is asked again: keep no byte of the request.

        A stream may take minutes, and an agent's request 100 KiB.
        """
        exchange = self.exchange
        self.body = b""
        exchange.drop_body()
        if self.members is not None:
            self.members.let_go()

    def slim(self) -> None:
        """A large request was read, and only translations of it will be sent: keep what it says,
        and not its bytes as well.
        """
        if self.members is None:
            return
        self.members.slim(_SAID)
        recollection = self.recollection
        if recollection is not None:
            recollection.asked.slim(_SAID)
            self.recollection = msgspec.structs.replace(recollection, body=b"")
        self.body = b""
        self.exchange.drop_body()

    def settle(self) -> None:
        """Book what was used. Called before the last byte goes to the caller, and again in the
        clean-up of every request: only the first call counts.
        """
        if self.settled or self.hold is None:
            return
        self.settled = True
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
        channel = "" if self.step is None else self.step.binding.channel.name
        self.cost_nanos = self.services.ledger.settle(hold, used, end, channel)

    @property
    def early(self) -> bool:
        """Whether a heartbeat has begun a stream that holds nothing of an answer yet."""
        return self.first_byte_at is None and self.streaming and self.exchange.begun

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
            kind = _FRAMES if SHAPE[self.operation] in BINARY_STREAMS else _EVENTS
            exchange.begin(200, kind)

    def begin_attempt(self, step: Step) -> None:
        """Count an attempt, and forget what an earlier one left: the one that answers is paid."""
        self.attempts += 1
        self.step = step
        if self.race is None:
            self.called = False
            self.usage = self.owed = None

    def deliver(self, data: bytes, *, repeats: bool = False) -> None:
        """Remember that a piece of a streamed answer was sent.

        ``repeats``: it says nothing but what was said before, and is not read for it.
        """
        self.delivered += len(data)
        if repeats:
            return
        said = self._said
        if said is None:
            said = self._said = DeliveredOutput(SHAPE[self.operation])
        said.add(data)

    def catch_up(self) -> bool:
        """Count in a large piece that was sent and is yet to be read; whether there was one."""
        return self._said is not None and self._said.catch_up()

    def deliver_whole(self, body: bytes) -> None:
        """Remember that an answer was sent whole. It is read only where no vendor counted it."""
        self.delivered += len(body)
        self._whole = body

    def told(self, reported: Usage | None, rest: bytes) -> Usage:
        """What the caller is told that was used: what the bill will say.

        ``rest``: what of the answer is yet to be delivered, all of it that tells of a text.
        """
        hold = self.hold
        if hold is not None and hold.quote.tariff is not None:
            input_tokens = hold.quote.input_tokens
        else:
            input_tokens = unreported_usage.tokens(self.received_bytes)
        return unreported_usage.used(
            reported, input_tokens, functools.partial(self.written, rest), final=True
        )

    def written(self, rest: bytes = b"") -> OutputCount:
        """What the model wrote in what was delivered, and in what is to follow."""
        said = self._said
        if said is None:
            said = DeliveredOutput(SHAPE[self.operation], whole=True)
            said.add(self._whole)
        return said.written(rest)

    def _used(self, input_tokens: int) -> Usage | None:
        """What is charged for; ``None`` for nothing. The written policy: docs/billing.md."""
        if not self.called:
            return None
        fault = self.fault
        if fault is not None and not self.delivered and fault.kind is not Kind.CALLER_LEFT:
            owed = self.owed if fault.row.blame is Blame.CALLER else None
            return owed if owed is not None and unreported_usage.is_believable(owed) else None
        facts, hold = self.facts, self.hold
        known = None if facts is None else facts.known
        if known is not None and hold is not None and hold.quote.tariff is not None:
            tariff = hold.quote.tariff
            return audio_cost.used(tariff, known, self.usage, is_delivered=self.delivered > 0)
        written = None if self.operation in INPUT_ONLY else self.written
        return unreported_usage.used(
            self.usage, input_tokens, written, final=fault is None or self.final
        )

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
        report = self.report
        of = self.attribution
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
                self.received_bytes,
                exchange.bytes_out,
                self.usage,
                of.end_user,
                report.dropped_names() if report else "",
                report.repaired_header() if report else "",
                of.session,
                of.tags,
                tuple(self.failures) if self.failures else (),
            )
        )
