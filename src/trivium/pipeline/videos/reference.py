"""A reference picture as bytes, for upstreams that take neither files nor addresses."""

import base64
import binascii
from typing import Final

from trivium.faults import Fault, Kind
from trivium.pipeline.request_context import RequestContext
from trivium.providers.videos.protocol import ReferencePicture
from trivium.wire.checks import wrong
from trivium.wire.videos.request import Reference

BYTES_MAX: Final = 20_971_520
"""What Google takes in one request."""
_PARAM: Final = "input_reference"
_URL: Final = f"{_PARAM}.image_url"


async def at_hand(context: RequestContext, reference: Reference | None) -> ReferencePicture | None:
    """The picture itself; ``None``: none is asked for. Raises ``Fault``."""
    if reference is None:
        return None
    if reference.part is not None:
        return await _uploaded(context, reference)
    if reference.url[:5].lower() == "data:":
        return _decoded(reference.url)
    return await _fetched(context, reference.url)


async def _uploaded(context: RequestContext, reference: Reference) -> ReferencePicture:
    upload, part = context.exchange.upload, reference.part
    assert upload is not None
    assert part is not None
    if part.size > BYTES_MAX:
        raise wrong(_PARAM, f"have at most {BYTES_MAX} bytes for this model")
    await upload.ready()
    body = await upload.read(part, 0, part.size)
    return ReferencePicture(part.content_type.partition(";")[0].strip().lower(), body)


def _decoded(url: str) -> ReferencePicture:
    head, _, text = url.partition(",")
    try:
        body = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise wrong(_URL, "hold a picture in base64") from None
    return ReferencePicture(head[5:].partition(";")[0].lower(), body)


async def _fetched(context: RequestContext, url: str) -> ReferencePicture:
    foreign, caller = context.services.url_fetcher, context.exchange.caller
    assert caller is not None
    if foreign is None:
        raise Fault(
            Kind.UNREPRESENTABLE,
            f"`{_URL}` must hold the picture itself (`data:image/…;base64,`): the upstream of this "
            "model takes no addresses, and this gateway fetches none.",
            param=_URL,
        )
    try:
        file = await foreign.fetch(caller.user_id, url)
    except Fault as fault:
        raise Fault(fault.kind, fault.message, param=_URL) from None
    return ReferencePicture(file.mime, file.body)
