"""A file of our own store, whole or one range of it, sent as fast as its caller reads.

Memory holds what is between two sockets and no more. The head goes out with the first piece, so a
file that is not there is still an answer in JSON; one that breaks off later is cut, and its length
says so.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Final

import structlog

from trivium.assets.model import Asset, AssetError
from trivium.assets.service import Assets
from trivium.faults import Fault, Kind
from trivium.pipeline.services import Exchange
from trivium.storage.errors import StorageError
from trivium.wire.ranges import ByteRange, Unsatisfiable, span

UNSATISFIABLE: Final = 416
"""The status of a range that lies outside."""

log = structlog.get_logger()


async def find(assets: Assets, asset_id: str) -> Asset | None:
    """A whole file that has not expired. Raises ``Fault`` while nobody can say."""
    try:
        return await assets.find(asset_id)
    except StorageError as error:
        log.warning("asset_not_looked_up", error=str(error))
        raise Fault(Kind.LEDGER_DOWN, "Files cannot be looked up now; try again.") from None


def tag(asset: Asset) -> bytes:
    """Its entity tag: what is under an id never changes."""
    return b'"%b"' % asset.id.encode()


def part(exchange: Exchange, asset: Asset) -> ByteRange | None:
    """The range that is asked for; ``None``: the whole. Raises ``Fault`` (416)."""
    condition = exchange.headers.get(b"if-range")
    if condition is not None and condition != tag(asset):
        return None
    try:
        return span(exchange.headers.get(b"range"), asset.size_bytes)
    except Unsatisfiable:
        exchange.extra.append((b"content-range", b"bytes */%d" % asset.size_bytes))
        raise Fault(
            Kind.INVALID_VALUE,
            f"The file has {asset.size_bytes} bytes; the range lies outside.",
            param="range",
            status=UNSATISFIABLE,
        ) from None


async def send(
    exchange: Exchange,
    asset: Asset,
    asked: ByteRange | None,
    assets: Assets,
    headers: Iterable[tuple[bytes, bytes]] = (),
) -> None:
    """Answer a GET or HEAD with ``asked`` of a file, and with ``headers``.

    Raises ``Fault`` (NOT_FOUND) before the first byte when there is nothing to be read.
    """
    start, end = (asked.start, asked.end) if asked else (0, asset.size_bytes)

    def begin() -> None:
        exchange.extra += [*headers, (b"accept-ranges", b"bytes"), (b"etag", tag(asset))]
        if asked is not None:
            exchange.extra.append((b"content-range", asked.content_range(asset.size_bytes)))
        exchange.begin(206 if asked else 200, asset.content_type.encode(), length=end - start)

    if exchange.method == "HEAD" or start == end:
        begin()
        exchange.finish()
        return
    pace = Pace(exchange)
    exchange.flow = pace
    try:
        await _pump(exchange, pace, begin, assets.read(asset, start, end), end - start)
    finally:
        exchange.flow = None


async def _pump(
    exchange: Exchange,
    pace: "Pace",
    begin: Callable[[], None],
    pieces: AsyncIterator[bytes],
    length: int,
) -> None:
    sent = 0
    try:
        async for piece in pieces:
            if not exchange.begun:
                begin()
            sent += len(piece)
            exchange.write(piece)
            await pace.wait()
    except AssetError as error:
        log.warning("asset_not_read", request_id=exchange.request_id, error=str(error))
    if sent == length:
        exchange.finish()
    elif exchange.begun:
        exchange.break_off()
    else:
        raise Fault(Kind.NOT_FOUND, "The file is no longer there.")


class Pace:
    """Stands between a reader and a caller that is slower. See ``Flow``."""

    def __init__(self, exchange: Exchange) -> None:
        self._free = asyncio.Event()
        if not exchange.congested:
            self._free.set()

    def pause(self) -> None:
        """The caller reads too slowly."""
        self._free.clear()

    def resume(self) -> None:
        """The caller has caught up."""
        self._free.set()

    def interrupt(self, fault: Fault) -> bool:
        """A file cannot end in words of ours: whoever interrupts cancels the task."""
        del fault
        return False

    async def wait(self) -> None:
        """Until more may be written."""
        await self._free.wait()
