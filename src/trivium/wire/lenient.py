"""Reading of JSON that may be anything; counters come as numbers, and through protobuf as text."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias, TypeVar

import msgspec

_T = TypeVar("_T")
_Data: TypeAlias = bytes | bytearray | memoryview | msgspec.Raw
Decode: TypeAlias = Callable[[_Data], _T]

_NOTHING: Final = frozenset({b"", b"null", b"{}", b"[]", b'""', b"false", b"0"})


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


def error_of(raw: bytes | msgspec.Raw) -> bytes | None:
    """An ``error`` member's bytes, ``None`` when it is absent, null or empty."""
    data = bytes(raw)
    if data in _NOTHING or (data[:1] in (b"{", b"[") and len(data) > 1 and not data[1:-1].strip()):
        return None
    return data


class NonsenseError(ValueError):
    """A counter that is no count. The whole object is then worthless: better an estimate."""


def count(value: Any) -> int:
    """A whole number of at least zero, 0 when absent or null. Raises NonsenseError."""
    if type(value) is int:
        if value >= 0:
            return value
    elif value is None:
        return 0
    elif isinstance(value, str):
        if value.isascii() and value.isdecimal() and len(value) < 19:
            return int(value)
    elif isinstance(value, float) and value.is_integer() and value >= 0:
        return int(value)
    raise NonsenseError
