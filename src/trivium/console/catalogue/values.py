"""Values of documents as fields have them, and back. Pure.

What cannot be read as what it should be stays text: the settings' own check then says what is
wrong with it, in its words.
"""

import re
from typing import Any, Final

import msgspec

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,18}(?:\.[0-9]{1,18})?(?:[eE][+-]?[0-9]{1,3})?")


def said(document: Any, path: str) -> str:
    """A value as its field shows it; empty where there is none."""
    value: Any = document
    for step in path.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def number(typed: str) -> int | float | str | None:
    """A number that was typed; ``None``: nothing was; text that is none stays what it is."""
    typed = typed.strip()
    if not typed:
        return None
    if _WHOLE.fullmatch(typed):
        return int(typed)
    return float(typed) if _DECIMAL.fullmatch(typed) else typed


def put(document: dict[str, Any], path: str, value: Any) -> None:
    """Put a value where its path says, with the tables that it needs; ``None`` is left out."""
    if value is None:
        return
    *above, last = path.split(".", 1) if path.count(".") else [path]
    inner = document
    for step in above:
        inner = inner.setdefault(step, {})
    inner[last] = value


def as_json(value: Any) -> str:
    """A value for people to edit, indented; empty where there is nothing in it."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() if value else ""
