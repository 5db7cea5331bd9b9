"""Changes entries: checked with everything that there is, written at the revision that was checked.

A change is computed from what was read, tried beside the file of this node as ``trivium check``
would, and written if nobody has changed anything meanwhile; else it is computed once more. So what
is in force was checked as a whole, and of two editors of one entry the second is told.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from trivium.catalogue.bodies import BodyMaker
from trivium.catalogue.conditions import check_entry, since
from trivium.catalogue.documents import DocumentError, kept
from trivium.catalogue.file_entries import FileEntry, file_entries, file_entry, file_places
from trivium.catalogue.model import (
    AbsentError,
    CatalogueChange,
    CatalogueEntry,
    ChangeAuthor,
    EntryBody,
    EntryName,
    KeptApartError,
    Revision,
    UnfitError,
)
from trivium.catalogue.planning import ChangeJob, ChangeResult, Former, Known, Trial
from trivium.catalogue.rounds import ChangeRounds
from trivium.catalogue.sealing import CredentialSeal
from trivium.catalogue.snapshot import CatalogueSnapshot
from trivium.clock import Clock
from trivium.settings.memory import ParsedFile
from trivium.storage.late import LateModule

if TYPE_CHECKING:
    from trivium.catalogue import store
    from trivium.storage.database import Database
else:
    store = LateModule("trivium.catalogue.store")

REASON_CHARS_MAX: Final = 500
PAGE_MAX: Final = 200
"""Changes of one page."""


class Condition(msgspec.Struct, frozen=True):
    """What an editor has read of an entry."""

    version: int | None = None
    """It has this version."""
    absent: bool = False
    """There is none."""


class EntryEdit(msgspec.Struct, frozen=True, kw_only=True):
    """What one entry is to be."""

    at: EntryName
    document: Any
    """As a caller sent it; ``None``: it is to be gone."""
    condition: Condition = Condition()


class CatalogueService:
    """The entries of the database, and every way to change them."""

    def __init__(
        self,
        db: "Database",
        clock: Clock,
        seal: CredentialSeal,
        snapshot: CatalogueSnapshot,
        trial: Trial,
        in_force: Callable[[], Awaitable[None]],
        file: Callable[[], tuple[ParsedFile | None, Path | None]],
    ) -> None:
        """``in_force``: returns once this worker has taken up what was changed, or after a while.
        ``file``: returns the settings file as it is in force, and where it is.
        """
        self._db = db
        self._clock = clock
        self._rounds = ChangeRounds(db, clock, snapshot, trial, in_force)
        self._bodies = BodyMaker(seal, snapshot.values_of)
        self._snapshot = snapshot
        self._file = file

    def of_file(self) -> list[FileEntry]:
        """The entries of this node's settings file."""
        return list(file_entries(*self._file()))

    def one_of_file(self, at: EntryName) -> FileEntry | None:
        """One of them; ``None``: the file does not have it."""
        return file_entry(*self._file(), at)

    def places(self) -> dict[EntryName, str]:
        """Where the settings file has each of its entries, in its order: ``trivium.toml:12``."""
        return file_places(*self._file())

    async def everything(self) -> tuple[Revision, Mapping[EntryName, CatalogueEntry]]:
        """The entries as they are now. Raises what ``Database.read`` raises."""
        await self._snapshot.refresh()
        return self._snapshot.revision, self._snapshot.entries

    async def change(
        self,
        edits: Sequence[EntryEdit],
        author: ChangeAuthor,
        *,
        reason: str = "",
        read_at: int | None = None,
        together: bool = False,
        dry_run: bool = False,
    ) -> ChangeResult:
        """Change entries, all or none. ``together``: the condition is ``read_at``, the revision
        that was read of everything. ``dry_run``: only say what it would come to.

        Raises CatalogueError and DocumentError, and what the database raises.
        """

        def wanted(known: Known, former: Former) -> dict[EntryName, EntryBody | None]:
            bodies: dict[EntryName, EntryBody | None] = {}
            lines: list[str] = []
            for edit in edits:
                try:
                    bodies[edit.at] = self._wanted(edit, known.get(edit.at), former, together)
                except DocumentError as error:
                    if not together:
                        raise
                    lines.append(f"{edit.at}: {error}")
            if lines:
                raise UnfitError(*lines)
            return bodies

        if len({edit.at for edit in edits}) != len(edits):
            raise DocumentError("an entry occurs twice")
        check_at = (read_at,) if together else None
        back = [edit.at for edit in edits if kept(edit.at, edit.document)]
        return await self._make(
            wanted, author, reason, check_at=check_at, dry_run=dry_run, may_return=back,
            size=len(edits),
        )  # fmt: skip

    async def undo(
        self, change_id: int, author: ChangeAuthor, *, reason: str = "", dry_run: bool = False
    ) -> ChangeResult:
        """Make everything that a change concerned what it was before, all or nothing.

        Raises AbsentError, KeptApartError where one of them was changed since, and as ``change``.
        """
        change = await self.one_change(change_id)
        if change is None:
            raise AbsentError(f"there is no change {change_id}")
        if change.undone_by is not None:
            raise KeptApartError(f"change {change_id} was undone already, by {change.undone_by}")

        def wanted(known: Known, _: Former) -> dict[EntryName, EntryBody | None]:
            for diff in change.diffs:
                now = known.get(diff.at)
                if (None if now is None else now.version) != (
                    None if diff.after is None else change.revision
                ):
                    raise KeptApartError(since(diff.at, now))
                if diff.before is not None and diff.before.marks and diff.before.sealed is None:
                    raise KeptApartError(f"the former credentials of {diff.at} are no longer kept")
            return {diff.at: diff.before for diff in change.diffs}

        size = len(change.diffs)
        return await self._make(
            wanted, author, reason, undoes=change_id, dry_run=dry_run, size=size
        )

    async def changes(
        self,
        before_id: int | None = None,
        limit: int = 50,
        *,
        kind: str | None = None,
        name: str | None = None,
        user_id: int | None = None,
        entries_max: int | None = None,
    ) -> list[CatalogueChange]:
        """Changes, newest first; of a kind, of one entry, by one user. ``entries_max``: so many
        entries of each at most.
        """
        async with self._db.read() as conn:
            return await store.newest(
                conn,
                before_id,
                min(limit, PAGE_MAX),
                kind=kind,
                name=name,
                user_id=user_id,
                entries_max=entries_max,
            )

    async def one_change(self, change_id: int) -> CatalogueChange | None:
        """A change; ``None``: there is none of this id."""
        async with self._db.read() as conn:
            return await store.change(conn, change_id)

    async def _make(
        self,
        wanted: Callable[[Known, Former], dict[EntryName, EntryBody | None]],
        author: ChangeAuthor,
        reason: str,
        *,
        undoes: int | None = None,
        check_at: tuple[int | None] | None = None,
        dry_run: bool = False,
        may_return: Sequence[EntryName] = (),
        size: int = 1,
    ) -> ChangeResult:
        """As ``ChangeJob`` has it. Changes that meet here are made in turn, and those that wait
        together in one transaction: none has to be computed anew for another of this worker.
        """
        if len(reason) > REASON_CHARS_MAX or not reason.isprintable():
            raise DocumentError(
                f"reason: must be at most {REASON_CHARS_MAX} printable characters on one line"
            )
        job = ChangeJob(
            wanted=wanted,
            author=author,
            reason=reason,
            undoes=undoes,
            check_at=check_at,
            may_return=may_return,
            size=size,
            outcome=asyncio.get_running_loop().create_future(),
        )
        return await (self._rounds.tried(job) if dry_run else self._rounds.made(job))

    def _wanted(
        self, edit: EntryEdit, now: CatalogueEntry | None, former: Former, together: bool
    ) -> EntryBody | None:
        """What an entry is to be; the same object as now where nothing differs."""
        if edit.document is None:
            if now is None and together:
                return None
            if now is None:
                raise AbsentError(f"the database has no {edit.at}")
            body = None
        else:
            current = former.get(edit.at) if now is None else now.body
            body = self._bodies.body(edit.at, edit.document, current, int(self._clock.now() * 1000))
            if body is current and now is not None:
                return body
        if not together:
            check_entry(edit.at, edit.condition.version, absent=edit.condition.absent, now=now)
        return body
