"""Citations of the converse shape as canonical ones.

A citation covers its whole text; only a source with an address means anything in other shapes.
Source: ``Citation`` of botocore 1.44's model of the service, read on 2026-11-28.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.parts import Citation, Native
from trivium.wire import caps
from trivium.wire.converse.answer_structs import ConverseCitation
from trivium.wire.converse.media import SHAPE
from trivium.wire.lenient import decoded, objects_of, string

_decode: Final = msgspec.json.Decoder(ConverseCitation).decode
_ADDRESSES: Final = ("http://", "https://")


def read(raw: bytes | msgspec.Raw) -> Citation | None:
    """One citation; ``None`` when it is no object."""
    seen = decoded(_decode, raw)
    if seen is None:
        return None
    return Citation(
        url=_address(seen),
        title=string(seen.title),
        quoted=pieces(seen.sourceContent) or None,
        native=Native(SHAPE, bytes(raw)),
    )


def answered(raw: bytes | msgspec.Raw) -> tuple[Citation, ...]:
    """Those of a text of an answer. Raises ``Fault`` when there are too many."""
    return tuple(found for row in caps.cited(raw) if (found := read(row)) is not None)


def pieces(value: Any) -> str:
    """The words of a list of texts, as they stand one after the other."""
    return "".join([text for row in objects_of(value) if (text := string(row.get("text")))])


def _address(seen: ConverseCitation) -> str | None:
    """The address of a source: that of a page, or the name of a result that is one."""
    location = seen.location
    web = location.get("web") if isinstance(location, dict) else None
    for found in (web.get("url") if isinstance(web, dict) else None, seen.source):
        if isinstance(found, str) and found.startswith(_ADDRESSES):
            return found
    return None
