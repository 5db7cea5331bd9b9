"""Videos for lists, in SQL: the newest by an index, and the conditions tried on these.

Numbers of rows are written out: an engine that is to plan for any number reads all.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, literal_column, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.jobs.listing.model import VideoFilter
from trivium.storage.schema.core import entries, holds
from trivium.storage.schema.requests import jobs, records

Place = tuple[int, str]
"""A moment in seconds and a video: what is asked for came before."""
_COLUMNS: Final = tuple(
    column
    for column in jobs.c
    if column.name not in ("prompt", "assets", "credential", "operation", "upstream_id", "file")
)
"""Neither the sealed prompt nor what leads to the vendor's account."""


async def page(
    conn: AsyncConnection, wanted: VideoFilter, before: Place | None, limit: int, scan: int
) -> Sequence[Any]:
    """Videos that fit among the ``scan`` newest, with what each cost."""
    found: Sequence[Any] = (await conn.execute(page_query(wanted, before, limit, scan))).all()
    return found


def page_query(wanted: VideoFilter, before: Place | None, limit: int, scan: int) -> Select[Any]:
    """Select what ``page`` returns."""
    scanned = _newest(wanted, before).limit(_number(scan)).subquery("scanned")
    fitting = select(scanned).where(*_others(scanned.c, wanted))
    return _with_cost(_ordered(fitting, scanned.c).limit(_number(limit)))


async def end_of_scan(
    conn: AsyncConnection, wanted: VideoFilter, before: Place | None, scan: int
) -> Place | None:
    """The last of the ``scan`` videos that a page looked at; ``None``: it looked at all."""
    query = _newest(wanted, before).limit(1).offset(_number(scan - 1))
    row = (await conn.execute(query)).first()
    return None if row is None else (int(row.created_at), row.id)


async def one(conn: AsyncConnection, video_id: str) -> Sequence[Any]:
    """The video of that id, if there is one."""
    query = _with_cost(select(*_COLUMNS).where(jobs.c.id == video_id))
    found: Sequence[Any] = (await conn.execute(query)).all()
    return found


def _newest(wanted: VideoFilter, before: Place | None) -> Select[Any]:
    query = select(*_COLUMNS)
    if wanted.user_id is not None:
        query = query.where(jobs.c.user_id == wanted.user_id)
    if wanted.since is not None:
        query = query.where(jobs.c.created_at >= wanted.since)
    if wanted.until is not None:
        query = query.where(jobs.c.created_at < wanted.until)
    if before is not None:
        query = query.where(tuple_(jobs.c.created_at, jobs.c.id) < before)
    return _ordered(query, jobs.c)


def _others(of: Any, wanted: VideoFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.key_id is not None:
        found.append(of.key_id == wanted.key_id)
    if wanted.model:
        found.append(of.model == wanted.model)
    if wanted.channel:
        found.append(of.channel == wanted.channel)
    if wanted.status is not None:
        found.append(of.status == wanted.status.value)
    return found


def _ordered(query: Select[Any], of: Any) -> Select[Any]:
    return query.order_by(of.created_at.desc(), of.id.desc())


def _number(value: int) -> ColumnElement[int]:
    return literal_column(str(int(value)))


def _with_cost(query: Select[Any]) -> Select[Any]:
    of = query.subquery("found")
    joined = (
        of.outerjoin(entries, of.c.request_id == entries.c.request_id)
        .outerjoin(holds, of.c.request_id == holds.c.request_id)
        .outerjoin(records, of.c.request_id == records.c.request_id)
    )
    query = select(
        of,
        entries.c.amount_nanos.label("booked_nanos"),
        entries.c.id.label("entry_id"),
        holds.c.amount_nanos.label("held_nanos"),
        records.c.request_id.label("record_id"),
    ).select_from(joined)
    return _ordered(query, of.c)
