"""One request and its answer on a connection: hands the answer on, keeps the limits, ends once.

Whatever ends an exchange first (the answer's last byte, a break, a limit, ``abort``) takes it off
its connection; from then on it does nothing and its sink hears nothing.

No exchange has a timer: it knows the earliest moment at which anything can be overdue, and one
ticker (``upstream/pool.py``) looks at all of them. So a limit is in force to within one tick.
"""

import asyncio
from typing import Final

from trivium.faults import Fault, Kind
from trivium.upstream.answer import NO_LINES, AnswerParser
from trivium.upstream.body_writer import BodyWriter
from trivium.upstream.call import Sink
from trivium.upstream.connection import Carried, UpstreamConnection
from trivium.upstream.content_coding import SLICE_BYTES, CodingError, Inflater, Slices
from trivium.upstream.request import Request

_CUT: Final = "The upstream closed the connection in the middle of its answer."
_OF_CODED_BODY: Final = frozenset({b"content-encoding", b"content-length"})


class UpstreamExchange(Carried):
    """The :class:`~trivium.upstream.call.Call` that the client returns."""

    __slots__ = (
        "_answer",
        "_body",
        "_connection",
        "_has_head",
        "_is_cut",
        "_is_handing",
        "_is_held",
        "_is_paused",
        "_paced",
        "_payload",
        "_seen",
        "_sender",
        "_sink",
        "_slices",
        "_total_at",
        "_touched",
        "_turn",
        "reused",
    )

    def __init__(self, request: Request, sink: Sink, started: float) -> None:
        """``started``: the loop's seconds when the call was asked for."""
        self.limits = request.limits
        self.retrying = None
        self._payload = request.payload
        self._body = request.body
        self._sender: BodyWriter | None = None
        self.reused = False
        self._sink = sink
        self._total_at = started + request.limits.total
        self._seen = started
        """When the request was written, or the answer last read from."""
        self._has_head = False
        """Whether the head of the answer has come."""
        self._is_paused = False
        """Whether reading stands still by our own will."""
        self._connection: UpstreamConnection | None = None
        self._answer: AnswerParser
        self._paced = request.paced
        self._slices: Slices | None = None
        """What has been read and not handed on yet; always there for a coded body."""
        self._turn: asyncio.Handle | None = None
        """The turn of the loop in which the next slice is handed on."""
        self._is_handing = False
        self._is_held = False
        """Whether reading stands still until all slices are handed on."""
        self._is_cut = False
        """Whether the connection was lost before they were."""
        self._touched = False

    def run(self, connection: UpstreamConnection, now: float, head_max: int) -> None:
        """Write the request on a connection that has nothing else to do."""
        payload = self._payload
        self.reused = connection.served
        self.retrying = None
        self._connection = connection
        self._answer = AnswerParser(payload.startswith(b"HEAD "), head_max)
        self._seen = now
        # many an answer is there before the ticker comes by, which asks when to look again
        connection.begin(self, payload, now)
        if self._body is not None:
            self._sender = BodyWriter(self, connection, self._body)
        if self._is_paused:
            connection.pause()

    def receive(self, data: bytes, now: float) -> None:
        """Bytes of the answer: all of one read goes to the sink in one call."""
        answer = self._answer
        self._seen = now
        if not self._touched:
            self._touched = True
            self._payload = (
                b""  # not to be written again: thousands of streams would keep their prompts
            )
            self._body = None  # whoever still sends it holds it
        answer.feed(data)
        if not self._has_head and not self._head(answer):
            return
        pieces = answer.pieces
        if pieces:
            body = pieces[0] if len(pieces) == 1 else b"".join(pieces)
            pieces.clear()
            if self._slices is not None or (self._paced and len(body) > SLICE_BYTES):
                self._keep(body)
            elif answer.complete:
                self._end(body)
                return
            else:
                self._sink.data(body)
                if self._connection is None:
                    return
        self._after(answer)

    def _keep(self, body: bytes) -> None:
        if self._slices is None:
            self._slices = Slices()
        self._slices.feed(body)

    def _after(self, answer: AnswerParser) -> None:
        """What comes behind the bytes of one read."""
        if self._slices is not None:
            self._hand_on()
        elif answer.complete:
            self._end()
        elif answer.refusal is not None:
            self._break(answer.refusal)

    def eof(self) -> None:
        """The vendor sends no more: the end of a body that has no other, else a break."""
        if not self._answer.end():
            self.lost()
        elif self._slices is not None:
            self._hand_on()
        else:
            self._end()

    def lost(self) -> None:
        """The connection is gone."""
        if self._answer.complete:
            self._answer.reusable = False  # all is here; a slow caller is still taking it
        elif self._slices is not None and self._slices.waiting:
            self._is_cut = True  # told behind what is here
        elif self._touched:
            self._break(_CUT)
        elif not self.reused:
            self._break("The upstream closed the connection without an answer.")
        else:
            # it died while it lay idle, and the news crossed our request
            self._leave().retry(self)

    def written(self, now: float) -> None:
        """A part of a large request has left: the wait for the first byte begins anew."""
        self._seen = now

    def _due(self) -> float:
        """The earliest moment at which ``overdue`` may find a limit passed, as things stand."""
        limits, total_at = self.limits, self._total_at
        at = self._seen + (limits.idle if self._has_head else limits.first_byte)
        return at if at < total_at else total_at  # noqa: FURB136 - a call less, twice a request

    def overdue(self, now: float) -> float | None:
        """End the exchange if a limit has passed; else when to look again.

        Time spent paused counts for the total alone.
        """
        limits = self.limits
        if now >= self._total_at:
            self.fail(_late("did not finish its answer", limits.total, "total"))
        elif self._is_paused:
            self._seen = now
            return self._due()
        elif now < self._due():
            return self._due()
        elif self._has_head:
            self.fail(_late("sent nothing more", limits.idle, "idle"))
        else:
            self.fail(_late("did not begin to answer", limits.first_byte, "first-byte"))
        return None

    def fail(self, fault: Fault) -> None:
        """End the exchange, with the connection if there is one."""
        self.retrying = None
        if self._connection is not None:
            self._leave().drop()
        self._sink.broke(fault)

    def pause(self) -> None:
        """Stop reading. The idle limit does not run meanwhile."""
        if not self._is_paused:
            self._is_paused = True
            if self._connection is not None:
                self._connection.pause()

    def resume(self) -> None:
        """Read the answer again after a pause; the idle limit runs anew."""
        if not self._is_paused:
            return
        self._is_paused = False
        connection = self._connection
        if connection is None:
            return
        self._seen = connection.now()
        if self._slices is not None and self._slices.waiting:
            self._later()
        else:
            connection.resume()

    def abort(self) -> None:
        """Close the connection now and call the sink no more. Harmless after the end."""
        if self.retrying is not None:
            self.retrying.cancel()
            self.retrying = None
        elif self._connection is not None:
            self._leave().drop()

    def _head(self, answer: AnswerParser) -> bool:
        """Hand on the head if it is whole; whether there is more to do."""
        connection = self._connection
        if not answer.status or connection is None:
            if answer.refusal is not None:
                self._break(answer.refusal)
            return False
        self._has_head = True
        if not answer.complete:
            connection.due = self._due()
        headers = answer.headers
        if answer.coding:
            try:
                self._slices = Inflater(answer.coding)
            except CodingError as error:
                self._break(str(error))
                return False
            headers = headers.without(_OF_CODED_BODY)
        answer.headers = NO_LINES  # the sink's now; a stream may go on for minutes
        self._sink.head(answer.status, headers)
        return self._connection is not None

    def _hand_on(self) -> None:
        """Hand on one slice; in the turns of the loop to come the others, and then the end."""
        slices = self._slices
        connection = self._connection
        assert slices is not None
        if self._is_handing or self._turn is not None or connection is None:
            return
        if slices.waiting:
            if self._is_paused:
                return
            self._is_handing = True
            try:
                piece = slices.step()
                slices.bound()
                if piece:
                    self._sink.data(piece)
            except CodingError as error:
                self._break(str(error))
            finally:
                self._is_handing = False
            if self._connection is None:
                return
            if slices.waiting:
                if not self._is_held:
                    self._is_held = True
                    connection.pause()
                if not self._is_paused:
                    self._later()
                return
        self._all_handed(slices)

    def _all_handed(self, slices: Slices) -> None:
        """Tell what comes behind the bytes that were here, or read on."""
        answer, connection = self._answer, self._connection
        assert connection is not None
        if answer.complete:
            try:
                slices.finish()
            except CodingError as error:
                self._break(str(error))
                return
            self._end()
        elif answer.refusal is not None:
            self._break(answer.refusal)
        elif self._is_cut:
            self._break(_CUT)
        elif self._is_held:
            self._is_held = False
            if not answer.coding:
                self._slices = None  # small reads go straight on again
            if not self._is_paused:
                connection.resume()

    def _later(self) -> None:
        if self._turn is None and not self._is_handing:
            self._turn = asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        self._turn = None
        connection = self._connection
        if connection is not None:
            self._seen = connection.now()
            self._hand_on()

    def _leave(self) -> UpstreamConnection:
        """Take the exchange off its connection."""
        connection = self._connection
        assert connection is not None
        self._connection = None
        connection.exchange = None
        if not self._answer.complete:
            self._answer.close()
        if self._turn is not None:
            self._turn.cancel()
            self._turn = None
        if self._sender is not None:
            self._sender.stop()
        return connection

    def _end(self, rest: bytes = b"") -> None:
        answer = self._answer
        connection = self._leave()
        if self._is_paused or self._is_held:
            connection.resume()
        if self._sender is not None and not self._sender.done:
            answer.reusable = False  # what is missing of the request would be read as another
        connection.finish(answer.reusable, answer.keepalive_s, self._seen)
        self._sink.done(rest)

    def _break(self, text: str) -> None:
        self.fail(Fault(Kind.UPSTREAM_BROKE, text))


def _late(what: str, limit: float, name: str) -> Fault:
    return Fault(Kind.UPSTREAM_TIMEOUT, f"The upstream {what} within {limit:g} s ({name} limit).")
