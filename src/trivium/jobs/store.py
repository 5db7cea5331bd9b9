"""Jobs in SQL. Every function works in the transaction it is given."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Row, and_, delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.jobs.model import BIRTH_S, CLAIM_S, ArchiveState, Job, JobAccount
from trivium.storage.schema.core import holds
from trivium.storage.schema.requests import jobs
from trivium.storage.structs import struct_of, values_of
from trivium.wire.operation import Operation
from trivium.wire.videos.answer import FINAL, VideoStatus
from trivium.wire.videos.resource import VideoError

_OPEN: Final = jobs.c.status.not_in([status.value for status in FINAL])
_assets: Final = msgspec.json.Decoder(dict[str, str]).decode


def job_of(row: Row[Any], prompt: str) -> Job:
    """Return a row as a job, with its decrypted prompt."""
    error = None
    if row.error_code is not None:
        error = VideoError(code=row.error_code, message=row.error_message or "")
    account = JobAccount(
        channel=row.channel,
        credential=row.credential,
        operation=Operation(row.operation),
        model=row.upstream_model,
    )
    return struct_of(
        Job,
        row,
        account=account,
        file=row.file or "",
        status=VideoStatus(row.status),
        error=error,
        prompt=prompt,
        kept=ArchiveState(row.kept),
        assets=_assets(row.assets),
    )


_NEVER_CHANGE: Final = (
    *("id", "user_id", "key_id", "request_id", "model"),
    *("size", "seconds", "remixed_from", "created_at"),
)


def _changing(job: Job) -> dict[str, Any]:
    """Return the columns that change in a job's life, but its assets: ``keep`` writes those."""
    account, error = job.account, job.error
    return values_of(
        job,
        *_NEVER_CHANGE,
        *("account", "error", "prompt", "assets"),
        channel=account.channel,
        credential=account.credential,
        operation=account.operation.value,
        upstream_model=account.model,
        file=job.file or None,
        error_code=None if error is None else error.code,
        error_message=None if error is None else error.message,
        claimed_until=0,
    )


async def insert(conn: AsyncConnection, job: Job, sealed: bytes) -> None:
    """Write a new job, whose prompt is ``sealed``."""
    fixed = {name: getattr(job, name) for name in _NEVER_CHANGE}
    values = fixed | _changing(job) | {"prompt": sealed, "assets": "{}"}
    await conn.execute(jobs.insert().values(values))


async def change(conn: AsyncConnection, job: Job) -> bool:
    """Write what changes in a job's life; ``False``: it has ended meanwhile, or is gone."""
    query = update(jobs).where(jobs.c.id == job.id, _OPEN).values(_changing(job))
    done = await conn.execute(query)
    return bool(done.rowcount)


async def rename(conn: AsyncConnection, job_id: str, model: str) -> bool:
    """Note the model that makes it; ``False``: it has ended meanwhile, or is gone."""
    query = update(jobs).where(jobs.c.id == job_id, _OPEN).values(model=model)
    return bool((await conn.execute(query)).rowcount)


async def find(conn: AsyncConnection, user_id: int, job_id: str) -> Row[Any] | None:
    """Return the row of a user's job; ``None`` if there is none."""
    query = select(jobs).where(jobs.c.user_id == user_id, jobs.c.id == job_id)
    return (await conn.execute(query)).first()


async def asked_for(conn: AsyncConnection, user_id: int, request_id: str) -> Row[Any] | None:
    """Return the row of the job that a request has made; ``None`` if there is none."""
    query = select(jobs).where(jobs.c.request_id == request_id, jobs.c.user_id == user_id)
    return (await conn.execute(query)).first()


async def page(
    conn: AsyncConnection,
    user_id: int,
    after: tuple[int, str] | None,
    limit: int,
    *,
    newest_first: bool,
) -> Sequence[Row[Any]]:
    """Return a user's jobs after one of them, which is given by its moment and id."""
    query = select(jobs).where(jobs.c.user_id == user_id)
    at, id_ = jobs.c.created_at, jobs.c.id
    if after is not None:
        then, last = after
        beyond = (at < then, id_ < last) if newest_first else (at > then, id_ > last)
        query = query.where(or_(beyond[0], and_(at == then, beyond[1])))
    order = (at.desc(), id_.desc()) if newest_first else (at, id_)
    return (await conn.execute(query.order_by(*order).limit(limit))).all()


async def is_any_due(conn: AsyncConnection, now: int) -> bool:
    """Whether there is anything to claim: a look that writes nothing."""
    query = select(jobs.c.id).where(jobs.c.look_at <= now, jobs.c.claimed_until <= now).limit(1)
    return await conn.scalar(query) is not None


async def claim(conn: AsyncConnection, now: int, limit: int) -> Sequence[Row[Any]]:
    """Claim due jobs that no worker looks after; rows that another node claims are left to it."""
    due = (
        select(jobs.c.id)
        .where(jobs.c.look_at <= now, jobs.c.claimed_until <= now)
        .order_by(jobs.c.look_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    ids = list(await conn.scalars(due))
    if not ids:
        return []
    taken = update(jobs).where(jobs.c.id.in_(ids)).values(claimed_until=now + CLAIM_S)
    return list(await conn.execute(taken.returning(jobs)))


async def claim_one(conn: AsyncConnection, job_id: str, now: int, seen_before: int) -> bool:
    """Claim a job not looked at since; ``False``: another worker claims it, or just looked."""
    done = await conn.execute(
        update(jobs)
        .where(
            jobs.c.id == job_id,
            _OPEN,
            jobs.c.upstream_id.is_not(None),
            jobs.c.claimed_until <= now,
            (jobs.c.looked_at <= seen_before) | (jobs.c.looked_at > now),
        )
        .values(claimed_until=now + CLAIM_S)
    )
    return bool(done.rowcount)


async def extend(conn: AsyncConnection, job_ids: Sequence[str], now: int) -> None:
    """Extend the claims on jobs."""
    query = update(jobs).where(jobs.c.id.in_(job_ids)).values(claimed_until=now + CLAIM_S)
    await conn.execute(query)


async def put_off(
    conn: AsyncConnection, job_id: str, look_at: int | None, looked_at: int | None = None
) -> None:
    """End the claim on a job until a later moment; ``None``: for good."""
    values: dict[str, Any] = {"look_at": look_at, "claimed_until": 0}
    if looked_at is not None:
        values["looked_at"] = looked_at
    await conn.execute(update(jobs).where(jobs.c.id == job_id).values(values))


async def bring_back(conn: AsyncConnection, now: int, pause_s: int) -> int:
    """Have jobs looked at whose next look, or whose claim, lies further ahead than any that is set
    now: it was set by a clock that was ahead. How many.
    """
    least = now + BIRTH_S + CLAIM_S + pause_s
    late = update(jobs).where(jobs.c.look_at > least).values(look_at=now)
    done = (await conn.execute(late)).rowcount
    held = update(jobs).where(jobs.c.look_at.is_not(None), jobs.c.claimed_until > least)
    return int(done + (await conn.execute(held.values(claimed_until=0))).rowcount)


async def keep(
    conn: AsyncConnection,
    job_id: str,
    kept: ArchiveState,
    assets: Mapping[str, str],
    expires_at: int,
) -> bool:
    """Note what our own store has; ``False``: the job is gone meanwhile. One that is not kept
    whole yet stays with whoever has it.
    """
    values: dict[str, Any] = {
        "kept": kept.value,
        "assets": msgspec.json.encode(assets).decode(),
        "expires_at": expires_at,
    }
    if kept is ArchiveState.YES:
        values |= {"look_at": None, "claimed_until": 0}
    done = await conn.execute(update(jobs).where(jobs.c.id == job_id).values(values))
    return bool(done.rowcount)


async def forget(conn: AsyncConnection, job_id: str) -> Mapping[str, str] | None:
    """Delete a job's row; what our own store has of it, ``None`` when the row was gone."""
    query = delete(jobs).where(jobs.c.id == job_id).returning(jobs.c.assets)
    row = (await conn.execute(query)).first()
    return None if row is None else _assets(row.assets)


async def sweep(conn: AsyncConnection, before: int, limit: int) -> int:
    """Delete jobs that have ended and were asked for before then, at most so many; how many.

    Rows that another node is deleting are left to it.
    """
    old = (
        select(jobs.c.id)
        .where(jobs.c.created_at < before, jobs.c.look_at.is_(None), ~_OPEN)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    ids = list(await conn.scalars(old))
    if not ids:
        return 0
    return int((await conn.execute(delete(jobs).where(jobs.c.id.in_(ids)))).rowcount)


async def strays(conn: AsyncConnection) -> list[str]:
    """Requests whose hold and job contradict each other: a hold without a job that still runs."""
    query = (
        select(holds.c.request_id)
        .outerjoin(jobs, and_(jobs.c.request_id == holds.c.request_id, _OPEN))
        .where(jobs.c.id.is_(None))
        .order_by(holds.c.request_id)
    )
    return list(await conn.scalars(query))
