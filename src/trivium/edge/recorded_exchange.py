"""The request behind an ``Idempotency-Key``, apart from any connection: its answer is gathered, and
goes on when a caller leaves.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from trivium.edge.exchange import AnswerLine, Exchange
from trivium.faults import Fault, Kind
from trivium.idempotency.kept_answer import KeptAnswer
from trivium.idempotency.model import AnswerHead

if TYPE_CHECKING:
    from trivium.edge.exchange import Host

NOT_KEPT: Final = (b"trivium-idempotency", b"not kept")
_SIZED: Final = b"content-length: "
_FAILED: Final = 400


class _Record:
    """In the place of a connection: takes the bytes of the answer."""

    __slots__ = ("_changed", "_host", "answer", "is_spoiled", "over", "paused", "peer")

    def __init__(self, line: AnswerLine, changed: Callable[[KeptAnswer], None]) -> None:
        self._host = line.host
        self._changed = changed
        self.peer = line.peer
        self.paused = False
        self.answer: KeptAnswer | None = None
        self.is_spoiled = False
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def host(self) -> "Host":
        """Who knows the header lines that every answer carries."""
        return self._host

    def send(self, data: bytes) -> None:
        """Gather bytes of the body."""
        assert self.answer is not None
        self.answer.add(data)
        self._changed(self.answer)

    def ended(self, *, close: bool) -> None:
        """The answer is complete; ``close`` is for connections."""
        del close
        self._end(broken=self.is_spoiled)

    def cut(self) -> None:
        """It stays incomplete, and whoever reads it must see that."""
        self._end(cut=True)

    def _end(self, *, broken: bool = False, cut: bool = False) -> None:
        assert self.answer is not None
        self.answer.end(broken=broken, cut=cut)
        self._changed(self.answer)
        if not self.over.done():
            self.over.set_result(None)


class RecordedExchange(Exchange):
    """See the module. Takes the body over from the exchange it is made of."""

    __slots__ = ("_bytes_max", "_noted", "_record")

    def __init__(
        self,
        asked: Exchange,
        bytes_max: int,
        changed: Callable[[KeptAnswer], None],
        noted: Callable[[Fault | None], None],
    ) -> None:
        """``bytes_max``: of an answer that is kept. ``changed``: told of each change of it.
        ``noted``: told once how it begins, with its fault if it is one.
        """
        record = _Record(asked.line, changed)
        super().__init__(
            record,
            request_id=asked.request_id,
            method=asked.method,
            path=asked.path,
            query=asked.query,
            headers=asked.headers,
            repeated=asked.repeated,
            keep_alive=True,
            http10=True,  # its body as it is, without frames
        )
        self._record = record
        self._bytes_max = bytes_max
        self._noted = noted
        self.arrived = asked.arrived
        self.target, self.shape = asked.target, asked.shape
        self.caller, self.digest = asked.caller, asked.digest
        self.body, self.share, self.upload = asked.body, asked.share, asked.upload
        asked.body, asked.share, asked.upload = b"", None, None

    def answers(self, answer: KeptAnswer) -> None:
        """Gather what is answered there."""
        self._record.answer = answer
        self.request_id = answer.request_id
        answer.source = self

    async def ended(self) -> None:
        """Wait until it is answered. Cancelled at the end of the worker, which ends it legally."""
        try:
            await asyncio.shield(self._record.over)
        except asyncio.CancelledError:
            self.interrupt(Fault(Kind.STOPPING, "The gateway is restarting; try again."))

    def fail(self, fault: Fault) -> None:
        """Answer with a fault, which is noted."""
        if not self.begun:
            self._noted(fault)
        super().fail(fault)

    def spoil(self) -> None:
        """What is about to end is no whole answer, though its shape says how it ended."""
        self._record.is_spoiled = True

    def leave(self) -> None:
        """Nobody reads an answer that is not kept either: whoever works for it is cancelled."""
        super().leave()
        self._record.cut()

    def pause(self) -> None:
        """All who read it are too slow."""
        self.congested = True
        if self.flow is not None:
            self.flow.pause()

    def resume(self) -> None:
        """They have caught up."""
        self.congested = False
        if self.flow is not None:
            self.flow.resume()

    def release(self) -> None:
        """It is not to be answered here: let go of its body."""
        self._let_go()

    def _head(self, status: int, content_type: bytes, last: bytes) -> bytes:
        """Nothing is written of it here: each caller gets one of its own."""
        if status < _FAILED:
            self._noted(None)
        headers = list(self.extra)
        for line in self.lines.split(b"\r\n"):
            if line:
                name, _, value = line.partition(b": ")
                headers.append((name, value))
        length = int(last[len(_SIZED) : -4]) if last.startswith(_SIZED) else None
        if length is not None and status < 300 and length > self._bytes_max:
            headers.append(NOT_KEPT)
        assert self._record.answer is not None
        self._record.answer.begin(AnswerHead(status, content_type, headers, length))
        return b""
