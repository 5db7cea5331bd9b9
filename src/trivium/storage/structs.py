"""Rows as structs, and structs as rows, where a column has the name of its field."""

from enum import Enum
from typing import Any, TypeVar

import msgspec

S = TypeVar("S", bound=msgspec.Struct)


def struct_of(kind: type[S], row: Any, /, **given: Any) -> S:
    """Return a row as a struct. ``given``: the fields that are not simply a column's value."""
    names = [name for name in kind.__struct_fields__ if name not in given]
    return kind(**{name: getattr(row, name) for name in names}, **given)


def values_of(struct: msgspec.Struct, /, *but: str, **given: Any) -> dict[str, Any]:
    """Return the values of a struct's row, of an ``Enum`` its value. ``but``: the fields that have
    no column. ``given``: the columns that are not simply a field's value.
    """
    names = [name for name in struct.__struct_fields__ if name not in but and name not in given]
    found = {name: getattr(struct, name) for name in names}
    return {n: v.value if isinstance(v, Enum) else v for n, v in found.items()} | given
