"""What responses requests remember of each other, as the context needs it.

``response_store/`` decides and keeps; here requests are looked up before they are admitted, plans
are narrowed to the channel that keeps what is referred to, and answers are noted as they pass.
"""

from collections.abc import Iterator, Mapping

import msgspec

from trivium.conversation.losses import Report
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.pipeline.lane import Lane, PassThrough, SteppedLane, in_steps
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Headers
from trivium.pipeline.structs import WholeAnswer
from trivium.response_store import policy
from trivium.response_store.model import Note, Recollection
from trivium.response_store.service import ResponseStore
from trivium.routing.model import Plan, Step
from trivium.uploads.spool import Spool
from trivium.wire import json_size
from trivium.wire.operation import Operation
from trivium.wire.passage import PieceWritten, StreamWatch
from trivium.wire.peek import Members


async def recollect(context: RequestContext, members: Members) -> None:
    """Find what a responses request refers to. Raises ``Fault`` naming the member."""
    recall, caller = context.services.response_store, context.exchange.caller
    if recall is not None and caller is not None:
        body = context.exchange.body
        found = await policy.recollect(recall, caller.owner_id, members, body)
        if found is not None:
            context.recollection = found
            context.replace_body(found.body)


def recollected(context: RequestContext, members: Members) -> bool:
    """The same where nothing has to be looked up; ``False``: something has. Raises ``Fault``."""
    recall = context.services.response_store
    if recall is None:
        return True
    if policy.refers(members):
        return False
    body, stores = context.exchange.body, recall.limits.store
    found = policy.alone(members, body, stores=stores)
    if found is not None:
        context.recollection = found
        context.replace_body(found.body)
    return True


def narrowed(plan: Plan, context: RequestContext) -> Plan:
    """The plan, or of it the channels that have what the request refers to. Raises NOT_FOUND."""
    recollection = context.recollection
    if recollection is None or (recollection.channel is None and not recollection.thoughts):
        return plan
    steps = tuple(step for step in plan.steps if _has(step, recollection))
    if not steps:
        lost = (path for path, home in recollection.thoughts.items() if home is None)
        param = recollection.param or next(lost, "") or next(iter(recollection.thoughts))
        raise Fault(
            Kind.NOT_FOUND,
            f"`{param}` refers to what no upstream that serves this model here keeps for you, or "
            "not any more. Send it in full instead.",
            param=param,
        )
    return msgspec.structs.replace(plan, steps=steps)


def _has(step: Step, recollection: Recollection) -> bool:
    channel = step.binding.channel
    if recollection.channel is not None and (
        step.operation is not Operation.RESPONSES or channel.name != recollection.channel
    ):
        return False
    if _keeps(step, recollection):
        # it would look up reasoning by its id alone, for whichever of our users asks
        return all(home == channel.name for home in recollection.thoughts.values())
    return True


def _keeps(step: Step, recollection: Recollection) -> bool:
    """Whether the upstream itself keeps what it is asked for in its own shape."""
    return (
        step.operation is Operation.RESPONSES
        and step.binding.channel.provider.capabilities.stored_responses
        and not recollection.spelled
    )


def spoken(context: RequestContext, members: Members) -> Mapping[str, msgspec.Raw]:
    """The request to be translated: the answer is kept here, so no upstream is asked to."""
    if context.recollection is None:
        return members.table
    table = context.recollection.asked.table
    if "store" not in table:
        return table
    return {name: raw for name, raw in table.items() if name != "store"}


def told(context: RequestContext, members: Members) -> Mapping[str, msgspec.Raw]:
    """What an answer echoes of the request."""
    if context.recollection is None:
        return members.table
    return policy.told(members, stored=context.recollection.stored)


def remembering(context: RequestContext, step: Step, lane: Lane) -> Lane:
    """The lane, and behind it a note of the answer if it is to be kept."""
    recollection, recall = context.recollection, context.services.response_store
    if recollection is None or recall is None or not recollection.stored:
        return lane
    if is_too_large(recollection, recall):
        return lane  # and not copied to find that out
    return RememberingLane(context, step, lane, recollection, recall)


def is_too_large(recollection: Recollection, recall: ResponseStore) -> bool:
    """Whether the input alone has more bytes than may be kept of a response."""
    table = recollection.asked.table
    return "input" in table and len(table["input"]) > recall.limits.response_bytes_max


async def set_aside(context: RequestContext) -> bool:
    """Whether a large request that was read may be forgotten: what is to be kept of it, if
    anything, is in a file from now on.
    """
    recollection, recall = context.recollection, context.services.response_store
    if recollection is None or recall is None or not recollection.stored:
        return True
    given = recollection.asked.table.get("input")
    if given is None or is_too_large(recollection, recall):
        return True
    file = await recall.spool(given)
    if file is None:
        return False
    context.recollection = msgspec.structs.replace(recollection, spool=file)
    return True


def discard(context: RequestContext) -> None:
    """Remove the file of an input that no answer came to."""
    recollection = context.recollection
    if recollection is not None and recollection.spool is not None:
        recollection.spool.close()


class RememberingLane(SteppedLane):
    """A lane whose answer is noted on its way to the caller. See ``Lane``."""

    __slots__ = (
        "_context",
        "_given",
        "_lane",
        "_recall",
        "_recollection",
        "_step",
        "body",
        "operation",
    )

    def __init__(
        self,
        context: RequestContext,
        step: Step,
        lane: Lane,
        recollection: Recollection,
        recall: ResponseStore,
    ) -> None:
        self.operation = lane.operation
        self.body = lane.body
        if not isinstance(lane, PassThrough):
            lane.body = b""  # or it would be kept when this one lets go of it
        self._context = context
        self._step = step
        self._lane = lane
        self._recollection = recollection
        self._recall = recall
        self._given: bytes | msgspec.Raw | Spool | None = None
        """The input of a request whose answer is streamed: its body is let go of once it begins."""

    @property
    def report(self) -> Report | None:
        """Return what the lane inside lost in translation."""
        return self._lane.report

    @property
    def notes(self) -> Headers:
        """Return the headers that the lane inside adds."""
        return self._lane.notes

    def whole(self, body: bytes) -> WholeAnswer:
        """The lane's answer, noted."""
        whole = self._lane.whole(body)
        self.note(whole.body, stream=False)
        return whole

    def steps(self, body: bytes) -> Iterator[WholeAnswer | None]:
        """The same step by step."""
        for whole in in_steps(self._lane, body):
            if whole is not None:
                self.note(whole.body, stream=False)
            yield whole

    def watch(self) -> StreamWatch | None:
        """The lane's watch, and the end of its stream noted."""
        watch = self._lane.watch()
        if watch is None:
            return None
        self._given = self._input()
        return RememberingWatch(watch, self)

    def _input(self) -> bytes | msgspec.Raw | Spool | None:
        """What is to be kept of the request; ``None`` where the channel itself keeps it."""
        if isinstance(self._lane, PassThrough) and _keeps(self._step, self._recollection):
            return None
        if self._recollection.spool is not None:
            return self._recollection.spool
        asked = self._recollection.asked
        found = asked.table.get("input")
        if found is not None and len(found) > json_size.LARGE_BYTES:
            return found  # by reference to all of the body, most of which it is
        return asked.raw("input") or b"[]"

    def note(self, said: bytes, *, stream: bool) -> None:
        """Keep an answer: reads nothing, appends to a queue."""
        context, recollection = self._context, self._recollection
        channel = self._step.binding.channel
        caller, facts = context.exchange.caller, context.facts
        assert caller is not None
        assert facts is not None
        given = self._given if self._given is not None else self._input()
        if isinstance(given, Spool):  # from now on it is the store's to close
            context.recollection = msgspec.structs.replace(recollection, spool=None)
        self._recall.keep(
            Note(
                user_id=caller.owner_id,
                key_id=caller.key_id,
                model=facts.model,
                channel=channel.name,
                said=said,
                stream=stream,
                created_at=int(context.services.clock.now()),
                input=given,
                recalled=recollection.recalled,
            )
        )


class RememberingWatch:
    """A stream whose last frames are noted, however it ends. See ``StreamWatch``."""

    __slots__ = ("_lane", "_noted", "_said", "_watch", "finished")

    def __init__(self, watch: StreamWatch, lane: RememberingLane) -> None:
        self._watch = watch
        self._lane = lane
        self._noted = False
        self._said = False
        self.finished = False

    @property
    def usage(self) -> Usage | None:
        """Return what the watch inside has read of the usage."""
        return self._watch.usage

    @property
    def error(self) -> bytes | Fault | None:
        """Return the error that the watch inside has seen."""
        return self._watch.error

    @property
    def stopped(self) -> bool:
        """As the watch inside says."""
        return self._watch.stopped

    def feed(self, data: bytes) -> bytes:
        """What the watch forwards; the read with the terminal event is noted."""
        try:
            out = self._watch.feed(data)
        except PieceWritten as piece:
            self._look(piece.out)
            raise
        if out:
            self._look(out)
        return out

    def _look(self, out: bytes) -> None:
        self._said = True
        if self._watch.finished:
            self.finished = True
            self._note(out)

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """The watch's last bytes, noted. An attempt of which nothing was sent leaves nothing."""
        try:
            out = self._watch.end(fault, request_id)
        except PieceWritten as piece:
            self._look(piece.out)
            raise
        self.finished = self._watch.finished
        if out and (self._said or self.finished):
            self._note(out)
        return out

    def _note(self, said: bytes) -> None:
        if not self._noted:
            self._noted = True
            self._lane.note(said, stream=True)
