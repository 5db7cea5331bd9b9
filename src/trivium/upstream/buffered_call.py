"""Short calls whose whole answer is wanted: asked once, answered in one piece."""

import asyncio
from typing import Final

from trivium.faults import Fault, Kind
from trivium.upstream.call import Call, Client, HeaderLines
from trivium.upstream.request import Request

ANSWER_BYTES_MAX: Final = 134_217_728
"""A stored response with images in it."""


async def run(client: Client, request: Request, buffered_call: "BufferedCall") -> None:
    """Make a call and stay until its answer is whole. Raises ``Fault``."""
    call: Call | None = None
    try:
        call = await client.open(request, buffered_call)
        await buffered_call.outcome
    finally:
        if call is not None:
            call.abort()


class BufferedCall:
    """The sink of one short call: takes the whole answer. See ``upstream.call.Sink``."""

    __slots__ = ("_bytes_max", "headers", "outcome", "parts", "size", "status")

    def __init__(self, outcome: asyncio.Future[None], bytes_max: int | None = None) -> None:
        self.outcome = outcome
        """Done when the answer is whole; a fault when it never will be."""
        self._bytes_max = ANSWER_BYTES_MAX if bytes_max is None else bytes_max
        self.status = 0
        self.headers: HeaderLines = ()
        self.parts: list[bytes] = []
        self.size = 0

    def head(self, status: int, headers: HeaderLines) -> None:
        """The status says what the body means."""
        self.status = status
        self.headers = headers

    def data(self, data: bytes) -> None:
        """A piece of the body."""
        self.size += len(data)
        if self.size <= self._bytes_max:
            self.parts.append(data)
        else:
            # whoever waits for the outcome hangs up
            self.parts.clear()
            self.broke(Fault(Kind.UPSTREAM_BROKE, "The upstream's answer is too large."))

    def done(self, rest: bytes = b"") -> None:
        """The body is whole."""
        if rest:
            self.data(rest)
        if not self.outcome.done():
            self.outcome.set_result(None)

    def broke(self, fault: Fault) -> None:
        """The answer cannot go on."""
        if not self.outcome.done():
            self.outcome.set_exception(fault)
