"""One request and its answer on a connection: hands the answer on, keeps the limits, ends once.

Whatever ends an exchange first (the answer's last byte, a break, a limit, ``abort``) takes it off
its connection; from then on it does nothing and its sink hears nothing.
"""

import asyncio
from typing import TYPE_CHECKING, Final

from trivium.faults import Fault, Kind
from trivium.upstream.answer import Answer
from trivium.upstream.call import Call, Sink
from trivium.upstream.coding import CodingError, Inflater
from trivium.upstream.deadlines import Deadlines
from trivium.upstream.lines import NO_LINES
from trivium.upstream.request import Request
from trivium.upstream.sending import Sender

if TYPE_CHECKING:
    from trivium.upstream.connection import Connection

_OF_CODED_BODY: Final = frozenset({b"content-encoding", b"content-length"})


class Exchange(Call):
    """The :class:`~trivium.upstream.call.Call` that the client returns."""

    __slots__ = (
        "_answer",
        "_body",
        "_connection",
        "_deadlines",
        "_inflater",
        "_payload",
        "_sender",
        "_sink",
        "_touched",
        "limits",
        "retrying",
        "reused",
    )

    def __init__(self, request: Request, sink: Sink, started: float) -> None:
        """``started``: the loop's seconds when the call was asked for."""
        self.limits = request.limits
        self._payload = request.payload
        self._body = request.body
        self._sender: Sender | None = None
        self.reused = False
        self.retrying: asyncio.Task[None] | None = None
        """Looks for a fresh connection after a reused one died; ``None`` at any other time."""
        self._sink = sink
        self._deadlines = Deadlines(request.limits, started)
        self._connection: Connection | None = None
        self._answer: Answer
        self._inflater: Inflater | None = None
        self._touched = False

    def run(self, connection: "Connection", now: float, head_max: int) -> None:
        """Write the request on a connection that has nothing else to do."""
        payload = self._payload
        deadlines = self._deadlines
        self.reused = connection.served
        self.retrying = None
        self._connection = connection
        self._answer = Answer(payload.startswith(b"HEAD "), head_max)
        deadlines.seen = now
        connection.begin(self, payload, deadlines.due())
        if self._body is not None:
            self._sender = Sender(self, connection, self._body)
        if deadlines.paused:
            connection.pause()

    # HOT: once for each read. Measured with bench/upstream_client.py.
    def receive(self, data: bytes, now: float) -> None:
        """Bytes of the answer: all of one read goes to the sink in one call."""
        answer = self._answer
        self._deadlines.seen = now
        if not self._touched:
            self._touched = True
            self._payload = (
                b""  # not to be written again: thousands of streams would keep their prompts
            )
        answer.feed(data)
        if not self._deadlines.headed and not self._head(answer):
            return
        pieces = answer.pieces
        if pieces:
            body = pieces[0] if len(pieces) == 1 else b"".join(pieces)
            pieces.clear()
            if self._inflater is not None:
                self._inflater.feed(body)
            elif answer.complete:
                self._end(body)
                return
            else:
                self._sink.data(body)
                if self._connection is None:
                    return
        if self._inflater is not None and not self._inflate(self._inflater):
            return
        if answer.complete:
            self._end()
        elif answer.refusal is not None:
            self._break(answer.refusal)

    def eof(self) -> None:
        """The vendor sends no more: the end of a body that has no other, else a break."""
        if not self._answer.end():
            self.lost()
        elif self._inflater is None or self._inflate(self._inflater):
            self._end()

    def lost(self) -> None:
        """The connection is gone."""
        if self._answer.complete:
            self._answer.reusable = False  # all is here; a slow caller is still taking it
        elif self._touched:
            self._break("The upstream closed the connection in the middle of its answer.")
        elif not self.reused:
            self._break("The upstream closed the connection without an answer.")
        else:
            # it died while it lay idle, and the news crossed our request
            self._leave().retry(self)

    def written(self, now: float) -> None:
        """A part of a large request has left: the wait for the first byte begins anew."""
        self._deadlines.seen = now

    def overdue(self, now: float) -> float | None:
        """End the exchange if a limit has passed; else when to look again."""
        fault = self._deadlines.overdue(now)
        if fault is None:
            return self._deadlines.due()
        self.fail(fault)
        return None

    def fail(self, fault: Fault) -> None:
        """End the exchange, with the connection if there is one."""
        self.retrying = None
        if self._connection is not None:
            self._leave().drop()
        self._sink.broke(fault)

    def pause(self) -> None:
        """Stop reading. The idle limit does not run meanwhile."""
        if not self._deadlines.paused:
            self._deadlines.paused = True
            if self._connection is not None:
                self._connection.pause()

    def resume(self) -> None:
        """Read again."""
        if not self._deadlines.paused:
            return
        self._deadlines.paused = False
        connection = self._connection
        if connection is None:
            return
        self._deadlines.seen = connection.now()
        if self._inflater is not None and self._inflater.waiting:
            if not self._inflate(self._inflater):
                return
            if self._answer.complete:
                self._end()
                return
            if self._answer.refusal is not None:
                self._break(self._answer.refusal)
                return
        connection.resume()

    def abort(self) -> None:
        """Close the connection now and call the sink no more. Harmless after the end."""
        if self.retrying is not None:
            self.retrying.cancel()
            self.retrying = None
        elif self._connection is not None:
            self._leave().drop()

    def _head(self, answer: Answer) -> bool:
        """Hand on the head if it is whole; whether there is more to do."""
        connection = self._connection
        if not answer.status or connection is None:
            if answer.refusal is not None:
                self._break(answer.refusal)
            return False
        self._deadlines.headed = True
        if not answer.complete:
            connection.due = self._deadlines.due()
        headers = answer.headers
        if answer.coding:
            try:
                self._inflater = Inflater(answer.coding)
            except CodingError as error:
                self._break(str(error))
                return False
            headers = headers.without(_OF_CODED_BODY)
        answer.headers = NO_LINES  # the sink's now; a stream may go on for minutes
        self._sink.head(answer.status, headers)
        return self._connection is not None

    def _inflate(self, inflater: Inflater) -> bool:
        """Hand on what the coded bytes expand to; whether all of it has gone."""
        if inflater.running:
            return False  # the sink resumed from within ``data``: the loop below goes on
        inflater.running = True
        try:
            for piece in inflater.slices():
                self._sink.data(piece)
                if self._connection is None:
                    return False
                if self._deadlines.paused and inflater.waiting:
                    return False
            if self._answer.complete:
                inflater.finish()
        except CodingError as error:
            self._break(str(error))
            return False
        finally:
            inflater.running = False
        return True

    def _leave(self) -> "Connection":
        """Take the exchange off its connection."""
        connection = self._connection
        assert connection is not None
        self._connection = None
        connection.exchange = None
        self._answer.close()
        if self._sender is not None:
            self._sender.stop()
        return connection

    def _end(self, rest: bytes = b"") -> None:
        answer = self._answer
        connection = self._leave()
        if self._deadlines.paused:
            connection.resume()
        if self._sender is not None and not self._sender.done:
            answer.reusable = False  # what is missing of the request would be read as another
        connection.finish(answer.reusable, answer.keepalive_s, self._deadlines.seen)
        self._sink.done(rest)

    def _break(self, text: str) -> None:
        self.fail(Fault(Kind.UPSTREAM_BROKE, text))
