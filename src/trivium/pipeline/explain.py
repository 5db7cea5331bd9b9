"""A request rehearsed: its plan, what each channel would be sent, and what would be lost.

The same steps as ``handle.py`` and the same lanes, up to the moment of the call: nobody is called,
nothing is held, booked or recorded. What comes out may be pasted into a ticket: no credential, no
upstream host.
"""

import asyncio
from typing import Any, TypeAlias

import msgspec

from trivium.clock import Clock
from trivium.faults import Fault, Kind
from trivium.identity.model import Caller
from trivium.ledger.model import NANOS
from trivium.ledger.service import Ledger
from trivium.observe.log_throttle import LogThrottle
from trivium.observe.record import Record
from trivium.pipeline import (
    explain_media,
    fallbacks,
    fetch_inputs,
    images,
    response_state,
    routing_preferences,
    steps,
)
from trivium.pipeline.lane import Lane, PassThrough
from trivium.pipeline.rehearsal import Rehearsal
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.send import make_lane
from trivium.pipeline.services import Router, Services, Translator
from trivium.pipeline.structs import Route
from trivium.providers.address import target
from trivium.routing.model import Model, Plan, Skip, Step
from trivium.routing.policy import candidates
from trivium.upstream.call import Call, Sink
from trivium.upstream.request import Request
from trivium.upstream.request_writer import Composer
from trivium.upstream.url_fetch import FetchedFile
from trivium.wire import peek
from trivium.wire.operation import (
    ASYNC_JOBS,
    AUDIO_OPERATIONS,
    IMAGE_OPERATIONS,
    NAMED_BY_PATH,
    SHAPE,
    SUBSTITUTES,
    TOKEN_COUNTS,
    UPSTREAM_ONLY,
    Operation,
)
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import Members
from trivium.wire.registry import PASSAGES

STRICT: bytes = b"trivium-strict"


class ExplainRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be explained."""

    operation: Operation
    body: bytes
    """The request as it would be posted."""
    model: str = ""
    """For paths that name it (generate), or instead of the body's own; empty: the body's."""
    headers: dict[bytes, bytes] = msgspec.field(default_factory=dict)
    """The caller's headers that change what a request means, names in lower case."""
    strict: bool = False


def _headers(asked: ExplainRequest) -> dict[bytes, bytes]:
    return asked.headers | {STRICT: b"true"} if asked.strict else asked.headers


async def explain(
    asked: ExplainRequest, caller: Caller, services: Services, request_id: str = "req_explain"
) -> dict[str, Any]:
    """The rehearsal in plain data; ``body`` members are the very bytes as ``msgspec.Raw``.

    A refusal is part of the answer, never raised: ``refused`` says what the caller would be told.
    """
    body = _named(asked)
    operation = asked.operation
    path = asked.model if SHAPE[operation] in NAMED_BY_PATH else ""
    route = Route(operation=operation, model=path)
    context = RequestContext(
        Rehearsal(operation, _headers(asked), caller, body, request_id), route, services
    )
    out: dict[str, Any] = {
        "model": asked.model,
        "operation": operation.value,
        "stream": False,
        "strict": asked.strict or caller.strict or asked.headers.get(STRICT, b"") == b"true",
        "steps": [],
        "skipped": [],
        "fallbacks": [],
        "price": None,
        "refused": None,
    }
    try:
        members = explain_media.received(
            context, routing_preferences.take_preferences(context, peek.members(body))
        )
        script = _script(context, members)
        facts = script.facts
        out |= {"model": facts.model, "stream": facts.stream}
        if operation is Operation.RESPONSES:
            await response_state.recollect(context, members)
        model = _allowed(context, facts)
        if operation in IMAGE_OPERATIONS:
            images.check(context)
        out["price"] = _price(model, facts, context)
        others = fallbacks.fallbacks(context)
        out["fallbacks"] = [{"model": other.name} for other in others]
        await _plan(out, context, script)
        for other, told in zip(others, out["fallbacks"], strict=True):
            context.model = other
            context.stood_in = True
            await _stand_in(told, other, context, script)
    except Fault as fault:
        out["refused"] = _refusal(fault)
    return out


class Relay:
    """A request that is answered while its caller waits."""

    def __init__(self, context: RequestContext, members: Members) -> None:
        """Raises ``Fault`` as the request would."""
        context.members = members
        steps.read(context)
        assert context.facts is not None
        self.facts = context.facts
        self._context = context
        self._members = members

    async def planned(self) -> Plan:
        """The channels, in order. Raises ``Fault`` when there is none."""
        return await steps.planned(self._context)

    async def sent(self, step: Step) -> dict[str, Any]:
        """What a channel would be sent. Raises ``Fault``."""
        context, members = self._context, self._members
        out: dict[str, Any] = {}
        if context.services.url_fetcher is not None:
            out["fetched"] = list(fetch_inputs.pretend(context, step, members, self.facts))
        if context.operation in IMAGE_OPERATIONS:
            await images.bring(context, step, members)
        return out | _sent(context, make_lane(context, step))


Script: TypeAlias = Relay | explain_media.ExplainedVideo
"""What one kind of request is rehearsed by."""


def _script(context: RequestContext, members: Members) -> Script:
    if context.operation in UPSTREAM_ONLY:
        raise Fault(
            Kind.INVALID_VALUE,
            f"Only upstreams are asked for `{context.operation.value}`: callers ask for "
            f"{_asked_for(context.operation)}.",
            param="shape",
        )
    if context.operation in ASYNC_JOBS:
        return explain_media.ExplainedVideo(context, members)
    return Relay(context, members)


def _asked_for(operation: Operation) -> str:
    """What callers ask for where an operation stands in."""
    return ", ".join(f"`{one.value}`" for one, others in SUBSTITUTES.items() if operation in others)


async def _stand_in(
    out: dict[str, Any], other: Model, context: RequestContext, script: Script
) -> None:
    """What a model that may answer in place of the first would make of it."""
    out |= {"price": None, "steps": [], "skipped": []}
    try:
        out["price"] = _price(other, script.facts, context)
    except Fault as fault:
        out["refused"] = _refusal(fault)
        return
    await _plan(out, context, script)


async def _plan(out: dict[str, Any], context: RequestContext, script: Script) -> None:
    """The plan of the request's model, each step rehearsed; a refusal is part of it."""
    model = context.model
    assert model is not None
    out |= {"steps": [], "refused": None}
    out["skipped"] = [_skip(skip) for skip in candidates(model, context.operation).skipped]
    try:
        plan = await script.planned()
        out["skipped"] = [_skip(skip) for skip in plan.skipped]
        faults: list[Fault | None] = []
        for step in plan.steps:
            told, fault = await _rehearsed(step, script)
            out["steps"].append(told)
            faults.append(fault)
        out["refused"] = _verdict(faults)
    except Fault as fault:
        out["refused"] = _refusal(fault)


def offline(
    router: Router,
    translator: Translator,
    ledger: Ledger,
    clock: Clock,
    loop: asyncio.AbstractEventLoop,
    *,
    fetches: bool = False,
) -> Services:
    """Services for rehearsals only: whoever tried to call or record something would fail.

    ``fetches``: whether the gateway that is rehearsed fetches files by URL.
    """
    return Services(
        router=router,
        passages=PASSAGES,
        client=_Nobody(),
        composer=Composer(),
        translator=translator,
        ledger=ledger,
        recorder=_Nobody(),
        log_throttle=LogThrottle(clock),
        clock=clock,
        loop=loop,
        answer_bytes_max=0,
        explain_headers=False,
        url_fetcher=_Nobody() if fetches else None,
    )


class _Nobody:
    """Takes the places of those who must not be asked."""

    files_max = 1

    async def fetch(self, user_id: int, url: str) -> FetchedFile:
        raise AssertionError(f"a rehearsal fetches nothing: {url} for {user_id}")

    def written(self, request: Request) -> Request:
        raise AssertionError(f"a rehearsal calls nobody: {request.origin.host}")

    def open_now(self, request: Request, sink: Sink) -> Call | None:
        raise AssertionError(f"a rehearsal calls nobody: {request.origin.host}, {sink}")

    async def open(self, request: Request, sink: Sink) -> Call:
        raise AssertionError(f"a rehearsal calls nobody: {request.origin.host}, {sink}")

    async def close(self) -> None:
        """Do nothing, because no connection is open."""

    def add(self, record: Record) -> None:
        raise AssertionError(f"a rehearsal records nothing: {record.request_id}")


def _named(asked: ExplainRequest) -> bytes:
    """The body, with the model that was given beside it."""
    if not asked.model or SHAPE[asked.operation] in NAMED_BY_PATH:
        return asked.body
    try:
        members = peek.members(asked.body)
        if members.string("model") == asked.model:
            return asked.body
        return members.splice({"model": msgspec.json.encode(asked.model)})
    except Fault:
        return asked.body  # the rehearsal says what is wrong with it


def _allowed(context: RequestContext, facts: RequestFacts) -> Model:
    caller = context.exchange.caller
    assert caller is not None
    context.services.admission.permit(caller, facts.model)
    context.model = context.services.router.find(facts.model)
    return context.model


def _price(model: Model, facts: RequestFacts, context: RequestContext) -> dict[str, Any] | None:
    """The most it could cost; ``None`` where no price is known."""
    caller = context.exchange.caller
    assert caller is not None
    facts = steps.foresee(context, facts)
    nanos = context.services.ledger.quote(
        caller, model, context.operation, facts, context.size_bytes
    ).amount_nanos
    if not nanos and not model.free and context.operation not in TOKEN_COUNTS:
        return None
    dollars, rest = divmod(nanos, NANOS)
    return {"nanos": nanos, "usd": f"{dollars}.{rest:09d}"}


async def _rehearsed(step: Step, script: Script) -> tuple[dict[str, Any], Fault | None]:
    out: dict[str, Any] = {**_target(step), "why": step.why, "lane": None, "path": None}
    out |= {"body": None, "dropped": [], "kept": [], "repaired": [], "refused": None}
    out["fetched"] = []
    binding = step.binding
    goal = binding.targets.get(SHAPE[step.operation])
    try:
        out |= await script.sent(step)
    except Fault as fault:
        return out | {"refused": _refusal(fault, goal.title if goal else None)}, fault
    sent = Operation(out["operation"])
    *_, out["path"] = target(
        binding.channel.provider, binding.channel.base_url, sent, binding.model
    )
    return out, None


def _sent(context: RequestContext, lane: Lane) -> dict[str, Any]:
    """What a lane would send, and what would not reach the upstream."""
    report = lane.report
    # pictures and sound of the caller's own shape go on as they came, on lanes of their own
    from trivium.pipeline.wrapped_lane import WrappedLane

    spoken = lane.inner if isinstance(lane, WrappedLane) else lane
    passes = isinstance(spoken, PassThrough) or (
        context.operation in IMAGE_OPERATIONS | AUDIO_OPERATIONS
        and lane.operation is context.operation
    )
    out: dict[str, Any] = {
        "operation": lane.operation.value,
        "lane": "pass-through" if passes else "translation",
        "body": explain_media.shown(lane.body),
    }
    if report is not None:
        out["dropped"] = [
            {"member": drop.member, "act": drop.act.value, "why": drop.reason}
            for drop in report.drops
        ]
        out["kept"] = list(report.kept)
        out["repaired"] = [{"what": one.what.value, "where": one.where} for one in report.repairs]
    return out


def _target(step: Step) -> dict[str, Any]:
    binding = step.binding
    return {
        "channel": binding.channel.name,
        "provider": binding.channel.provider.name,
        "upstream_model": binding.model,
        "operation": step.operation.value,
        "shape": SHAPE[step.operation].value,
        "priority": binding.priority,
        "weight": binding.weight,
    }


def _skip(skip: Skip) -> dict[str, Any]:
    binding = skip.binding
    return {
        "channel": binding.channel.name,
        "provider": binding.channel.provider.name,
        "upstream_model": binding.model,
        "why": skip.why,
    }


def _verdict(faults: list[Fault | None]) -> dict[str, Any] | None:
    """What the caller would be told, supposing that every channel that is called answers."""
    for number, fault in enumerate(faults):
        if fault is None:
            return None
        if number == len(faults) - 1 or not fault.row.fallback:
            return _refusal(fault)
    return None


def _refusal(fault: Fault, title: str | None = None) -> dict[str, Any]:
    return {
        "status": fault.status,
        "code": fault.code,
        "message": fault.message,
        "param": fault.param,
        "target": title,
    }
