"""A whole images answer: what it says of itself, and with addresses in place of bytes.

Source: the service specification, "Image generation response".
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.errors import nonsense
from trivium.wire.images import usage
from trivium.wire.lenient import decoded, error_of
from trivium.wire.passage import AnswerFacts, RequestFacts
from trivium.wire.peek import members

_ABSENT: Final = msgspec.Raw()
_encode: Final = msgspec.json.Encoder().encode


class AnswerPicture(msgspec.Struct, gc=False):
    """One row of ``data``."""

    b64_json: msgspec.Raw = _ABSENT
    url: str | None = None

    @property
    def is_there(self) -> bool:
        """Whether it has bytes or an address."""
        raw = bytes(self.b64_json)
        return (raw.startswith(b'"') and len(raw) > 2) or bool(self.url)


class ImagesView(msgspec.Struct, gc=False):
    """The members that are looked at."""

    data: list[AnswerPicture] | None = None
    usage: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT
    size: str | None = None
    quality: str | None = None
    output_format: str | None = None


_decode: Final = msgspec.json.Decoder(ImagesView).decode
_rows: Final = msgspec.json.Decoder(list[dict[str, msgspec.Raw]]).decode
_text: Final = msgspec.json.Decoder(str).decode


def view(body: bytes) -> ImagesView:
    """The answer. Raises ``Fault`` (UPSTREAM_BROKE) when it is none.

    An answer without a picture is none: clients take the first, nobody has anything to pay for, and
    another channel may draw.
    """
    if (found := decoded(_decode, body)) is None:
        raise nonsense()
    if error_of(found.error) is None:
        if found.data is None:
            raise nonsense()
        if not any(row.is_there for row in found.data):
            raise Fault(Kind.UPSTREAM_BROKE, "The upstream answered without a picture.")
    return found


def answer(body: bytes) -> AnswerFacts:
    """Usage and error of a 200 answer. Raises ``Fault`` (UPSTREAM_BROKE) on other content."""
    found = view(body)
    return AnswerFacts(usage=used(found, RequestFacts(model="")), error=error_of(found.error))


def used(found: ImagesView, facts: RequestFacts) -> Usage | None:
    """What the vendor reported, with the pictures that came; what it leaves out is as asked."""
    tokens = usage.read(found.usage) if bytes(found.usage) else None
    size, quality = found.size or facts.size, found.quality or facts.quality
    count = sum(row.is_there for row in found.data or ())
    return usage.counted(tokens, count, size, quality)


def pictures(found: ImagesView) -> list[bytes]:
    """The pictures that came as bytes, in base64; empty for one that came by address.

    Raises ``Fault`` (UPSTREAM_BROKE) for a picture that is no text.
    """
    try:
        return [
            _text(row.b64_json).encode() if bytes(row.b64_json) not in (b"", b"null") else b""
            for row in found.data or ()
        ]
    except ValueError:
        raise nonsense() from None


def with_urls(body: bytes, urls: Sequence[str]) -> bytes:
    """The answer with addresses in place of bytes; an empty one leaves its picture as it is."""
    top = members(body)
    rows: list[Any] = []
    for row, url in zip(_rows(top.raw("data") or b"[]"), urls, strict=True):
        kept = {
            name: raw for name, raw in row.items() if not url or name not in ("b64_json", "url")
        }
        rows.append({**kept, **({"url": url} if url else {})})
    return top.splice({"data": _encode(rows)})
