"""Newer suggestions, kept beside the journal in place of those that this version came with."""

from pathlib import Path
from typing import Final

from trivium.ledger.errors import LedgerError
from trivium.ledger.suggestions.model import Catalogue, bundled, read

NAME: Final = "suggested-prices.json"


def place(journal: str) -> Path:
    """Where newer suggestions are kept: in the folder that holds the journal's."""
    return Path(journal).absolute().parent / NAME


def current(path: Path) -> Catalogue:
    """The newest suggestions there are: those kept, or those that this version came with.

    Raises ``LedgerError`` when the file is there and is no catalogue.
    """
    shipped = bundled()
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return shipped
    except OSError as exc:
        raise LedgerError(f"{path} cannot be read: {exc.strerror}") from None
    try:
        kept = read(data)
    except LedgerError as exc:
        raise LedgerError(f"{path} {exc}; update it or remove it") from None
    return kept if kept.date > shipped.date else shipped


def keep(path: Path, data: bytes) -> Catalogue:
    """Check a catalogue and put it in place of the kept one, whole or not at all.

    Raises ``LedgerError`` for what is no catalogue, is older than what there is, or cannot be
    written.
    """
    fresh = read(data)
    known = current(path)
    if fresh.date < known.date:
        raise LedgerError(f"is of {fresh.date}, older than what there is, which is of {known.date}")
    beside = path.with_name(f"{path.name}.new")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except OSError as exc:
        raise LedgerError(f"cannot be kept as {path}: {exc.strerror}") from None
    return fresh
