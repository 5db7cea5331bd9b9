"""One request and its answer, as the pipeline sees them: read fields, then answer once.

An exchange is written to in one of two ways: ``answer`` for a whole body, or ``begin``, any number
of ``write``, ``finish`` for a stream. Whatever is called after the end, or after the caller has
left, is ignored, so cleanup code needs no questions.
"""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import unquote_to_bytes

from trivium.edge.limits import ServerLimits
from trivium.edge.routes import OAUTH, Target
from trivium.faults import Fault
from trivium.identity.model import Caller
from trivium.pipeline import services
from trivium.pipeline.services import JSON, Headers
from trivium.wire import errors
from trivium.wire.operation import Shape

if TYPE_CHECKING:
    from trivium.edge.body_memory import BodyMemory, MemoryShare
    from trivium.uploads.spool import Room

STATUS_LINES: Final = {
    s.value: f"HTTP/1.1 {s.value} {s.phrase}\r\n".encode() for s in HTTPStatus
} | {529: b"HTTP/1.1 529 Overloaded\r\n", 499: b"HTTP/1.1 499 Caller Left\r\n"}

NO_BODY: Final = frozenset({204, 304})
_CONVERSE: Final = Shape.CONVERSE
_APART_BYTES: Final = 65_536
"""Of a body or piece that is handed on as it is: a copy with its head before it costs memory."""


class AnswerLine(Protocol):
    """The connection an exchange is answered on."""

    paused: bool
    """Whether the caller's buffer is above the high-water mark."""
    peer: str
    """The address that is connected; empty where there is none."""

    @property
    def host(self) -> "Host":
        """Who knows the header lines that every answer carries."""
        ...

    def send(self, data: bytes) -> None:
        """Write bytes of the current answer."""
        ...

    def ended(self, *, close: bool) -> None:
        """The current answer is complete."""
        ...

    def cut(self) -> None:
        """Close at once, so that the caller sees a broken answer."""
        ...


class Host(Protocol):
    """The listener a connection belongs to."""

    limits: ServerLimits
    date_line: bytes
    draining: bool
    ready: bool
    """Until the key snapshot is loaded, connections are accepted but not read."""
    room: "Room"
    """Where uploads are kept."""
    kept: "BodyMemory"
    """The room for other bodies."""
    snapshot_get: Callable[[bytes], Caller | None]
    """The caller of a key's digest, where it is in memory; the same object until it is changed."""
    now: Callable[[], float]
    """Seconds since the epoch."""

    def time(self) -> float:
        """Loop time in seconds."""
        ...

    def new_id(self) -> str:
        """A fresh request id."""
        ...

    def head(self, exchange: "Exchange") -> Fault | None:
        """Look at a request before its body is read; a fault refuses it."""
        ...

    def head_again(self, exchange: "Exchange", *, is_read: bool = True) -> Fault | None:
        """The same for a head that was looked at before: ``target``, ``shape`` and ``digest``
        are set. ``is_read``: what ``find_key`` said.
        """
        ...

    async def find_key(self, exchange: "Exchange") -> bool:
        """Wait until the key that came is known if there is one, or that takes too long; ``False``:
        there is one, and it could not be read.
        """
        ...

    def dispatch(self, exchange: "Exchange") -> None:
        """Serve a whole request."""
        ...

    has_cors: bool
    """Whether pages of other sites may ask at all."""

    def cors(self, exchange: "Exchange") -> bytes:
        """CORS header lines for this request."""
        ...


class Exchange(services.Exchange):
    """One request and its answer."""

    __slots__ = (
        "_chunked", "_head_held", "_over", "digest", "http10", "keep_alive", "line", "path",
        "query", "refusal", "repeated", "share", "target",
    )  # fmt: skip

    def __init__(
        self,
        line: AnswerLine,
        *,
        request_id: str,
        method: str,
        path: bytes,
        query: bytes,
        headers: dict[bytes, bytes],
        repeated: Headers | None,
        keep_alive: bool,
        http10: bool,
    ) -> None:
        self.line = line
        self.request_id = request_id
        self.method = method
        self.path = path
        """Path of the request target, still percent-encoded."""
        self.query = query
        """After the question mark, still encoded; empty when there is none."""
        self.headers = headers
        """Lower-case names; of a repeated header the last value."""
        self.repeated = repeated
        """All header lines in order when some name repeats, else ``None``."""
        self.keep_alive = keep_alive
        self.http10 = http10
        self.body = b""
        self.arrived = 0.0
        """Loop time at which the request was whole."""
        self.target: Target | None = None
        """What the path asks for; set before the body is read."""
        self.shape = None
        """In whose shape errors are written; set by the router."""
        self.extra = []
        """Headers to add to whatever is answered."""
        self.lines = b""
        """The same, written out, each with its line end; they go out before the others."""
        self.caller = None
        """Who presented the key; set before the body is read on relay paths."""
        self.digest: bytes | None = None
        """SHA-256 of the presented key, once it has been looked at."""
        self.refusal: Fault | None = None
        """Why the request is not served at all."""
        self.gone = False
        """The caller has left."""
        self.congested = line.paused
        self.flow = None
        self.task = None
        self.upload = None
        self.framing = None
        self.share: MemoryShare | None = None
        """What its body has of the room for them; ``None``: so little that nobody counts."""
        self.bytes_out = 0
        self.begun = False
        self._over = False
        self._chunked = False
        self._head_held = b""

    def values(self, name: bytes) -> list[bytes]:
        """Every value of a header, in order."""
        if self.repeated is not None:
            return [value for n, value in self.repeated if n == name]
        value = self.headers.get(name)
        return [] if value is None else [value]

    def replace_headers(self, told: Mapping[bytes, bytes]) -> None:
        """Have these values in the place of whatever such headers the request came with.

        Those that came are left alone: a connection remembers them for its next request.
        """
        self.headers = {**self.headers, **told}
        if self.repeated is not None:
            kept = [line for line in self.repeated if line[0] not in told]
            self.repeated = [*kept, *told.items()]

    def parameter(self, name: bytes) -> bytes | None:
        """The first value of a query parameter, decoded; ``None`` when absent."""
        if not self.query:
            return None
        for pair in self.query.split(b"&"):
            key, _, value = pair.partition(b"=")
            if key == name:
                return unquote_to_bytes(value.replace(b"+", b" "))
        return None

    @property
    def over(self) -> bool:
        """Whether the answer is complete or nobody is left to read it."""
        return self._over

    def answer(self, status: int, body: bytes, *, content_type: bytes = JSON) -> None:
        """Send a whole answer."""
        if self._over:
            return
        self.begun = True
        if status in NO_BODY:
            whole = self._head(status, content_type, b"\r\n")
            whole = whole.replace(b"content-type: %b\r\n" % content_type, b"", 1)
        else:
            whole = self._head(status, content_type, b"content-length: %d\r\n\r\n" % len(body))
            if self.method != "HEAD":
                if len(body) > _APART_BYTES:
                    self._send(whole)
                    whole = body
                else:
                    whole += body
        self.bytes_out += len(whole)
        self.line.send(whole)
        self._end(close=not self.keep_alive)

    def fail(self, fault: Fault) -> None:
        """Answer with a GatewayError; only before anything was sent."""
        if self.begun:
            self.break_off()
            return
        self.extra += errors.headers(fault, self.shape)
        if self.path.startswith(OAUTH):
            self.answer(fault.status, errors.oauth_body(fault))
        else:
            status = errors.status(fault, self.shape)
            self.answer(status, errors.body(fault, self.request_id, self.shape))

    def begin(self, status: int, content_type: bytes, *, length: int | None = None) -> None:
        """Start a streamed answer. HTTP/1.0 callers get it ended by the close.

        The head goes out with the first piece, which is to follow at once. ``length``: the bytes
        that will follow, where that is known; exactly so many must be written.
        """
        if self._over:
            return
        self.begun = True
        if self.framing is not None and self.framing.content_type:
            content_type = self.framing.content_type
            self.extra += self.framing.headers
        if length is not None:
            head = self._head(status, content_type, b"content-length: %d\r\n\r\n" % length)
        elif self.http10:
            self.keep_alive = False
            head = self._head(status, content_type, b"\r\n")
        else:
            self._chunked = True
            head = self._head(status, content_type, b"transfer-encoding: chunked\r\n\r\n")
        if self.method == "HEAD":
            self._send(head)
            self._end(close=not self.keep_alive)
        else:
            self._head_held = head

    def write(self, data: bytes) -> None:
        """Send a piece of a streamed answer."""
        if self._over or not data:
            return
        head, self._head_held = self._head_held, b""
        if len(data) > _APART_BYTES:
            # not copied to have a size put before it
            if self._chunked:
                head += b"%x\r\n" % len(data)
            if head:
                self._send(head)
            self._send(data)
            if self._chunked:
                self._send(b"\r\n")
            return
        piece = b"%x\r\n%b\r\n" % (len(data), data) if self._chunked else data
        self._send(head + piece if head else piece)

    def finish(self, rest: bytes = b"") -> None:
        """End a streamed answer with a last piece, in one write: a segment and a wake-up each."""
        if self._over:
            return
        if self._chunked:
            last = b"%x\r\n%b\r\n0\r\n\r\n" % (len(rest), rest) if rest else b"0\r\n\r\n"
        else:
            last = rest
        if self._head_held or last:
            self._send(self._head_held + last)
            self._head_held = b""
        self._end(close=not self.keep_alive)

    def break_off(self) -> None:
        """End an answer that cannot be completed: the caller must see that it is not whole."""
        if not self._over:
            self._over = True
            self._let_go()
            self.line.cut()

    def leave(self) -> None:
        """The caller left: whoever works for it is cancelled."""
        self.gone = True
        self._over = True
        self._let_go()
        if self.task is not None:
            self.task.cancel()

    def interrupt(self, fault: Fault) -> None:
        """End it now: a begun stream in its shape's own words, anything else with a fault."""
        if self._over or (self.flow is not None and self.flow.interrupt(fault)):
            return
        if self.task is not None:
            self.task.cancel()

    def _head(self, status: int, content_type: bytes, last: bytes) -> bytes:
        """``last``: what ends it. In as few pieces as can be."""
        request_id = self.request_id.encode()
        lines, host = self.lines, self.line.host
        if host.has_cors:
            lines = host.cors(self) + lines
        if self.extra:
            lines += b"".join([b"%b: %b\r\n" % line for line in self.extra])
        if not self.keep_alive:
            lines += b"connection: close\r\n"
        elif self.http10:
            lines += b"connection: keep-alive\r\n"
        if self.shape is _CONVERSE:
            lines += b"x-amzn-requestid: %b\r\n" % request_id  # where Amazon's SDKs look for it
        return b"%bcontent-type: %b\r\nx-request-id: %b\r\nrequest-id: %b\r\n%b%b%b" % (
            STATUS_LINES.get(status) or b"HTTP/1.1 %d Status\r\n" % status,
            content_type,
            request_id,
            request_id,
            host.date_line,
            lines,
            last,
        )

    def _send(self, data: bytes) -> None:
        self.bytes_out += len(data)
        self.line.send(data)

    def _end(self, *, close: bool) -> None:
        self._over = True
        if self.upload is not None or self.share is not None:
            self._let_go()
        self.line.ended(close=close)

    def drop_body(self) -> None:
        """Keep no byte of the body: nobody will read it again."""
        self.body = b""
        if self.share is not None:
            self.share.close()
            self.share = None

    def _let_go(self) -> None:
        """Of what the caller sent: nobody needs it any more."""
        if self.share is not None:
            self.share.close()
            self.share = None
        if self.upload is not None:
            self.upload.close()
