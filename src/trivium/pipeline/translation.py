"""The translation lane: wire to canonical conversation to wire, for one attempt.

The caller's request is read once; each attempt writes it afresh for its own channel. The answer
comes back through canonical events, read by the channel's shape and written by the caller's.
"""

import functools
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from trivium.clock import Clock
from trivium.conversation.answer import Answer
from trivium.conversation.answer_losses import LossReporter
from trivium.conversation.custom_tools import Customs
from trivium.conversation.estimate import tokens
from trivium.conversation.fit import fitted
from trivium.conversation.losses import Mend, Rank, Report
from trivium.conversation.opaque import Open
from trivium.conversation.request import Conversation
from trivium.conversation.stop_sequences import Cutter, cut
from trivium.conversation.target import TargetFacts
from trivium.conversation.tool_names import restored, shortened
from trivium.conversation.unrequested_reasoning import ReasoningRemover, muted, wants_thoughts
from trivium.faults import Fault, Kind
from trivium.ledger.unreported_usage import is_count
from trivium.pipeline import affinity, response_state
from trivium.pipeline.continuation import Affords, Rounds, hold_continuation, may_pause
from trivium.pipeline.embedding import Embedding
from trivium.pipeline.lane import Lane, SteppedLane, is_strict, notes_of
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Headers
from trivium.pipeline.structs import WholeAnswer
from trivium.pipeline.token_count import TokenCount, estimated
from trivium.pipeline.translated_stream import Told, TranslatedStream, unheard
from trivium.providers.failure import error_event
from trivium.providers.quirks import TranslatedRepairs
from trivium.response_store.signatures.tracer import Tracer
from trivium.routing.model import Step
from trivium.secret import Keyring
from trivium.wire import caps, json_size, token_count
from trivium.wire.chat.finish import is_legacy
from trivium.wire.codec import (
    AnswerContext,
    CallerCodec,
    Codec,
    ReadContext,
    UpstreamCodec,
    WriteContext,
)
from trivium.wire.completions.codec import CODEC as COMPLETIONS
from trivium.wire.envelope import opener, sealer
from trivium.wire.messages.version import MEANING, PROFILE, is_profiled
from trivium.wire.operation import (
    EMBEDDING_OPERATIONS,
    NAMED_BY_PATH,
    SHAPE,
    TOKEN_COUNTS,
    Operation,
    Shape,
)
from trivium.wire.passage import RequestFacts, StreamWatch
from trivium.wire.peek import Members
from trivium.wire.text_repair import sound

OBJECTS_MAX: Final = 100_000
OBJECTS_EACH: Final = 4
"""JSON objects of a body as it is, for each of one that is translated, of which everything is made
anew: a quarter of the limit is 25 times the longest history that an agent has sent."""

_GENERATES: Final = Shape.GENERATE
_MESSENGERS: Final = Shape.MESSAGES
_CHATTERS: Final = Shape.CHAT
_VENDORS: Final = Shape.VENDOR
_REPEATS: Final = Shape.RESPONSES
"""The shape whose streams say at the end of a part all of it once more: in events of their own, and
nothing new but the input of custom tools, which is known only then.
"""
_MESSAGES: Final = Operation.MESSAGES
_NO_NAMES: Final[Mapping[str, str]] = {}
_NO_HEADERS: Final[Mapping[str, str]] = {}
_MEANING: Final = tuple(name.encode() for name in MEANING)


class Translator:
    """Makes translations: knows the codecs, the gateway's key and the time."""

    __slots__ = ("_clock", "_codecs", "_keys", "objects_max")

    def __init__(
        self,
        codecs: Mapping[Shape, Codec],
        keys: Keyring,
        clock: Clock,
        *,
        objects_max: int = OBJECTS_MAX,
    ) -> None:
        """``keys`` close and open the envelopes that callers carry (``wire/envelope.py``).

        ``objects_max``: JSON objects of a request that is not translated.
        """
        self.objects_max = objects_max // OBJECTS_EACH
        """Of one that is."""
        self._codecs = codecs
        self._keys = keys
        self._clock = clock

    def opener(self, user_id: int) -> Open:
        """Opens the envelopes that one user's requests carry."""
        return opener(self._keys, user_id)

    def lane(
        self, context: RequestContext, step: Step, members: Members, facts: RequestFacts
    ) -> Lane:
        """One attempt's lane. Raises ``Fault`` naming a member that cannot be carried."""
        exchange = context.exchange
        caller = exchange.caller
        assert caller is not None
        operation = context.operation
        strict = is_strict(context.exchange)
        if operation in EMBEDDING_OPERATIONS:
            return Embedding(step, operation, members.table, facts.model, strict=strict)
        spoken = self.spoken(context, members, facts)
        read = self._upstream(step)
        if operation in TOKEN_COUNTS:
            goal = step.binding.targets[read.shape]
            quirks = step.binding.channel.provider.quirks
            return TokenCount(
                operation, step.operation, spoken, read, goal, strict=strict, quirks=quirks
            )
        answer = WriteContext(
            request=spoken,
            members=response_state.told(context, members),
            id=exchange.request_id.removeprefix("req_"),
            created=int(self._clock.now()),
            model=facts.model,
            request_id=exchange.request_id,
            usage_wanted=facts.usage_wanted,
            # the one shape that must name its input before anybody counted
            input_estimate=tokens(spoken) if operation is _MESSAGES and spoken.stream else 0,
            array=facts.array,
            seal=sealer(self._keys, caller.user_id),
        )
        write = self._caller(operation)
        lane = Translation(
            step, read, write, spoken, answer,
            functools.partial(hold_continuation, context), context.told,
            strict=strict, fitting=_taken(context, step),
        )  # fmt: skip
        if read.shape is not _MESSENGERS and is_profiled(exchange.headers):
            lane.report.drop(Rank.HINT, PROFILE, "only its own vendor knows the profile")
        context.cut = bool(lane.stops)
        for id_ in context.lost:
            lane.report.repair(Mend.LOST_STATE, id_)
        lane.tracer = affinity.tracer(context, step.binding.targets[read.shape])
        return lane

    def _caller(self, operation: Operation) -> CallerCodec:
        """The codec of the shape that a caller speaks."""
        shape = SHAPE[operation]
        return COMPLETIONS if shape is COMPLETIONS.shape else self._codecs[shape]

    def _upstream(self, step: Step) -> UpstreamCodec:
        """The codec of the shape that a channel is asked in: the provider brings its own."""
        shape = SHAPE[step.operation]
        own = step.binding.channel.provider.own if shape is _VENDORS else None
        return self._codecs[shape] if own is None else own.codec()

    def estimate(self, context: RequestContext, members: Members, facts: RequestFacts) -> bytes:
        """The answer to a count of tokens, by our own rule. Raises ``Fault`` naming a member."""
        return estimated(context.operation, self.spoken(context, members, facts))

    def spoken(
        self, context: RequestContext, members: Members, facts: RequestFacts
    ) -> Conversation:
        """The caller's request in canonical form, read once. Raises ``Fault`` naming a member."""
        if context.conversation is not None:
            return context.conversation
        body = context.body
        if len(body) > json_size.PACED_BYTES and json_size.exceeds(body, self.objects_max):
            raise self.crowded()
        return self.read(context, members, facts)

    def crowded(self) -> Fault:
        """The fault of a request that holds too much to be translated."""
        most = self.objects_max
        return Fault(
            Kind.BODY_TOO_LARGE,
            f"The request holds more than {most} JSON objects and arrays, "
            f"{json_size.MEMBERS_EACH * most} members or {json_size.VALUES_EACH * most} values, "
            "which is too many for one that must be translated.",
        )

    def read(self, context: RequestContext, members: Members, facts: RequestFacts) -> Conversation:
        """As ``spoken``, of a body that is known not to hold too much."""
        exchange = context.exchange
        caller = exchange.caller
        assert caller is not None
        operation = context.operation
        write = self._caller(operation)
        own = write.shape
        from_path = own in NAMED_BY_PATH
        reading = ReadContext(
            model=facts.model if from_path else None,
            stream=facts.stream if from_path else None,
            headers=_meaning(exchange.headers) if own is _MESSENGERS else _NO_HEADERS,
            open=opener(self._keys, caller.user_id),
        )
        table: Mapping[str, msgspec.Raw]
        if operation in TOKEN_COUNTS:
            table = token_count.request(operation, members)
        else:
            table = response_state.spoken(context, members)
        spoken = write.read_request(table, reading)
        context.conversation, context.lost = affinity.retraced(context, spoken)
        return context.conversation

    def fit(self, context: RequestContext, step: Step) -> None:
        """Fit a request that was read to one channel: its lane finds it. Raises ``Fault``."""
        spoken = context.conversation
        if spoken is not None and context.operation not in TOKEN_COUNTS:
            goal = step.binding.targets[SHAPE[step.operation]]
            report = Report(goal.title, strict=is_strict(context.exchange))
            context.fitting = (step, report, fitted(spoken, goal, report))


def _taken(context: RequestContext, step: Step) -> "tuple[Report, Conversation] | None":
    """What was fitted to this channel already, once."""
    found, context.fitting = context.fitting, None
    return found[1:] if found is not None and found[0] is step else None


def _meaning(headers: Mapping[bytes, bytes]) -> Mapping[str, str]:
    """Headers that change the meaning of a body: the version of the protocol and its extensions."""
    found = {name: headers[name].decode("latin-1") for name in _MEANING if name in headers}
    return {name.decode(): value for name, value in found.items()} if found else _NO_HEADERS


class Translation(SteppedLane):
    """One attempt's translation. See ``Lane``."""

    __slots__ = (
        "_answer",
        "_context",
        "_is_muted",
        "_mend",
        "_names",
        "_placing",
        "_read",
        "_rounds",
        "_told",
        "_write",
        "body",
        "operation",
        "report",
        "stops",
        "tracer",
    )

    def __init__(
        self,
        step: Step,
        read: UpstreamCodec,
        write: CallerCodec,
        spoken: Conversation,
        answer: WriteContext,
        affords: Affords,
        told: Told | None = None,
        *,
        strict: bool = False,
        fitting: tuple[Report, Conversation] | None = None,
    ) -> None:
        """``read`` is the channel's codec, ``write`` the caller's; ``told`` counts where the vendor
        did not; ``fitting``: what was fitted to this channel, if it was. Raises ``Fault`` when the
        conversation cannot be carried.
        """
        shape = read.shape
        goal = step.binding.targets[shape]
        if fitting is None:
            report = self.report = Report(goal.title, strict=strict)
            said = fitted(spoken, goal, report)
        else:
            report, said = fitting
            self.report = report
        self.operation = step.operation
        self.stops = () if said.stop is spoken.stop else tuple(filter(None, spoken.stop))
        """Sequences at which the answer is cut here, as the target takes not all of them."""
        body = self.body = read.write_request(said, goal, report)
        self._rounds: Rounds | None = None
        if may_pause(spoken, shape):
            write_next = functools.partial(_written_on, read, goal, report)
            self._rounds = Rounds(spoken, shape, write_next, affords)
        self._mend: TranslatedRepairs | None = None
        if quirks := step.binding.channel.provider.quirks:
            self._mend = TranslatedRepairs(quirks, step.operation, goal.model, body, answer.created)
        self.tracer: Tracer | None = None
        """For callers that may echo nothing but the ids of calls."""
        self._read = read
        self._write = write
        self._told = told
        self._answer = answer
        self._names = shortened(spoken, goal) if spoken.tools else _NO_NAMES
        one_call = write.shape is _CHATTERS and is_legacy(answer.members)
        self._is_muted = _mutes(write.shape, spoken)
        self._placing = LossReporter(write.places, self.report, one_call=one_call)
        self._context = AnswerContext(
            origin=goal.origin,
            model=goal.model,
            seed=answer.id,
            think_tags=goal.think_tags,
            unread=self._placing.unread,
            refused=error_event,
        )

    @property
    def notes(self) -> Headers:
        """What was left out and what was mended, for the caller."""
        report = self.report
        return notes_of(report) if report.drops or report.repairs else []

    def whole(self, body: bytes) -> WholeAnswer:
        """The answer in the caller's shape. Raises ``Continue`` where the vendor paused."""
        if json_size.exceeds(body, caps.OBJECTS_MAX):
            raise caps.too_many("JSON objects", caps.OBJECTS_MAX)
        return self._written(self._heard(body))

    def steps(self, body: bytes) -> Iterator[WholeAnswer | None]:
        """The same step by step: counted, read, written."""
        census = json_size.Census(body, caps.OBJECTS_MAX)
        for _ in census.steps():
            yield None
        if census.found:
            raise caps.too_many("JSON objects", caps.OBJECTS_MAX)
        yield None
        answer = self._heard(body)
        body = b""  # held as long as this is, it would lie beside what is written
        yield None
        yield self._written(answer)

    def _heard(self, body: bytes) -> Answer:
        if self._mend is not None:
            body = self._mend.answer(body)
        answer = self._read_answer(body)
        if self._answer.request.stream:  # what was read first may be an error, which says more
            raise Fault(Kind.UPSTREAM_BROKE, "The upstream answered without streaming.")
        return answer

    def _written(self, answer: Answer) -> WholeAnswer:
        answer = self._own(answer)
        self._placing.answer(answer)
        if self._placing.unheard:
            raise unheard(self._placing.unheard)
        written = self._write.write_answer(answer, self._answer)
        if self._told is not None and not is_count(answer.usage):
            usage = self._told(answer.usage, written)
            answer = msgspec.structs.replace(answer, usage=usage)
            written = self._write.write_answer(answer, self._answer)
        return WholeAnswer(written, answer.usage)

    def _read_answer(self, body: bytes) -> Answer:
        try:
            return self._read.read_answer(body, self._context)
        except Fault:
            if (text := sound(body)) == body:
                raise
            return self._read.read_answer(text, self._context)

    def _own(self, answer: Answer) -> Answer:
        """The answer as this caller is to be told it. Raises ``Continue``."""
        if self._names:
            answer = restored(answer, self._names)
        if self._rounds is not None:
            answer = self._rounds.whole(answer)
        if self.stops:
            answer = cut(answer, self.stops)
        if self.tracer is not None:
            answer = self.tracer.answer(answer)
        if self._is_muted:
            answer = muted(answer)
        return answer

    def watch(self) -> StreamWatch:
        """A reader and a writer back to back, behind a repair where the provider needs one."""
        stream = TranslatedStream(
            lambda: self._read.read_stream(self._context),
            self._write.write_stream(self._answer),
            self._placing,
            self._names,
            self.tracer,
            self._rounds,
            Cutter(self.stops, tokens(self._answer.request)) if self.stops else None,
            self._told,
            ReasoningRemover() if self._is_muted else None,
            repeats=self._write.shape is _REPEATS and not Customs(self._answer.request.tools),
        )
        return stream if self._mend is None else self._mend.watch(stream)


def _mutes(shape: Shape, spoken: Conversation) -> bool:
    """Whether a caller of this shape is not to read reasoning that it did not ask for."""
    if shape is not _MESSENGERS and shape is not _GENERATES:
        return False
    return not wants_thoughts(spoken.reasoning, by_switch=shape is _MESSENGERS)


def _written_on(
    read: UpstreamCodec, goal: TargetFacts, report: Report, said: Conversation
) -> bytes:
    """The next round: what the vendor itself paused it takes back, prefilled answers or not."""
    own = msgspec.structs.replace(goal, prefill=True)
    return read.write_request(fitted(said, own, report), own, report)
