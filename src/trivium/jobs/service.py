"""Jobs and their money: every step is one transaction, so that a kill leaves no half of one.

A job and its hold are written before its upstream is asked, and they end together: whoever finds
the job ended first books its entry or gives the hold back, and nobody after it does anything.
"""

import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
import structlog

from trivium.clock import Clock, SystemClock
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.jobs import model
from trivium.jobs.model import (
    BIRTH_S,
    ID,
    ID_PREFIX,
    LOST_S,
    ArchiveState,
    Job,
    JobAccount,
    JobOrder,
)
from trivium.ledger.holds.model import entry_of, held_of
from trivium.ledger.model import Hold
from trivium.providers.videos.registry import protocol_of
from trivium.settings.budget import Budget
from trivium.settings.section import JobsSettings
from trivium.storage.errors import StorageError
from trivium.storage.late import LateModule
from trivium.storage.periodic import PurgeClock
from trivium.storage.vault import Vault, VaultError
from trivium.wire.videos.answer import SeenVideo, VideoStatus
from trivium.wire.videos.resource import VideoError

if TYPE_CHECKING:
    from trivium.jobs import store
    from trivium.ledger.holds import store as holds
    from trivium.ledger.holds.store import Lacking
    from trivium.storage.database import Database
else:
    holds = LateModule("trivium.ledger.holds.store")
    store = LateModule("trivium.jobs.store")

LIMIT_S = 10.0
"""One transaction of a caller's."""
INTERRUPTED = "interrupted"
DAY_S = 86_400
SWEPT = 500
"""Jobs deleted in one transaction."""

log = structlog.get_logger()
_SYSTEM = SystemClock()


class JobMoney(Protocol):
    """What jobs ask of the ledger."""

    async def spare(self, hold: Hold, budget: Budget | None) -> None:
        """Have all workers give back what they leased ahead of need, until the account (or the
        budget) has as much as the hold to spare. Raises ``Fault`` (LEDGER_DOWN).
        """
        ...

    def refusal(self, hold: Hold, budget: Budget | None) -> Fault:
        """The fault of a hold that the account, or a budget, does not cover."""
        ...


class _MissingError(Exception):
    """An account or a budget does not have that much to spare."""

    def __init__(self, whole: Hold, former_nanos: int, budget: Budget | None) -> None:
        super().__init__()
        self.whole = whole
        self.hold = msgspec.structs.replace(whole, amount_nanos=whole.amount_nanos - former_nanos)
        """What is missing beside what was held before."""
        self.budget = budget


class Jobs:
    """Stores jobs, and begins and ends them together with their holds."""

    def __init__(
        self,
        db: "Database",
        vault: Vault,
        limits: JobsSettings,
        *,
        money: JobMoney,
        clock: Clock = _SYSTEM,
        interrupted: str = "free",
    ) -> None:
        """``money``: makes room for holds, and says what is told where there is none.

        ``interrupted``: what a job costs whose worker was killed before its upstream had answered:
        ``free``, ``input`` (of which a video has none) or ``hold``.
        """
        self._db = db
        self._vault = vault
        self._money = money
        self._clock = clock
        self._doubt = PurgeClock(db, clock, "jobs")
        self._interrupted = interrupted
        self.limits = limits

    # --- a job's life -----------------------------------------------------------------------------

    async def begin(self, order: JobOrder, hold: Hold | None) -> Job:
        """Store a job and set its price aside; ``hold`` is ``None`` for a free one. Raises
        ``Fault`` (BALANCE_TOO_LOW, LEDGER_DOWN).

        A request that is made again after its worker was killed has the id of the first: the job
        that an upstream has taken for it is returned as it is, and any other gives way.
        """
        now = int(self._clock.now())
        job = Job(
            id=ID_PREFIX + secrets.token_hex(24),
            created_at=now,
            looked_at=now,
            look_at=now + BIRTH_S,
            **msgspec.structs.asdict(order),
        )
        sealed = self._vault.seal(order.prompt.encode(), job.id.encode())
        try:
            for _ in range(1 + (len(hold.budgets) if hold else 0)):
                lacking = await self._placed(job, sealed, hold)
                if isinstance(lacking, Job):
                    return lacking
                assert hold is not None
                # what workers leased ahead of need may be all that is missing
                await self._money.spare(hold, lacking.budget)
            lacking = await self._placed(job, sealed, hold)
        except StorageError as error:
            raise away(error) from error
        if isinstance(lacking, Job):
            return lacking
        assert hold is not None
        raise self._money.refusal(hold, lacking.budget)

    async def _placed(self, job: Job, sealed: bytes, hold: Hold | None) -> "Lacking | Job":
        async with self._db.write(LIMIT_S) as conn:
            row = await store.asked_for(conn, job.user_id, job.request_id)
            if row is not None:
                former = self._job(row)
                if former.upstream_id is not None:
                    return former
                await store.forget(conn, former.id)
                await holds.take(conn, job.request_id)
            if hold is not None:
                held = held_of(hold, job.created_at)
                lacking = await holds.place(conn, held, hold.budgets)
                if lacking is not None:
                    return lacking
            await store.insert(conn, job, sealed)
        return job

    async def hand_over(self, job: Job, hold: Hold | None) -> None:
        """Have another model make it, or the same at less: from now on ``job.model``, at the prices
        of ``hold`` (``None``: it is free). Nothing happens to a job that has ended.

        Raises ``Fault`` (BALANCE_TOO_LOW, LEDGER_DOWN); then all is as it was.
        """
        try:
            try:
                await self._handed_over(job, hold)
            except _MissingError as missing:
                await self._money.spare(missing.hold, missing.budget)
                await self._handed_over(job, hold)
        except StorageError as error:
            raise away(error) from error
        except _MissingError as missing:
            raise self._money.refusal(missing.whole, missing.budget) from None

    async def _handed_over(self, job: Job, hold: Hold | None) -> None:
        """Raises ``_MissingError``; then nothing has happened."""
        async with self._db.write(LIMIT_S) as conn:
            if not await store.rename(conn, job.id, job.model):
                return
            former = await holds.take(conn, job.request_id)
            if hold is None:
                return
            lacking = await holds.place(conn, held_of(hold, job.created_at), hold.budgets)
            if lacking is None:
                return
            # undoes the transaction
            raise _MissingError(hold, former.amount_nanos if former else 0, lacking.budget)

    async def born(self, job: Job, account: JobAccount, seen: SeenVideo) -> Job:
        """Note that an upstream has taken the job. May be repeated. Raises the storage errors."""
        begun = msgspec.structs.replace(job, account=account, upstream_id=seen.id)
        return await self.see(begun, seen)

    async def stillborn(self, job: Job) -> None:
        """Delete a job that no upstream has taken, with its hold. Raises the storage errors."""
        async with self._db.write() as conn:
            if await store.forget(conn, job.id) is not None:
                await holds.take(conn, job.request_id)

    async def see(self, job: Job, seen: SeenVideo) -> Job:
        """Write what its upstream says of it; an end is paid for or given back at once.

        Raises what ``Database.write`` raises; may be repeated.
        """
        now = int(self._clock.now())
        age = now - job.created_at
        final = seen.status in (VideoStatus.COMPLETED, VideoStatus.FAILED)
        error = None
        if seen.status is VideoStatus.FAILED:
            error = VideoError(
                code=seen.error_code or "generation_failed",
                message=seen.error_message or "The video could not be made.",
            )
        completed = seen.status is VideoStatus.COMPLETED
        expires_at = seen.expires_at
        if expires_at is None and (keeps_s := protocol_of(job.account.operation).keeps_s):
            expires_at = now + keeps_s
        keeps = completed and self.limits.keep_days > 0
        looked = msgspec.structs.replace(
            job,
            status=seen.status,
            progress=max(job.progress, seen.progress),
            error=error,
            file=seen.file,
            completed_at=now if completed else None,
            expires_at=expires_at if completed else None,
            kept=ArchiveState.WANTED if keeps else ArchiveState.NO,
            looked_at=now,
            look_at=(now if keeps else None) if final else now + model.pause_s(age, self.limits),
        )
        return await self._write(looked)

    async def give_up(self, job: Job, code: str, message: str) -> Job:
        """Note that the job has failed and costs nothing."""
        failed = SeenVideo(
            id=job.upstream_id or "",
            status=VideoStatus.FAILED,
            error_code=code,
            error_message=message,
            file=job.file,
        )
        return await self.see(job, failed)

    async def lose(self, job: Job) -> Job:
        """End a job whose worker was killed while it asked the upstream: the outcome is unknown."""
        message = "The gateway was stopped while it asked for this video."
        error = VideoError(code=INTERRUPTED, message=message)
        lost = msgspec.structs.replace(job, status=VideoStatus.FAILED, error=error, look_at=None)
        return await self._write(lost, is_charged=self._interrupted == "hold", end=INTERRUPTED)

    async def _write(self, job: Job, *, is_charged: bool | None = None, end: str = "") -> Job:
        async with self._db.write() as conn:
            if await store.change(conn, job):
                if job.is_final:
                    charged = (
                        job.status is VideoStatus.COMPLETED if is_charged is None else is_charged
                    )
                    await self._settle(conn, job, charged=charged, end=end)
                return job
            row = await store.find(conn, job.user_id, job.id)
        return job if row is None else self._job(row)

    async def _settle(self, conn: Any, job: Job, *, charged: bool, end: str) -> None:
        """End the hold, in the transaction that ends the job."""
        held = await holds.take(conn, job.request_id)
        if held is None or not charged:
            return
        usage = Usage(seconds=float(job.seconds), video_size=job.size)
        now = int(self._clock.now())
        channel = job.account.channel
        entry = entry_of(held, usage, at=now, note=job.id, end=end, channel=channel)
        await holds.book(conn, held, entry)

    # --- finding ----------------------------------------------------------------------------------

    async def find(self, user_id: int, job_id: str) -> Job | None:
        """A user's job. Raises ``Fault`` (LEDGER_DOWN) when the database is away."""
        if not ID.fullmatch(job_id):
            return None

        try:
            async with self._db.read(LIMIT_S) as conn:
                row = await store.find(conn, user_id, job_id)
        except StorageError as error:
            raise away(error) from error
        return None if row is None else self._job(row)

    async def page(
        self, user_id: int, after: str | None, limit: int, *, newest_first: bool
    ) -> tuple[list[Job], bool] | None:
        """A user's jobs behind one of them, and whether there are more; ``None``: there is no such
        job. Raises as ``find``.
        """
        if after is not None and not ID.fullmatch(after):
            return None

        try:
            async with self._db.read(LIMIT_S) as conn:
                place = None
                if after is not None:
                    last = await store.find(conn, user_id, after)
                    if last is None:
                        return None
                    place = last.created_at, last.id
                rows = await store.page(conn, user_id, place, limit + 1, newest_first=newest_first)
        except StorageError as error:
            raise away(error) from error
        return [self._job(row) for row in rows[:limit]], len(rows) > limit

    async def forget(self, job: Job) -> Mapping[str, str] | None:
        """Delete a job that has ended. Returns the files that our own store has of it; ``None``:
        another call deleted it first. Raises as ``find``.
        """
        try:
            async with self._db.write(LIMIT_S) as conn:
                return await store.forget(conn, job.id)
        except StorageError as error:
            raise away(error) from error

    # --- looking after ----------------------------------------------------------------------------

    async def due(self, limit: int) -> list[Job]:
        """Claim jobs that need a look and that no worker looks after; returns them."""
        now = int(self._clock.now())
        async with self._db.read() as conn:
            if not await store.is_any_due(conn, now):
                return []  # nearly always: a database has better to do than to be locked
        async with self._db.write() as conn:
            rows = await store.claim(conn, now, limit)
        return [self._job(row) for row in rows]

    async def is_mine(self, job: Job) -> bool:
        """Claim a job for a look now; ``False``: it is claimed, or was looked at a moment ago."""
        now = int(self._clock.now())
        if now - model.FRESH_S < job.looked_at <= now:
            return False
        async with self._db.write(LIMIT_S) as conn:
            return await store.claim_one(conn, job.id, now, now - model.FRESH_S)

    async def extend(self, jobs: Sequence[Job]) -> None:
        """Extend the claims on jobs whose look takes long."""
        async with self._db.write() as conn:
            await store.extend(conn, [job.id for job in jobs], int(self._clock.now()))

    async def put_off(self, job: Job) -> None:
        """Set a later look for a job whose upstream could not tell its state."""
        now = int(self._clock.now())
        pause = model.pause_s(now - job.created_at, self.limits)
        async with self._db.write() as conn:
            await store.put_off(conn, job.id, now + pause, now)

    async def let_go(self, job: Job) -> None:
        """End the claim on a job that needs nothing more."""
        async with self._db.write() as conn:
            await store.put_off(conn, job.id, None)

    async def keep(self, job: Job, kept: ArchiveState) -> bool:
        """Note that our own store has ``assets``; ``False``: the job was deleted meanwhile."""
        assert job.expires_at is not None
        async with self._db.write() as conn:
            return await store.keep(conn, job.id, kept, job.assets, job.expires_at)

    async def sweep(self) -> int:
        """Delete some of the jobs that ended long ago; returns how many."""
        days = self.limits.retention_days
        if not days:
            return 0
        before = int(await self._doubt.now()) - days * DAY_S
        async with self._db.write() as conn:
            return await store.sweep(conn, before, SWEPT)

    async def bring_back(self) -> int:
        """Bring forward looks that a clock that was ahead had put off too far; returns how many."""
        async with self._db.write() as conn:
            now = int(self._clock.now())
            return await store.bring_back(conn, now, int(self.limits.look_max_s) + 1)

    async def certain_age_s(self, job: Job) -> float:
        """Return the least age of a job, in seconds. Raises what ``Database.read`` raises."""
        age_s = self._clock.now() - job.created_at
        # nearly always: whoever is young by the clock needs no second opinion
        return age_s if age_s < LOST_S else await self._doubt.now() - job.created_at

    def now(self) -> float:
        """Return seconds since the epoch."""
        return self._clock.now()

    def monotonic(self) -> float:
        """Return seconds of a clock that never goes back."""
        return self._clock.monotonic()

    def _job(self, row: Any) -> Job:
        try:
            prompt = self._vault.open(row.prompt, row.id.encode()).decode()
        except VaultError as error:  # sealed with a key that is no longer here
            log.warning("prompt_unreadable", job=row.id, error=str(error))
            prompt = ""
        return store.job_of(row, prompt)


def away(error: StorageError) -> Fault:
    """Return the fault for a database that cannot be reached."""
    log.warning("jobs_unreachable", error=str(error))
    return Fault(Kind.LEDGER_DOWN, "Videos cannot be looked up at the moment; try again.")


async def strays(db: "Database") -> list[str]:
    """Requests whose hold has no running job: empty when all is well."""
    async with db.read() as conn:
        return await store.strays(conn)
