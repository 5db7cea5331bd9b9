"""Decoding of JSON that may be anything, with ``None`` in place of an error."""

from collections.abc import Callable
from typing import TypeAlias, TypeVar

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
