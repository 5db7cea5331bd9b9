"""Members of an answer that no reader of ours knows, found so that their loss is told.

A table names the members that a shape's answers are known to have. One strict decode says whether
there are any others, which is all that an ordinary answer costs; only then are they looked for.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import msgspec

from trivium.conversation.shape_capabilities import Loss
from trivium.wire import json_size
from trivium.wire.lenient import decoded

READ: Final = None
"""Of a table: a member that is read, or that says nothing which another shape could say."""
NOTED: Final = Loss.NOTED
"""Of a table: a member that changes nothing for a caller; the request record tells its loss."""

TOLD: Final = Loss.UNKNOWN
"""Of a table: a member that says something, and that no other shape has a place for."""

Members: TypeAlias = Mapping[str, Any]
"""Name -> ``READ``, ``NOTED``, ``TOLD``, an object's table, or a list of the one of its rows."""
Tell: TypeAlias = Callable[[str, Loss], None]


def all_read(names: str) -> dict[str, Any]:
    """Rows of a table for members that are read, by their names in one text."""
    return dict.fromkeys(names.split(), READ)


def all_noted(names: str) -> dict[str, Any]:
    """Rows of a table for members of which only the request record tells."""
    return dict.fromkeys(names.split(), NOTED)


_NOTHING: Final = frozenset({b"null", b"{}", b"[]", b'""', b"false", b"0"})
_ROWS_MAX: Final = 256
"""Rows of a list that are looked at, once any of them has a member that nobody knows."""
_NAMES_MAX: Final = 256
"""Names that are told of one answer or frame."""
_OBJECTS_MAX: Final = 32_768
"""JSON objects, or twice as many members, among which names are looked for: a turn has no time for
more."""
MANY: Final = "members"
"""What is told where there are more."""
_LONGEST: Final = max(map(len, _NOTHING))
_OBJECT: Final = ord("{")
_LIST: Final = ord("[")
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_rows: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode


def says_nothing(raw: msgspec.Raw) -> bool:
    """Whether a member is absent, or has nothing in it that could be lost."""
    return not len(raw) or (len(memoryview(raw)) <= _LONGEST and bytes(raw) in _NOTHING)


class KnownMembers:
    """The members that one kind of object is known to have."""

    __slots__ = ("_decode", "_table")

    def __init__(self, name: str, table: Members) -> None:
        self._table = MappingProxyType(table)
        self._decode = msgspec.json.Decoder(_strict(name, table)).decode

    def look(self, data: bytes | msgspec.Raw, report: Tell) -> None:
        """Tell of members with something in them that are not known. Never raises."""
        try:
            self._decode(data)
        except (ValueError, RecursionError):
            if len(data) > _OBJECTS_MAX and json_size.exceeds(bytes(data), _OBJECTS_MAX):
                report(MANY, Loss.UNKNOWN)
                return
            for name, loss in itertools.islice(_others(data, self._table), _NAMES_MAX):
                report(name, loss)


def _strict(name: str, table: Members) -> type[msgspec.Struct]:
    """A struct with the known members and room for no other."""
    fields: list[tuple[str, Any, Any]] = []
    for member, inner in table.items():
        if inner is READ:
            fields.append((member, msgspec.Raw, msgspec.Raw()))
        elif isinstance(inner, Loss):
            fields.append((member, None, None))
        else:
            rows = isinstance(inner, list)
            struct = _strict(f"{name}_{member}", inner[0] if rows else inner)
            fields.append((member, (list[struct] if rows else struct) | None, None))  # type: ignore[valid-type]  # made at import
    return msgspec.defstruct(name, fields, gc=False, forbid_unknown_fields=True)


def _others(data: bytes | msgspec.Raw, table: Members) -> Iterator[tuple[str, Loss]]:
    if (members := decoded(_members, data)) is None:
        return
    for name, raw in members.items():
        inner = table.get(name, Loss.UNKNOWN)
        if inner is READ:
            continue
        if isinstance(inner, Loss):
            if not says_nothing(raw):
                yield name, inner
        elif isinstance(inner, list):
            if memoryview(raw)[0] == _LIST:
                for row in _rows(raw)[:_ROWS_MAX]:
                    yield from _others(row, inner[0])
        elif memoryview(raw)[0] == _OBJECT:
            yield from _others(raw, inner)
