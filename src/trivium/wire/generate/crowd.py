"""Objects of very many parts: their texts put together, and all else counted, before it is read."""

from collections.abc import Iterable
from typing import Final

from trivium.wire.generate.answer_forms import Chunk, Part

PARTS_APART: Final = 64
"""Parts of one object up to which each text is a piece of its own, as it came."""


def joined(parts: list[Part | None]) -> Iterable[tuple[int, Part | None]]:
    """The parts of one object with their places; of very many, texts that go on are one."""
    if len(parts) <= PARTS_APART:
        return enumerate(parts)
    out: list[tuple[int, Part | None]] = []
    texts: list[str] = []
    last: Part | None = None
    for place, part in enumerate(parts):
        if part is not None and type(part.text) is str and part.text and not part.thoughtSignature:
            if last is not None and (last.thought is True) is (part.thought is True):
                texts.append(part.text)
                continue
            if last is not None:
                last.text = "".join(texts)
            last, texts = part, [part.text]
        elif last is not None:
            last.text = "".join(texts)
            last = None
        out.append((place, part))
    if last is not None:
        last.text = "".join(texts)
    return out


def others(body: Chunk) -> int:
    """Parts of an object that are no texts."""
    return sum(
        sum(part is not None and type(part.text) is not str for part in candidate.content.parts)
        for candidate in body.candidates or ()
        if candidate is not None
        and candidate.content is not None
        and candidate.content.parts is not None
    )
