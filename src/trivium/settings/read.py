"""Walk raw TOML data against the settings' types: every slip is found, not only the first.

What comes out always fits :class:`~trivium.settings.model.Settings`: a setting with a problem is
replaced by its default or left empty, so that the checks after this one can still run.
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import Any, Final

import msgspec
from msgspec import inspect

from trivium.settings.entries import ChannelEntry, ModelEntry
from trivium.settings.errors import Path, Problem, shown
from trivium.settings.memory import ReadMemory
from trivium.settings.model import Settings
from trivium.settings.rules import RULES, Rule
from trivium.settings.rules import rule as rule_of
from trivium.settings.secrets import REGISTERED

_GUESSES: Final = 100
"""Misspelt settings for which a close name is looked for."""
_BAD = object()
"""Stands for a value that had a problem."""
_TABLES: Final = (inspect.StructType, inspect.DictType)
_KEPT: Final[Mapping[Path, type[ChannelEntry | ModelEntry]]] = {
    ("channels",): ChannelEntry,
    ("models",): ModelEntry,
}
"""Lists of which there may be thousands: their items are remembered."""


def read(
    data: dict[str, Any], look_up: Callable[[str], str], memory: ReadMemory | None = None
) -> tuple[Settings, list[Problem]]:
    """Settings out of TOML data, and everything wrong with single values.

    ``look_up`` turns ``env:NAME`` into what it names; it raises ValueError saying why it cannot.
    ``memory``: of earlier readings.
    """
    walk = _Walk(look_up, memory or ReadMemory())
    clean = walk.table(settings_type(), data, ())
    return msgspec.convert(clean, Settings), walk.problems


@cache
def settings_type() -> inspect.StructType:
    """The type of all settings, taken apart: that takes longer than reading a small file does, and
    an edit of the catalogue in the database reads twice.
    """
    top = inspect.type_info(Settings)
    assert isinstance(top, inspect.StructType)
    return top


def rule(path: Path) -> Rule | None:
    """As that of the rules, which thousands of entries ask for the same few."""
    return _rule(tuple([step if isinstance(step, str) else 0 for step in path]))


@lru_cache(maxsize=4_096)
def _rule(path: Path) -> Rule | None:
    return rule_of(path)


class _Walk:
    def __init__(self, look_up: Callable[[str], str], memory: ReadMemory) -> None:
        self._look_up = look_up
        self._memory = memory
        self._looked_up = 0
        self._known: dict[int, tuple[Mapping[str, inspect.Type], tuple[str, ...]]] = {}
        """By the id of a kind, which lives for as long as the walk."""
        self._guesses = _GUESSES
        self.problems: list[Problem] = []

    def _report(self, path: Path, what: str, example: str = "") -> Any:
        self.problems.append(Problem(path, what, example))
        return _BAD

    def table(self, kind: inspect.StructType, raw: dict[str, Any], path: Path) -> dict[str, Any]:
        """A table with a type of its own."""
        fields, required = self._fields(kind)
        clean: dict[str, Any] = {}
        for name, value in raw.items():
            if name not in fields:
                self._unknown(name, list(fields), path)
                continue
            got = self._value(fields[name], value, (*path, name))
            if got is not _BAD:
                clean[name] = got
        for name in required:
            if name not in clean:
                if name not in raw:
                    self._report((*path, name), "is missing")
                clean[name] = 0 if isinstance(fields[name], inspect.IntType) else ""
        return clean

    def _fields(
        self, kind: inspect.StructType
    ) -> tuple[Mapping[str, inspect.Type], tuple[str, ...]]:
        """The types of a table's settings, and which of them are required. Of thousands of tables
        there are a dozen kinds.
        """
        known = self._known.get(id(kind))
        if known is None:
            types = {field.name: field.type for field in kind.fields}
            known = types, tuple(field.name for field in kind.fields if field.required)
            self._known[id(kind)] = known
        return known

    def _unknown(self, name: str, known: list[str], path: Path) -> None:
        close = []
        if self._guesses:  # each takes a millisecond, and there may be a hundred thousand slips
            self._guesses -= 1
            close = get_close_matches(name[:200], known, n=1)
        found = rule((*path, close[0])) if close else None
        if found:
            what = f"is not a setting (did you mean {close[0]}?)"
            self._report((*path, name), what, found.example)
            return
        home = next((s for s in known if not path and f"{s}.{name}" in RULES), None)
        if home:
            self._report((name,), f"is a setting of [{home}]: write it below that line")
        else:
            self._report((*path, name), f"is not a setting; there are {', '.join(known)}")

    def _value(self, kind: inspect.Type, raw: Any, path: Path) -> Any:
        if isinstance(kind, inspect.UnionType):
            if raw is None:
                return None
            kind = next(t for t in kind.types if not isinstance(t, inspect.NoneType))
        if isinstance(kind, inspect.VarTupleType):
            return self._list(kind.item_type, raw, path)
        if not isinstance(kind, _TABLES):
            return self._scalar(kind, raw, path)
        if not isinstance(raw, dict):
            return self._report(path, f"must be a table{_instead(path, raw)}")
        if isinstance(kind, inspect.StructType):
            return self.table(kind, raw, path)
        return self._names(kind.value_type, raw, path)

    def _list(self, item: inspect.Type, raw: Any, path: Path) -> Any:
        if isinstance(raw, list):
            read = self._kept if path in _KEPT else self._value
            items = [read(item, value, (*path, i)) for i, value in enumerate(raw)]
            return [value for value in items if value is not _BAD]
        if isinstance(item, inspect.StructType):
            return self._report(path, "must be a list of tables: double brackets around the name")
        return self._report(path, f"must be a list{_instead(path, raw)}")

    def _kept(self, kind: inspect.Type, raw: Any, path: Path) -> Any:
        """An item that may have been read before. What is looked up may be another by now."""
        known = self._memory.find(raw)
        if known is not None:
            return known
        before = len(self.problems), self._looked_up
        got = self._value(kind, raw, path)
        if got is _BAD or before != (len(self.problems), self._looked_up):
            return got
        entry = msgspec.convert(got, _KEPT[path[:1]])
        self._memory.keep(raw, entry)
        return entry

    def _names(self, kind: inspect.Type, raw: dict[str, Any], path: Path) -> dict[str, Any]:
        found = rule(path)
        clean: dict[str, Any] = {}
        for name, value in raw.items():
            what = found.names(name) if found and found.names else None
            if what:
                self._report((*path, name), what)
                continue
            got = self._value(kind, value, (*path, name))
            if got is not _BAD:
                clean[name] = got
        return clean

    def _scalar(self, kind: inspect.Type, raw: Any, path: Path) -> Any:
        found = rule(path)
        wanted = _misfit(kind, raw)
        if wanted:
            what = f"must be {wanted}{_instead(path, raw)}"
            if path[0] == "models" and "price" in path:
                what = f"must be a decimal in quotes, not {shown(raw)}: a float cannot hold money"
            elif wanted == "text" and not _is_secret(path):
                what += ": put it in quotes"
            return self._report(path, what)
        if isinstance(raw, str) and "\0" in raw:
            return self._report(path, "must not hold a NUL character")
        if found is None:
            return raw
        if found.given is not None and isinstance(raw, str):
            wrong = found.given(raw)
            if wrong:
                return self._report(path, wrong)
        if found.resolved and isinstance(raw, str) and raw.startswith(REGISTERED):
            self._looked_up += 1
            try:
                raw = self._look_up(raw)
            except ValueError as exc:
                return self._report(path, str(exc))
        what = (found.check(raw) if found.check else None) or ""
        return self._report(path, what) if what else raw


def _is_secret(path: Path) -> bool:
    """Whether a value there, or one of those it is made of, may be a password."""
    found = (rule(path), rule((*path, 0)))
    return any(each is not None and each.secret for each in found)


def _instead(path: Path, raw: Any) -> str:
    """Return what was given in place of a valid value, as far as it may be shown."""
    return "" if _is_secret(path) else f", not {shown(raw)}"


def _misfit(kind: inspect.Type, raw: Any) -> str:
    """Return what a scalar should have been; empty when it fits."""
    match kind:
        case inspect.StrType():
            return "" if isinstance(raw, str) else "text"
        case inspect.BoolType():
            return "" if isinstance(raw, bool) else "true or false"
        case inspect.IntType():
            fits = isinstance(raw, int) and not isinstance(raw, bool)
            return "" if fits else "a whole number"
        case inspect.FloatType():
            fits = isinstance(raw, int | float) and not isinstance(raw, bool)
            return "" if fits else "a number"
        case _:
            raise TypeError(f"no reader for settings of type {kind}")
