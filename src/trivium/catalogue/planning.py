"""Works changes out one after the other, each as if those before it had been made alone: so several
that come at once are written in one transaction, and each was checked as a whole.
"""

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from trivium.catalogue.conditions import check_revision
from trivium.catalogue.documents import DocumentError
from trivium.catalogue.model import (
    CatalogueEntry,
    ChangeAuthor,
    EntryBody,
    EntryDiff,
    EntryName,
    Revision,
    UnfitError,
)
from trivium.catalogue.snapshot import CatalogueSnapshot, entries_after, in_order, whole
from trivium.clock import Clock
from trivium.routing.model import Catalogue
from trivium.settings.errors import SettingsError
from trivium.settings.model import Settings
from trivium.settings.stored import StoredEntry

ENTRIES_MAX: Final = 20_000

Known: TypeAlias = Mapping[EntryName, CatalogueEntry]
"""The entries that there are."""
Former: TypeAlias = Mapping[EntryName, EntryBody]
"""Entries that there were."""
Trial: TypeAlias = Callable[[Sequence[StoredEntry]], tuple[Settings, Catalogue]]
"""Reads the file of this node beside these entries. Takes a while; raises SettingsError."""


class ChangeResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a change."""

    revision: int
    """In force once it is taken up; of a trial the one that it was tried at."""
    change_id: int | None
    """``None``: nothing differs, or it was only tried."""
    diffs: tuple[EntryDiff, ...]
    catalogue: Catalogue | None
    """As it would be; ``None`` where nothing differs."""
    entries: Mapping[EntryName, CatalogueEntry | None]
    """Those that it concerns, right after it; ``None``: one is gone. What others have made of
    them since is not in it.
    """


class ChangeJob(msgspec.Struct, kw_only=True, eq=False):
    """A change that somebody wants."""

    wanted: Callable[[Known, Former], dict[EntryName, EntryBody | None]]
    """What entries are to be, by what there is. Raises CatalogueError and DocumentError."""
    author: ChangeAuthor
    reason: str
    undoes: int | None
    check_at: tuple[int | None] | None
    """The revision that was read of everything; ``None``: that is no condition."""
    may_return: Sequence[EntryName]
    """Entries whose credentials are looked for where they were deleted."""
    size: int
    """Entries that it concerns, at most."""
    outcome: "asyncio.Future[ChangeResult]"


class PlannedChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change as it is to be written."""

    job: ChangeJob
    base: Revision
    new: Revision
    at_ms: int
    diffs: tuple[EntryDiff, ...]
    versions: Mapping[EntryName, int | None]
    """Of its entries as they were; ``None``: one was not there."""
    catalogue: Catalogue
    after: Mapping[EntryName, tuple[CatalogueEntry, StoredEntry] | None]
    """Its entries as they will be read."""

    @property
    def entries(self) -> dict[EntryName, CatalogueEntry | None]:
        """As ``ChangeResult`` has them; of what did not differ nothing is known here."""
        return {at: None if made is None else made[0] for at, made in self.after.items()}


Planned: TypeAlias = PlannedChange | ChangeResult | Exception
"""What is to be written; that nothing differs; or why it cannot be."""


class ChangePlanner:
    """The catalogue as it is after the changes that were worked out so far. For one thread."""

    def __init__(
        self, snapshot: CatalogueSnapshot, former: Former, trial: Trial, clock: Clock
    ) -> None:
        """``former``: entries that were deleted, of those that may come back."""
        self.base = self._revision = snapshot.revision
        self._known = dict(snapshot.entries)
        self._wholes = snapshot.by_name()
        self._former = dict(former)
        self._values_of = snapshot.values_of
        self._trial = trial
        self._clock = clock

    def each(self, jobs: Sequence[ChangeJob]) -> list[Planned]:
        """What comes of each, one after the other. Raises nothing."""
        found: list[Planned] = []
        for job in jobs:
            try:
                found.append(self._planned(job))
            except Exception as error:  # noqa: BLE001 - told to whoever wanted it
                found.append(error)
        return found

    def _planned(self, job: ChangeJob) -> PlannedChange | ChangeResult:
        known = self._known
        bodies = job.wanted(known, self._former)
        diffs = tuple(
            EntryDiff(at=at, before=None if now is None else now.body, after=body)
            for at, body in sorted(bodies.items())
            if body is not (None if (now := known.get(at)) is None else now.body)
        )
        if not diffs:
            return ChangeResult(
                revision=self._revision.value,
                change_id=None,
                diffs=(),
                catalogue=None,
                entries={at: known.get(at) for at in bodies},
            )
        if job.check_at is not None:
            check_revision(job.check_at[0], self._revision, diffs)
        catalogue, made = self._tried(diffs)
        at_ms = int(self._clock.now() * 1000)
        new = Revision(self._revision.value + 1, secrets.token_hex(8))
        planned = PlannedChange(
            job=job,
            base=self._revision,
            new=new,
            at_ms=at_ms,
            diffs=diffs,
            versions={
                diff.at: None if diff.before is None else known[diff.at].version for diff in diffs
            },
            catalogue=catalogue,
            after=entries_after(diffs, made, new, job.author.user_id, at_ms),
        )
        self._go_on(planned)
        return planned

    def _tried(
        self, diffs: Sequence[EntryDiff]
    ) -> tuple[Catalogue, Mapping[EntryName, StoredEntry]]:
        """The catalogue with these entries, and those that are not gone. Raises UnfitError."""
        if len(self._known) + len(diffs) > ENTRIES_MAX:
            raise DocumentError(f"there are at most {ENTRIES_MAX:,} entries")
        entries = dict(self._wholes)
        made: dict[EntryName, StoredEntry] = {}
        for diff in diffs:
            if diff.after is None:
                entries.pop(diff.at, None)
            else:
                made[diff.at] = whole(diff.at, 0, diff.after, self._values_of)
        entries |= made
        try:
            return self._trial(in_order(entries))[1], made
        except SettingsError as error:
            raise UnfitError(*error.lines) from None

    def _go_on(self, planned: PlannedChange) -> None:
        for diff in planned.diffs:
            made = planned.after[diff.at]
            if made is not None:
                self._known[diff.at], self._wholes[diff.at] = made
                self._former.pop(diff.at, None)
                continue
            self._known.pop(diff.at, None)
            self._wholes.pop(diff.at, None)
            if diff.before is not None:
                self._former[diff.at] = diff.before
        self._revision = planned.new
