"""One request to a channel outside the relay, to see whether it answers and how soon."""

import asyncio
from collections.abc import Callable

import msgspec

from trivium.faults import Fault
from trivium.providers.base import Provider, VendorRefusal
from trivium.upstream.call import Client, HeaderLines
from trivium.upstream.request import Request

BODY_BYTES_MAX = 1_048_576
"""What is kept of an answer; what it says beyond is not looked at."""


class ChannelTest(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it."""

    status: int
    """The vendor's status; 0 when no answer came."""
    first_byte_s: float | None
    """Until the head of the answer."""
    total_s: float
    body: bytes
    fault: Fault | None
    """Why the channel could not have served a caller; ``None``: it could."""


class _Sink:
    """Keeps an answer. See ``Sink``."""

    def __init__(self, now: Callable[[], float], ended: "asyncio.Future[Fault | None]") -> None:
        self._now = now
        self._ended = ended
        self.status = 0
        self.headers: HeaderLines = ()
        self.parts: list[bytes] = []
        self.first_byte_at: float | None = None
        self._size = 0

    def head(self, status: int, headers: HeaderLines) -> None:
        """Keep the status and the headers, and when they came."""
        self.status, self.headers, self.first_byte_at = status, headers, self._now()

    def data(self, data: bytes) -> None:
        """A piece of it."""
        if self._size < BODY_BYTES_MAX:
            self.parts.append(data)
        self._size += len(data)

    def done(self, rest: bytes = b"") -> None:
        """The answer has come to its end."""
        if rest:
            self.data(rest)
        self._end(None)

    def broke(self, fault: Fault) -> None:
        """It cannot go on."""
        self._end(fault)

    def _end(self, fault: Fault | None) -> None:
        if not self._ended.done():
            self._ended.set_result(fault)


async def check_channel(client: Client, request: Request, provider: Provider) -> ChannelTest:
    """Make one call and wait for its end. Never raises ``Fault``: it is part of the answer."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[Fault | None] = loop.create_future()
    sink = _Sink(loop.time, ended)
    began = loop.time()
    try:
        call = await client.open(request, sink)
        try:
            fault = await ended
        finally:
            call.abort()
    except Fault as refused:
        fault = refused
    body = b"".join(sink.parts)
    if fault is None and not 200 <= sink.status < 300:
        headers = {n.decode("latin-1"): v.decode("latin-1") for n, v in sink.headers}
        fault = provider.failure(
            VendorRefusal(status=sink.status, headers=headers, body=body[:65_536])
        )
    first = sink.first_byte_at
    return ChannelTest(
        status=sink.status,
        first_byte_s=None if first is None else first - began,
        total_s=loop.time() - began,
        body=body,
        fault=fault,
    )
