"""The canonical form of embeddings: texts, and their vectors."""

import msgspec

from trivium.conversation.request import Extension
from trivium.conversation.usage import Usage


class VectorRequest(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A request to embed one text or several."""

    inputs: tuple[str, ...]
    """In order; never empty."""
    dimensions: int | None = None
    """Length of the vectors; ``None``: the model's own."""
    packed: bool = False
    """Whether the caller wants 32-bit floats in base64 instead of numbers."""
    numbers: bool = False
    """Whether it wants numbers beside those."""
    extensions: tuple[Extension, ...] = ()
    """Members that only the caller's shape has."""

    @property
    def size(self) -> int:
        """Return the length of all texts in bytes of UTF-8."""
        return sum(len(text.encode("utf-8", "replace")) for text in self.inputs)


class VectorAnswer(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One vector for each text, in its order."""

    vectors: tuple[list[float], ...]
    usage: Usage | None = None
    """``None`` when the vendor reported none."""
