"""Tables of which some rows are imported when somebody first asks for them.

A gateway without the cloud that a row is for never imports its modules. Who asks for a row waits
for the import once: a channel's are asked for while it is configured, a caller's by its first
request, in a thread (``pipeline/late_shapes.py``).
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final, TypeVar

K = TypeVar("K")
V = TypeVar("V")
_APART: Final = ":"


class LateRows(Mapping[K, V]):
    """A mapping whose late rows are names of values, ``module:NAME``, until one looks."""

    def __init__(self, rows: Mapping[K, V], late: Mapping[K, str]) -> None:
        """``late`` rows come after the others."""
        self._rows = dict(rows)
        self._late = dict(late)
        self._order = (*rows, *late)

    def __getitem__(self, key: K) -> V:
        """The value. Raises ``KeyError``; for a name of nothing ``ImportError`` or so."""
        found = self._rows.get(key)
        if found is None:
            module, _, name = self._late[key].partition(_APART)
            found = self._rows[key] = getattr(import_module(module), name)
        return found

    def __contains__(self, key: object) -> bool:
        return key in self._rows or key in self._late

    def __iter__(self) -> Iterator[K]:
        return iter(self._order)

    def __len__(self) -> int:
        return len(self._order)
