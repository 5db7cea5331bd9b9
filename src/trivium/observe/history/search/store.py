"""Everybody's request records in SQL: one condition by its index, the others on what that gives.

Conditions of partial indexes and numbers of rows are written out: an engine that is to plan for any
value does not know that they fit.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, literal_column, or_, select, tuple_, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.observe.history.search.model import RequestFilter
from trivium.storage.schema.core import entries, keys
from trivium.storage.schema.requests import records

KEYS_MAX: Final = 50
"""Keys of a team that are looked up each by its own index."""
_FAILED: Final[ColumnElement[bool]] = literal_column(
    "(records.fault <> '' OR records.status >= 400)"
)
_FAULTY: Final[ColumnElement[bool]] = literal_column("records.fault <> ''")
Place = tuple[int, str]
"""A moment in milliseconds and a request: what is asked for came before."""
_Conditions = list[ColumnElement[bool]]


async def page(
    conn: AsyncConnection, wanted: RequestFilter, before: Place | None, limit: int, scan: int
) -> Sequence[Any]:
    """Records that fit, the newest first, with what each cost."""
    of_team = await _keys(conn, wanted)
    query = page_query(wanted, before, limit, scan, of_team)
    found: Sequence[Any] = (await conn.execute(query)).all()
    return found


async def end_of_scan(
    conn: AsyncConnection, wanted: RequestFilter, before: Place | None, scan: int
) -> Place | None:
    """The last of the ``scan`` records that a page looked at; ``None``: it looked at all."""
    first, others = _split(wanted)
    if not others or await _keys(conn, wanted):
        return None
    row = (await conn.execute(end_query(first, before, scan))).first()
    return None if row is None else (int(row.at_ms), row.request_id)


async def one(conn: AsyncConnection, request_id: str) -> Sequence[Any]:
    """The record of that request, if there is one."""
    if "\0" in request_id:
        return []  # PostgreSQL takes no such text
    query = select(records).where(records.c.request_id == request_id)
    found: Sequence[Any] = (await conn.execute(_with_cost(query))).all()
    return found


async def _keys(conn: AsyncConnection, wanted: RequestFilter) -> list[int]:
    """The keys of a team that is all that is asked for, if they are few."""
    first, others = _split(wanted)
    if wanted.team_id is None or len(others) != 1 or len(first) > len(_period(wanted)):
        return []
    query = select(keys.c.id).where(keys.c.team_id == wanted.team_id).limit(KEYS_MAX + 1)
    found = [int(each) for each in await conn.scalars(query)]
    return found if len(found) <= KEYS_MAX else []


def page_query(
    wanted: RequestFilter,
    before: Place | None,
    limit: int,
    scan: int,
    of_team: Sequence[int] = (),
) -> Select[Any]:
    """Select what ``page`` returns. ``of_team``: the few keys that are all that is asked for."""
    if of_team:
        each = [
            _newest(
                select(records).where(records.c.key_id == key_id, *_period(wanted)), before, limit
            )
            for key_id in of_team
        ]
        # a part with an order of its own is a table for SQLite
        of = union_all(*(select(part.subquery()) for part in each)).subquery()
        return _with_cost(_ordered(select(of), of).limit(_number(limit)))
    first, others = _split(wanted)
    scanned = _newest(select(records).where(*first), before, scan if others else limit)
    if not others:
        return _with_cost(scanned)
    of = scanned.subquery("scanned")
    fitting = [_CONDITIONS[name](of.c, wanted) for name in others]
    return _with_cost(_ordered(select(of).where(*fitting), of).limit(_number(limit)))


def end_query(first: _Conditions, before: Place | None, scan: int) -> Select[Any]:
    """Select the last record that a page with more conditions looks at."""
    query = _newest(select(records.c.at_ms, records.c.request_id).where(*first), before, 1)
    return query.offset(_number(scan - 1))


def _newest(query: Select[Any], before: Place | None, limit: int) -> Select[Any]:
    if before is not None:
        # an index of moments knows nothing of requests
        query = query.where(records.c.at_ms <= before[0])
        query = query.where(tuple_(records.c.at_ms, records.c.request_id) < before)
    return _ordered(query, records).limit(_number(limit))


def _ordered(query: Select[Any], of: Any) -> Select[Any]:
    return query.order_by(of.c.at_ms.desc(), of.c.request_id.desc())


def _number(value: int) -> ColumnElement[int]:
    return literal_column(str(int(value)))


def _with_cost(query: Select[Any]) -> Select[Any]:
    of = query.subquery("found")
    cost = of.outerjoin(entries, of.c.request_id == entries.c.request_id)
    query = select(of, entries.c.amount_nanos, entries.c.id.label("entry_id")).select_from(cost)
    return _ordered(query, of)


def _period(wanted: RequestFilter) -> _Conditions:
    found: _Conditions = []
    if wanted.since_ms is not None:
        found.append(records.c.at_ms >= wanted.since_ms)
    if wanted.until_ms is not None:
        found.append(records.c.at_ms < wanted.until_ms)
    return found


_CONDITIONS: Final[dict[str, Any]] = {
    "request_id": lambda c, wanted: c.request_id == wanted.request_id,
    "key_id": lambda c, wanted: c.key_id == wanted.key_id,
    "user_id": lambda c, wanted: c.user_id == wanted.user_id,
    "fault": lambda c, wanted: c.fault == wanted.fault,
    "model": lambda c, wanted: c.model == wanted.model,
    "channel": lambda c, wanted: c.channel == wanted.channel,
    "failed": lambda c, _: or_(c.fault != "", c.status >= 400),
    "status": lambda c, wanted: c.status.between(*wanted.status),
    "team_id": lambda c, wanted: c.key_id.in_(
        select(keys.c.id).where(keys.c.team_id == wanted.team_id)
    ),
}
"""What each member of a filter asks of a record; those whose index gives the fewest come first."""
_INDEXED: Final = ("request_id", "key_id", "user_id", "fault", "model", "channel", "failed")


def _split(wanted: RequestFilter) -> tuple[_Conditions, list[str]]:
    """What is answered from an index, and the members that are tried on what that gives."""
    given = [name for name in _CONDITIONS if getattr(wanted, name) not in ("", None, False)]
    first = _period(wanted)
    main = next((name for name in given if name in _INDEXED), None)
    if main is not None:
        given.remove(main)
        first.append(_FAILED if main == "failed" else _CONDITIONS[main](records.c, wanted))
        if main == "fault":
            first.append(_FAULTY)
    elif wanted.status is not None and wanted.status[0] >= 400:
        first.append(_FAILED)
    return first, given
