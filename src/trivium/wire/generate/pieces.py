"""Pieces of a streamed answer that come back one by one, put together.

Google's SDKs keep a streamed answer in the history of a chat as they got it: each piece is a
content of its own, cut in the middle of words. Elsewhere parts are paragraphs, and servers put
line ends between them. Source: google-genai 3.4.0, ``chats.py``; llama.cpp's server in xllamacpp
2026.10.11549; both observed 2026-11-21.
"""

from typing import Final

from trivium.conversation.items import Role, Turn
from trivium.conversation.parts import Text

_ASSISTANT: Final = Role.ASSISTANT  # HOT: as in conversation/fit.py


def together(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The turns, with text that goes on in the model's next content as one part.

    Parts of one content are left as they are, and so is whatever has more to it than words: a
    signature belongs to the exact part it came with. The same turns where nothing goes on.
    """
    # HOT: in most histories the roles alternate
    if not any(map(_goes_on, turns, turns[1:])):
        return turns
    out = [turns[0]]
    pieces: list[str] = []
    for turn in turns[1:]:
        if _goes_on(out[-1], turn):
            first, *rest = turn.parts
            assert isinstance(first, Text)
            pieces.append(first.text)
            if not rest:
                continue
            out[-1] = Turn(Role.ASSISTANT, (*_closed(out[-1], pieces).parts, *rest))
        else:
            out[-1] = _closed(out[-1], pieces)
            out.append(turn)
        pieces = []
    out[-1] = _closed(out[-1], pieces)
    return tuple(out)


def _closed(turn: Turn, pieces: list[str]) -> Turn:
    """The turn, its last text with the pieces that came after it."""
    if not pieces:
        return turn
    *parts, last = turn.parts
    assert isinstance(last, Text)
    return Turn(turn.role, (*parts, Text("".join((last.text, *pieces)))))


def _goes_on(turn: Turn, after: Turn) -> bool:
    if after.role is not _ASSISTANT or turn.role is not _ASSISTANT:
        return False
    return _is_words(turn.parts[-1:]) and _is_words(after.parts[:1])


def _is_words(parts: tuple[object, ...]) -> bool:
    return all(type(part) is Text and part == Text(part.text) for part in parts) and bool(parts)
