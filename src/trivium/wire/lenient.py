"""Decoding of JSON that may be anything, with ``None`` in place of an error."""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import msgspec

_T = TypeVar("_T")
_Data: TypeAlias = bytes | bytearray | msgspec.Raw
Decode: TypeAlias = Callable[[_Data], _T]


def decoded(decode: Decode[_T], data: _Data) -> _T | None:
    """What a decoder makes of JSON; ``None`` where it makes nothing of it."""
    try:
        return decode(data)
    except (ValueError, RecursionError):  # msgspec's own and UnicodeDecodeError are ValueErrors
        return None


def string(value: Any) -> str | None:
    """A value that is a text; ``None`` for any other."""
    return value if isinstance(value, str) else None


def objects_of(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none where it is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
