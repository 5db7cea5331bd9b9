"""GET and HEAD of a generated file by its signed address: no key, one range, as fast as it is read.

What a file may do in a browser is nothing: it is sandboxed, never sniffed, and shown in place only
where its type is a plain picture, sound or film.
"""

from functools import partial
from typing import TYPE_CHECKING, Final

import structlog

from trivium.assets.address import SignatureCheck
from trivium.assets.model import Asset
from trivium.faults import Fault, Kind
from trivium.pipeline import file
from trivium.pipeline.guard import Guard
from trivium.pipeline.services import Headers

if TYPE_CHECKING:
    from trivium.assets.service import Assets
    from trivium.edge.exchange import Exchange

log = structlog.get_logger()

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


async def serve(exchange: "Exchange", asset_id: str, assets: "Assets") -> None:
    """Answer one request for a file. Never raises."""
    with Guard(exchange, partial(log.error, "file_crashed")):
        asset = await _found(exchange, asset_id, assets)
        if _has(exchange, asset):
            exchange.extra += [*_headers(asset), (b"etag", file.tag(asset))]
            exchange.answer(304, b"")
            return
        await file.send(exchange, asset, file.part(exchange, asset), assets, _headers(asset))


async def _found(exchange: "Exchange", asset_id: str, assets: "Assets") -> Asset:
    """The file of a good address. Raises ``Fault``."""
    standing = assets.check(
        asset_id, _text(exchange.parameter(b"exp")), _text(exchange.parameter(b"sig"))
    )
    if standing is SignatureCheck.FORGED:
        raise Fault(
            Kind.NOT_PERMITTED,
            "This address is not one of ours: it must be used whole, as it was given.",
            param="sig",
        )
    if standing is SignatureCheck.EXPIRED:
        raise Fault(Kind.NOT_PERMITTED, "This address has expired.", param="exp")
    asset = await file.find(assets, asset_id)
    if asset is None:
        raise Fault(Kind.NOT_FOUND, "The file is no longer there.")
    return asset


def _has(exchange: "Exchange", asset: Asset) -> bool:
    """Whether the caller has the file already (RFC 9110, section 13.1.2)."""
    tags = exchange.headers.get(b"if-none-match", b"").split(b",")
    return any(tag.strip().removeprefix(b"W/") in (file.tag(asset), b"*") for tag in tags)


def _headers(asset: Asset) -> Headers:
    """Those of the file, whatever part of it is asked for."""
    ending = _SHOWN.get(asset.content_type)
    if ending is None:
        shown = f'attachment; filename="{asset.id}"'
    else:
        shown = f'inline; filename="{asset.id}.{ending}"'
    return [
        (b"cache-control", b"private, no-transform"),
        (b"content-disposition", shown.encode()),
        (b"content-security-policy", b"default-src 'none'; sandbox"),
        (b"cross-origin-resource-policy", b"cross-origin"),
        (b"referrer-policy", b"no-referrer"),
        (b"x-content-type-options", b"nosniff"),
    ]


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("latin-1")
