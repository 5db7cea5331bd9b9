"""The seam between the pipeline and the sockets: what is asked of a vendor and what comes back.

The pipeline implements :class:`Sink`; the client calls it synchronously from the loop turn that
read the bytes, so a relayed frame costs no task switch. Tests pass a scripted client.
"""

import asyncio
from collections.abc import Iterable
from typing import Protocol, TypeAlias

from trivium.faults import Fault
from trivium.upstream.answer import AnswerHeaders
from trivium.upstream.request import Request

HeaderLines: TypeAlias = Iterable[tuple[bytes, bytes]]
"""Names in lower case, and values. May be gone through more than once."""


class Sink(Protocol):
    """Receives one answer. After ``done`` or ``broke`` nothing more is called."""

    __slots__ = ()

    def head(self, status: int, headers: AnswerHeaders) -> None:
        """The final status line and headers; 1xx are swallowed."""
        ...

    def data(self, data: bytes) -> None:
        """All body bytes of one read, unchunked and with any gzip or deflate coding undone."""
        ...

    def done(self, rest: bytes = b"") -> None:
        """The body is whole, by its own framing. ``rest``: body bytes of the read that ended it,
        which ``data`` has not had, so that the last bytes and the end can go out in one write.
        """
        ...

    def broke(self, fault: Fault) -> None:
        """The answer cannot go on: reset, truncated, garbled, too slow, too large."""
        ...


class Call(Protocol):
    """A request on its way, whose answer goes to a sink."""

    __slots__ = ()

    reused: bool
    """Whether the connection had served before."""

    def pause(self) -> None:
        """Stop reading: the caller is slow. The idle limit does not run meanwhile."""
        ...

    def resume(self) -> None:
        """Read the answer again after a pause."""
        ...

    def abort(self) -> None:
        """Close the connection now and call the sink no more. Harmless after the end."""
        ...


class Taker(Sink, Protocol):
    """Takes one whole answer, and can be waited for."""

    __slots__ = ()

    outcome: "asyncio.Future[None]"
    """Done when it has all of it; a fault when it is none."""

    def attach(self, call: Call) -> None:
        """Keep the call, which runs from here on."""
        ...

    def release(self) -> None:
        """Hang up. Harmless when repeated."""
        ...


class Client(Protocol):
    """Makes calls over pooled connections."""

    __slots__ = ()

    def written(self, request: Request) -> Request:
        """A draft with its credential, as far as nothing has to be waited for; else the request
        itself, which ``open`` writes.

        For who has several to send: sockets that are written to in a row cost less. Raises
        ``Fault`` for a secret that cannot be used.
        """
        ...

    def open_now(self, request: Request, sink: Sink) -> Call | None:
        """As :meth:`open` if a connection is idle, else ``None`` and nothing was done."""
        ...

    async def open(self, request: Request, sink: Sink) -> Call:
        """Write the request and return; the answer goes to ``sink``.

        Raises ``Fault``: UPSTREAM_UNREACHABLE (name, connect, TLS), UPSTREAM_TIMEOUT (connect
        limit), UPSTREAM_BUSY (no connection free within the wait limit). A cancelled ``open``
        leaves nothing behind. When a reused connection dies before any byte of the answer, the
        request is written once more on a fresh one and the sink never knows.
        """
        ...

    async def close(self) -> None:
        """Close idle connections; running calls are the pipeline's to end."""
        ...
