"""A caller's connection: exchanges out of its bytes, answered in the order they came."""

import asyncio
import traceback
from typing import Final, Protocol, cast

import structlog

from trivium.edge import head
from trivium.edge.body import BodyBuffer
from trivium.edge.body_memory import UNCOUNTED_BYTES, MemoryShare
from trivium.edge.exchange import Exchange, Host
from trivium.edge.form_upload import FormUpload, prepared
from trivium.edge.head_cache import HeadCache
from trivium.edge.key_recheck import UnknownKey
from trivium.edge.limits import too_slow
from trivium.edge.request_parser import RequestParser
from trivium.faults import Fault, Kind

log = structlog.get_logger()

_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class ConnectionOwner(Host, Protocol):
    """The listener, with the connections that it has."""

    connections: set["CallerConnection"]


class CallerConnection:
    """One caller connection: an ``asyncio.Protocol`` by its methods (see upstream's on descent)."""

    __slots__ = (
        "_closing", "_current", "_deaf", "_heads", "_linger_until", "_reader", "_reading", "_since",
        "_touched", "_transport", "_unread", "_waiting", "host", "paused", "peer",
    )  # fmt: skip

    def __init__(self, host: ConnectionOwner) -> None:
        self.host = host
        self.paused = False
        self.peer = ""
        self._transport = cast("asyncio.Transport", None)
        self._reader = RequestParser(self)
        # short, and empty at most callers': a deque is 600 bytes
        self._waiting: list[Exchange] = []
        self._current: Exchange | None = None
        self._heads = HeadCache()
        self._unread: memoryview | None = None  # came before it could be parsed
        self._reading = True
        self._closing = False
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
            self.refuse(Fault(Kind.UPSTREAM_BUSY, "The gateway has too many open connections."))
            return
        if not host.ready:
            self._transport.pause_reading()

    def ready(self) -> None:
        """The gateway can serve now: start reading."""
        self._touched = self.host.time()
        self._read_on()

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
        self._unread = None
        self._reader.reset()

    def eof_received(self) -> bool:
        """The caller shut its sending side: it has left, unless the setting says otherwise."""
        if self._current is None and not self._waiting:
            return False
        return not self.host.limits.half_closed_cancels

    def pause_writing(self) -> None:
        """The caller reads too slowly: its upstream must wait."""
        self.paused = True
        if self._current is not None:
            self._current.congested = True
            if self._current.flow is not None:
                self._current.flow.pause()

    def resume_writing(self) -> None:
        """The caller has caught up."""
        self.paused = False
        if self._current is not None:
            self._current.congested = False
            if self._current.flow is not None:
                self._current.flow.resume()

    def data_received(self, data: bytes) -> None:
        """Serve what came, whatever is in it: no exception of one connection is another's."""
        host = self.host
        self._touched = host.time()
        if self._deaf or self._closing:
            return
        try:
            if self._unread is not None or not host.ready:
                self._put_by(data)
                return
            reader = self._reader
            idle = (
                self._current is None
                and not self._waiting
                and reader.incoming is None
                and not reader.in_head
            )
            again = self._heads.again(self, host, data) if idle else None
            if again is None:
                self._read(data, idle=idle)
                return
            if len(data) > UNCOUNTED_BYTES:
                self._keep(again)
            self._serve(again)
        except Exception as error:  # noqa: BLE001 - told in the log
            self.crash(error)

    def _put_by(self, data: bytes) -> None:
        """Keep what cannot be parsed yet: uvloop starts reading after ``connection_made``, whatever
        was paused in it.
        """
        self._unread = memoryview(data if self._unread is None else bytes(self._unread) + data)
        self._transport.pause_reading()

    def _read(self, data: bytes, *, idle: bool) -> None:
        """Parse what came. ``idle``: a request that it is alone may be known by its head again."""
        self._parse(memoryview(data))
        if idle and self._current is not None and not self._deaf and self._unread is None:
            self._heads.learn(data, self._current)

    def _keep(self, exchange: Exchange) -> None:
        """Count the body of a request that came in one read."""
        share = MemoryShare(self.host.kept, exchange.caller, large=False)
        try:
            share.cover(len(exchange.body))
            exchange.share = share
        except Fault as fault:
            exchange.refusal = exchange.refusal or fault

    # --- the reader's side ------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether further requests are read from it at all."""
        return not (self._deaf or self._closing)

    @property
    def is_full(self) -> bool:
        """Whether as many requests wait as may."""
        return not self._reading

    def deafen(self) -> None:
        """Read no further request from this connection."""
        self._deaf = True

    def begun(self) -> None:
        """A request has begun: its head has a time limit from here."""
        self._since = self._touched

    def headed(self, exchange: Exchange) -> None:
        """A head is whole: see how its body is taken in. Raises ``Fault`` to refuse it."""
        self._since = self._touched
        headers = exchange.headers
        fault = self.host.head(exchange)
        if isinstance(fault, UnknownKey):
            self._transport.pause_reading()  # until it is known whose key this is
            exchange.refusal, fault = fault, None
            exchange.task = asyncio.ensure_future(self._settle(exchange))
        # after `head`, which knows where it goes and in which shape it is refused
        self._reader.body = prepared(exchange, fault, self.host)
        if fault is not None:
            if head.is_large(headers):
                raise fault  # not worth taking in, or not sent before it is asked for
            exchange.refusal = fault
        if b"expect" in headers:
            self._continue(exchange)

    def wait(self, body: BodyBuffer | FormUpload) -> None:
        """A piece of the body was taken in: see whether the sender has to wait."""
        if body.full(self._catch_up):
            self._transport.pause_reading()

    def arrived(self, exchange: Exchange) -> None:
        """A request is whole: serve it, or let it wait for its turn."""
        if self._current is None and not self._waiting:
            self._serve(exchange)
        else:
            self._waiting.append(exchange)
            if len(self._waiting) >= self.host.limits.pipeline_max and self._reading:
                self._reading = False
                self._transport.pause_reading()

    def refuse(self, fault: Fault) -> None:
        """Answer with a fault in its turn, then read nothing more from this connection."""
        self._deaf = True
        reader = self._reader
        exchange = reader.incoming or Exchange(
            self,
            request_id=self.host.new_id(),
            method="GET",
            path=reader.url.partition(b"?")[0],
            query=b"",
            headers={},
            repeated=None,
            keep_alive=False,
            http10=False,
        )
        exchange.keep_alive = False
        exchange.refusal = fault
        self._unread = None
        reader.reset()
        if self._current is None and not self._waiting:
            self._serve(exchange)
        else:
            self._waiting.append(exchange)

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

    # --- the listener's side ----------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a request is being read or answered."""
        return self._current is not None or self._reader.busy or bool(self._waiting)

    def tick(self, now: float) -> None:
        """Close what has been silent or slow for too long. Called a few times a second."""
        limits = self.host.limits
        if self._linger_until:
            if now >= self._linger_until:
                self._transport.abort()
        elif self._reader.in_head:
            if now - self._since > limits.header_timeout_s:
                self.refuse(too_slow("headers"))
        elif self._reader.incoming is not None:
            # one byte a minute is no better than silence: a body must also keep 1 KiB/s
            body = self._reader.body
            size = 0 if body is None else body.size
            patience = limits.body_timeout_s + size / 1024
            if now - self._touched > limits.body_timeout_s or now - self._since > patience:
                self.refuse(too_slow("body"))
        elif self._current is None and now - self._touched > limits.keepalive_s:
            self._close()

    def drain(self) -> None:
        """The last request that came is the last one served here, and its caller is told so.

        One whose answer has begun can no longer be told: the connection stays open for another.
        """
        last = self._reader.incoming or (self._waiting[-1] if self._waiting else self._current)
        if last is not None and not last.begun:
            last.keep_alive = False

    def interrupt(self, fault: Fault) -> bool:
        """End the current answer, or the request that is being read, with a fault."""
        if self._current is not None:
            self._current.interrupt(fault)
        elif self._reader.busy:
            self.refuse(fault)
        else:
            return False
        return True

    def crash(self, error: Exception) -> None:
        """What nobody planned: one line in the log, and the end of this connection alone."""
        last = traceback.extract_tb(error.__traceback__)[-1]
        name, said = type(error).__name__, str(error)[:200]
        log.error("connection_failed", error=name, said=said, file=last.filename, line=last.lineno)
        self._reader.reset()
        self.cut()

    def close(self) -> None:
        """Close once everything written has left, and has been read where that is waited for."""
        if not self._linger_until:
            self._closing = True
            self._transport.close()

    # --- own ----------------------------------------------------------------------------------

    @property
    def _is_behind(self) -> bool:
        """Whether bytes have come that are not parsed yet.

        Asked for this way where something was parsed in between: compiled code would hold what the
        attribute was before to be its type.
        """
        return self._unread is not None

    def _serve(self, exchange: Exchange) -> None:
        self._current = exchange
        exchange.congested = self.paused
        exchange.arrived = self.host.time()
        if exchange.refusal is None:
            self.host.dispatch(exchange)
        elif not isinstance(exchange.refusal, UnknownKey):
            exchange.fail(exchange.refusal)

    def _continue(self, exchange: Exchange) -> None:
        waits = head.waits(exchange.headers, http10=exchange.http10)
        if waits and self._current is None and exchange.refusal is None:
            self.send(_CONTINUE)

    async def _settle(self, exchange: Exchange) -> None:
        """Find out whether an unknown key is one after all, and go on with its request."""
        is_read = True
        try:
            is_read = await self.host.find_key(exchange)
        except asyncio.CancelledError:
            if exchange.gone:
                raise
        if isinstance(exchange.refusal, UnknownKey):  # else it was refused for another reason
            exchange.refusal = fault = self.host.head_again(exchange, is_read=is_read)
            if exchange is self._current:
                self._serve(exchange)
            elif (
                exchange is self._reader.incoming
                and fault is not None
                and head.is_large(exchange.headers)
            ):
                self.refuse(fault)
            elif exchange is self._reader.incoming:
                self._continue(exchange)
        self._catch_up()

    def _next(self) -> None:
        if self._closing or self._current is not None or not self._waiting:
            return
        try:
            self._serve(self._waiting.pop(0))
            if not self._reading and len(self._waiting) < self.host.limits.pipeline_max:
                self._reading = True
                self._read_on()
        except Exception as error:  # noqa: BLE001 - told in the log
            self.crash(error)

    def _parse(self, data: memoryview) -> None:
        self._unread = self._reader.parse(data)
        if self._unread is not None and self._reading:
            self._transport.pause_reading()
            asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        """Parse what was left so that others have their turn."""
        try:
            if self._unread is not None and self._reading:
                self._read_on()
        except Exception as error:  # noqa: BLE001 - told in the log
            self.crash(error)

    def _read_on(self) -> None:
        """Parse what was left for later, then what comes."""
        unread, self._unread = self._unread, None
        if unread is not None:
            self._parse(unread)
        if self._reading and not self._closing and not self._is_behind:
            self._transport.resume_reading()

    def _catch_up(self) -> None:
        """The disk has taken what was uploaded so far: read on."""
        self._touched = self.host.time()
        if self._reading and not self._closing:
            self._transport.resume_reading()

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
