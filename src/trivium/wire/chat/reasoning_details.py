"""``reasoning_details`` of a stream, which come in fragments and go back whole.

An entry is told by its type and its index, or its id where it has no index; its text and summary
grow, and what comes last (the signature) is as good as what came first. Source: OpenRouter's
reference, reasoning tokens, read 2026-11-23.
"""

from typing import Any, Final

_GROWING: Final = ("text", "summary")


class ReasoningDetails:
    """The entries of one stretch of reasoning."""

    __slots__ = ("_known", "_pieces", "_rows")

    def __init__(self) -> None:
        self._rows: list[Any] = []
        self._known: dict[tuple[Any, Any], int] = {}
        """The last entry that goes by a name."""
        self._pieces: dict[tuple[int, str], list[str]] = {}

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._rows)

    def add(self, details: list[Any]) -> None:
        """More entries, or more of the last ones."""
        for row in details:
            name = _name(row)
            at = None if name is None else self._known.get(name)
            if name is None or at is None or not _same(self._rows[at], row):
                if name is not None:
                    self._known[name] = len(self._rows)
                self._rows.append(dict(row) if isinstance(row, dict) else row)
            else:
                self._grow(at, row)

    def whole(self) -> list[Any]:
        """All entries, put together."""
        for (at, member), pieces in self._pieces.items():
            self._rows[at][member] = "".join(pieces)
        self._pieces.clear()
        return self._rows

    def _grow(self, at: int, row: dict[str, Any]) -> None:
        entry = self._rows[at]
        for member, value in row.items():
            before = entry.get(member)
            if member in _GROWING and isinstance(value, str) and isinstance(before, str):
                self._pieces.setdefault((at, member), [before]).append(value)
            elif value is not None:
                entry[member] = value


def _name(row: Any) -> tuple[Any, Any] | None:
    """What the fragments of an entry have in common; ``None``: it comes whole."""
    if not isinstance(row, dict):
        return None
    for member in ("index", "id"):
        value = row.get(member)
        if type(value) is int or (isinstance(value, str) and value):
            kind = row.get("type")
            return (kind if isinstance(kind, str) else "", value)
    return None


def _same(entry: dict[str, Any], row: dict[str, Any]) -> bool:
    """Whether nothing says that they are two: another id, or sealed data, which comes whole."""
    mine, its = entry.get("id"), row.get("id")
    return row.get("data") is None and (mine is None or its is None or mine == its)
