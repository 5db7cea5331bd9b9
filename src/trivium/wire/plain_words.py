"""Whether a long conversation is words alone, told by how it is made.

``state_refs.is_plain`` searches for each name under which state and references stand, and each
search goes over every byte. A long text is cheaper skimmed once by the parser: turns that have a
role and a text, and nothing else, hold neither. A second member of the same name is not overlooked:
which of both a vendor reads nobody knows.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.wire.member_name import MemberName
from trivium.wire.operation import Shape
from trivium.wire.peek import Members
from trivium.wire.references import ESCAPE
from trivium.wire.state_refs import PARTS, SIGNS

LONG: Final = 16_384
"""Bytes of a body beyond which this is cheaper than to search."""
NAMES_MAX: Final = 512
"""Members of all turns together that are looked at one by one; more of them cost as much as the
searches."""

_SLOTS: Final[Mapping[Shape, str]] = {
    Shape.CHAT: "messages",
    Shape.MESSAGES: "messages",
    Shape.COHERE: "messages",
    Shape.RESPONSES: "input",
    Shape.GENERATE: "contents",
}
"""Where a shape's conversation stands."""
_WORDS: Final[Mapping[Shape, tuple[bytes, ...]]] = {
    shape: PARTS[shape] if shape in PARTS else (*SIGNS[shape], b'"cached', b'"file', ESCAPE)
    for shape in _SLOTS
}
"""What must not stand in the other members, nor be the name of one."""
_QUOTE: Final = ord('"')
_Turn = dict[MemberName, list[dict[MemberName, msgspec.Raw]] | str]


class _CrowdError(Exception):
    """There are too many members to look at each."""


def only_words(members: Members, shape: Shape) -> bool:
    """Whether a request of this shape can neither carry state nor refer to anything.

    ``False``: it may, or nothing is known. Never raises.
    """
    slot = _SLOTS.get(shape)
    if slot is None or members.folded or slot not in members.table:
        return False
    words = _WORDS[shape]
    for name, raw in members.table.items():
        if name == slot:
            continue
        data = b'"%b":%b' % (name.encode(), raw)
        for word in words:
            if data.rfind(word) >= 0:
                return False
    said = members.table[slot]
    if memoryview(said)[0] == _QUOTE:
        return shape is Shape.RESPONSES
    return _are_words(said, in_parts=shape is Shape.GENERATE)


def _are_words(said: msgspec.Raw, *, in_parts: bool) -> bool:
    """Whether these are turns of a role and a text, or of a role and parts that are texts."""
    left = NAMES_MAX

    def named(made: type[MemberName], name: str) -> MemberName:
        nonlocal left
        left -= 1
        if left < 0:
            raise _CrowdError
        return str.__new__(made, name)

    kind: Any = list[_Turn] if in_parts else list[dict[MemberName, msgspec.Raw]]
    try:
        turns = msgspec.json.decode(said, type=kind, dec_hook=named)
    except (_CrowdError, ValueError, RecursionError):
        return False
    is_said = _is_parted if in_parts else _is_said
    return bool(turns) and all(map(is_said, turns))


def _is_said(turn: dict[MemberName, msgspec.Raw]) -> bool:
    """Whether a turn is a role and a text."""
    return _named(turn, "role", "content") and all(map(_is_string, turn.values()))


def _is_parted(turn: _Turn) -> bool:
    """Whether a turn is parts that are texts, with a role or none."""
    if not _named(turn, "role", "parts") and not _named(turn, "parts"):
        return False
    for name, value in turn.items():
        if (str(name) == "role") is not isinstance(value, str):
            return False
        if not isinstance(value, str) and not all(map(_is_text, value)):
            return False
    return True


def _is_text(part: dict[MemberName, msgspec.Raw]) -> bool:
    """Whether a part is a text and nothing else."""
    return _named(part, "text") and all(map(_is_string, part.values()))


def _named(found: Mapping[MemberName, Any], *names: str) -> bool:
    """Whether an object has these members, each once."""
    return len(found) == len(names) and {str(name) for name in found} == set(names)


def _is_string(raw: msgspec.Raw) -> bool:
    return memoryview(raw)[0] == _QUOTE
