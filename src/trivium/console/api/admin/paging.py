"""Pages of lists: how many, from where on, and by what they are narrowed."""

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import Enum
from typing import Final, TypeVar

from trivium.console.api.admin.base import AdminRequest, whole
from trivium.console.api.answer import ApiError

PAGE: Final = 50
"""Rows a page, unless the caller says otherwise."""
PAGE_MAX: Final = 200
TEXT_CHARS_MAX: Final = 200
SEARCH_CHARS_MAX: Final = 254
_TRUE: Final = {"true": True, "false": False}
MOMENT_MAX: Final = 253_402_300_799
"""The last second of the year 9999."""
E = TypeVar("E", bound=Enum)
R = TypeVar("R")


def limit(asked: AdminRequest, usual: int = PAGE, most: int = PAGE_MAX) -> int:
    """How many rows are wanted. Raises ApiError (400)."""
    found = whole(asked.query.get("limit", str(usual)))
    if found is None or not 1 <= found <= most:
        raise ApiError(400, f"limit: must be 1 to {most}")
    return found


def number(asked: AdminRequest, name: str, what: str) -> int | None:
    """A number in the address; ``None``: none was sent. Raises ApiError (400)."""
    text = asked.query.get(name)
    if text is None:
        return None
    found = whole(text)
    if found is None:
        raise ApiError(400, f"{name}: must be {what}")
    return found


def word(asked: AdminRequest, name: str, kind: type[E]) -> E | None:
    """One of an enumeration's values; ``None``: none was sent. Raises ApiError (400)."""
    text = asked.query.get(name)
    if text is None:
        return None
    try:
        return kind(text)
    except ValueError:
        known = ", ".join(str(one.value) for one in kind)
        raise ApiError(400, f"{name}: must be one of {known}") from None


def text(asked: AdminRequest, name: str, most: int = TEXT_CHARS_MAX) -> str | None:
    """A short printable text; ``None``: none was sent. Raises ApiError (400)."""
    found = asked.query.get(name)
    if found is None:
        return None
    if not 0 < len(found) <= most or not found.isprintable():
        raise ApiError(400, f"{name}: must be 1 to {most} printable characters")
    return found


def search(asked: AdminRequest) -> str:
    """``q``, which names and addresses are to hold; empty: none was sent. Raises ApiError (400)."""
    found = asked.query.get("q", "")
    if len(found) > SEARCH_CHARS_MAX or not found.isprintable():
        raise ApiError(400, f"q: must be at most {SEARCH_CHARS_MAX} printable characters")
    return found


def truth(asked: AdminRequest, name: str) -> bool | None:
    """``true`` or ``false``; ``None``: none was sent. Raises ApiError (400)."""
    found = asked.query.get(name)
    if found is not None and found not in _TRUE:
        raise ApiError(400, f"{name}: must be true or false")
    return None if found is None else _TRUE[found]


def moment(asked: AdminRequest, name: str) -> int | None:
    """Seconds since the epoch of a moment; ``None``: none was sent. Raises ApiError (400).

    Written as such a number, as a day in UTC, or as RFC 3339 has it.
    """
    given = asked.query.get(name)
    if given is None:
        return None
    found = whole(given)
    if found is None:
        try:
            at = datetime.fromisoformat(given)
            found = int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp())
        except (ValueError, OverflowError):
            found = -1
    if not 0 <= found <= MOMENT_MAX:
        message = "must be seconds since the epoch, 2027-01-01 or 2027-01-01T12:00:00Z"
        raise ApiError(400, f"{name}: {message}")
    return found


def cut(rows: Sequence[R], most: int) -> tuple[Sequence[R], bool]:
    """At most so many rows, of which one more was read, and whether there was one more."""
    return rows[:most], len(rows) > most
