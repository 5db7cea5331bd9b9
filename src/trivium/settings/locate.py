"""Find the line of every setting in a TOML file that ``tomllib`` has already accepted.

``tomllib`` keeps no positions, and an error without a line is a search. Since the text is known to
be valid, this scanner only has to follow its nesting, not to judge it.
"""

import re
import tomllib
from bisect import bisect_right
from typing import Any, Final

from trivium.settings.errors import Path

_PART: Final = r"""(?:"(?:\\.|[^"\\])*+"|'[^']*'|[A-Za-z0-9_-]+)"""
_KEY: Final = re.compile(rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*+")
_BLANK: Final = re.compile(r"(?:[ \t\r\n,]|#[^\n]*)*+")
_STRING: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}(?!")'
    r"|'''.*?'{3,5}(?!')"
    r'|"(?:\\.|[^"\\])*+"'
    r"|'[^']*'",
    re.DOTALL,
)
_BARE: Final = re.compile(r"[^,\[\]{}#\n]+")


def lines(text: str) -> dict[Path, int]:
    """The line, counted from 1, of every table, key and list item of a valid TOML text."""
    return _Scan(text).run()


class _Scan:
    """One pass over one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._ends = [match.start() for match in re.finditer("\n", text)]
        self._found: dict[Path, int] = {}
        self._counts: dict[Path, int] = {}

    def run(self) -> dict[Path, int]:
        """Walk headers and pairs to the end of the text."""
        table: Path = ()
        self._skip()
        while self._at < len(self._text):
            table = self._header() if self._text[self._at] == "[" else self._pair(table)
            self._skip()
        return self._found

    def _skip(self) -> None:
        match = _BLANK.match(self._text, self._at)
        self._at = match.end() if match else self._at

    def _note(self, path: Path) -> None:
        self._found.setdefault(path, bisect_right(self._ends, self._at - 1) + 1)

    def _header(self) -> Path:
        many = self._text.startswith("[[", self._at)
        start = self._at
        self._at += 2 if many else 1
        self._skip()
        names = self._key()
        self._at = self._text.index("]", self._at) + (2 if many else 1)
        end, self._at = self._at, start
        path: Path = ()
        for name in names[:-1]:
            path = (*path, name)
            if path in self._counts:
                path = (*path, self._counts[path] - 1)
        path = (*path, names[-1])
        self._note(path)
        if many:
            count = self._counts.get(path, 0)
            self._counts[path] = count + 1
            path = (*path, count)
            self._note(path)
        self._at = end
        return path

    def _pair(self, table: Path) -> Path:
        start = self._at
        names = self._key()
        end, self._at = self._at, start
        path = table
        for name in names:
            path = (*path, name)
            self._note(path)
        self._at = self._text.index("=", end) + 1
        self._skip()
        self._value(path)
        return table

    def _key(self) -> list[str]:
        match = _KEY.match(self._text, self._at)
        if match is None:
            raise ValueError(f"not a TOML key at offset {self._at}")
        self._at = match.end()
        if '"' not in match.group() and "'" not in match.group():
            return [name.strip() for name in match.group().split(".")]
        names: list[str] = []
        inner: Any = tomllib.loads(f"{match.group()} = 0")
        while isinstance(inner, dict):
            ((name, inner),) = inner.items()
            names.append(name)
        return names

    def _value(self, path: Path) -> None:
        opening = self._text[self._at]
        if opening not in "[{":
            match = _STRING.match(self._text, self._at) or _BARE.match(self._text, self._at)
            self._at = match.end() if match else self._at + 1
            return
        closing = "]" if opening == "[" else "}"
        self._at += 1
        self._skip()
        index = 0
        while self._text[self._at] != closing:
            if opening == "{":
                self._pair(path)
            else:
                self._note((*path, index))
                self._value((*path, index))
                index += 1
            self._skip()
        self._at += 1
