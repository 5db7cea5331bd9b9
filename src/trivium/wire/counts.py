"""Counters as vendors write them: numbers, and from JSON that came through protobuf also text."""

from typing import Any


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
