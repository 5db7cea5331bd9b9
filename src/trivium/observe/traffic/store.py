"""Sums of request records in SQL. Every function works in the transaction it is given.

Records are added to rows of five minutes. Later those become rows of an hour, and then of a day, a
few at a time: what is read is the sum of all rows within a period, whatever their span, so it is
the same before, amid and after. Those by key become rows of an hour and of a day at once, since a
month has far more of them: hours are read where a period begins or ends amid a day. Rows are
locked in the order of their keys, so that two who add never wait for each other in turn.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    Table,
    and_,
    bindparam,
    case,
    cast,
    delete,
    func,
    or_,
    select,
    text,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.observe.traffic.model import (
    BUCKETS,
    DAY_S,
    HOUR_S,
    LEFT,
    SPAN_S,
    TrafficBatch,
    TrafficSums,
)
from trivium.storage.bulk_insert import add_up
from trivium.storage.schema.core import keys, users
from trivium.storage.schema.traffic import traffic, traffic_keys

PAGE: Final = 500
"""Names a look-up."""


def _split(table: Table) -> tuple[tuple[str, ...], tuple[str, ...]]:
    place = tuple(column.name for column in table.primary_key)
    return place, tuple(name for name in table.c.keys() if name not in place)  # noqa: SIM118 - not a dict


_TABLES: Final = {table.name: table for table in (traffic, traffic_keys)}
_SUMS: Final = {table: _split(table)[1] for table in (traffic, traffic_keys)}
_PLACES: Final = {table: _split(table)[0] for table in (traffic, traffic_keys)}
_FIRST: Final = tuple(traffic.c[f"first_{number}"] for number in range(BUCKETS))
_TOTAL: Final = tuple(traffic.c[f"total_{number}"] for number in range(BUCKETS))
_FAILED: Final = or_(
    and_(traffic.c.fault != "", traffic.c.fault != LEFT),
    and_(traffic.c.fault == "", traffic.c.status >= 4),
)


async def add(conn: AsyncConnection, batch: TrafficBatch) -> None:
    """Add the sums of a batch."""
    rows: list[tuple[Any, ...]] = [(SPAN_S, *at, *n) for at, n in sorted(batch.traffic.items())]
    whose: list[tuple[Any, ...]] = [(SPAN_S, *at, *n) for at, n in sorted(batch.keys.items())]
    await add_up(conn, traffic, _SUMS[traffic], rows)
    await add_up(conn, traffic_keys, _SUMS[traffic_keys], whose)


async def fold(
    conn: AsyncConnection, name: str, span_s: int, to: Sequence[int], before: int, limit: int
) -> int:
    """Add at most so many of the oldest rows of a span to those of longer ones, if they began
    before a moment; returns how many. Where there are no longer ones, they are in those already.
    Rows that another node is folding are left to it.
    """
    table = _TABLES[name]
    place, sums = _PLACES[table], _SUMS[table]
    columns = [table.c[name] for name in place]
    old = (
        select(table)
        .where(table.c.span_s == span_s, table.c.began_at < before)
        .order_by(*columns)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    found = (await conn.execute(old)).all()
    if not found:
        return 0
    added: dict[tuple[Any, ...], list[int]] = {}
    gone = []
    size = len(place)
    for row in found:
        gone.append({f"of_{name}": value for name, value in zip(place, row, strict=False)})
        numbers = row[size:]
        for to_s in to:
            at = (to_s, row.began_at // to_s * to_s, *row[2:size])
            have = added.get(at)
            added[at] = list(numbers) if have is None else list(map(int.__add__, have, numbers))
    each = and_(*(column == bindparam(f"of_{column.name}") for column in columns))
    await conn.execute(delete(table).where(each), gone)
    await add_up(conn, table, sums, [(*at, *numbers) for at, numbers in sorted(added.items())])
    return len(found)


async def delete_before(conn: AsyncConnection, at_ms: int, limit: int) -> int:
    """Forget at most so many rows of each table that began before a moment; how many of the one of
    which there were more.
    """
    most = 0
    for table in (traffic, traffic_keys):
        columns = [table.c[name] for name in _PLACES[table]]
        old = (
            select(*columns)
            .where(table.c.span_s.in_(_SPANS), table.c.began_at < at_ms // 1000)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        found = (await conn.execute(old)).all()
        each = and_(*(column == bindparam(f"of_{column.name}") for column in columns))
        if found:
            names = [f"of_{name}" for name in _PLACES[table]]
            gone = [dict(zip(names, row, strict=True)) for row in found]
            await conn.execute(delete(table).where(each), gone)
        most = max(most, len(found))
    return most


_SPANS: Final = (SPAN_S, HOUR_S, DAY_S)
"""Named in every question, so that it is answered from the key."""


# --- reading --------------------------------------------------------------------------------------


def _within(query: Select[Any], table: Table, since: int, until: int) -> Select[Any]:
    return query.where(
        table.c.span_s.in_(_SPANS), table.c.began_at >= since, table.c.began_at < until
    )


def _added(of: ColumnElement[Any]) -> ColumnElement[int]:
    return cast(func.sum(of), BigInteger)


_COUNTS: Final = (
    _added(traffic.c.requests),
    _added(case((_FAILED, traffic.c.requests), else_=0)),
)


def _sums(row: Sequence[Any], at: int) -> TrafficSums:
    """What stands in a row from a column on: two counts, and one histogram or two."""
    first = tuple(map(int, row[at + 2 : at + 2 + BUCKETS]))
    total = tuple(map(int, row[at + 2 + BUCKETS : at + 2 + 2 * BUCKETS]))
    return TrafficSums(int(row[at]), int(row[at + 1]), first, total)


def steps_query(since: int, until: int, step_s: int, channel: str | None = None) -> Select[Any]:
    """Sums by steps of a period."""
    step = (traffic.c.began_at - traffic.c.began_at % step_s).label("step")
    buckets = [_added(column) for column in _FIRST]
    query = _within(select(step, *_COUNTS, *buckets), traffic, since, until).group_by(step)
    return query if channel is None else query.where(traffic.c.channel == channel)


async def steps(
    conn: AsyncConnection, since: int, until: int, step_s: int, channel: str | None = None
) -> dict[int, TrafficSums]:
    """Sums by the beginning of each step in which there was anything."""
    query = steps_query(since, until, step_s, channel)
    return {int(row[0]): _sums(row, 1) for row in await conn.execute(query)}


def groups_query(since: int, until: int, by: str) -> Select[Any]:
    """Sums by a column: ``model`` or ``channel``."""
    column = traffic.c[by]
    buckets = [_added(each) for each in (*_FIRST, *_TOTAL)]
    return _within(select(column, *_COUNTS, *buckets), traffic, since, until).group_by(column)


async def groups(conn: AsyncConnection, since: int, until: int, by: str) -> dict[str, TrafficSums]:
    """Sums by each value of a column."""
    return {row[0]: _sums(row, 1) for row in await conn.execute(groups_query(since, until, by))}


def causes_query(since: int, until: int) -> Select[Any]:
    """How many requests had each fault, of each status, through each channel."""
    columns = traffic.c.fault, traffic.c.status, traffic.c.channel
    query = select(*columns, _added(traffic.c.requests))
    return _within(query, traffic, since, until).group_by(*columns)


async def causes(conn: AsyncConnection, since: int, until: int) -> list[tuple[str, int, str, int]]:
    """Fault, first digit of the status, channel, and how many."""
    found = await conn.execute(causes_query(since, until))
    return [(row[0], int(row[1]), row[2], int(row[3])) for row in found]


CALLERS: Final = ("key", "user", "team")


def callers_query(since: int, until: int, by: str, limit: int) -> Select[Any]:
    """Who asked for most: an id, requests, and how many of them failed."""
    kept = traffic_keys.c
    of = kept.user_id if by == "user" else kept.key_id
    sums = _added(kept.requests).label("requests"), _added(kept.failed).label("failed")
    query = select(of.label("id"), *sums).where(_callers_within(since, until)).group_by(of)
    if by == "team":
        # of each key once: a team has the requests of the keys that are its own now
        each = query.subquery()
        team = func.coalesce(keys.c.team_id, 0)
        sums = _added(each.c.requests).label("requests"), _added(each.c.failed).label("failed")
        joined = each.outerjoin(keys, keys.c.id == each.c.id)
        query = select(team.label("id"), *sums).select_from(joined).group_by(team)
    return query.order_by(text("requests DESC, id")).limit(limit)


def _callers_within(since: int, until: int) -> ColumnElement[bool]:
    """Rows that add up to a period: whole days by their own rows, what is left by its hours, and
    what is in neither yet.
    """
    of = traffic_keys.c
    first, end = -(-since // DAY_S) * DAY_S, until // DAY_S * DAY_S
    edges = [(since, first), (end, until)] if first < end else [(since, until)]
    parts = [and_(of.span_s == SPAN_S, of.began_at >= since, of.began_at < until)]
    if first < end:
        parts.append(and_(of.span_s == DAY_S, of.began_at >= first, of.began_at < end))
    parts += [
        and_(of.span_s == HOUR_S, of.began_at >= start, of.began_at < stop)
        for start, stop in edges
        if start < stop
    ]
    return or_(*parts)


async def callers(
    conn: AsyncConnection, since: int, until: int, by: str, limit: int
) -> list[tuple[int, int, int]]:
    """Id, requests, and how many of them failed, of those who asked for most; 0: of none."""
    assert by in CALLERS
    found = await conn.execute(callers_query(since, until, by, limit))
    return [(int(row[0]), int(row[1]), int(row[2])) for row in found]


async def names_of(conn: AsyncConnection, table: Table, ids: Sequence[int]) -> dict[int, str]:
    """The names of these users, teams among them, or keys; who is gone has none."""
    assert table in (users, keys)
    named: dict[int, str] = {}
    for start in range(0, len(ids), PAGE):
        query = select(table.c.id, table.c.name).where(table.c.id.in_(ids[start : start + PAGE]))
        named.update({int(row.id): row.name for row in await conn.execute(query)})
    return named
