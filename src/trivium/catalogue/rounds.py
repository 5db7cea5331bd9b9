"""Makes changes of the catalogue: those that wait together in one transaction, each as if it had
been made alone after those before it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final

from trivium.catalogue.conditions import since
from trivium.catalogue.model import (
    CatalogueChange,
    EntryBody,
    EntryDiff,
    EntryName,
    KeptApartError,
    Revision,
    StaleError,
)
from trivium.catalogue.planning import (
    ChangeJob,
    ChangePlanner,
    ChangeResult,
    Former,
    Planned,
    PlannedChange,
    Trial,
)
from trivium.catalogue.snapshot import CatalogueSnapshot
from trivium.clock import Clock
from trivium.observe.audit.model import ActKind
from trivium.observe.audit.service import Audit
from trivium.storage.errors import Conflict, Rejected
from trivium.storage.late import LateModule

if TYPE_CHECKING:
    from trivium.catalogue import store
    from trivium.storage.database import Connection, Database
else:
    store = LateModule("trivium.catalogue.store")

TRIES: Final = 8
"""How often a change is computed anew because others changed something meanwhile."""
ROUND_MAX: Final = 50
"""Changes of one transaction."""
ROUND_ENTRIES_MAX: Final = 200
"""Entries of one transaction, unless one change has more."""
NAMES_PAGE: Final = 400
"""Deleted entries that one query looks for."""
TURN_S: Final = 10.0
"""How long a change waits for those that others make here. After that it is made beside them, and
may have to be computed anew."""
_TOLD: Final = 5
"""Entries that an act names."""


class ChangeRounds:
    """Those of one worker."""

    def __init__(
        self,
        db: "Database",
        clock: Clock,
        snapshot: CatalogueSnapshot,
        trial: Trial,
        in_force: Callable[[], Awaitable[None]],
    ) -> None:
        """As ``CatalogueService`` has it."""
        self._db = db
        self._clock = clock
        self._audit = Audit(db, clock)
        self._snapshot = snapshot
        self._trial = trial
        self._in_force = in_force
        self._turn = asyncio.Lock()
        self._waiting: list[ChangeJob] = []
        self._running: set[asyncio.Future[None]] = set()

    async def tried(self, job: ChangeJob) -> ChangeResult:
        """What a change would come to. Raises what it raises."""
        await self._snapshot.refresh()
        (came,) = await self._planned([job])
        if isinstance(came, Exception):
            raise came
        if isinstance(came, ChangeResult):
            return came
        return ChangeResult(
            revision=came.base.value,
            change_id=None,
            diffs=came.diffs,
            catalogue=came.catalogue,
            entries=came.entries,
        )

    async def made(self, job: ChangeJob) -> ChangeResult:
        """Make a change. Whoever has the turn makes those of all who wait for it. Raises what it
        raises.
        """
        self._waiting.append(job)
        try:
            async with asyncio.timeout(TURN_S):
                await self._turn.acquire()
        except TimeoutError:
            if job in self._waiting:
                self._waiting.remove(job)
                await self._round([job])
            return await job.outcome
        except asyncio.CancelledError:
            if job in self._waiting:
                self._waiting.remove(job)
            raise
        try:
            while job in self._waiting:
                # others wait for it as well: it goes on where this one leaves
                made = asyncio.ensure_future(self._round(self._next()))
                self._running.add(made)
                made.add_done_callback(self._running.discard)
                await asyncio.shield(made)
        finally:
            if job in self._waiting:
                self._waiting.remove(job)
            self._turn.release()
        return await job.outcome

    def _next(self) -> list[ChangeJob]:
        """The first of those who wait, as many as one transaction may have."""
        taken, size = [self._waiting.pop(0)], 0
        while self._waiting and len(taken) < ROUND_MAX:
            size = sum(job.size for job in taken) + self._waiting[0].size
            if size > ROUND_ENTRIES_MAX:
                break
            taken.append(self._waiting.pop(0))
        return taken

    async def _round(self, jobs: Sequence[ChangeJob]) -> None:
        """Make changes in one transaction, each as if it were alone. Every one has an outcome
        then: one that the database refuses does not take the others with it.
        """
        try:
            await self._attempts(jobs)
        except (Conflict, Rejected, StaleError) as error:
            for job in jobs if len(jobs) > 1 else ():
                await self._round([job])
            _fail(jobs, error)
        except Exception as error:  # noqa: BLE001 - told to whoever wanted it
            _fail(jobs, error)

    async def _attempts(self, jobs: Sequence[ChangeJob]) -> None:
        is_read = False
        for _ in range(TRIES):
            jobs = [job for job in jobs if not job.outcome.done()]
            if not jobs:
                return
            base, came = self._snapshot.revision, await self._planned(jobs)
            writes = [each for each in came if isinstance(each, PlannedChange)]
            # what is known is mostly what there is, and nothing is written where it is not: only
            # before somebody is refused is it read
            if len(writes) < len(came) and not is_read:
                is_read = True
                if await self._snapshot.refresh():
                    continue
            ids = await self._written(writes, base) if writes else []
            if ids is not None:
                await self._settled(jobs, came, ids)
                return
            is_read = True
            await self._snapshot.refresh()
        raise KeptApartError("others keep changing the catalogue; please try again")

    async def _settled(
        self, jobs: Sequence[ChangeJob], came: "Sequence[Planned]", ids: Sequence[int]
    ) -> None:
        """Go on to what was written, and tell everybody. ``ids``: of the changes."""
        done: list[tuple[ChangeJob, ChangeResult]] = []
        for job, one in zip(jobs, came, strict=True):
            if isinstance(one, Exception):
                _fail([job], one)
            elif isinstance(one, ChangeResult):
                _tell(job, one)
            else:
                self._snapshot.follow(one.base, one.new, one.after)
                made = ChangeResult(
                    revision=one.new.value,
                    change_id=ids[len(done)],
                    diffs=one.diffs,
                    catalogue=one.catalogue,
                    entries=one.entries,
                )
                done.append((job, made))
        if done:
            await self._in_force()
        for job, made in done:
            _tell(job, made)

    async def _planned(self, jobs: Sequence[ChangeJob]) -> "list[Planned]":
        known = self._snapshot.entries
        former = await self._former(
            [at for job in jobs for at in job.may_return if at not in known]
        )
        planner = ChangePlanner(self._snapshot, former, self._trial, self._clock)
        return await asyncio.to_thread(planner.each, jobs)

    async def _former(self, names: Sequence[EntryName]) -> Former:
        """What entries that were deleted had; their credentials come back with them."""
        found: dict[EntryName, EntryBody] = {}
        for i in range(0, len(names), NAMES_PAGE):
            async with self._db.read() as conn:
                found |= await store.deleted(conn, names[i : i + NAMES_PAGE])
        return found

    async def _written(self, writes: Sequence[PlannedChange], base: Revision) -> list[int] | None:
        """Write changes; their ids, or ``None`` where something was changed meanwhile."""
        async with self._db.write() as conn:
            if await store.advance(conn, base, writes[-1].new.mark, len(writes)) is None:
                return None
            return [await self._write(conn, each) for each in writes]

    async def _write(self, conn: "Connection", each: PlannedChange) -> int:
        author, reason = each.job.author, each.job.reason
        for diff in each.diffs:
            version = each.versions[diff.at]
            if not await store.write(conn, diff, version, each.new, author.user_id, each.at_ms):
                # whoever passed ``advance`` has read all that there is
                raise StaleError(since(diff.at, None))
        told = CatalogueChange(
            id=0,
            revision=each.new.value,
            at_ms=each.at_ms,
            author=author,
            reason=reason,
            undoes=each.job.undoes,
            diffs=each.diffs,
        )
        change_id = await store.record(conn, told, each.new.mark)
        detail: dict[str, str | int] = {"entries": _names(each.diffs), "reason": reason}
        if author.name:
            detail["machine"] = author.name
        if each.job.undoes is not None:
            detail["undoes"] = each.job.undoes
        await self._audit.within(
            conn,
            ActKind.CATALOGUE_CHANGED if each.job.undoes is None else ActKind.CATALOGUE_UNDONE,
            actor=author.user_id,
            what=f"catalogue_change:{change_id}",
            address=author.address,
            agent=author.agent,
            detail=detail,
        )
        return change_id


def _tell(job: ChangeJob, result: ChangeResult) -> None:
    if not job.outcome.done():  # whoever wanted it may have left
        job.outcome.set_result(result)


def _fail(jobs: Sequence[ChangeJob], error: Exception) -> None:
    for job in jobs:
        if not job.outcome.done():
            job.outcome.set_exception(error)


def _names(diffs: Sequence[EntryDiff]) -> str:
    more = f" and {len(diffs) - _TOLD} more" if len(diffs) > _TOLD else ""
    return ", ".join(str(diff.at) for diff in diffs[:_TOLD]) + more
