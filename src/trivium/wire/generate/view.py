"""Loose views of a GenerateContentResponse: what an upstream sends where nobody looks is fine."""

from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.generate.answer_forms import Chunk, Head, Loose, Plain, Strict

chunk: Final = msgspec.json.Decoder(Chunk).decode
"""Raises ``ValueError`` or ``RecursionError`` for what is no such object."""
chunks: Final = msgspec.json.Decoder(list[Chunk]).decode
"""The same for many in one array."""
strict: Final = msgspec.json.Decoder(list[Strict]).decode
"""The same; refuses members that are not read there."""
plain: Final = msgspec.json.Decoder(Plain).decode
"""The same; refuses any member that ``Plain`` has not."""
head: Final = msgspec.json.Decoder(Head).decode
_loose: Final = msgspec.json.Decoder(Loose).decode
_any: Final = msgspec.json.Decoder().decode


def loose_part(data: bytes, candidate: int, part: int) -> dict[str, msgspec.Raw]:
    """All members of one part of a chunk that ``chunk`` has read, by position."""
    found = (_loose(data).candidates or [])[candidate]
    parts = found.content.parts if found is not None and found.content is not None else None
    return (parts or [])[part] or {}


def value(raw: msgspec.Raw) -> Any:
    """A member decoded; ``None`` when absent or unreadable."""
    if not raw:
        return None
    try:
        return _any(raw)
    except (ValueError, RecursionError):
        return None


def broke() -> Fault:
    """The fault of an answer that is none of this protocol."""
    return Fault(
        Kind.UPSTREAM_BROKE, "The upstream's answer is not one of the generate-content protocol."
    )
