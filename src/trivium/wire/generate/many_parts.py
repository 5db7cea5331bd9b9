"""Objects of very many parts: their texts put together, and all else counted, before it is read."""

from collections.abc import Iterable
from typing import Final

from trivium.wire.generate.answer_structs import AnswerChunk, AnswerPart

PARTS_APART: Final = 64
"""Parts of one object up to which each text is a piece of its own, as it came."""


def joined(parts: list[AnswerPart | None]) -> Iterable[tuple[int, AnswerPart | None]]:
    """The parts of one object with their places; of very many, texts that go on are one."""
    if len(parts) <= PARTS_APART:
        return enumerate(parts)
    out: list[tuple[int, AnswerPart | None]] = []
    texts: list[str] = []
    last: AnswerPart | None = None
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


def others(body: AnswerChunk) -> int:
    """Parts of an object that are no texts."""
    return sum(
        sum(part is not None and type(part.text) is not str for part in candidate.content.parts)
        for candidate in body.candidates or ()
        if candidate is not None
        and candidate.content is not None
        and candidate.content.parts is not None
    )
