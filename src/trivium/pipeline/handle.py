"""The life of a request: its steps, its call, its answer, and the end that nothing can skip.

The steps are those of ``pipeline/steps.py``. Those of all requests that came in one turn of the
loop are taken in the next, one request after another and without a task, until one must wait for
something else than its answer: that one goes on from there in a task of its own. The first attempt
(``pipeline/send.py``) is begun in the same way; what follows its failure is decided by
``pipeline/failover.py``, in a task. What ends in one turn of the loop is booked and sent in the
next; ``close`` is the end of all, and ``pipeline/error_answer.py`` has what is answered when it
went wrong.
"""

import asyncio
import functools
from abc import abstractmethod
from collections.abc import Awaitable, Coroutine, Sequence
from typing import Any, Generic, TypeVar

import structlog

from trivium.admission.service import OPEN
from trivium.pipeline import (
    client_disconnect,
    cooperative,
    error_answer,
    failover,
    request_admission,
    response_state,
    send,
    steps,
    token_count,
)
from trivium.pipeline.attempt import Attempt
from trivium.pipeline.fault_log import log_fault
from trivium.pipeline.outcome import AnswerEnds, EagerOutcome, FinishedAnswer
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Exchange, Running, Services
from trivium.pipeline.steps import NOTED, STEPS_OF, Waiting
from trivium.pipeline.structs import Route
from trivium.routing.channel_health import HealthKey
from trivium.routing.model import Step
from trivium.upstream.request import Request
from trivium.wire import json_size
from trivium.wire.operation import TOKEN_COUNTS

log = structlog.get_logger()

T = TypeVar("T")


class Phase(Generic[T]):
    """Has one thing done for many, in the loop's next turn. Belongs to one loop.

    What a busy loop reads in one turn belongs to many requests, each in another phase of its life.
    To take each as far as it goes at once means to run through all of the code for each of them,
    which is more than a processor keeps at hand. So what is the same for several is put off by a
    turn and done for all of them in a row. Of the processor time of a request, 32 at once, 63 us
    were the program's own without it and 50 with it, though in one process it costs 2 us more
    (2 cores, 2026-11-21).
    """

    __slots__ = ("_loop", "_waiting")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: list[T] = []

    def add(self, one: T) -> None:
        """Have it done, behind those that wait already."""
        waiting = self._waiting
        waiting.append(one)
        if len(waiting) == 1:
            self._loop.call_soon(self.run)

    @abstractmethod
    def run(self) -> None:
        """Do it for all that wait, in order, so that none fails another."""


class Beginnings(Phase[tuple[Exchange, Route]]):
    """Begins requests: those of one turn have their holds written together.

    So are, after all else, their calls: a vendor's socket that is written to between two
    translations, or signatures, wakes its reader each time (7 us a request).
    """

    __slots__ = ("_ends", "_services")

    def __init__(self, loop: asyncio.AbstractEventLoop, services: Services) -> None:
        super().__init__(loop)
        self._services = services
        self._ends = FinishedAnswers(loop, services)

    def run(self) -> None:
        """Take all of them up to the hold, write that, and go on to their calls."""
        services = self._services
        asked, self._waiting = self._waiting, []
        tasks: list[EagerTask] = []
        for exchange, route in asked:
            if not exchange.gone:
                tasks.append(EagerTask(RequestContext(exchange, route, services), self._ends))
        unnoted: Sequence[str] = ()
        if len(tasks) > 1:
            services.ledger.gather()
            for task in tasks:
                task.take_steps(task.noted)
            unnoted = services.ledger.flush()
        for task in tasks:
            task.compose(unnoted)
        for task in tasks:
            task.write()
        for task in tasks:
            task.send()


class FinishedAnswers(Phase[FinishedAnswer]):
    """Ends answers: those of one turn are booked together, by one note of what they came to."""

    __slots__ = ("_services",)

    def __init__(self, loop: asyncio.AbstractEventLoop, services: Services) -> None:
        super().__init__(loop)
        self._services = services

    def run(self) -> None:
        """Book all of them, then send each."""
        endings, self._waiting = self._waiting, []
        gathers = len(endings) > 1
        if gathers:
            self._services.ledger.gather()
        booked: list[FinishedAnswer] = []
        try:
            for one in endings:
                try:
                    one.settle()
                except Exception as error:  # noqa: BLE001 - told to whoever waits for the outcome
                    one.crash(error)
                else:
                    booked.append(one)
        finally:
            if gathers:
                self._services.ledger.flush()
        for one in booked:
            try:
                one.send()
            except Exception as error:  # noqa: BLE001 - as above
                one.crash(error)


class EagerTask(Running, EagerOutcome):
    """A request at work: a task only from where it must wait for something but its answer.

    Until then this object stands for one, and is told what becomes of the first attempt in the
    place of a future.
    """

    __slots__ = (
        "_attempt",
        "_began",
        "_context",
        "_error",
        "_is_cancelled",
        "_is_done",
        "_request",
        "_steps",
        "_task",
        "_task_runs",
        "_waiting",
        "ends",
        "noted",
    )

    def __init__(self, context: RequestContext, ends: AnswerEnds) -> None:
        """Nothing is done yet: its steps, ``compose``, ``write`` and ``send`` follow, in the same
        turn.
        """
        self.ends = ends
        self._context = context
        self._steps = STEPS_OF[context.operation]
        self.noted = NOTED[context.operation]
        """How many of them end with the one whose note is written."""
        self._waiting: Waiting = None
        """What the next step waits for."""
        if len(context.exchange.body) > json_size.LARGE_BYTES:
            self._waiting = cooperative.yield_turn()  # each step goes over all of it
        self._attempt: Attempt | None = None
        """The first attempt, while it is made without a task."""
        self._request: Request | None = None
        """What it sends, once it is written and until a connection has it."""
        self._began: float | None = None
        """When it was begun; ``None``: it was not, or its end is known."""
        self._error: BaseException | None = None
        """Why the steps, or the first attempt, came to nothing."""
        self._task: asyncio.Task[None] | None = None
        self._task_runs = self._is_cancelled = self._is_done = False

    # --- without a task -------------------------------------------------------------------------

    def take_steps(self, end: int) -> bool:
        """Take the steps that are left up to so many, as far as nothing has to be waited for.

        ``False``: one must be waited for, or has failed. Never raises.
        """
        if self._waiting is not None or self._error is not None:
            return False
        context, own = self._context, self._steps
        try:
            waiting: Waiting = None
            while waiting is None and context.steps_taken < end:
                step = own[context.steps_taken]
                context.steps_taken += 1
                waiting = step(context)
            self._waiting = waiting
        except Exception as error:  # noqa: BLE001 - the caller is told
            self._error = error
            return False
        return waiting is None

    def compose(self, unnoted: Sequence[str]) -> None:
        """Take the steps that are left and make the first attempt, as far as nothing has to be
        waited for. Never raises. ``unnoted``: requests whose hold could not be written.
        """
        context, services = self._context, self._context.services
        if unnoted and context.exchange.request_id in unnoted:
            assert context.hold is not None
            services.ledger.settle(context.hold, None)
            context.hold, context.steps_taken = None, self.noted - 1
            self._waiting = cooperative.yield_turn()  # and once more, on its own
        if not self.take_steps(len(self._steps)) or send.must_wait(context):
            return
        assert context.plan is not None
        step = context.plan.steps[0]
        binding = step.binding
        try:
            context.key = HealthKey(binding.channel.name, 0, binding.model)
            if services.health.resting:
                # before the next is planned: a channel is probed by one
                services.health.claim(context.key)
            self._began = services.time()
            context.begin_attempt(step)
            lane = send.make_lane(context, step)
            self._attempt, self._request = send.make_attempt(context, step, lane, 0, self)
        except Exception as error:  # noqa: BLE001 - of the first attempt: another may do
            self._error = error

    def write(self) -> None:
        """Put the credential into the request, where it is none that all share. Never raises."""
        request = self._request
        if request is None or request.draft is None:
            return
        try:
            self._request = self._context.services.client.written(request)
        except Exception as error:  # noqa: BLE001 - of the first attempt: another may do
            self._request, self._error = None, error

    def send(self) -> None:
        """Send the request to the first channel, or go on in a task, or end what has failed."""
        context, attempt, request, error = self._context, self._attempt, self._request, self._error
        if attempt is not None and request is not None:
            context.exchange.task = self
            context.exchange.flow = attempt
            try:
                call = context.services.client.open_now(request, attempt)
            except Exception as crash:  # noqa: BLE001 - the hold must not be left behind
                self.set_exception(crash)
                return
            if call is not None:
                self._request = None  # the client lets go of its bytes when an answer comes
                attempt.attach(call)
                return
        if self._began is not None:
            self._go_on(self._attempts())
        elif error is None:
            self._go_on(self._rest())
        else:
            fail_now(context, error)

    # --- the first attempt's outcome ------------------------------------------------------------

    def done(self) -> bool:
        """Whether it is known, or is awaited no longer."""
        return self._is_done

    def set_result(self, result: None) -> None:
        """The caller has its answer, or one part of it."""
        del result
        if self._is_done:
            return
        self._is_done = True
        context, attempt = self._context, self._attempt
        assert attempt is not None
        if self._is_cancelled or attempt.going_on is not None:
            self._go_on(self._attempts())
            return
        # it has this as its outcome: no circle for the collector; its call it has let go
        self._attempt = context.exchange.flow = None
        health, fault = context.services.health, context.fault
        if fault is not None or health.breakers:
            assert context.key is not None
            health.answered(context.key, fault)
        close(context)

    def set_exception(self, error: Exception) -> None:
        """Take the fault of the attempt, and go on with the next one."""
        if self._is_done:
            return
        self._is_done = True
        self._error = error
        self._go_on(self._attempts())

    # --- as a task ------------------------------------------------------------------------------

    def cancel(self) -> None:
        """Have it cancelled in a later turn, as a task is; harmless after its end."""
        if self._task_runs:
            assert self._task is not None
            self._task.cancel()
        elif not self._is_cancelled:
            # a task that has not begun would end without a word, and with it the hold
            self._is_cancelled = True
            if self._task is None:
                asyncio.get_running_loop().call_soon(self._call_off)

    def _call_off(self) -> None:
        if not self._is_done and self._task is None:
            self._is_done = True
            self._go_on(self._attempts())

    def _go_on(self, work: Coroutine[Any, Any, None]) -> None:
        """In a later turn, and as a task: not from inside the connection that told of it."""
        context = self._context
        context.exchange.task = self
        # a task without a name is given one with its number, which costs as much as the rest
        loop = asyncio.get_running_loop()
        self._task = asyncio.Task(carry(context, work), loop=loop, name="request")

    async def _rest(self) -> None:
        """The steps from the one that must be waited for, and the call."""
        self._task_runs = True
        context = self._context
        waiting, self._waiting = self._waiting, None
        if self._is_cancelled:
            if isinstance(waiting, Coroutine):
                waiting.close()
            raise asyncio.CancelledError
        is_large = len(context.exchange.body) > json_size.LARGE_BYTES
        while True:
            if waiting is not None:
                await waiting
            if is_large:
                await cooperative.yield_turn()
            if context.steps_taken == len(self._steps):
                break
            step = self._steps[context.steps_taken]
            context.steps_taken += 1
            waiting = step(context)
        if context.operation in TOKEN_COUNTS:
            await token_count.count(context, self._attempts())
        else:
            await self._attempts()

    async def _attempts(self) -> None:
        """The attempts, from the first or from its end."""
        self._task_runs = True
        told = functools.partial(log_fault, self._context, "attempt_failed")
        planned = functools.partial(steps.planned, self._context)
        await failover.run(self._context, planned, self._tried, told, self._began)

    async def _tried(self, step: Step, credential: int) -> None:
        """The end of the first attempt, where it was begun without a task; else an attempt."""
        context = self._context
        began, self._began = self._began, None
        if began is None:
            await send.call(context, step, credential)
            return
        attempt, error = self._attempt, self._error
        if attempt is None:  # its lane could not be made
            assert error is not None
            raise error
        self._attempt = self._error = None
        await self._first(attempt, error, credential)

    async def _first(self, attempt: Attempt, error: BaseException | None, credential: int) -> None:
        """Stay until the first attempt has ended, or raise ``error``, which ended it."""
        request, self._request = self._request, None
        context = self._context
        try:
            if self._is_cancelled:
                await client_disconnect.counted(context, attempt)
                raise asyncio.CancelledError
            if error is not None:
                raise error
            if request is not None:
                outcome = attempt.wait()
                attempt.attach(await context.services.client.open(request, attempt))
                del request
                await client_disconnect.wait_beyond_disconnect(context, attempt, outcome)
            while attempt.going_on is not None:
                await send.again(context, attempt, credential)
        finally:
            send.left(context, attempt)


async def carry(context: RequestContext, work: Awaitable[None]) -> None:
    """Have a request answered, or answer with what went wrong; settle and record. Never raises."""
    try:
        await work
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - the caller is told
        error_answer.answer(context, error)
    finally:
        close(context)


def fail_now(context: RequestContext, error: BaseException) -> None:
    """End a request that failed before it had a task, as ``carry`` does. Never raises."""
    try:
        try:
            error_answer.answer(context, error)
        finally:
            close(context)
    except Exception:
        log.exception("request_crashed", request_id=context.exchange.request_id)


def close(context: RequestContext) -> None:
    """End a request, however it went: settle once, give its slots back, record it."""
    heartbeats = context.services.heartbeats
    if heartbeats is not None and context.streaming:
        heartbeats.forget(context)
    if not context.settled:
        context.settle()
    if context.given is not OPEN:
        context.given.leave(request_admission.used(context))
    if context.recollection is not None:
        response_state.discard(context)
    context.record()
    # nobody is left to be told to stop, and a circle would keep the request until it is collected
    context.exchange.task = None
    if context.size_bytes > json_size.LARGE_BYTES:
        context.let_go()  # the connection is a circle with its parser, and may keep all of it
