"""Entries out of a file that is written as the settings file is. Pure."""

import datetime as dt
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from trivium.catalogue.model import ROUTING, CatalogueKind, EntryName, UnfitError
from trivium.settings.errors import Path, shown
from trivium.settings.memory import ParsedFile
from trivium.settings.source import dotted

_LISTS: Final = (CatalogueKind.CHANNEL, CatalogueKind.MODEL)
_TABLES: Final = (*(kind.plural for kind in _LISTS), CatalogueKind.GROUP.plural, ROUTING)
_WHOLE_MAX: Final = 2**63
"""Numbers beyond it are nothing that JSON carries."""
_PROBLEM: Final = re.compile(
    r"(?P<where>(?:database: )?)(?P<table>channels|models|groups|routing)"
    r'(?:\["(?P<name>.*?)"\]|\.(?P<member>[^\s:]+))?(?P<rest>(?:\.[\w-]+|\[\d+\])*)'
)
_STEP: Final = re.compile(r"\.([\w-]+)|\[(\d+)\]")
_TIMES: Final = (dt.date, dt.time)


class WrittenEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that a file says there is to be."""

    at: EntryName
    document: Any
    path: Path
    """Where it is in the file."""


class WrittenCatalogue:
    """What a file says that there is to be."""

    def __init__(
        self, name: str, lines: Mapping[Path, int], entries: Sequence[WrittenEntry]
    ) -> None:
        self.name = name
        self._lines = lines
        self.entries = tuple(entries)
        self._paths = {(each.path[0], each.at.name): each.path for each in entries}

    def said(self, problem: str) -> str:
        """A problem of an entry that was tried, with the file's line instead of the database."""
        hit = _PROBLEM.match(problem)
        if hit is None:
            return problem
        table, name = hit["table"], hit["name"] or hit["member"] or ROUTING
        path = self._paths.get((table, ROUTING if table == ROUTING else name))
        if path is None:
            return problem
        if table == ROUTING and name != ROUTING:
            path = (*path, name)
        for step in _STEP.finditer(hit["rest"]):
            path = (*path, step[1] or int(step[2]))
        return f"{self.name}:{line_of(self._lines, path)}: {problem.removeprefix(hit['where'])}"


def read(file: ParsedFile, name: str) -> WrittenCatalogue:
    """The entries of a parsed file, which messages call ``name``. Raises UnfitError with a line for
    everything that is no entry; what entries say is checked by the settings' own rules.
    """
    reading = _Reading(file, name)
    found = list(reading.everything())
    if reading.wrong:
        raise UnfitError(*reading.wrong)
    return WrittenCatalogue(name, file.lines, found)


def line_of(lines: Mapping[Path, int], path: Path) -> int:
    """The line of a setting, or of what it is in; 0: unknown."""
    return next((lines[path[:e]] for e in range(len(path), 0, -1) if path[:e] in lines), 0)


class _Reading:
    def __init__(self, file: ParsedFile, name: str) -> None:
        self._file = file
        self._name = name
        self.wrong: list[str] = []

    def _line(self, path: Path) -> int:
        return line_of(self._file.lines, path)

    def _report(self, path: Path, what: str) -> None:
        self.wrong.append(f"{self._name}:{self._line(path)}: {dotted(path)} {what}")

    def everything(self) -> Iterator[WrittenEntry]:
        """Entries in the order of their kinds; what is none is reported."""
        data = self._file.data
        for table in data:
            if table not in _TABLES:
                self._report((table,), f"is no part of the catalogue: there are {_listed(_TABLES)}")
        for kind in _LISTS:
            yield from self._list(kind, data.get(kind.plural, []))
        for name, factor in self._tables(CatalogueKind.GROUP.plural).items():
            path = (CatalogueKind.GROUP.plural, name)
            if self._fits(path, factor):
                at = EntryName(CatalogueKind.GROUP.value, name)
                yield WrittenEntry(at=at, document=factor, path=path)
        rules = self._tables(ROUTING)
        if ROUTING in data and self._fits((ROUTING,), rules):
            at = EntryName(ROUTING, ROUTING)
            yield WrittenEntry(at=at, document=rules, path=(ROUTING,))

    def _tables(self, name: str) -> dict[str, Any]:
        found = self._file.data.get(name, {})
        if isinstance(found, dict):
            return found
        self._report((name,), f"must be a table, not {shown(found)}")
        return {}

    def _list(self, kind: CatalogueKind, found: Any) -> Iterator[WrittenEntry]:
        table = kind.plural
        if not isinstance(found, list):
            self._report((table,), f"must be a list of tables: [[{table}]]")
            return
        seen: dict[str, int] = {}
        for i, document in enumerate(found):
            path: Path = (table, i)
            if not isinstance(document, dict):
                self._report(path, f"must be a table, not {shown(document)}")
                continue
            name = document.get("name")
            if not isinstance(name, str):
                self._report((*path, "name"), "is missing" if name is None else "must be text")
            elif name in seen:
                self._report((*path, "name"), f"is that of line {seen[name]}, too: {shown(name)}")
            elif self._fits(path, document):
                seen[name] = self._line(path)
                at = EntryName(kind.value, name)
                yield WrittenEntry(at=at, document=document, path=path)

    def _fits(self, path: Path, document: Any) -> bool:
        """Whether JSON can carry every value; else it is reported."""
        before = len(self.wrong)
        left: list[tuple[Path, Any]] = [(path, document)]
        while left:
            at, said = left.pop()
            if isinstance(said, dict):
                left += [((*at, name), inner) for name, inner in said.items()]
            elif isinstance(said, list):
                left += [((*at, i), inner) for i, inner in enumerate(said)]
            elif isinstance(said, _TIMES):
                self._report(at, f'is a day or a time: put it in quotes, "{said.isoformat()}"')
            elif isinstance(said, float) and not math.isfinite(said):
                self._report(at, f"must be a number, not {said}")
            elif isinstance(said, int) and abs(said) >= _WHOLE_MAX:
                self._report(at, f"must be a smaller number, not {shown(said)}")
        return len(self.wrong) == before


def _listed(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
