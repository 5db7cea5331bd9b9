"""Requests out of a connection's bytes: httptools in steps, and what it does not look at.

llhttp is strict (both length headers, repeated lengths, odd transfer codings, bare LF and folding
are refused) but not complete; ``edge/head.py`` has the rest. No leniency flag is ever set.

It is fed in steps, so that one read of thousands of short requests is not thousands of exchanges:
what comes behind as many as may wait stays as it is until there is room.
"""

from typing import Final, Protocol

import httptools

from trivium.edge import head
from trivium.edge.body import BodyBuffer
from trivium.edge.exchange import AnswerLine, Exchange, Host
from trivium.edge.form_upload import FormUpload
from trivium.edge.limits import check_head, framing_too_large, headers_too_large
from trivium.faults import Fault, Kind
from trivium.pipeline.services import Headers

STEP_BYTES: Final = 4096
"""Parsed at a time where requests may begin and end: whoever pipelines can have no more requests
taken in than fit in it, beside those that may wait."""
STEPS_MAX: Final = 4
"""Such steps in one turn of the loop."""
PIECES_MAX: Final = 2048
"""Pieces of bodies that are taken in before others have their turn: each is a call from the parser,
and chunks of a byte are forty thousand in one read."""
CHUNK_BYTES: Final = 16
"""What the lines around a chunk may take, beside twice what is in the chunk (Go's rule)."""


class ParserOwner(AnswerLine, Protocol):
    """The connection that is read from."""

    @property
    def host(self) -> Host:
        """Return the listener that the connection belongs to."""
        ...

    @property
    def is_open(self) -> bool:
        """Whether further requests are read from it at all."""
        ...

    @property
    def is_full(self) -> bool:
        """Whether as many requests wait as may."""
        ...

    def deafen(self) -> None:
        """Read no further request from this connection."""
        ...

    def begun(self) -> None:
        """A request has begun: its head has a time limit from here."""
        ...

    def headed(self, exchange: Exchange) -> None:
        """A head is whole: set the reader's ``body``. Raises ``Fault`` to refuse it."""
        ...

    def wait(self, body: BodyBuffer | FormUpload) -> None:
        """A piece of the body was taken in: see whether the sender has to wait."""
        ...

    def arrived(self, exchange: Exchange) -> None:
        """A request is whole."""
        ...

    def refuse(self, fault: Fault) -> None:
        """Answer with a fault in its turn, then read nothing more."""
        ...


class RequestParser:
    """Reads the requests of one connection. Its own side is ``parse``; ``on_…`` is httptools'."""

    __slots__ = (
        "_extra_bytes", "_headers", "_left_bytes", "_line", "_parser", "_pieces", "_redo", "body",
        "in_head", "incoming", "url",
    )  # fmt: skip

    def __init__(self, line: ParserOwner) -> None:
        self._line = line
        self._parser = httptools.HttpRequestParser(self)
        self._headers: Headers = []
        self._redo = False
        self._extra_bytes = 0
        """Of the request that is read, what is no body."""
        self._left_bytes = 0
        """To come of a body whose length was told."""
        self._pieces = 0
        """Of bodies, since others had their turn."""
        self.url = b""
        """Target of the request that is read."""
        self.in_head = False
        """Whether a request has begun whose head is not whole."""
        self.incoming: Exchange | None = None
        """The request whose head is whole and whose body is not."""
        self.body: BodyBuffer | FormUpload | None = None
        """What has come of its body."""

    @property
    def busy(self) -> bool:
        """Whether a request is being read."""
        return self.incoming is not None or self.in_head

    def parse(self, data: memoryview) -> memoryview | None:
        """Read what there is; what is left of it, possibly nothing, because no more requests may
        wait, or because so much was made of it that others shall have their turn.

        Whatever the parser refuses is answered in JSON and the connection closed.
        """
        at, size = 0, len(data)
        line = self._line
        heads = 0
        while at < size and line.is_open:
            heads += self.incoming is None
            if line.is_full or heads > STEPS_MAX:
                return data[at:]
            # a body of known length ends with its step, and nothing behind it is in it
            step = data[at : min(size, at + (self._left_bytes or STEP_BYTES))]
            upgrade = self._feed(step)
            at += len(step) if upgrade < 0 else upgrade
            if upgrade >= 0:
                self._upgraded()  # not where it is met: that would be the cause of its faults
            if self._pieces > PIECES_MAX:
                # not counted by the read: a turn may bring thirty of these
                self._pieces = 0
                return data[at:]
        return None

    def reset(self) -> None:
        """Forget the request that was read; its body is let go."""
        if self.body is not None:
            self.body.close()
            self.body = None
        self.incoming = None
        self.in_head = False
        self.url = b""
        self._headers = []
        self._extra_bytes = self._left_bytes = 0

    def _feed(self, data: memoryview | bytes) -> int:
        """Have it parsed; where an upgrade stopped the parser, how much of it, else -1."""
        line = self._line
        self._extra_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as exc:
            return int(exc.args[0])
        except httptools.HttpParserCallbackError as exc:
            cause = exc.__context__
            if not isinstance(cause, Fault):
                raise cause or exc  # noqa: B904 - the parser's own says nothing
            line.refuse(cause)
        except httptools.HttpParserError:
            line.refuse(Fault(Kind.MALFORMED_HTTP, "The request is not valid HTTP/1.1."))
        else:
            limits = line.host.limits
            if self._extra_bytes > limits.header_bytes_max and self.busy:
                line.refuse((headers_too_large if self.in_head else framing_too_large)(limits))
        return -1

    def _upgraded(self) -> None:
        """An upgrade was asked for; we offer none. llhttp stops there, so a request that only
        offers one (``h2c``) is read again without the offer; behind a WebSocket's, which was
        answered already, nothing is read.
        """
        if not self._redo:
            self._line.deafen()
            return
        self._redo = False
        again = head.without_upgrade(
            self._parser.get_method(), self.url, self._parser.get_http_version(), self._headers
        )
        self._parser = httptools.HttpRequestParser(self)
        self.reset()
        self._feed(again)

    # --- httptools' side ----------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        self.in_head = True
        self._line.begun()

    def on_url(self, url: bytes) -> None:
        """A piece of the request target."""
        self.url += url
        if len(self.url) > self._line.host.limits.header_bytes_max:
            raise headers_too_large(self._line.host.limits)

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header line. Trailers are counted and forgotten: they are no headers."""
        if self.in_head:
            self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        """The head is whole. Raises ``Fault`` before any of the body is taken in."""
        parser = self._parser
        headers = self._headers
        host = self._line.host
        check_head(self.url, headers, host.limits)
        is_upgrade = parser.should_upgrade()
        if is_upgrade and not head.is_websocket(headers):
            if parser.get_method() == b"CONNECT":
                raise Fault(Kind.MALFORMED_HTTP, "No tunnels are made here.")
            self._redo = True  # an upgrade we do not offer is to be ignored, the request served
            return
        table = dict(headers)
        http10 = head.check(parser.get_http_version(), headers, table)
        target = self.url
        if target[:1] != b"/":
            target = head.origin_form(target)
        path, _, query = target.partition(b"?")
        exchange = Exchange(
            self._line,
            request_id=host.new_id(),
            method=parser.get_method().decode(),
            path=path,
            query=query,
            headers=table,
            repeated=headers if len(table) != len(headers) else None,
            keep_alive=parser.should_keep_alive() and not host.draining and not is_upgrade,
            http10=http10,
        )
        self.in_head = False
        self.incoming = exchange
        self._extra_bytes = 0  # `check_head` has counted all of it
        self._left_bytes = int(table.get(b"content-length") or 0)
        self._line.headed(exchange)

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        size = len(body)
        self._pieces += 1
        self._left_bytes = max(0, self._left_bytes - size)
        self._extra_bytes = max(0, self._extra_bytes - 2 * size - CHUNK_BYTES)
        if self.body is not None:
            self.body.feed(body)
            self._line.wait(self.body)

    def on_message_complete(self) -> None:
        """The request is whole."""
        exchange = self.incoming
        if self._redo or exchange is None:
            return
        if self.body is not None:
            self.body.finish(exchange)
            self.body = None
        self.reset()
        self._line.arrived(exchange)
