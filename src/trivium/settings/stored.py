"""Entries that the database has, laid beside those of the file before anything is checked.

So they are checked by the same rules and told in the same words. A name is in one place only: of
two the second is refused, and which one that is, whoever reads the message knows.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from trivium.settings.errors import Path, Problem
from trivium.settings.source import SettingsSource


class StoredEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the database, whole: with its credentials in their places."""

    table: str
    """Where it belongs: ``channels``, ``models``, ``groups`` or ``routing``."""
    name: str
    """Of ``routing`` the same word."""
    version: int
    """The revision at which it was last changed; 0: it is only tried."""
    document: Any
    """As the file's table has it."""
    problems: tuple[Problem, ...] = ()
    """What is wrong with it already, by paths within the document."""

    @property
    def place(self) -> str:
        """Where it is, as messages say it."""
        return f"database, version {self.version}" if self.version else "database"


def lay_in(source: SettingsSource, entries: Sequence[StoredEntry]) -> list[Problem]:
    """Add the entries to the source's data; returns those that cannot be, and what is wrong with
    them already.
    """
    problems: list[Problem] = []
    names: dict[str, dict[Any, Path]] = {}
    for table in ("channels", "models"):
        listed = source.data.get(table, [])
        names[table] = {
            item["name"]: (table, i)
            for i, item in reversed(list(enumerate(listed if isinstance(listed, list) else ())))
            if isinstance(item, dict) and isinstance(item.get("name"), str)
        }
    for entry in entries:
        if entry.table in names:
            problems += _list(source, entry, names[entry.table].get(entry.name))
        elif entry.table == "groups":
            problems += _member(source, entry, entry.name, entry.document)
        else:
            for member, value in entry.document.items():
                problems += _member(source, entry, member, value)
    return problems


def _list(source: SettingsSource, entry: StoredEntry, taken: Path | None) -> list[Problem]:
    listed = source.data.setdefault(entry.table, [])
    if not isinstance(listed, list):
        return []  # which is the file's mistake, and told as such
    path: Path = (entry.table, len(listed))
    listed.append(entry.document)
    source.stored[path] = entry.place
    problems = [Problem((*path, *each.path), each.what, each.example) for each in entry.problems]
    if taken is not None:
        problems.append(Problem((*path, "name"), _taken(source, taken)))
    return problems


def _member(source: SettingsSource, entry: StoredEntry, member: str, value: Any) -> list[Problem]:
    """One price group, or one member of ``[routing]``."""
    table = source.data.setdefault(entry.table, {})
    if not isinstance(table, dict):
        return []
    path: Path = (entry.table, member)
    if member in table:
        what = _taken(source, path)
        source.stored[path] = entry.place
        return [Problem(path, what)]
    table[member] = value
    source.stored[path] = entry.place
    return []


def _taken(source: SettingsSource, path: Path) -> str:
    where = source.place(path) or "the settings file"
    return f"is taken: {where} has it; a name is in the file or in the database, not in both"
