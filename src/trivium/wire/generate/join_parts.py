"""Pieces of a streamed answer that come back one by one, put together.

Google's SDKs keep a streamed answer in the history of a chat as they got it: each piece is a
content of its own, cut in the middle of words. Elsewhere parts are paragraphs, and servers put
line ends between them. Thoughts are cut likewise, and what carries their state comes behind all
their pieces. Source: google-genai 3.4.0, ``chats.py``; llama.cpp's server in xllamacpp
2026.10.11549; both observed 2026-11-21.
"""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from trivium.conversation.items import Part, Role, Turn
from trivium.conversation.parts import Reasoning, ReasoningForm, Text

_ASSISTANT: Final = Role.ASSISTANT


def together(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The turns, with text that goes on in the model's next content as one part, and thoughts too.

    Parts of one content are left as they are, and so is whatever has more to it than words: a
    signature belongs to the exact part it came with. A content of an empty text, as a silence is
    broken with and a stream ends, separates nothing. The same turns where nothing goes on.
    """
    # HOT: in most histories the roles alternate: 8.2 -> 7.3 us for a request of 21 turns
    # (2026-11-24, bench/hot.py --case request.generate.words)
    if not any(map(_follows, turns, turns[1:])):
        return turns
    out: list[Turn] = []
    for role, run in groupby(turns, attrgetter("role")):
        rows = list(run)
        if role is _ASSISTANT and len(rows) > 1:
            rows = _joined([row for row in rows if not _is_silent(row)] or rows[:1])
        out += rows
    return turns if len(out) == len(turns) else tuple(out)


def _joined(rows: Sequence[Turn]) -> list[Turn]:
    """Contents of the model that follow each other."""
    out: list[Turn] = []
    going: list[Turn] = []
    for turn in rows:
        if going and not _goes_on(going[-1], turn):
            out.append(_whole(going))
            going = []
        going.append(turn)
    out.append(_whole(going))
    return out


def _whole(rows: Sequence[Turn]) -> Turn:
    """Contents that go on in the next as one, each of their parts and pieces copied once."""
    if len(rows) == 1:
        return rows[0]
    parts = list(rows[0].parts)
    pieces: list[str] = []
    for row in rows[1:]:
        first, *rest = row.parts
        assert isinstance(first, Text | Reasoning)
        pieces.append(first.text)
        if rest:
            _close(parts, pieces)
            parts += rest
            pieces = []
    _close(parts, pieces)
    return Turn(_ASSISTANT, tuple(parts))


def _close(parts: list[Part], pieces: list[str]) -> None:
    """Give the last text or thought the pieces that came after it."""
    if not pieces:
        return
    last = parts[-1]
    assert isinstance(last, Text | Reasoning)
    words = "".join((last.text, *pieces))
    parts[-1] = Text(words) if type(last) is Text else Reasoning(words, ReasoningForm.SUMMARY)


def _follows(turn: Turn, after: Turn) -> bool:
    return after.role is _ASSISTANT and turn.role is _ASSISTANT


def _goes_on(turn: Turn, after: Turn) -> bool:
    if not turn.parts or not after.parts:
        return False
    last, first = turn.parts[-1], after.parts[0]
    return type(last) is type(first) and _is_words(last) and _is_words(first)


def _is_words(part: Part) -> bool:
    if type(part) is Text:
        return part == Text(part.text)
    return type(part) is Reasoning and part == Reasoning(part.text, ReasoningForm.SUMMARY)


def _is_silent(turn: Turn) -> bool:
    return turn.parts == (Text(""),)
