"""A caller's connection: httptools in, exchanges out, answered in the order they came.

llhttp is strict (both length headers, repeated lengths, odd transfer codings, bare LF and folding
are refused) but not complete; ``edge/head.py`` has the rest. No leniency flag is ever set.
"""

import asyncio
from typing import Final, cast

import httptools

from trivium.edge import head
from trivium.edge.doubt import Doubtful
from trivium.edge.exchange import Exchange, Host
from trivium.edge.familiar import Heads
from trivium.edge.intake import Intake, prepared
from trivium.edge.limits import body_too_large, check_head, headers_too_large, too_slow
from trivium.faults import Fault, Kind
from trivium.pipeline.context import Headers

_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class Connection:
    """One caller connection: an ``asyncio.Protocol`` by its methods (see upstream's on descent)."""

    __slots__ = (
        "_body", "_body_bytes", "_closing", "_current", "_deaf", "_early", "_head_bytes",
        "_headers", "_heads", "_in_head", "_incoming", "_intake", "_linger_until", "_parser",
        "_reading", "_redo", "_since", "_touched", "_transport", "_url", "_waiting", "host",
        "paused", "peer",
    )  # fmt: skip

    def __init__(self, host: Host) -> None:
        self.host = host
        self.paused = False
        self.peer = ""
        self._transport = cast("asyncio.Transport", None)
        self._parser = httptools.HttpRequestParser(self)
        # short, and empty at most callers': a deque is 600 bytes
        self._waiting: list[Exchange] = []
        self._current: Exchange | None = None
        self._incoming: Exchange | None = None
        self._url = b""
        self._early = b""
        self._heads = Heads()
        self._headers: Headers = []
        self._head_bytes = 0
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._intake: Intake | None = None
        self._reading = True
        self._closing = False
        self._redo = False
        self._in_head = False
        self._deaf = False  # no further request is read
        self._since = 0.0
        self._linger_until = 0.0
        self._touched = 0.0

    # --- asyncio's side ---------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept, or refuse with a readable answer when full."""
        self._transport = cast("asyncio.Transport", transport)
        host = self.host
        self._touched = host.time()
        peer = transport.get_extra_info("peername")
        self.peer = peer[0] if isinstance(peer, tuple) else ""
        self._transport.set_write_buffer_limits(high=host.limits.write_high_bytes)
        host.connections.add(self)  # a refused one as well: it lingers, and somebody must end that
        if len(host.connections) > host.limits.connections_max:
            self._refuse(Fault(Kind.UPSTREAM_BUSY, "The gateway has too many open connections."))
            return
        if not host.ready:
            self._transport.pause_reading()

    def ready(self) -> None:
        """The gateway can serve now: start reading."""
        self._touched = self.host.time()
        self._transport.resume_reading()
        early, self._early = self._early, b""
        if early:
            self.data_received(early)

    def connection_lost(self, exc: Exception | None) -> None:
        """The caller is gone: whatever runs for it ends."""
        del exc
        self.host.connections.discard(self)
        self._closing = True
        for exchange in (self._current, *self._waiting):
            if exchange is not None:
                exchange.leave()
        self._current = None
        self._waiting.clear()
        self._incoming = None
        self._let_go()

    def eof_received(self) -> bool:
        """The caller shut its sending side: it has left, unless the setting says otherwise."""
        if self._current is None and not self._waiting:
            return False
        return not self.host.limits.half_closed_cancels

    def pause_writing(self) -> None:
        """The caller reads too slowly: its upstream must wait."""
        self.paused = True
        if self._current is not None and self._current.flow is not None:
            self._current.flow.pause()

    def resume_writing(self) -> None:
        """The caller has caught up."""
        self.paused = False
        if self._current is not None and self._current.flow is not None:
            self._current.flow.resume()

    def data_received(self, data: bytes) -> None:
        """Feed the parser; whatever it refuses is answered in JSON and the connection closed."""
        self._touched = self.host.time()
        if self._deaf or self._closing or not (self.host.ready or self._is_time(data)):
            return
        idle = not (self._current or self._incoming or self._in_head or self._waiting)
        if idle and (again := self._heads.again(self, self.host, data)) is not None:
            self._serve(again)
            return
        self._head_bytes += len(data)
        rest = self._feed(data)
        if rest is not None:
            self._upgraded(rest)  # not where the upgrade is handled: it would be the next cause
        elif idle and self._current is not None and not self._deaf:
            self._heads.learn(data, self._current)

    def _feed(self, data: bytes) -> bytes | None:
        """Have it parsed; what is left of it where an upgrade stopped the parser."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as exc:
            return data[exc.args[0] :]
        except httptools.HttpParserCallbackError as exc:
            cause = exc.__context__
            if not isinstance(cause, Fault):
                raise
            self._refuse(cause)
        except httptools.HttpParserError:
            self._refuse(Fault(Kind.MALFORMED_HTTP, "The request is not valid HTTP/1.1."))
        else:
            if self._in_head and self._head_bytes > self.host.limits.header_bytes_max:
                self._refuse(headers_too_large(self.host.limits))
        return None

    # --- httptools' side --------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """The first byte of a request: its head has a time limit from here."""
        self._in_head = True
        self._since = self._touched

    def on_url(self, url: bytes) -> None:
        """A piece of the request target."""
        self._url += url
        if len(self._url) > self.host.limits.header_bytes_max:
            raise headers_too_large(self.host.limits)

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header line."""
        self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        """The head is whole. Raises ``Fault`` before any of the body is taken in."""
        parser = self._parser
        headers = self._headers
        check_head(self._url, headers, self.host.limits)
        if parser.should_upgrade() and not head.is_websocket(headers):
            if parser.get_method() == b"CONNECT":
                raise Fault(Kind.MALFORMED_HTTP, "No tunnels are made here.")
            self._redo = True  # an upgrade we do not offer is to be ignored, the request served
            return
        table = dict(headers)
        http10 = head.check(parser.get_http_version(), headers, table)
        target = self._url
        if target[:1] != b"/":
            target = head.origin_form(target)
        path, _, query = target.partition(b"?")
        exchange = Exchange(
            self,
            request_id=self.host.new_id(),
            method=parser.get_method().decode(),
            path=path,
            query=query,
            headers=table,
            repeated=headers if len(table) != len(headers) else None,
            keep_alive=parser.should_keep_alive()
            and not self.host.draining
            and not parser.should_upgrade(),
            http10=http10,
        )
        self._in_head = False
        self._incoming = exchange
        self._since = self._touched
        fault = self.host.head(exchange)
        if isinstance(fault, Doubtful):
            self._transport.pause_reading()  # until it is known whose key this is
            exchange.refusal, fault = fault, None
            exchange.task = asyncio.ensure_future(self._settle(exchange))
        # after `head`, which knows where it goes and in which dialect it is refused
        self._intake = prepared(exchange, table.get(b"content-length"), fault, self.host)
        if fault is not None:
            if head.is_large(table):
                raise fault  # not worth taking in, or not sent before it is asked for
            exchange.refusal = fault
        if b"expect" in table:
            self._continue(exchange)

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        self._body_bytes += len(body)
        if self._intake is not None:
            self._intake.feed(body)
            if self._intake.full(self._catch_up):
                self._transport.pause_reading()
            return
        if self._body_bytes > self.host.limits.body_bytes_max:
            raise body_too_large(self.host.limits)
        self._body.append(body)

    def on_message_complete(self) -> None:
        """The request is whole: serve it, or let it wait for its turn."""
        if self._redo:
            return
        exchange = self._incoming
        if exchange is None:
            return
        pieces = self._body
        if pieces:
            exchange.body = pieces[0] if len(pieces) == 1 else b"".join(pieces)
            self._body = []
            self._body_bytes = 0
        elif self._intake is not None:
            exchange.upload = self._intake.finish()
            self._intake = None
            self._body_bytes = 0
        self._reset()
        if self._current is None and not self._waiting:
            self._serve(exchange)
        else:
            self._waiting.append(exchange)
            if len(self._waiting) >= self.host.limits.pipeline_max and self._reading:
                self._reading = False
                self._transport.pause_reading()

    # --- the exchange's side ----------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Write bytes of the current answer."""
        if not self._closing:
            self._transport.write(data)

    def ended(self, *, close: bool) -> None:
        """The current answer is complete: next, or close."""
        self._current = None
        self._touched = self.host.time()
        if close:
            self._close()
        elif self._waiting:
            # not in this turn: a caller that pipelines must not deepen the stack
            asyncio.get_running_loop().call_soon(self._next)

    def cut(self) -> None:
        """Close at once, so that the caller sees a broken answer."""
        self._current = None
        self._closing = True
        self._transport.abort()

    def common(self, exchange: Exchange) -> bytes:
        """Header lines every answer carries."""
        return self.host.date_line + self.host.cors(exchange)

    # --- the listener's side ----------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a request is being read or answered."""
        return bool(self._current or self._incoming or self._in_head or self._waiting)

    def tick(self, now: float) -> None:
        """Close what has been silent or slow for too long. Called a few times a second."""
        limits = self.host.limits
        if self._linger_until:
            if now >= self._linger_until:
                self._transport.abort()
        elif self._in_head:
            if now - self._since > limits.header_timeout_s:
                self._refuse(too_slow("headers"))
        elif self._incoming is not None:
            # one byte a minute is no better than silence: a body must also keep 1 KiB/s
            patience = limits.body_timeout_s + self._body_bytes / 1024
            if now - self._touched > limits.body_timeout_s or now - self._since > patience:
                self._refuse(too_slow("body"))
        elif self._current is None and now - self._touched > limits.keepalive_s:
            self._close()

    def drain(self) -> None:
        """The last request that came is the last one served here, and its caller is told so.

        One whose answer has begun can no longer be told: the connection stays open for another.
        """
        last = self._incoming or (self._waiting[-1] if self._waiting else self._current)
        if last is not None and not last.begun:
            last.keep_alive = False

    def interrupt(self, fault: Fault) -> bool:
        """End the current answer, or the request that is being read, with a fault."""
        if self._current is not None:
            self._current.interrupt(fault)
        elif self._incoming is not None or self._in_head:
            self._refuse(fault)
        else:
            return False
        return True

    def close(self) -> None:
        """Close once everything written has left, and has been read where that is waited for."""
        if not self._linger_until:
            self._closing = True
            self._transport.close()

    # --- own ----------------------------------------------------------------------------------

    def _is_time(self, data: bytes) -> bool:
        """Whether requests are served yet; else what came is kept."""
        if not self.host.ready:
            # uvloop starts reading after connection_made, whatever was paused in it
            self._early += data
            self._transport.pause_reading()
        return self.host.ready

    def _serve(self, exchange: Exchange) -> None:
        self._current = exchange
        exchange.arrived = self.host.time()
        if exchange.refusal is None:
            self.host.dispatch(exchange)
        elif not isinstance(exchange.refusal, Doubtful):
            exchange.fail(exchange.refusal)

    def _continue(self, exchange: Exchange) -> None:
        waits = head.waits(exchange.headers, http10=exchange.http10)
        if waits and self._current is None and exchange.refusal is None:
            self.send(_CONTINUE)

    async def _settle(self, exchange: Exchange) -> None:
        """Find out whether an unknown key was made a moment ago, and go on with its request."""
        try:
            await self.host.look()
        except asyncio.CancelledError:
            if exchange.gone:
                raise
        if isinstance(exchange.refusal, Doubtful):  # else it was refused for another reason
            exchange.refusal = fault = self.host.head_again(exchange)
            if exchange is self._current:
                self._serve(exchange)
            elif (
                exchange is self._incoming and fault is not None and head.is_large(exchange.headers)
            ):
                self._refuse(fault)
            elif exchange is self._incoming:
                self._continue(exchange)
        self._catch_up()

    def _next(self) -> None:
        if self._closing or self._current is not None or not self._waiting:
            return
        exchange = self._waiting.pop(0)
        if not self._reading:
            self._reading = True
            self._transport.resume_reading()
        self._serve(exchange)

    def _catch_up(self) -> None:
        """The disk has taken what was uploaded so far: read on."""
        self._touched = self.host.time()
        if self._reading and not self._closing:
            self._transport.resume_reading()

    def _let_go(self) -> None:
        """Of a form that nobody will serve."""
        if self._intake is not None:
            self._intake.close()
            self._intake = None

    def _reset(self) -> None:
        self._incoming = None
        self._url = b""
        self._headers = []
        self._head_bytes = 0

    def _close(self) -> None:
        if self._deaf and self._transport.can_write_eof():
            # request bytes may still be on their way: closing now would reset the connection
            # and the caller might never read the answer
            if not self._linger_until:
                self._linger_until = self.host.time() + self.host.limits.linger_s
                self._transport.write_eof()
            return
        self._closing = True
        self._transport.close()

    def _refuse(self, fault: Fault) -> None:
        """Answer with a fault in its turn, then read nothing more from this connection."""
        self._deaf = True
        self._in_head = False
        exchange = self._incoming or Exchange(
            self,
            request_id=self.host.new_id(),
            method="GET",
            path=self._url.partition(b"?")[0],
            query=b"",
            headers={},
            repeated=None,
            keep_alive=False,
            http10=False,
        )
        exchange.keep_alive = False
        exchange.refusal = fault
        self._body = []
        self._let_go()
        self._reset()
        if self._current is None and not self._waiting:
            self._serve(exchange)
        else:
            self._waiting.append(exchange)

    def _upgraded(self, rest: bytes) -> None:
        """An upgrade was asked for; we offer none. llhttp stops there, so a request that only
        offers one (``h2c``) is read again without the offer; a WebSocket was answered already.
        """
        if not self._redo:
            self._deaf = True
            return
        self._redo = False
        again = head.without_upgrade(
            self._parser.get_method(), self._url, self._parser.get_http_version(), self._headers
        )
        self._parser = httptools.HttpRequestParser(self)
        self._reset()
        self.data_received(again + rest)
