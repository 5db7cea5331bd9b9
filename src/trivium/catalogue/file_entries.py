"""What the settings file has of the catalogue, for people: read-only, without its secrets. Pure."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from trivium.catalogue.documents import credentials
from trivium.catalogue.model import CatalogueKind, EntryName
from trivium.catalogue.sealing import hint
from trivium.settings.memory import ParsedFile
from trivium.settings.secrets import REGISTERED


class FileEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that the settings file has, and where."""

    at: EntryName
    place: str
    """``trivium.toml:12``."""
    document: Any
    """Of a secret that stands in the file itself the last characters at most."""


def file_entries(file: ParsedFile | None, path: Path | None) -> Iterator[FileEntry]:
    """The entries of a file in its order; of none where there is none."""
    for at, place, document in _raw(file, path):
        yield FileEntry(at=at, place=place, document=_shown(at, document))


def file_entry(file: ParsedFile | None, path: Path | None, wanted: EntryName) -> FileEntry | None:
    """One of them; ``None``: the file does not have it."""
    for at, place, document in _raw(file, path):
        if at == wanted:
            return FileEntry(at=at, place=place, document=_shown(at, document))
    return None


def file_places(file: ParsedFile | None, path: Path | None) -> dict[EntryName, str]:
    """Where the file has each of them, in its order."""
    return {at: place for at, place, _ in _raw(file, path)}


def _raw(file: ParsedFile | None, path: Path | None) -> Iterator[tuple[EntryName, str, Any]]:
    """Name, place and document as it is written, with its secrets."""
    if file is None:
        return
    for kind in (CatalogueKind.CHANNEL, CatalogueKind.MODEL):
        for i, document in enumerate(file.data.get(kind.plural, ())):
            line = file.lines.get((kind.plural, i), 0)
            yield EntryName(kind.value, document["name"]), f"{path}:{line}", document
    for name, factor in file.data.get("groups", {}).items():
        line = file.lines.get(("groups", name), 0)
        yield EntryName(CatalogueKind.GROUP.value, name), f"{path}:{line}", factor
    if rules := file.data.get("routing"):
        at = EntryName(CatalogueKind.ROUTING.value, CatalogueKind.ROUTING.value)
        yield at, f"{path}:{file.lines.get(('routing',), 0)}", rules


def _shown(at: EntryName, document: Any) -> Any:
    return _masked(at, document) if at.kind == CatalogueKind.CHANNEL.value else document


def _masked(at: EntryName, document: Any) -> Any:
    said: dict[tuple[str | int, ...], str] = {
        path: f"…{hint(text)}"
        for _, path, text in credentials(at, document)
        if not text.startswith(REGISTERED)
    }
    return {name: _inner((name,), value, said) for name, value in document.items()}


def _inner(path: tuple[str | int, ...], value: Any, said: dict[tuple[str | int, ...], str]) -> Any:
    if path in said:
        return said[path]
    if isinstance(value, dict):
        return {name: said.get((*path, name), each) for name, each in value.items()}
    if isinstance(value, list):
        return [said.get((*path, i), each) for i, each in enumerate(value)]
    return value
