"""Sums of closed days in SQL: which of them there are, what adds up to a period, and making them.

What has been added to a day since it was closed is in ``spend_days`` at once, and its account and
day are in ``spend_late`` until the windows with it are made anew: so both are seen or neither.
Windows are made by one transaction at a time, and only ever replaced by what is true later.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Select,
    and_,
    cast,
    delete,
    func,
    literal,
    or_,
    select,
    text,
    tuple_,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.ledger.model import EntryKind
from trivium.ledger.spending.model import DAY_S
from trivium.ledger.spending.rollups.model import (
    EVERYTHING,
    DayRun,
    RollupShape,
    RollupWindow,
    cover,
    parts,
    shape_of,
    windows_with,
)
from trivium.storage.bulk_insert import upsert
from trivium.storage.schema.core import entries
from trivium.storage.schema.spending import spend_closed, spend_days, spend_late, spend_rollups

_LOCK: Final = 0x726F_6C6C_7570_73  # "rollups": any number that others do not use
_SUMS: Final = ("nanos", "requests", "input_tokens", "output_tokens")
_NONE: Final[dict[str, Any]] = dict.fromkeys(EVERYTHING[:4], 0) | dict.fromkeys(EVERYTHING[4:], "")
NEVER: Final = -1
"""No day is closed."""


# --- adding ---------------------------------------------------------------------------------------


async def note_late(conn: AsyncConnection, places: Iterable[tuple[int, int]]) -> None:
    """Remember days of accounts that were over for long and have been added to. Their accounts must
    be held: whoever makes the windows anew then waits for the end of this transaction, or it for
    theirs.
    """
    rows = [{"day": day, "payer_id": payer_id, "times": 1} for day, payer_id in sorted(set(places))]
    put = upsert(conn, spend_late)
    put = put.on_conflict_do_update(
        index_elements=["day", "payer_id"],
        # not "do nothing", which would lock nothing
        set_={"times": spend_late.c.times + put.excluded.times},
    )
    await conn.execute(put, rows)


# --- reading --------------------------------------------------------------------------------------


async def covered(
    conn: AsyncConnection, since: int, until: int, columns: Iterable[str]
) -> tuple[RollupShape, list[DayRun]]:
    """The shape that tells these columns apart, and what of it adds up to a period."""
    wanted = list(columns)
    shape = shape_of(wanted)
    spans = tuple(span for span in shape.spans if span == 1) if "day" in wanted else shape.spans
    closed = await last_closed(conn)
    of = spend_late.c.day
    late = select(of).where(of >= since, of <= until).distinct().order_by(of)
    found = [int(day) for day in await conn.scalars(late)] if closed >= since else []
    return shape, cover(since, until, spans, closed, found)


async def last_closed(conn: AsyncConnection) -> int:
    """The last day of which there are windows."""
    found = await conn.scalar(select(func.max(spend_closed.c.day)))
    return NEVER if found is None else int(found)


def rows_of(shape: RollupShape, runs: Sequence[DayRun], where: Any = None) -> Any:
    """Rows that add up to what ``covered`` was asked for, as a subquery with the columns of
    ``spend_days``. ``where``: gives conditions of a table's columns.
    """
    loose = [run for run in runs if not run.span]
    queries = []
    if loose or not runs:
        days = [spend_days.c.day.between(run.first, run.last) for run in loose]
        queries.append(_of(spend_days, [or_(*days)] if days else [literal(1) == 0], where))
    for span in sorted({run.span for run in runs if run.span}):
        of = spend_rollups.c
        days = [of.day.between(run.first, run.last) for run in runs if run.span == span]
        is_it = [of.shape == int(shape), of.span == span, or_(*days)]
        queries.append(_of(spend_rollups, is_it, where))
    return (queries[0] if len(queries) == 1 else union_all(*queries)).subquery("summed")


def _of(table: Any, conditions: Sequence[Any], where: Any) -> Select[Any]:
    columns = [table.c[name] for name in ("day", *EVERYTHING, *_SUMS)]
    more = () if where is None else where(table)
    return select(*columns).where(*conditions, *more)


# --- making ---------------------------------------------------------------------------------------


async def is_alone(conn: AsyncConnection) -> bool:
    """Whether no other transaction makes windows; none will until this one ends."""
    if conn.dialect.name != "postgresql":
        return True
    return bool(await conn.scalar(text(f"SELECT pg_try_advisory_xact_lock({_LOCK})")))


async def next_day(conn: AsyncConnection, after: int, until: int) -> int | None:
    """The first day after one, until another, on which anything was spent."""
    of = spend_days.c.day
    found = await conn.scalar(select(of).where(of > after, of <= until).order_by(of).limit(1))
    return None if found is None else int(found)


async def payers_of(conn: AsyncConnection, window: RollupWindow) -> tuple[int, int, int]:
    """How many rows a window is made of, and the least and the greatest account among them."""
    of = _source(window)
    query = select(func.count(), func.min(of.c.payer_id), func.max(of.c.payer_id))
    found = (await conn.execute(query)).one()
    return int(found[0]), int(found[1] or 0), int(found[2] or 0)


async def make(
    conn: AsyncConnection, window: RollupWindow, payers: Sequence[int] | range | None = None
) -> None:
    """Make a window anew of what it is made of, or the rows of some accounts, where it tells them
    apart. No row of it is too many, as what it is made of only ever becomes more.
    """
    of = _source(window)
    kept = [of.c[name] for name in window.shape.columns]
    values = [
        of.c[name] if name in window.shape.columns else literal(_NONE[name]).label(name)
        for name in EVERYTHING
    ]
    added = [cast(func.sum(of.c[name]), BigInteger).label(name) for name in _SUMS]
    head = [literal(value, BigInteger) for value in (int(window.shape), window.span, window.day)]
    query = select(*head, *values, *added).where(of.c.day >= window.day).group_by(*kept)
    if payers is not None and "payer_id" in window.shape.columns:
        payer = of.c.payer_id
        query = query.where(
            and_(payer >= payers.start, payer < payers.stop)
            if isinstance(payers, range)
            else payer.in_(payers)
        )
    put = upsert(conn, spend_rollups).from_select(spend_rollups.c.keys(), query)
    put = put.on_conflict_do_update(
        index_elements=[column.name for column in spend_rollups.primary_key],
        set_={name: put.excluded[name] for name in _SUMS},
    )
    await conn.execute(put)


def _source(window: RollupWindow) -> Any:
    """The rows that a window is made of."""
    span, last = parts(window)
    if not span:
        return rows_of(window.shape, [DayRun(0, window.day, last)])
    return rows_of(window.shape, [DayRun(span, window.day, last)])


async def close(conn: AsyncConnection, day: int) -> None:
    """Remember that all windows are made that end on a day or before it."""
    await conn.execute(upsert(conn, spend_closed).values(day=day).on_conflict_do_nothing())


async def take_late(conn: AsyncConnection, until: int, limit: int) -> int:
    """Make anew what has late sums in it, of at most so many days of accounts; how many of them.
    ``until``: the last day that may be closed: also windows that are being made are made anew.
    """
    places = (spend_late.c.day, spend_late.c.payer_id)
    some = select(*places).order_by(*places).limit(limit).with_for_update(skip_locked=True)
    found = [(int(row.day), int(row.payer_id)) for row in await conn.execute(some)]
    if not found:
        return 0
    await conn.execute(delete(spend_late).where(tuple_(*places).in_(found)))
    payers: dict[RollupWindow, list[int]] = {}
    for day, payer_id in found:
        for window in windows_with(day, until):
            payers.setdefault(window, []).append(payer_id)
    for window in sorted(payers, key=lambda each: (each.span, each.day)):
        await make(conn, window, sorted(set(payers[window])))
    return len(found)


# --- proving --------------------------------------------------------------------------------------


async def differing_days(conn: AsyncConnection) -> Sequence[Any]:
    """Accounts and days whose sums are not what their usage entries add up to, and both numbers."""
    used = select(
        entries.c.user_id.label("payer_id"),
        (entries.c.created_at - entries.c.created_at % DAY_S).label("at"),
        (-entries.c.amount_nanos).label("entered"),
        literal(0, BigInteger).label("summed"),
    ).where(entries.c.kind == EntryKind.USAGE.value)
    kept = select(
        spend_days.c.payer_id,
        (spend_days.c.day * DAY_S).label("at"),
        literal(0, BigInteger),
        spend_days.c.nanos,
    )
    both = union_all(used, kept).subquery()
    entered, added = func.sum(both.c.entered), func.sum(both.c.summed)
    query = (
        select(both.c.payer_id, both.c.at, entered.label("entered"), added.label("summed"))
        .group_by(both.c.payer_id, both.c.at)
        .having(entered != added)
        .order_by(both.c.payer_id, both.c.at)
    )
    return (await conn.execute(query)).all()


async def differing(conn: AsyncConnection) -> list[tuple[RollupWindow, int, int]]:
    """Windows of closed days that are not what their days add up to, and both numbers. Those with
    late sums in them are not looked at.
    """
    closed = await last_closed(conn)
    of = spend_rollups.c
    late = {int(day) for day in await conn.scalars(select(spend_late.c.day).distinct())}
    kept: dict[RollupWindow, int] = {}
    by = (of.shape, of.span, of.day)
    query = select(*by, cast(func.sum(of.nanos), BigInteger).label("nanos")).group_by(*by)
    for row in await conn.execute(query):
        window = RollupWindow(RollupShape(int(row.shape)), int(row.span), int(row.day))
        kept[window] = int(row.nanos)
    day = spend_days.c.day
    by_day = select(day, cast(func.sum(spend_days.c.nanos), BigInteger)).group_by(day)
    sums = {int(row[0]): int(row[1]) for row in await conn.execute(by_day)}
    wrong = []
    for window, nanos in sorted(kept.items()):
        days = range(window.day, window.day + window.span)
        if days[-1] <= closed and late.isdisjoint(days):
            true = sum(sums.get(each, 0) for each in days)
            if true != nanos:
                wrong.append((window, nanos, true))
    return wrong
