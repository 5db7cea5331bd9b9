"""Checked reading of decoded JSON: what is wrong is named with its path.

Paths are the caller's own: ``messages[2].content[0].text``.
"""

from typing import Any, Final

from trivium.faults import Fault
from trivium.wire.checks import missing, mistyped

_NAMES: Final = {str: "a string", bool: "a boolean", dict: "an object", list: "an array"}


def wrong_type(path: str, wanted: str, value: Any) -> Fault:
    """The fault for a value of another type."""
    got = _NAMES.get(type(value), "a number" if isinstance(value, int | float) else "null")
    return mistyped(path, f"be {wanted}, not {got}")


def string(members: dict[str, Any], name: str, path: str) -> str:
    """A required string. Raises MISSING_MEMBER, INVALID_TYPE."""
    value = members.get(name)
    if value is None:
        raise missing(f"{path}.{name}")
    if not isinstance(value, str):
        raise wrong_type(f"{path}.{name}", "a string", value)
    return value


def text(members: dict[str, Any], name: str, path: str) -> str | None:
    """A string, ``None`` when absent or null. Raises INVALID_TYPE."""
    value = members.get(name)
    if value is None or isinstance(value, str):
        return value
    raise wrong_type(f"{path}.{name}", "a string", value)


def table(members: dict[str, Any], name: str, path: str) -> dict[str, Any]:
    """A required object. Raises MISSING_MEMBER, INVALID_TYPE."""
    value = members.get(name)
    if value is None:
        raise missing(f"{path}.{name}")
    return mapping(value, f"{path}.{name}")


def mapping(value: Any, path: str) -> dict[str, Any]:
    """A value that must be an object. Raises INVALID_TYPE."""
    if isinstance(value, dict):
        return value
    raise wrong_type(path, "an object", value)


def listed(value: Any, path: str) -> list[Any]:
    """A value that must be an array; null is an empty one. Raises INVALID_TYPE."""
    if value is None:
        return []
    if isinstance(value, list):
        return value
    raise wrong_type(path, "an array", value)
