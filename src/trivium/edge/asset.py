"""GET and HEAD of a generated file by its signed address: no key, one range, as fast as it is read.

What a file may do in a browser is nothing: it is sandboxed, never sniffed, and shown in place only
where its type is a plain picture, sound or film.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final

import structlog

from trivium.assets.address import Standing
from trivium.assets.model import Asset, AssetError
from trivium.faults import Fault, Kind
from trivium.storage.errors import StorageError
from trivium.wire.ranges import Span, Unsatisfiable, span

if TYPE_CHECKING:
    from trivium.assets.service import Assets
    from trivium.edge.exchange import Exchange

_SHOWN: Final = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/webp": "webp",
    "image/gif": "gif",
    "video/mp4": "mp4",
    "audio/mpeg": "mp3",
    "audio/wav": "wav",
}
"""Types that a browser may show in place, with the ending a saved file gets."""

log = structlog.get_logger()


async def serve(exchange: "Exchange", asset_id: str, assets: "Assets") -> None:
    """Answer one request for a file."""
    try:
        asset = await _found(exchange, asset_id, assets)
        part = _part(exchange, asset)
        if _text(exchange.headers.get(b"if-none-match")) == _tag(asset):
            _say(exchange, asset)
            exchange.answer(304, b"")
            return
    except Fault as fault:
        exchange.fail(fault)
        return
    except StorageError as error:
        log.warning("asset_not_looked_up", error=str(error))
        exchange.fail(Fault(Kind.LEDGER_DOWN, "Files cannot be looked up now; try again."))
        return
    start, end = (part.start, part.end) if part else (0, asset.size_bytes)
    _say(exchange, asset)
    if part is not None:
        exchange.extra.append((b"content-range", part.content_range(asset.size_bytes)))
    if exchange.method == "HEAD" or start == end:
        exchange.begin(206 if part else 200, asset.content_type.encode(), length=end - start)
        exchange.finish()
        return
    await _stream(
        exchange, asset, assets.read(asset, start, end), 206 if part else 200, end - start
    )


async def _found(exchange: "Exchange", asset_id: str, assets: "Assets") -> Asset:
    """The file of a good address. Raises ``Fault``."""
    standing = assets.check(
        asset_id, _text(exchange.parameter(b"exp")), _text(exchange.parameter(b"sig"))
    )
    if standing is Standing.FORGED:
        raise Fault(
            Kind.NOT_PERMITTED,
            "This address is not one of ours: it must be used whole, as it was given.",
            param="sig",
        )
    if standing is Standing.EXPIRED:
        raise Fault(Kind.NOT_PERMITTED, "This address has expired.", param="exp")
    asset = await assets.find(asset_id)
    if asset is None:
        raise Fault(Kind.NOT_FOUND, "The file is no longer there.")
    return asset


def _part(exchange: "Exchange", asset: Asset) -> Span | None:
    """The range that is asked for. Raises ``Fault``."""
    condition = _text(exchange.headers.get(b"if-range"))
    if condition is not None and condition != _tag(asset):
        return None
    try:
        return span(exchange.headers.get(b"range"), asset.size_bytes)
    except Unsatisfiable:
        exchange.extra.append((b"content-range", b"bytes */%d" % asset.size_bytes))
        raise Fault(
            Kind.INVALID_VALUE,
            f"The file has {asset.size_bytes} bytes; the range lies outside.",
            param="range",
            status=416,
        ) from None


def _say(exchange: "Exchange", asset: Asset) -> None:
    """Headers of the file, whatever part of it is asked for."""
    ending = _SHOWN.get(asset.content_type)
    if ending is None:
        shown = f'attachment; filename="{asset.id}"'
    else:
        shown = f'inline; filename="{asset.id}.{ending}"'
    exchange.extra += [
        (b"accept-ranges", b"bytes"),
        (b"etag", _tag(asset).encode()),
        (b"cache-control", b"private, no-transform"),
        (b"content-disposition", shown.encode()),
        (b"content-security-policy", b"default-src 'none'; sandbox"),
        (b"cross-origin-resource-policy", b"cross-origin"),
        (b"referrer-policy", b"no-referrer"),
        (b"x-content-type-options", b"nosniff"),
    ]


async def _stream(
    exchange: "Exchange", asset: Asset, pieces: AsyncIterator[bytes], status: int, length: int
) -> None:
    pace = _Pace(exchange)
    exchange.flow = pace
    sent = 0
    try:
        async for piece in pieces:
            if not sent:
                exchange.begin(status, asset.content_type.encode(), length=length)
            sent += len(piece)
            exchange.write(piece)
            await pace.wait()
    except AssetError as error:
        log.warning("asset_not_read", asset=asset.id, error=str(error))
        exchange.fail(Fault(Kind.NOT_FOUND, "The file is no longer there."))
        return
    finally:
        exchange.flow = None
    if sent == length:
        exchange.finish()
    else:
        exchange.break_off()


class _Pace:
    """Stands between a reader and a caller that is slower. See ``Flow``."""

    def __init__(self, exchange: "Exchange") -> None:
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


def _tag(asset: Asset) -> str:
    """What is under an id never changes."""
    return f'"{asset.id}"'


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("latin-1")
