"""All entries in memory, no older than a poll: one row is asked for, and what was changed is read.

What was changed since is told by the changes themselves. Where the database is a backup that was
put back, its numbers may come again for something else: the mark of a change is at random, and
where it is not the one that was known, everything is read.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from trivium.catalogue.documents import credentials, unsealed
from trivium.catalogue.model import (
    CatalogueEntry,
    CatalogueKind,
    EntryBody,
    EntryDiff,
    EntryName,
    Revision,
)
from trivium.catalogue.sealing import CredentialSeal
from trivium.settings.errors import Problem
from trivium.settings.stored import StoredEntry
from trivium.storage.late import LateModule
from trivium.storage.vault import VaultError

if TYPE_CHECKING:
    from trivium.catalogue import store
    from trivium.storage.database import Connection, Database
else:
    store = LateModule("trivium.catalogue.store")

PAGE: Final = 400
"""Entries of one query; a few milliseconds of the event loop."""
LIMIT_S: Final = 5.0
"""One query. A frozen database must not keep the watch from noticing that it is back."""
_ORDER: Final = {kind.value: i for i, kind in enumerate(CatalogueKind)}


class CatalogueSnapshot:
    """Entries of the database as they were last read, whole and with their credentials."""

    def __init__(self, db: "Database", seal: CredentialSeal) -> None:
        self._db = db
        self._seal = seal
        self._reading = asyncio.Lock()
        self.revision = Revision()
        self.entries: Mapping[EntryName, CatalogueEntry] = {}
        self._whole: dict[EntryName, StoredEntry] = {}

    @property
    def whole(self) -> tuple[StoredEntry, ...]:
        """The entries as settings are read from them, in an order that stays."""
        return in_order(self._whole)

    def by_name(self) -> dict[EntryName, StoredEntry]:
        """The same by their names, in a copy."""
        return dict(self._whole)

    def whole_of(self, at: EntryName) -> StoredEntry | None:
        """One of them; ``None``: it is not there."""
        return self._whole.get(at)

    async def refresh(self) -> bool:
        """Read what has changed; returns whether anything has. Raises what ``Database.read``
        raises, and what was known stays.
        """
        async with self._reading:
            base, known_entries, known_wholes = self.revision, self.entries, self._whole
            async with self._db.read(LIMIT_S) as conn:
                if await store.current(conn) == base:
                    return False
            # all in one transaction: what was changed together is seen together
            async with self._db.read() as conn:
                now = await store.current(conn)
                known = base.value
                mark = await store.mark_of(conn, known) if 0 < known < now.value else None
                if known and mark == base.mark:
                    read, entries = await _touched(conn, known), dict(known_entries)
                else:
                    read, entries = await _all(conn), {}
            left = {at: known_wholes[at] for at in entries if at not in read}
            found = [entry for entry in read.values() if entry is not None]
            for at in read:
                entries.pop(at, None)
            entries |= {entry.at: entry for entry in found}
            # in a thread: each credential takes a key of its own
            opened = await asyncio.to_thread(self._opened, found)
            if self.revision == base:  # else this process has gone on meanwhile: it is read next
                self.entries, self._whole, self.revision = entries, left | opened, now
            return True

    def follow(
        self,
        base: Revision,
        now: Revision,
        written: Mapping[EntryName, tuple[CatalogueEntry, StoredEntry] | None],
    ) -> None:
        """Go on to what this process itself has made of ``base``; ``None``: an entry is gone.
        Nothing needs to be read: no other change can lie between the two. Where ``base`` is not
        what is known, what is known was read since then.
        """
        if self.revision != base:
            return
        entries, wholes = dict(self.entries), dict(self._whole)
        for at, made in written.items():
            if made is None:
                entries.pop(at, None)
                wholes.pop(at, None)
            else:
                entries[at], wholes[at] = made
        self.entries, self._whole, self.revision = entries, wholes, now

    async def seal_anew(self) -> int:
        """Seal with the current key what an older one sealed, so that the older can be taken out;
        returns how many entries. What does not open stays as it is. Raises as ``Database.write``.
        """
        older = [
            entry
            for entry in self.entries.values()
            if entry.body.sealed is not None and not self._seal.is_current(entry.body.sealed)
        ]
        done = 0
        for entry in older:
            with contextlib.suppress(VaultError):
                values = self.values_of(entry.at, entry.body)
                sealed = self._seal.seal(entry.at.kind, entry.at.name, values)
                async with self._db.write() as conn:
                    await store.reseal(conn, entry, sealed)
                done += 1
        return done

    def _opened(self, entries: Iterable[CatalogueEntry]) -> dict[EntryName, StoredEntry]:
        return {
            entry.at: whole(entry.at, entry.version, entry.body, self.values_of)
            for entry in entries
        }

    def values_of(self, at: EntryName, body: EntryBody) -> dict[str, str]:
        """The credentials of an entry by their places. Raises ``VaultError``."""
        return {} if body.sealed is None else self._seal.open(at.kind, at.name, body.sealed)


async def _touched(conn: "Connection", since: int) -> dict[EntryName, CatalogueEntry | None]:
    """Entries that were changed since a revision; ``None`` for one that is gone."""
    read: dict[EntryName, CatalogueEntry | None] = {}
    after = None
    while True:
        names = await store.touched(conn, since, after, PAGE)
        found = await store.named(conn, names) if names else []
        read |= dict.fromkeys(names) | {entry.at: entry for entry in found}
        if len(names) < PAGE:
            return read
        after = names[-1]
        await asyncio.sleep(0)  # a page at a time: requests come in between


async def _all(conn: "Connection") -> dict[EntryName, CatalogueEntry | None]:
    read: dict[EntryName, CatalogueEntry | None] = {}
    after = None
    while True:
        page = await store.page(conn, after, PAGE)
        read |= {entry.at: entry for entry in page}
        if len(page) < PAGE:
            return read
        after = page[-1].at
        await asyncio.sleep(0)


def whole(
    at: EntryName,
    version: int,
    body: EntryBody,
    values_of: Callable[[EntryName, EntryBody], dict[str, str]],
) -> StoredEntry:
    """An entry with its credentials in their places, and what is wrong where they do not open."""
    problems: tuple[Problem, ...] = ()
    try:
        values = values_of(at, body)
    except VaultError:
        values = {}
    if body.marks:
        what = (
            "cannot be opened: it was sealed with another secret than this gateway's "
            "(TRIVIUM_SECRET, or the key file beside the journal). Give it again, or start with "
            "the secret that it was sealed with"
        )
        lost = {mark.at for mark in body.marks} - values.keys()
        problems = tuple(
            Problem(path, what)
            for place, path, _ in credentials(at, body.document)
            if place in lost
        )
    return StoredEntry(
        table=CatalogueKind(at.kind).plural,
        name=at.name,
        version=version,
        document=unsealed(at, body.document, values),
        problems=problems,
    )


def in_order(entries: Mapping[EntryName, StoredEntry]) -> tuple[StoredEntry, ...]:
    """Entries by kind and name: channels first, as the file has them."""
    names = sorted(entries, key=lambda at: (_ORDER[at.kind], at.name))
    return tuple(entries[at] for at in names)


def entries_after(
    diffs: Sequence[EntryDiff],
    made: Mapping[EntryName, StoredEntry],
    new: Revision,
    author: int | None,
    at_ms: int,
) -> dict[EntryName, tuple[CatalogueEntry, StoredEntry] | None]:
    """What a change has made of its entries, as it would be read; ``None``: one is gone. The
    documents are the very ones that were tried, so that they are not checked once more.
    """
    return {
        diff.at: None
        if diff.after is None
        else (
            CatalogueEntry(
                at=diff.at,
                version=new.value,
                body=diff.after,
                updated_ms=at_ms,
                updated_by=author,
            ),
            msgspec.structs.replace(made[diff.at], version=new.value),
        )
        for diff in diffs
    }
