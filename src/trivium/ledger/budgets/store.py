"""What was spent of budgets, in SQL. Every function works in the transaction it is given.

A counter's row is locked before it is changed, behind the accounts, several in the order of their
ids; rows that are missing are made in the order of their names.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import BigInteger, bindparam, delete, func, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.ledger.leases import store as leasing
from trivium.ledger.leases.store import BUDGETS, NONE, Lease
from trivium.ledger.model import Holder, LeaseRequest, LeaseState, Settlement, counted_costs
from trivium.settings.budget import WINDOWS, Budget, CounterId, Period
from trivium.storage.bulk_insert import upsert
from trivium.storage.database import NOW
from trivium.storage.schema.budgets import budget_counters, budget_spans

_NAME: Final = (budget_counters.c.scope, budget_counters.c.period, budget_counters.c.starts_at)
_END_USERS: Final = "key:%/end_user:%"
TOLD_AT: Final = (100, 80)
"""Per cent of a budget at which people are told, the highest first."""


async def turn(
    conn: AsyncConnection,
    worker: str,
    fresh: Sequence[Settlement],
    wishes: Mapping[CounterId, LeaseRequest],
) -> dict[Holder, LeaseState]:
    """Add what settlements took to their counters, and set a worker's leases as it wishes. The
    standing of every counter with a wish. ``fresh``: those that were not booked before.
    """
    costs = counted_costs(fresh)
    if not costs and not wishes:
        return {}
    rows = await locked(conn, costs.keys() | wishes.keys())
    left = await _slide(conn, rows, fresh)
    spent = {counter: costs.get(counter, 0) - left.get(row.id, 0) for counter, row in rows.items()}
    asked = {rows[counter].id: wish for counter, wish in wishes.items()}
    own = await leasing.leases_of(conn, BUDGETS, worker, asked)
    standings: dict[int, LeaseState] = {}
    short: list[int] = []
    for counter, wish in wishes.items():
        row = rows[counter]
        lease = own.get(row.id, NONE)
        if not _is_counted(counter, row, wish.since):
            kept = min(wish.keep, lease.amount_nanos)
            standings[row.id] = LeaseState(kept, kept, is_final=False, is_counted=False)
            continue
        after = row.spent_nanos + spent[counter]
        pool = wish.limit - after - row.leased_nanos + lease.amount_nanos
        level = _crossed(wish.limit, after)
        standing = leasing.stands(wish, lease, pool)
        standings[row.id] = msgspec.structs.replace(
            standing, crossed=level if level > row.told else 0
        )
        if wish.need + wish.room > pool and (wish.awaited or wish.room):
            short.append(row.id)
    await _move_on(conn, rows, spent, standings, own)
    await _tell(conn, rows, wishes, spent)
    await leasing.set_leases(conn, BUDGETS, worker, own, standings, asked)
    if short:
        standings.update(await leasing.called(conn, BUDGETS, worker, short, asked, standings))
    return {counter: standings[rows[counter].id] for counter in wishes}


async def _move_on(
    conn: AsyncConnection,
    rows: Mapping[CounterId, Any],
    spent: Mapping[CounterId, int],
    standings: Mapping[int, LeaseState],
    own: Mapping[int, Lease],
) -> None:
    changes = []
    for counter, row in rows.items():
        standing = standings.get(row.id)
        more = 0 if standing is None else standing.leased - own.get(row.id, NONE).amount_nanos
        if spent[counter] or more:
            changes.append({"of": row.id, "spent": spent[counter], "more": more})
    if changes:
        await conn.execute(_MOVE, changes)


async def _tell(
    conn: AsyncConnection,
    rows: Mapping[CounterId, Any],
    wishes: Mapping[CounterId, LeaseRequest],
    spent: Mapping[CounterId, int],
) -> None:
    """Note what people are told, so that nobody is told twice."""
    levels = {
        counter: _crossed(wish.limit, rows[counter].spent_nanos + spent[counter])
        for counter, wish in wishes.items()
        if _is_counted(counter, rows[counter], wish.since)
    }
    changes = [
        {"of": rows[counter].id, "level": level}
        for counter, level in levels.items()
        if level != rows[counter].told
    ]
    if changes:
        await conn.execute(_TELL, changes)


_MOVE: Final = (
    update(budget_counters)
    .where(budget_counters.c.id == bindparam("of"))
    .values(
        spent_nanos=budget_counters.c.spent_nanos + bindparam("spent", type_=BigInteger),
        leased_nanos=budget_counters.c.leased_nanos + bindparam("more", type_=BigInteger),
    )
)


_TELL: Final = (
    update(budget_counters)
    .where(budget_counters.c.id == bindparam("of"))
    .values(told=bindparam("level", type_=BigInteger))
)


def _crossed(limit: int, spent: int) -> int:
    """Per cent of a budget that people are to know of. Whatever falls below, as windows move on, is
    told again when it is reached again.
    """
    return next((level for level in TOLD_AT if spent * 100 >= limit * level), 0)


async def locked(conn: AsyncConnection, counters: Iterable[CounterId]) -> dict[CounterId, Any]:
    """The rows of counters, locked until the end; those that are missing are made."""
    names = sorted(counters)
    rows = await _rows(conn, names)
    missing = [counter for counter in names if counter not in rows]
    if missing:
        values = [
            {"scope": scope, "period": period, "starts_at": at, "spent_nanos": 0}
            for scope, period, at in missing
        ]
        made = upsert(conn, budget_counters).values(values).on_conflict_do_nothing()
        await conn.execute(made)
        rows = await _rows(conn, names)
    return rows


def _is_counted(counter: CounterId, row: Any, since: int) -> bool:
    """Whether what was spent in the period before a budget was given is in its counter."""
    return since <= max(int(row.since), counter.starts_at)


async def _rows(conn: AsyncConnection, names: Sequence[CounterId]) -> dict[CounterId, Any]:
    query = (
        select(budget_counters)
        .where(tuple_(*_NAME).in_(names))
        .order_by(budget_counters.c.id)
        .with_for_update()
    )
    return {
        CounterId(row.scope, row.period, row.starts_at): row for row in await conn.execute(query)
    }


# --- windows --------------------------------------------------------------------------------------


async def _now(conn: AsyncConnection) -> int:
    """Seconds since the epoch by the database's own clock, by which windows move on."""
    return int((await conn.execute(select(NOW[conn.dialect.name]))).scalar_one())


async def _slide(
    conn: AsyncConnection, rows: Mapping[CounterId, Any], fresh: Sequence[Settlement]
) -> dict[int, int]:
    """Note in which step of its windows a settlement was spent, and take out what has left them:
    how much by counter.
    """
    windows = {
        counter: WINDOWS[Period(counter.period)]
        for counter in rows
        if Period(counter.period) in WINDOWS
    }
    if not windows:
        return {}
    spans: dict[tuple[int, int], int] = {}
    now = await _now(conn)
    for settled in fresh:
        at = min(settled.at, now)  # a worker whose clock is ahead keeps nothing longer than others
        for counter in settled.counters:
            if counter in windows:
                span = rows[counter].id, at - at % windows[counter][1]
                spans[span] = spans.get(span, 0) + settled.cost_nanos
    await add_spans(conn, spans)
    left: dict[int, int] = {}
    for counter, (length, step) in windows.items():
        gone = (
            delete(budget_spans)
            .where(
                budget_spans.c.counter_id == rows[counter].id,
                budget_spans.c.starts_at <= now - length - step,
            )
            .returning(budget_spans.c.nanos)
        )
        left[rows[counter].id] = sum(await conn.scalars(gone))
    return left


async def add_spans(conn: AsyncConnection, spans: Mapping[tuple[int, int], int]) -> None:
    """Add what was spent of counters, by their ids, in steps of their windows."""
    if not spans:
        return
    put = upsert(conn, budget_spans)
    put = put.on_conflict_do_update(
        index_elements=["counter_id", "starts_at"],
        set_={"nanos": budget_spans.c.nanos + put.excluded.nanos},
    )
    rows = [
        {"counter_id": counter_id, "starts_at": at, "nanos": nanos}
        for (counter_id, at), nanos in sorted(spans.items())
    ]
    await conn.execute(put, rows)


async def resets_at(conn: AsyncConnection, counter: CounterId) -> int | None:
    """When the first of what was spent in a window leaves it; ``None``: nothing was, or it is no
    window.
    """
    length, step = WINDOWS.get(Period(counter.period), (0, 0))
    if not length:
        return None
    query = (
        select(func.min(budget_spans.c.starts_at))
        .join(budget_counters, budget_counters.c.id == budget_spans.c.counter_id)
        .where(*(column == value for column, value in zip(_NAME, counter, strict=True)))
    )
    oldest = await conn.scalar(query)
    return None if oldest is None else int(oldest) + length + step


# --- leases and holds -----------------------------------------------------------------------------


async def wanted(conn: AsyncConnection, worker: str) -> list[CounterId]:
    """Counters of which others want what this worker has leased and does not use."""
    ids = await leasing.wanted(conn, BUDGETS, worker)
    if not ids:
        return []
    query = select(*_NAME).where(budget_counters.c.id.in_(ids))
    return [CounterId(*row) for row in await conn.execute(query)]


async def give_back(conn: AsyncConnection, worker: str, silent_s: int = -1) -> int:
    """End a worker's leases, or those that it did not renew for so long; how many."""
    ids = await leasing.ended(conn, BUDGETS, worker, silent_s)
    if not ids:
        return 0
    lock = select(budget_counters.c.id).where(budget_counters.c.id.in_(ids))
    await conn.execute(lock.order_by(budget_counters.c.id).with_for_update())
    own = await leasing.leases_of(conn, BUDGETS, worker, ids)
    changes = [{"of": id_, "spent": 0, "more": -lease.amount_nanos} for id_, lease in own.items()]
    if changes:
        await conn.execute(_MOVE, changes)
    await leasing.delete_leases(conn, BUDGETS, worker, own)
    return len(own)


async def set_aside(
    conn: AsyncConnection,
    counters: Sequence[CounterId],
    amount_nanos: int,
    budgets: Sequence[Budget],
) -> int | None:
    """Set an amount aside under each budget, for a hold that is a row; ``None`` when all have it to
    spare, or are soft, else the place of one that has not, or of which nobody has counted yet what
    was spent before it was given; then nothing is set aside.
    """
    if not counters:
        return None
    rows = await locked(conn, counters)
    for place, (counter, budget) in enumerate(zip(counters, budgets, strict=True)):
        row = rows[counter]
        spare = max(0, budget.amount_nanos - row.spent_nanos - row.leased_nanos)
        is_known = _is_counted(counter, row, budget.since)
        if not budget.soft and (amount_nanos > spare or not is_known):
            return place
    await _move(conn, rows, counters, 0, amount_nanos)
    return None


async def let_go(
    conn: AsyncConnection,
    counters: Sequence[CounterId],
    amount_nanos: int,
    cost_nanos: int,
    at: int,
) -> None:
    """End what was set aside, and add what it cost at that moment."""
    if not counters:
        return
    rows = await locked(conn, counters)
    await _move(conn, rows, counters, cost_nanos, -amount_nanos)
    if cost_nanos:
        steps = {c: WINDOWS[Period(c.period)][1] for c in counters if Period(c.period) in WINDOWS}
        await add_spans(
            conn, {(rows[c].id, at - at % step): cost_nanos for c, step in steps.items()}
        )


async def _move(
    conn: AsyncConnection,
    rows: Mapping[CounterId, Any],
    counters: Sequence[CounterId],
    spent: int,
    more: int,
) -> None:
    changes = [{"of": rows[counter].id, "spent": spent, "more": more} for counter in counters]
    if changes and (spent or more):
        await conn.execute(_MOVE, changes)


async def counted(conn: AsyncConnection, scopes: Sequence[str]) -> dict[CounterId, tuple[int, int]]:
    """What is spent, and what is leased or held, of the counters of these scopes; of windows what
    is in them now.
    """
    query = select(budget_counters).where(budget_counters.c.scope.in_(scopes))
    rows = list(await conn.execute(query))
    gone = await _gone(conn, rows)
    return {
        CounterId(row.scope, row.period, row.starts_at): (
            row.spent_nanos - gone.get(row.id, 0),
            row.leased_nanos,
        )
        for row in rows
    }


async def _gone(conn: AsyncConnection, rows: Sequence[Any]) -> dict[int, int]:
    """What has left windows since somebody spent of them last, by counter."""
    found: dict[int, int] = {}
    for period, (length, step) in WINDOWS.items():
        ids = [row.id for row in rows if row.period == period.value]
        if not ids:
            continue
        query = (
            select(budget_spans.c.counter_id, func.sum(budget_spans.c.nanos).label("nanos"))
            .where(
                budget_spans.c.counter_id.in_(ids),
                budget_spans.c.starts_at <= await _now(conn) - length - step,
            )
            .group_by(budget_spans.c.counter_id)
        )
        found |= {row.counter_id: int(row.nanos) for row in await conn.execute(query)}
    return found


async def sweep(conn: AsyncConnection, period: str, before: int, most: int) -> int:
    """Delete counters of periods that began before then, but the latest of each scope; how many."""
    later = budget_counters.alias()
    is_followed = (
        select(later.c.id)
        .where(
            later.c.scope == budget_counters.c.scope,
            later.c.period == budget_counters.c.period,
            later.c.starts_at > budget_counters.c.starts_at,
        )
        .exists()
    )
    old = (
        select(budget_counters.c.id)
        .where(
            budget_counters.c.period == period,
            budget_counters.c.starts_at < before,
            budget_counters.c.leased_nanos == 0,
            # that of a budget tells since when it counts; end users are as many as callers invent
            is_followed | budget_counters.c.scope.like(_END_USERS),
        )
        .limit(most)
    )
    return (
        await conn.execute(delete(budget_counters).where(budget_counters.c.id.in_(old)))
    ).rowcount


async def sweep_windows(conn: AsyncConnection, period: str, most: int) -> int:
    """Delete end users' counters of a window that nothing is left in; how many."""
    length, step = WINDOWS[Period(period)]
    since = await _now(conn) - length - step
    spans = select(budget_spans.c.counter_id).where(
        budget_spans.c.counter_id == budget_counters.c.id, budget_spans.c.starts_at > since
    )
    empty = (
        select(budget_counters.c.id)
        .where(
            budget_counters.c.period == period,
            budget_counters.c.scope.like(_END_USERS),
            budget_counters.c.leased_nanos == 0,
            ~spans.exists(),
        )
        .limit(most)
    )
    gone = delete(budget_counters).where(budget_counters.c.id.in_(empty))
    return (await conn.execute(gone)).rowcount
