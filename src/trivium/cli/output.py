"""What commands print: data on standard output, everything said about it on standard error.

Tables are plain text, so that they read well in a log and cost nothing to import.
"""

import csv
import io
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from trivium.faults import Fault
from trivium.identity.errors import IdentityError
from trivium.ledger.errors import LedgerError
from trivium.settings.errors import SettingsError
from trivium.storage.errors import StorageError
from trivium.storage.root_key import RootKeyError

NONE: Final = "-"
"""How a table shows that there is nothing to show."""


class CommandFailed(Exception):  # noqa: N818 - it ends a command, it is not a bug
    """A command cannot do what it was asked. The message is one readable line."""

    def __init__(self, message: str, *, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


def for_any_terminal() -> None:
    """Escape what a terminal cannot show, and lose what is said to a closed output."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the process lives
    elif isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


_log_lines: Callable[[str], None] | None = None


def as_log_lines(say: Callable[[str], None] | None) -> None:
    """Pass what is not data to ``say`` from now on, because programs read the log of this process.
    ``None``: print plain lines to standard error, as at first.
    """
    global _log_lines  # noqa: PLW0603 - standard error is one as well
    _log_lines = say


def note(text: str) -> None:
    """Print something that is not data. Control characters in it become ``?``."""
    if _log_lines is not None:
        _log_lines(text)
        return
    # what somebody else wrote may be in it: a vendor, a store of secrets, a row of the database
    print("\n".join(map(printable, text.split("\n"))), file=sys.stderr, flush=True)


def warn(text: str) -> None:
    """Print a warning: something may be a mistake but does not stop the command."""
    note(f"warning: {text}")


def fail(text: str) -> None:
    """Print why a command failed."""
    note(f"trivium: {text}")


def as_json(value: Any) -> None:
    """Print a value as JSON, indented for people and stable for programs."""
    _for_programs()
    print(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def as_csv(heads: Sequence[str]) -> Callable[[Iterable[Sequence[str]]], None]:
    """Print the heads of a CSV file, and return a function that prints rows of it."""
    _for_programs()
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(heads)
    return rows.writerows


def _for_programs() -> None:
    """JSON and CSV are UTF-8 whatever the terminal is: an escape in them would be other data."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return columns that line up. Control characters in the data become ``?``."""
    clean = [tuple(printable(cell) for cell in row) for row in (heads, *rows)]
    widths = [max(map(len, column)) for column in zip(*clean, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in clean
    )


def counted(number: int, one: str, several: str = "") -> str:
    """``1 channel`` or ``2 channels``. ``several``: the plural that is not ``one`` with an s."""
    return f"{number} {one if number == 1 else several or one + 's'}"


def printable(text: str) -> str:
    """Return text that cannot move the cursor or colour the terminal, wherever it comes from."""
    return "".join(c if c.isprintable() else "?" for c in text)


def moment(seconds: float | None) -> str:
    """A time as ``2027-01-01 23:59 UTC``; ``-`` for none."""
    if seconds is None:
        return NONE
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def exit_code(exc: BaseException) -> int | None:
    """Say why and return the exit code; ``None`` for an exception that nobody foresaw."""
    if isinstance(exc, SettingsError):
        for line in exc.lines:
            fail(line)
        return 1
    if isinstance(
        exc, CommandFailed | StorageError | RootKeyError | IdentityError | LedgerError | Fault
    ):
        fail(str(exc))
        return exc.code if isinstance(exc, CommandFailed) else 1
    return None
