"""Problems in the settings, worded so that one look at the file is enough to correct them."""

from typing import Any, Final, TypeAlias

import msgspec

Path: TypeAlias = tuple[str | int, ...]
"""Where a setting is: ``("models", 0, "bindings", 1, "weight")``."""


_LINE_MAX: Final = 900
"""Longer than what any problem takes to be said, with a path or two in it."""
_LONG: Final = 10**30
"""What nobody has counted; Python refuses to write numbers that are longer still."""


class Problem(msgspec.Struct, frozen=True):
    """One thing wrong with one setting."""

    path: Path
    what: str
    """Follows the setting's name: ``must be HOST:PORT, not "8080"``. Never a secret's value."""
    example: str = ""
    """A line of TOML that would be right; empty when ``what`` already says it."""


class SettingsError(Exception):
    """Settings that cannot be used. ``lines`` has one readable line for each problem."""

    def __init__(self, *lines: str) -> None:
        self.lines = tuple(map(_readable, lines))
        super().__init__("\n".join(self.lines))


def _readable(line: str) -> str:
    """Return one line that a terminal can show, however long or odd the text it quotes."""
    if len(line) > _LINE_MAX:
        line = f"{line[: _LINE_MAX * 2 // 3]} [...] {line[-_LINE_MAX // 3 :]}"
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)


def shown(value: Any) -> str:
    """A value as a message shows it: short, quoted where it is text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        text = value if len(value) <= 60 else value[:57] + "..."
        return f'the text "{text}"'.replace("\n", "\\n")
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, int) and abs(value) >= _LONG:
        return "a number of so many digits"
    return str(value)
