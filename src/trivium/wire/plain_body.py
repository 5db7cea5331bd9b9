"""Whether a request is words alone: a few searches in place of one for each thing it might hold.

State of a vendor's (``state_refs.py``) and references to files (``references.py``) stand in parts
that have a type, in calls and their results, or under a member of their own. A body without any of
these words has neither. Where one is found, which may be in a text, the searches for each follow.
"""

from collections.abc import Mapping
from typing import Final

from trivium.wire.operation import Shape
from trivium.wire.references import ESCAPE

_WORDS: Final[Mapping[Shape, tuple[bytes, ...]]] = {
    Shape.CHAT: (b'"type"', b'"tool_call', b'"extra_content"', ESCAPE),
    Shape.RESPONSES: (b'"type"', b'"prompt"', ESCAPE),
    Shape.MESSAGES: (b'"type"', b'"container"', ESCAPE),
}
"""A word may be hidden by an escape. Google's parts have no word in common: their bodies are never
known to be plain."""


def is_plain(body: bytes, shape: Shape) -> bool:
    """Whether a body of this shape can neither carry state nor refer to anything."""
    words = _WORDS.get(shape)
    return words is not None and all(body.rfind(word) < 0 for word in words)
