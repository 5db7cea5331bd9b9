"""Request records in SQL, with what each cost: a user's own, and anybody's for administrators."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.observe.history.model import RequestSearch
from trivium.storage.schema.core import entries, keys
from trivium.storage.schema.requests import records

SCANNED_MAX: Final = 5_000
"""Records that one page of a search looks at: what bounds it, whatever is searched for."""
_ORDER: Final = (records.c.at_ms.desc(), records.c.request_id.desc())


def _select() -> Select[Any]:
    return select(records, entries.c.amount_nanos, entries.c.id.label("entry_id")).join_from(
        records, entries, records.c.request_id == entries.c.request_id, isouter=True
    )


async def page(
    conn: AsyncConnection,
    user_id: int,
    before: tuple[int, str] | None,
    limit: int,
    *,
    key_id: int | None,
    failed: bool,
) -> Sequence[Any]:
    """Records from the newest on, those before a moment and request."""
    place = tuple_(records.c.at_ms, records.c.request_id)
    query = _select().where(records.c.user_id == user_id)
    if before is not None:
        query = query.where(place < before)
    if key_id is not None:
        query = query.where(records.c.key_id == key_id)
    if failed:
        query = query.where(records.c.status >= 400)
    order = query.order_by(records.c.at_ms.desc(), records.c.request_id.desc())
    found: Sequence[Any] = (await conn.execute(order.limit(limit))).all()
    return found


async def one(conn: AsyncConnection, user_id: int, request_id: str) -> Sequence[Any]:
    """The record of that user and request, if there is one."""
    query = _select().where(records.c.user_id == user_id, records.c.request_id == request_id)
    found: Sequence[Any] = (await conn.execute(query)).all()
    return found


async def anybodys(conn: AsyncConnection, request_id: str) -> Sequence[Any]:
    """The record of a request, if there is one."""
    query = _select().where(records.c.request_id == request_id)
    found: Sequence[Any] = (await conn.execute(query)).all()
    return found


async def search(
    conn: AsyncConnection, wanted: RequestSearch, before: tuple[int, str] | None, limit: int
) -> Sequence[Any]:
    """At most so many of the ``SCANNED_MAX`` newest records before a place, of those wanted."""
    found: Sequence[Any] = (await conn.execute(search_query(wanted, before, limit))).all()
    return found


def search_query(wanted: RequestSearch, before: tuple[int, str] | None, limit: int) -> Select[Any]:
    """What ``search`` asks: the newest records by an index, those wanted of them, and their
    entries.
    """
    scanned = _scanned(wanted, before).limit(SCANNED_MAX).subquery()
    page = (
        select(scanned)
        .where(*_conditions(wanted, scanned.c))
        .order_by(scanned.c.at_ms.desc(), scanned.c.request_id.desc())
        .limit(limit)
        .subquery()
    )
    return (
        select(page, entries.c.amount_nanos, entries.c.id.label("entry_id"))
        .join_from(page, entries, page.c.request_id == entries.c.request_id, isouter=True)
        .order_by(page.c.at_ms.desc(), page.c.request_id.desc())
    )


async def scanned_to(
    conn: AsyncConnection, wanted: RequestSearch, before: tuple[int, str] | None
) -> tuple[int, str] | None:
    """The place of the last record that ``search`` looked at; ``None``: there are no more."""
    query = _scanned(wanted, before).with_only_columns(records.c.at_ms, records.c.request_id)
    rows = (await conn.execute(query.offset(SCANNED_MAX - 1).limit(2))).all()
    return (int(rows[0].at_ms), rows[0].request_id) if len(rows) > 1 else None


def _scanned(wanted: RequestSearch, before: tuple[int, str] | None) -> Select[Any]:
    """Records from a place on, the newest first, narrowed only by what an index leads to."""
    query = select(records).order_by(*_ORDER)
    if before is not None:
        place = tuple_(records.c.at_ms, records.c.request_id)
        query = query.where(place < before, records.c.at_ms <= before[0])
    if wanted.since_ms is not None:
        query = query.where(records.c.at_ms >= wanted.since_ms)
    if wanted.until_ms is not None:
        query = query.where(records.c.at_ms < wanted.until_ms)
    if wanted.key_id is not None:
        return query.where(records.c.key_id == wanted.key_id)
    if wanted.user_id is not None:
        return query.where(records.c.user_id == wanted.user_id)
    return query


def _conditions(wanted: RequestSearch, of: Any) -> list[ColumnElement[bool]]:
    """What else is wanted of the records that are looked at."""
    same = {
        "user_id": wanted.user_id,
        "channel": wanted.channel,
        "status": wanted.status,
        "fault": wanted.fault,
    }
    out: list[ColumnElement[bool]] = [
        of[name] == value for name, value in same.items() if value is not None
    ]
    if wanted.model is not None:
        out.append(or_(of.model == wanted.model, of.asked_model == wanted.model))
    if wanted.is_failed is not None:
        out.append(of.status >= 400 if wanted.is_failed else of.status < 400)
    if wanted.team_id is not None:
        out.append(of.key_id.in_(select(keys.c.id).where(keys.c.team_id == wanted.team_id)))
    return out
