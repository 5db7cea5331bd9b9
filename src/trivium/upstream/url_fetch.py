"""The one door for files at strangers' addresses, for upstreams that take bytes and no URLs.

Public addresses only (``upstream/public_addresses.py``), looked at again at each redirect; a limit
on bytes, on time and on redirects; never through the operator's proxy, where somebody else would do
the look-up; no credential, no cookie, no caller's header travels. What came is kept for a while: a
conversation sends its pictures again with every turn, and they must be the same bytes each time.
"""

import asyncio
import ssl
from collections import OrderedDict
from collections.abc import Callable, Sequence
from ipaddress import ip_network
from typing import Final

import msgspec
import structlog

from trivium.faults import Fault, Kind
from trivium.routing.model import TimeLimits
from trivium.settings.model import UpstreamSettings
from trivium.settings.section import FetchSettings
from trivium.upstream import vendor_files
from trivium.upstream.call import Call, HeaderLines
from trivium.upstream.public_addresses import Destination, place

log = structlog.get_logger(__name__)

ENTRY_BYTES: Final = 1_024
"""What a kept file takes beside its bytes and its address, about: empty files fill memory too."""
_POOL: Final = UpstreamSettings(
    keepalive_s=1.0, connections_max=8, wait_s=5.0, header_bytes_max=65_536
)


class FetchedFile(msgspec.Struct, frozen=True):
    """A file that was fetched."""

    mime: str
    """Media type without parameters, in lower case; empty when the server named none."""
    body: bytes


class _Sink:
    """Keeps one answer within a limit. See ``upstream.call.Sink``."""

    def __init__(self, bytes_max: int, ended: "asyncio.Future[Fault | None]") -> None:
        self._bytes_max = bytes_max
        self._ended = ended
        self.status = 0
        self.headers: dict[bytes, bytes] = {}
        self.parts: list[bytes] = []
        self._size = 0

    def head(self, status: int, headers: HeaderLines) -> None:
        """The answer begins; one that says that it is too long is not read."""
        self.status, self.headers = status, dict(headers)
        length = self.headers.get(b"content-length", b"")
        if status == 200 and length.isdigit() and int(length) > self._bytes_max:
            self._end(self._too_large())

    def data(self, data: bytes) -> None:
        """A piece of it."""
        self._size += len(data)
        if self._size > self._bytes_max:
            self._end(self._too_large())
        elif self.status == 200:
            self.parts.append(data)

    def done(self, rest: bytes = b"") -> None:
        """The file has come to its end."""
        if rest:
            self.data(rest)
        self._end(None)

    def broke(self, fault: Fault) -> None:
        """It cannot go on: the stranger's server is not a vendor of ours."""
        del fault
        self._end(_failed("its server broke off or was too slow"))

    def _too_large(self) -> Fault:
        return _failed(f"it is larger than {self._bytes_max} bytes")

    def _end(self, fault: Fault | None) -> None:
        if not self._ended.done():
            self._ended.set_result(fault)


class UrlFetcher:
    """Fetches files and keeps them for a while. Belongs to one loop."""

    def __init__(self, reach: FetchSettings, *, tls: Callable[[], ssl.SSLContext]) -> None:
        loop = asyncio.get_running_loop()
        self.files_max = reach.files_max
        self._reach = reach
        self._now = loop.time
        allowed = tuple(map(ip_network, reach.networks))
        self._client = vendor_files.client(_POOL, tls=tls, now=loop.time, networks=allowed)
        self._kept: OrderedDict[tuple[int, str], tuple[float, FetchedFile]] = OrderedDict()
        self._kept_bytes = 0
        self._asking: dict[tuple[int, str], asyncio.Task[FetchedFile]] = {}

    async def fetch(self, user_id: int, url: str) -> FetchedFile:
        """The file at a URL, for one user. Raises ``Fault`` (INVALID_VALUE) saying why not."""
        key = (user_id, url)
        kept = self._kept.get(key)
        if kept is not None and self._now() - kept[0] < self._reach.kept_s:
            self._kept.move_to_end(key)
            return kept[1]
        task = self._asking.get(key)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._ask(key))
            self._asking[key] = task
            task.add_done_callback(_seen)
        # whoever leaves, others may wait for the same file
        return await asyncio.shield(task)

    async def close(self) -> None:
        """End what runs, close what is open."""
        tasks: Sequence[asyncio.Task[FetchedFile]] = list(self._asking.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._client.close()

    async def _ask(self, key: tuple[int, str]) -> FetchedFile:
        try:
            async with asyncio.timeout(self._reach.timeout_s):
                file = await self._follow(key[1])
        except TimeoutError:
            raise _failed(f"it did not come within {self._reach.timeout_s:g} seconds") from None
        finally:
            self._asking.pop(key, None)
        self._keep(key, file)
        return file

    async def _follow(self, url: str) -> FetchedFile:
        at = place(url)
        for _ in range(self._reach.redirects_max + 1):
            sink = await self._get(at)
            if sink.status in vendor_files.REDIRECTS and b"location" in sink.headers:
                at = place(sink.headers[b"location"].decode("latin-1"), before=at)
                continue
            if sink.status != 200:
                raise _failed(f"its server answered {sink.status}")
            kind = sink.headers.get(b"content-type", b"").decode("latin-1")
            return FetchedFile(kind.partition(";")[0].strip().lower(), b"".join(sink.parts))
        raise _failed(f"it redirects more than {self._reach.redirects_max} times")

    async def _get(self, at: Destination) -> _Sink:
        ended: asyncio.Future[Fault | None] = asyncio.get_running_loop().create_future()
        sink = _Sink(self._reach.bytes_max, ended)
        seconds = self._reach.timeout_s
        limits = TimeLimits(connect=seconds, first_byte=seconds, idle=seconds, total=seconds)
        request = vendor_files.request(at, limits, [(b"connection", b"close")])
        call: Call | None = None
        try:
            call = await self._client.open(request, sink)
            fault = await ended
        except Fault as refused:
            # one text for what is not there and what may not be reached: no map of the network
            log.info("foreign_unreachable", host=at.origin.host, fault=refused.kind.value)
            raise _failed("its server cannot be reached from here") from None
        finally:
            if call is not None:
                call.abort()
        if fault is not None:
            raise fault
        return sink

    def _keep(self, key: tuple[int, str], file: FetchedFile) -> None:
        """The oldest go first; a file larger than all the room is not kept."""
        old = self._kept.pop(key, None)
        if old is not None:
            self._kept_bytes -= _size(key, old[1])
        if len(file.body) > self._reach.kept_bytes_max:
            return
        self._kept[key] = (self._now(), file)
        self._kept_bytes += _size(key, file)
        while self._kept_bytes > self._reach.kept_bytes_max:
            other, (_, gone) = self._kept.popitem(last=False)
            self._kept_bytes -= _size(other, gone)


def _size(key: tuple[int, str], file: FetchedFile) -> int:
    """Bytes of memory that a kept file takes."""
    return len(file.body) + len(key[1]) + ENTRY_BYTES


def _seen(task: "asyncio.Task[FetchedFile]") -> None:
    """Mark a failure as seen: everybody who asked may have left."""
    if not task.cancelled():
        task.exception()


def _failed(why: str) -> Fault:
    return Fault(Kind.INVALID_VALUE, f"The file at this URL cannot be had: {why}.")
