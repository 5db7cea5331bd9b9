"""Counters as vendors write them: numbers, and from JSON that came through protobuf also text."""

from typing import Any


def count(value: Any) -> int | None:
    """A whole number of at least zero, ``None`` for anything else.

    A bad counter must not break an answer that has already been paid for, so it is only ignored.
    """
    if type(value) is int:  # HOT: by far the usual case, once per counter and upstream read
        return value if value >= 0 else None
    if isinstance(value, str):
        digits = value.isascii() and value.isdecimal() and len(value) < 19
        return int(value) if digits else None
    if isinstance(value, float) and value.is_integer() and value >= 0:
        return int(value)
    return None
