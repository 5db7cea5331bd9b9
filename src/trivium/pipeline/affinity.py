"""Whose turn it is: a conversation that carries opaque state goes back to who made that state.

Asked before the plan is carried out, and answered without parsing: most requests carry nothing, and
that takes a search for a few words. The later mark in a body is the newer one, so the last that can
be traced decides. What is found here also tells whether a body may pass as it is: state of other
makers is taken out by reading and writing it (``pipeline/translation.py``), even where caller and
channel speak the same shape.
"""

import functools
from collections.abc import Callable
from typing import Final

from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.request import Conversation
from trivium.conversation.target import ReasoningBack, TargetFacts
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.pipeline.lane import PassThrough
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.structs import AffinityState, WholeAnswer
from trivium.response_store.signatures.model import SignatureTrace
from trivium.response_store.signatures.tracer import Tracer
from trivium.response_store.signatures.tracer import retraced as _retraced
from trivium.routing.model import Plan, Step
from trivium.routing.policy import origin_of, sticking
from trivium.wire import state_refs
from trivium.wire.operation import SHAPE, TOKEN_COUNTS, TRANSLATABLE, Shape
from trivium.wire.passage import PassThroughSpec, RequestFacts, StreamWatch
from trivium.wire.peek import Members

CARRYING: Final = TRANSLATABLE | TOKEN_COUNTS
"""Operations whose requests could carry state."""
_NAMING: Final = frozenset(shape.value for shape in state_refs.NAMING)


async def recall(context: RequestContext, plan: Plan) -> Plan:
    """The plan with the maker of the request's state first; notes in the context what was found."""
    shape = SHAPE[context.operation]
    caller, traces = context.exchange.caller, context.services.signatures
    assert caller is not None
    found = state_refs.found(context.body, shape)
    keys = [mark.key for mark in (*found.calls, *found.native)]
    known = await traces.find(caller.owner_id, keys) if keys and traces is not None else {}
    context.affinity = AffinityState(
        traces=known,
        sealed=bool(found.envelopes),
        makers=frozenset(known[mark.key].maker for mark in found.native if mark.key in known),
    )
    if not context.shared:
        return plan
    open_ = context.services.translator.opener(caller.user_id)
    for mark in sorted((*found.envelopes, *found.calls, *found.native), key=lambda one: -one.at):
        trace = known.get(mark.key)
        maker = _bound_to(trace) if trace is not None else _sealed_by(open_(mark.key))
        if maker is not None:
            return sticking(plan, maker)
    return plan


def _bound_to(trace: SignatureTrace) -> StateOrigin | None:
    return trace.maker if trace.binds else None


def _sealed_by(opaque: tuple[Opaque, ...] | None) -> StateOrigin | None:
    return next((one.origin for one in opaque or () if one.origin is not None), None)


def passes(recalled: AffinityState, step: Step) -> bool:
    """Whether a channel of the caller's own shape may get the body as it came."""
    return not recalled.sealed and recalled.makers <= {origin_of(step)}


def retraced(context: RequestContext, spoken: Conversation) -> tuple[Conversation, tuple[str, ...]]:
    """The conversation with what its caller left out, and the calls whose traces are lost."""
    recalled = context.affinity
    if recalled is None or spoken.shape not in _NAMING:
        return spoken, ()
    return _retraced(spoken, recalled.traces)


def tracer(context: RequestContext, goal: TargetFacts) -> Tracer | None:
    """Leaves the traces of a translated answer, where the caller may echo nothing but ids."""
    caller, traces = context.exchange.caller, context.services.signatures
    own = SHAPE[context.operation]
    if traces is None or caller is None or own not in state_refs.NAMING:
        return None
    origin, reader = goal.origin, None
    if origin.shape != own.value:
        reader = origin if goal.reasoning_back is ReasoningBack.TEXT else None
    elif own is not Shape.CHAT:
        return None  # the vendor may keep the answer, under the ids it gave itself
    note = functools.partial(traces.add, caller.owner_id)
    return Tracer(context.exchange.request_id, note, reader)


class TracedPassThrough(PassThrough):
    """A relayed answer whose maker will have to be found again: its signatures are noted.

    For models that several channels serve. The bytes go by as they are.
    """

    __slots__ = ("_remember", "_step", "_user_id")

    def remember(
        self, step: Step, add: Callable[[int, str, SignatureTrace], None], user_id: int
    ) -> None:
        """Have what passes noted as this step's, for this user."""
        self._step = step
        self._remember = add
        self._user_id = user_id

    def whole(self, body: bytes) -> WholeAnswer:
        """Return the answer, after noting what the vendor signed in it."""
        answer = super().whole(body)
        self.note(answer.body)
        return answer

    def watch(self) -> StreamWatch | None:
        """The lane's own watch, and a look at what passes."""
        watch = super().watch()
        return None if watch is None else _Noting(watch, self.note)

    def note(self, data: bytes) -> None:
        """Note what the vendor signed in these bytes, whole events."""
        found = state_refs.native(data, SHAPE[self.operation])
        if found:
            trace = SignatureTrace(origin_of(self._step))
            for mark in found:
                self._remember(self._user_id, mark.key, trace)


class _Noting:
    """Shows a stream to somebody on its way. See ``StreamWatch``."""

    __slots__ = ("_inner", "_note", "finished")

    def __init__(self, inner: StreamWatch, note: Callable[[bytes], None]) -> None:
        self._inner = inner
        self._note = note
        self.finished = False

    @property
    def usage(self) -> Usage | None:
        """Return what the watch inside has read of the usage."""
        return self._inner.usage

    @property
    def error(self) -> bytes | Fault | None:
        """Return the error that the watch inside has seen."""
        return self._inner.error

    @property
    def stopped(self) -> bool:
        """As the watch inside says."""
        return self._inner.stopped

    def feed(self, data: bytes) -> bytes:
        """What the inner watch forwards."""
        out = self._inner.feed(data)
        self.finished = self._inner.finished
        if out:
            self._note(out)
        return out

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """What the inner watch ends with."""
        out = self._inner.end(fault, request_id)
        self.finished = self._inner.finished
        if out:
            self._note(out)
        return out


def tracing(
    context: RequestContext,
    step: Step,
    passage: PassThroughSpec,
    members: Members,
    facts: RequestFacts,
    now: float,
) -> PassThrough:
    """What relays an answer of which it may have to be known later who made it."""
    caller, traces = context.exchange.caller, context.services.signatures
    assert caller is not None
    assert traces is not None
    lane = TracedPassThrough(step, passage, members, facts, context.body, now)
    lane.remember(step, traces.add, caller.owner_id)
    return lane
