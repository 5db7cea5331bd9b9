"""Loose views of a GenerateContentResponse: what an upstream sends where nobody looks is fine."""

from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.generate.answer_structs import (
    AnswerChunk,
    CallChunk,
    Head,
    Loose,
    Plain,
    StrictChunk,
)
from trivium.wire.lenient import decoded
from trivium.wire.text_repair import MENDED_BYTES_MAX, sound

_chunk: Final = msgspec.json.Decoder(AnswerChunk).decode
chunks: Final = msgspec.json.Decoder(list[AnswerChunk]).decode
"""Many in one array. Raises as ``chunk`` does."""
strict: Final = msgspec.json.Decoder(list[StrictChunk]).decode
"""The same; refuses members that are not read there."""
plain: Final = msgspec.json.Decoder(Plain).decode
"""The same; refuses any member that ``Plain`` has not."""
head: Final = msgspec.json.Decoder(Head).decode
_loose: Final = msgspec.json.Decoder(Loose).decode
_long: Final = msgspec.json.Decoder(CallChunk).decode
_any: Final = msgspec.json.Decoder().decode


def chunk(data: bytes) -> AnswerChunk:
    """One. Raises ``ValueError`` or ``RecursionError`` for what is no such object."""
    try:
        return _chunk(data)
    except UnicodeDecodeError:
        return _chunk(sound(data))


def long(data: bytes) -> CallChunk | None:
    """One of which each pass counts, in one decode; ``None`` where it is short, or takes another.

    Short ones may hold text that is mended before some of it is read.
    """
    return None if len(data) <= MENDED_BYTES_MAX else decoded(_long, data)


class LooseParts:
    """All members of the parts of a chunk that ``chunk`` has read; decoded when first asked."""

    __slots__ = ("_candidates", "_data")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._candidates: list[Any] | None = None

    def at(self, candidate: int, part: int) -> dict[str, msgspec.Raw]:
        """Of one part, by position. Raises ``ValueError`` for what is none."""
        if self._candidates is None:
            self._candidates = list(_loose(sound(self._data)).candidates or ())
        found = self._candidates[candidate]
        parts = found.content.parts if found is not None and found.content is not None else None
        return (parts or [])[part] or {}


def value(raw: msgspec.Raw) -> Any:
    """A member decoded; ``None`` when absent or unreadable."""
    return decoded(_any, raw) if raw else None


def broke() -> Fault:
    """The fault of an answer that is none of this protocol."""
    return Fault(
        Kind.UPSTREAM_BROKE, "The upstream's answer is not one of the generate-content protocol."
    )
