"""Entries as the pages have them, wherever they are: of the file read-only, with their line."""

import asyncio
from typing import Any, Final

import msgspec
from starlette.requests import Request

from trivium.catalogue.model import (
    CatalogueEntry,
    CatalogueKind,
    ChangeAuthor,
    CredentialMark,
    EntryName,
)
from trivium.console import session
from trivium.console.context import Console

_START_DIGITS: Final = 8


class ShownEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the file or of the database."""

    at: EntryName
    document: Any
    """Without its credentials: a reference to each, or of the file its last characters."""
    place: str = ""
    """``trivium.toml:12``; empty: the database has it."""
    version: int = 0
    """Of the database's; 0: the file has it."""
    marks: tuple[CredentialMark, ...] = ()
    updated_ms: int = 0
    updated_by: int | None = None

    @property
    def name(self) -> str:
        """By which it is asked for."""
        return self.at.name


def named(kind: CatalogueKind, name: str) -> EntryName:
    """The name of an entry."""
    return EntryName(kind.value, name)


async def one(console: Console, at: EntryName) -> ShownEntry | None:
    """An entry as it is now; ``None``: there is none. Raises what the database raises."""
    _, entries = await console.catalogue.everything()
    entry = entries.get(at)
    if entry is not None:
        return stored(entry)
    found = await asyncio.to_thread(console.catalogue.one_of_file, at)
    if found is None:
        return None
    return ShownEntry(at=at, document=found.document, place=found.place)


async def listed(console: Console, kind: CatalogueKind) -> list[ShownEntry]:
    """All of a kind: the file's in its order, then the database's by name."""
    _, entries = await console.catalogue.everything()

    def read() -> list[ShownEntry]:
        return [
            *(
                ShownEntry(at=each.at, document=each.document, place=each.place)
                for each in console.catalogue.of_file()
                if each.at.kind == kind.value
            ),
            *(stored(entries[at]) for at in sorted(entries) if at.kind == kind.value),
        ]

    # thousands take longer than others should wait
    return await asyncio.to_thread(read)


async def names(console: Console, kind: CatalogueKind) -> dict[str, str]:
    """The name of each of a kind, and its place in the file; empty: the database has it."""
    _, entries = await console.catalogue.everything()

    def read() -> dict[str, str]:
        of_file = {at.name: place for at, place in console.catalogue.places().items()
                   if at.kind == kind.value}  # fmt: skip
        return of_file | {at.name: "" for at in sorted(entries) if at.kind == kind.value}

    return await asyncio.to_thread(read)


def stored(entry: CatalogueEntry) -> ShownEntry:
    """An entry of the database, as the pages have it."""
    return ShownEntry(
        at=entry.at,
        document=entry.body.document,
        version=entry.version,
        marks=entry.body.marks,
        updated_ms=entry.updated_ms,
        updated_by=entry.updated_by,
    )


def start_of(request: Request) -> int:
    """Where the page of a list begins, as its query says; the beginning for anything else."""
    said = request.query_params.get("from", "")
    return int(said) if said.isascii() and said.isdigit() and len(said) <= _START_DIGITS else 0


def author(request: Request) -> ChangeAuthor:
    """The administrator of a page, who is about to change something."""
    who = session.visitor(request)
    return ChangeAuthor(user_id=session.user_of(request).id, address=who.address, agent=who.agent)
