"""Changes entries: checked with everything that there is, written at the revision that was checked.

A change is computed from what was read, tried beside the file of this node as ``trivium check``
would, and written if nobody has changed anything meanwhile; else it is computed once more. So what
is in force was checked as a whole, and of two editors of one entry the second is told.
"""

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from trivium.catalogue.bodies import BodyMaker
from trivium.catalogue.conditions import check_entry, check_revision, since
from trivium.catalogue.documents import DocumentError, kept
from trivium.catalogue.file_entries import FileEntry, file_entries, file_entry, file_places
from trivium.catalogue.model import (
    AbsentError,
    CatalogueChange,
    CatalogueEntry,
    ChangeAuthor,
    EntryBody,
    EntryDiff,
    EntryName,
    KeptApartError,
    Revision,
    StaleError,
    UnfitError,
)
from trivium.catalogue.sealing import CredentialSeal
from trivium.catalogue.snapshot import CatalogueSnapshot, entries_after, in_order, whole
from trivium.clock import Clock
from trivium.observe.audit.model import ActKind
from trivium.observe.audit.service import Audit
from trivium.routing.model import Catalogue
from trivium.settings.errors import SettingsError
from trivium.settings.memory import ParsedFile
from trivium.settings.model import Settings
from trivium.settings.stored import StoredEntry
from trivium.storage.late import LateModule

if TYPE_CHECKING:
    from trivium.catalogue import store
    from trivium.storage.database import Database
else:
    store = LateModule("trivium.catalogue.store")

TRIES: Final = 8
"""How often a change is computed anew because others changed something meanwhile."""
ENTRIES_MAX: Final = 20_000
REASON_CHARS_MAX: Final = 500
PAGE_MAX: Final = 200
"""Changes of one page."""
NAMES_PAGE: Final = 400
"""Deleted entries that one query looks for."""
TURN_S: Final = 10.0
"""How long a change waits for those that others make here. After that it is made beside them, and
may have to be computed anew."""
_TOLD: Final = 5
"""Entries that an act names."""

Known: TypeAlias = Mapping[EntryName, CatalogueEntry]
"""The entries that there are."""
Former: TypeAlias = Mapping[EntryName, EntryBody]
"""Entries that there were."""
Trial: TypeAlias = Callable[[Sequence[StoredEntry]], tuple[Settings, Catalogue]]
"""Reads the file of this node beside these entries. Takes a while; raises SettingsError."""


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


class ChangeResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a change."""

    revision: int
    """In force once it is taken up; of a trial the one that it was tried at."""
    change_id: int | None
    """``None``: nothing differs, or it was only tried."""
    diffs: tuple[EntryDiff, ...]
    catalogue: Catalogue | None
    """As it would be; ``None`` where nothing differs."""


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
        self._audit = Audit(db, clock)
        self._bodies = BodyMaker(seal, snapshot.values_of)
        self._snapshot = snapshot
        self._trial = trial
        self._in_force = in_force
        self._file = file
        self._turn = asyncio.Lock()

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

    def known(self, at: EntryName) -> CatalogueEntry | None:
        """An entry as it was last read or changed here; ``None``: the database has it not."""
        return self._snapshot.entries.get(at)

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
            wanted, author, reason, check_at=check_at, dry_run=dry_run, may_return=back
        )

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

        return await self._make(wanted, author, reason, undoes=change_id, dry_run=dry_run)

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
    ) -> ChangeResult:
        """``may_return``: entries whose credentials are looked for where they were deleted.

        Changes that meet here take turns: none has to be computed anew for another of this worker.
        """
        if len(reason) > REASON_CHARS_MAX or not reason.isprintable():
            raise DocumentError(
                f"reason: must be at most {REASON_CHARS_MAX} printable characters on one line"
            )
        async with contextlib.AsyncExitStack() as turn:
            if not dry_run:
                await self._have_turn(turn)
            return await self._made(wanted, author, reason, undoes, check_at, dry_run, may_return)

    async def _have_turn(self, stack: contextlib.AsyncExitStack) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(TURN_S):
                await stack.enter_async_context(self._turn)

    async def _made(
        self,
        wanted: Callable[[Known, Former], dict[EntryName, EntryBody | None]],
        author: ChangeAuthor,
        reason: str,
        undoes: int | None,
        check_at: tuple[int | None] | None,
        dry_run: bool,
        may_return: Sequence[EntryName],
    ) -> ChangeResult:
        for _ in range(TRIES):
            await self._snapshot.refresh()
            revision, known = self._snapshot.revision, self._snapshot.entries
            former = await self._former([at for at in may_return if at not in known])
            bodies = await asyncio.to_thread(wanted, known, former)
            diffs = tuple(
                EntryDiff(at=at, before=None if now is None else now.body, after=body)
                for at, body in sorted(bodies.items())
                if body is not (None if (now := known.get(at)) is None else now.body)
            )
            if not diffs:
                return ChangeResult(
                    revision=revision.value, change_id=None, diffs=(), catalogue=None
                )
            if check_at is not None:
                check_revision(check_at[0], revision, diffs)
            catalogue, made = await asyncio.to_thread(self._tried, diffs, len(known))
            if dry_run:
                return ChangeResult(
                    revision=revision.value, change_id=None, diffs=diffs, catalogue=catalogue
                )
            at_ms = int(self._clock.now() * 1000)
            done = await self._written(diffs, known, revision, author, reason, undoes, at_ms)
            if done is not None:
                change_id, new = done
                after = entries_after(diffs, made, new, author.user_id, at_ms)
                self._snapshot.follow(revision, new, after)
                await self._in_force()
                return ChangeResult(
                    revision=new.value,
                    change_id=change_id,
                    diffs=diffs,
                    catalogue=catalogue,
                )
        raise KeptApartError("others keep changing the catalogue; please try again")

    async def _former(self, names: Sequence[EntryName]) -> Former:
        """What entries that were deleted had; their credentials come back with them."""
        found: dict[EntryName, EntryBody] = {}
        for i in range(0, len(names), NAMES_PAGE):
            async with self._db.read() as conn:
                found |= await store.deleted(conn, names[i : i + NAMES_PAGE])
        return found

    def _tried(
        self, diffs: Sequence[EntryDiff], known: int
    ) -> tuple[Catalogue, dict[EntryName, StoredEntry]]:
        """The catalogue with these entries, and those that are not gone. Raises UnfitError."""
        if known + len(diffs) > ENTRIES_MAX:
            raise DocumentError(f"there are at most {ENTRIES_MAX:,} entries")
        entries = self._snapshot.by_name()
        made: dict[EntryName, StoredEntry] = {}
        for diff in diffs:
            if diff.after is None:
                entries.pop(diff.at, None)
            else:
                made[diff.at] = whole(diff.at, 0, diff.after, self._snapshot.values_of)
        entries |= made
        try:
            return self._trial(in_order(entries))[1], made
        except SettingsError as error:
            raise UnfitError(*error.lines) from None

    async def _written(
        self,
        diffs: tuple[EntryDiff, ...],
        known: Mapping[EntryName, CatalogueEntry],
        revision: Revision,
        author: ChangeAuthor,
        reason: str,
        undoes: int | None,
        at_ms: int,
    ) -> tuple[int, Revision] | None:
        """Write a change; its id and what it made, or ``None`` where something was changed
        meanwhile.
        """
        async with self._db.write() as conn:
            new = await store.advance(conn, revision, secrets.token_hex(8))
            if new is None:
                return None
            for diff in diffs:
                version = known[diff.at].version if diff.before is not None else None
                if not await store.write(conn, diff, version, new, author.user_id, at_ms):
                    # whoever passed ``advance`` has read all that there is
                    raise StaleError(since(diff.at, known.get(diff.at)))
            told = CatalogueChange(
                id=0,
                revision=new.value,
                at_ms=at_ms,
                author=author,
                reason=reason,
                undoes=undoes,
                diffs=diffs,
            )
            change_id = await store.record(conn, told, new.mark)
            detail: dict[str, str | int] = {"entries": _names(diffs), "reason": reason}
            if author.name:
                detail["machine"] = author.name
            if undoes is not None:
                detail["undoes"] = undoes
            await self._audit.within(
                conn,
                ActKind.CATALOGUE_CHANGED if undoes is None else ActKind.CATALOGUE_UNDONE,
                actor=author.user_id,
                what=f"catalogue_change:{change_id}",
                address=author.address,
                agent=author.agent,
                detail=detail,
            )
        return change_id, new

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


def _names(diffs: Sequence[EntryDiff]) -> str:
    more = f" and {len(diffs) - _TOLD} more" if len(diffs) > _TOLD else ""
    return ", ".join(str(diff.at) for diff in diffs[:_TOLD]) + more
