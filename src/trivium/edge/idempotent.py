"""Requests with an ``Idempotency-Key``: each is answered once, and read by all who ask."""

import asyncio
import functools
from collections.abc import Callable
from typing import Final

from trivium.edge.exchange import Exchange
from trivium.edge.follower import Follower
from trivium.edge.recorded_exchange import NOT_KEPT, RecordedExchange
from trivium.faults import Fault, Kind
from trivium.idempotency import key
from trivium.idempotency.kept_answer import KeptAnswer
from trivium.idempotency.key import HEADER
from trivium.idempotency.service import KeptAnswers, away
from trivium.pipeline.services import Services
from trivium.pipeline.structs import Route, VideoRoute
from trivium.storage.errors import StorageError
from trivium.wire.operation import TOKEN_COUNTS

__all__ = ["HEADER", "serve", "takes"]

_ORDERS: Final = frozenset({"create", "remix"})
"""What costs something of videos."""

Dispatch = Callable[[Exchange], None]


def takes(exchange: Exchange, services: Services | None) -> bool:
    """Whether its key counts: of what costs something, where answers are kept at all."""
    if services is None or services.kept_answers is None or isinstance(exchange, RecordedExchange):
        return False
    target = exchange.target
    if isinstance(target, Route):
        return target.operation not in TOKEN_COUNTS
    return isinstance(target, VideoRoute) and target.action in _ORDERS


async def serve(exchange: Exchange, services: Services, dispatch: Dispatch) -> None:
    """Answer a request with a key, by ``dispatch`` if nobody has answered it. Raises nothing."""
    try:
        await _serve(exchange, services, dispatch)
    except Fault as fault:
        exchange.fail(fault)
    except StorageError:
        exchange.fail(away())
    except asyncio.CancelledError:
        if not exchange.gone:
            exchange.fail(Fault(Kind.STOPPING, "The gateway is restarting; try again."))


async def _serve(exchange: Exchange, services: Services, dispatch: Dispatch) -> None:
    answers, caller = services.kept_answers, exchange.caller
    assert answers is not None
    assert caller is not None
    named = key.checked(exchange.values(HEADER))
    place = key.place_of(caller, named)
    digest = await key.body_digest(
        exchange.method, exchange.path, exchange.query, exchange.body, exchange.upload
    )
    answer = answers.find(place, digest)
    if answer is None:
        refused = answers.refusals.of(caller.key_id)
        if refused is not None and not await answers.knows(place):
            raise refused
        answer = answers.find(place, digest)
    is_first = answer is None
    if answer is None:
        run = _Run(exchange, services, answers, dispatch)
        answer = answers.begin(named, place, digest, exchange.request_id, run)
    else:
        exchange.drop_body()
        if exchange.upload is not None:
            exchange.upload.close()
    follower = Follower(exchange, answer, first=is_first)
    await follower.stay()


class _Run:
    """Has a request answered for whoever reads the answer."""

    def __init__(
        self, exchange: Exchange, services: Services, answers: KeptAnswers, dispatch: Dispatch
    ) -> None:
        caller = exchange.caller
        assert caller is not None
        noted = functools.partial(answers.refusals.note, caller.key_id)
        self._exchange = RecordedExchange(
            exchange, answers.answer_bytes_max, answers.writer.grown, noted
        )
        self._services = services
        self._dispatch = dispatch

    def run(self, answer: KeptAnswer, drops: int) -> None:
        """Dispatch it, by the answer's request id."""
        exchange = self._exchange
        exchange.answers(answer)
        if drops:
            exchange.extra.append(NOT_KEPT)
        # a drain waits for it as for an answer that its caller did not stay for
        abandoned = self._services.abandoned
        task = asyncio.get_running_loop().create_task(exchange.ended())
        abandoned.add(task)
        task.add_done_callback(abandoned.discard)
        self._dispatch(exchange)

    def release(self) -> None:
        """Let go of its body."""
        self._exchange.release()
