"""A caller who reads a kept answer, at its own pace, with a head of its own."""

import asyncio
from typing import Final

from trivium.edge.exchange import Exchange
from trivium.faults import Fault, Kind
from trivium.idempotency.kept_answer import KeptAnswer
from trivium.idempotency.model import AnswerHead
from trivium.pipeline.services import Flow

_OF_ITS_MOMENT: Final = (b"x-ratelimit-", b"anthropic-ratelimit-", b"trivium-budget")
"""Begin headers that say what its caller had left when it was answered."""
REPLAY: Final = (b"trivium-idempotent-replay", b"true")


class Follower(Flow):
    """Hands an answer on to one caller."""

    __slots__ = ("_answer", "_at", "_exchange", "_first", "over")

    def __init__(self, exchange: Exchange, answer: KeptAnswer, *, first: bool) -> None:
        """``first``: whether the answer may be that of this caller's own request."""
        self._exchange = exchange
        self._answer = answer
        self._first = first
        self._at = 0
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the caller has all that it will get."""

    @property
    def at(self) -> int:
        """How many pieces the caller has."""
        return self._at

    def more(self) -> None:
        """Send what has come, unless the caller reads too slowly."""
        exchange, answer = self._exchange, self._answer
        if exchange.over:
            self._end()
            return
        head = answer.head
        if exchange.congested or (head is None and not answer.is_ended):
            return
        if answer.fault is not None or head is None:
            self._fail()
        else:
            self._hand_on(head)

    def pause(self) -> None:
        """The caller reads too slowly: the exchange says so."""

    def resume(self) -> None:
        """The caller has caught up."""
        self.more()

    def interrupt(self, fault: Fault) -> bool:
        """End it now: where the request runs here, it says in its own shape how it ended."""
        if self._answer.interrupt(fault):
            return True
        if self._exchange.begun:
            self._exchange.break_off()
            self._end()
            return True
        return False

    async def stay(self) -> None:
        """Stay until the caller has all of it, or has left."""
        exchange, answer = self._exchange, self._answer
        exchange.flow = self
        answer.enter(self)
        try:
            self.more()
            await self.over
        except asyncio.CancelledError:
            if not exchange.gone:
                exchange.fail(Fault(Kind.STOPPING, "The gateway is restarting; try again."))
        finally:
            answer.leave(self)
            exchange.flow = exchange.task = None

    # --- own ------------------------------------------------------------------------------------

    def _hand_on(self, head: AnswerHead) -> None:
        exchange, answer = self._exchange, self._answer
        if not exchange.begun:
            if not answer.pieces and not answer.is_ended:
                return  # a head goes out with what follows it
            self._name(head)
            if head.length == 0 and not answer.is_cut:
                exchange.answer(head.status, b"", content_type=head.content_type)
                self._end()
                return
            exchange.begin(head.status, head.content_type, length=head.length)
        while not exchange.over and not exchange.congested:
            index = self._at - answer.first
            if index >= len(answer.pieces):
                break
            self._at += 1
            exchange.write(answer.pieces[index])
        answer.read()
        if answer.is_ended and self._at - answer.first >= len(answer.pieces):
            if answer.is_cut:
                exchange.break_off()
            else:
                exchange.finish()
            self._end()

    def _fail(self) -> None:
        """Tell why there is none, in this caller's own shape; a stream that began is cut off."""
        answer = self._answer
        fault = answer.fault or Fault(Kind.INTERNAL, "The gateway failed; try again.")
        self._exchange.fail(fault)
        self._end()

    def _name(self, head: AnswerHead) -> None:
        """The head says which request it answers."""
        exchange, answer = self._exchange, self._answer
        exchange.request_id = answer.request_id
        if self._first and answer.is_own:
            exchange.extra += head.headers
        else:
            lines = [line for line in head.headers if not line[0].startswith(_OF_ITS_MOMENT)]
            exchange.extra += [*lines, REPLAY]

    def _end(self) -> None:
        if not self.over.done():
            self.over.set_result(None)
