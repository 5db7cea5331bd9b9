"""Sums of usage entries in SQL, written in the transaction that appends the entries.

Every row is of one account, and whoever appends entries holds the account's row: two transactions
never wait for each other's sums, and what one has made the next one sees.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Double,
    Select,
    bindparam,
    cast,
    delete,
    func,
    literal,
    not_,
    or_,
    select,
    text,
    tuple_,
    union_all,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.clock import Clock, SystemClock
from trivium.ledger.spending.model import (
    DAY_S,
    SAID,
    BookedUsage,
    Dimension,
    SpendPlace,
    SpendRow,
    SpendScope,
    SpendSums,
    summed,
)
from trivium.ledger.spending.rollups import store as rollups
from trivium.ledger.spending.rollups.model import DayRun, RollupShape
from trivium.storage.bulk_insert import upsert
from trivium.storage.schema.core import keys, users
from trivium.storage.schema.spending import (
    attribution_tags,
    attributions,
    spend_attributed,
    spend_days,
)
from trivium.wire.attribution import Attributed

PAGE: Final = 500
"""Rows a look-up."""
_SYSTEM: Final = SystemClock()
_encode: Final = msgspec.json.Encoder().encode
_SUMS: Final = SpendSums._fields
_WHO: Final = (attributions.c.payer_id, attributions.c.digest)
_Named = tuple[int, bytes]
"""An account, and the digest of what was said."""


async def add(conn: AsyncConnection, booked: Iterable[BookedUsage], clock: Clock = _SYSTEM) -> None:
    """Add usage entries to the sums. The accounts must be held."""
    today = int(clock.now()) // DAY_S
    sums: dict[SpendPlace, SpendSums] = {}
    finer: dict[tuple[SpendPlace, _Named], SpendSums] = {}
    said: dict[_Named, tuple[Attributed, int]] = {}
    for each in booked:
        key, more = summed(each)
        sums[key] = sums[key].plus(more) if key in sums else more
        if each.who.is_empty:
            continue
        named = each.payer_id, digest_of(each.who)
        said[named] = each.who, max(key.day, said[named][1] if named in said else 0)
        place = key, named
        finer[place] = finer[place].plus(more) if place in finer else more
    if not sums:
        return
    await _put(conn, spend_days, [{**k._asdict(), **v._asdict()} for k, v in sorted(sums.items())])
    late = [(key.day, key.payer_id) for key in sums if key.day < today - 1]
    if late:
        await rollups.note_late(conn, late)
    if said:
        ids = await _ids(conn, said)
        rows = [
            {**key._asdict(), "attribution_id": ids[named], **more._asdict()}
            for (key, named), more in sorted(finer.items())
        ]
        await _put(conn, spend_attributed, rows)


def digest_of(who: Attributed) -> bytes:
    """By what an attribution is found."""
    return hashlib.blake2b(_encode(who), digest_size=16).digest()


async def _put(conn: AsyncConnection, table: Any, rows: list[dict[str, Any]]) -> None:
    put = upsert(conn, table)
    put = put.on_conflict_do_update(
        index_elements=[column.name for column in table.primary_key],
        set_={name: table.c[name] + put.excluded[name] for name in _SUMS},
    )
    await conn.execute(put, rows)


async def _ids(
    conn: AsyncConnection, said: dict[_Named, tuple[Attributed, int]]
) -> dict[_Named, int]:
    """The ids of attributions, which are made where they are new."""
    names = sorted(said)
    found = await _found(conn, names)
    late = [
        {"of": row.id, "day": said[named][1]}
        for named, row in found.items()
        if row.last_day < said[named][1]
    ]
    if late:
        await conn.execute(_LATER, late)
    missing = [named for named in names if named not in found]
    if missing:
        found |= await _made(conn, {named: said[named] for named in missing})
    return {named: int(row.id) for named, row in found.items()}


async def _made(
    conn: AsyncConnection, said: dict[_Named, tuple[Attributed, int]]
) -> dict[_Named, Any]:
    rows = []
    for (payer_id, digest), (who, day) in said.items():
        tags = _encode(who.tags).decode()
        texts = {"end_user": who.end_user, "session": who.session, "tags": tags}
        rows.append({"payer_id": payer_id, "digest": digest, "last_day": day, **texts})
    await conn.execute(upsert(conn, attributions).on_conflict_do_nothing(), rows)
    made = await _found(conn, list(said))
    of_tags = [
        {"attribution_id": made[named].id, "tag": tag}
        for named, (who, _) in said.items()
        for tag in who.tags
    ]
    if of_tags:
        await conn.execute(upsert(conn, attribution_tags).on_conflict_do_nothing(), of_tags)
    return made


async def _found(conn: AsyncConnection, names: Sequence[_Named]) -> dict[_Named, Any]:
    found: dict[_Named, Any] = {}
    for start in range(0, len(names), PAGE):
        some = names[start : start + PAGE]
        query = select(attributions.c.id, attributions.c.last_day, *_WHO).where(
            tuple_(*_WHO).in_(some)
        )
        for row in await conn.execute(query):
            found[int(row.payer_id), bytes(row.digest)] = row
    return found


_LATER: Final = (
    update(attributions)
    .where(attributions.c.id == bindparam("of"))
    .values(last_day=bindparam("day", type_=BigInteger))
)


# --- statements -----------------------------------------------------------------------------------

_COLUMNS: Final = {
    Dimension.DAY: "day",
    Dimension.PAYER: "payer_id",
    Dimension.TEAM: "team_id",
    Dimension.USER: "user_id",
    Dimension.KEY: "key_id",
    Dimension.MODEL: "model",
    Dimension.CHANNEL: "channel",
}
_SAID: Final[dict[Dimension, ColumnElement[Any]]] = {
    Dimension.END_USER: attributions.c.end_user,
    Dimension.SESSION: attributions.c.session,
    Dimension.TAGS: attributions.c.tags,
    # without `coalesce`, which made the sum by tag half as slow again: nobody's tag is read as ""
    Dimension.TAG: attribution_tags.c.tag,
}
NO_TAGS: Final = "[]"
_IS_SAID: Final = {
    Dimension.END_USER: attributions.c.end_user != "",
    Dimension.SESSION: attributions.c.session != "",
    Dimension.TAGS: attributions.c.tags != NO_TAGS,
    Dimension.TAG: attributions.c.tags != NO_TAGS,
}
DAYS_APART: Final = 100
"""Of a statement by day and something else, each of which is a question of its own."""
DOUBLES_BELOW: Final = 2**52
"""Sums that doubles have exactly, with a bit to spare for what a negative one takes back."""


def adds_in_doubles(conn: AsyncConnection, whole: SpendSums) -> bool:
    """Whether parts of this may be added up in doubles, which lose nothing below their 53 bits.

    PostgreSQL adds up integers of 64 bits as decimal numbers, which takes twice as long.
    """
    return conn.dialect.name == "postgresql" and max(whole) < DOUBLES_BELOW


def _added(of: Any, doubles: bool = False, sign: int = 1) -> list[Any]:
    found = []
    for name in _SUMS:
        column: Any = cast(of.c[name], Double) if doubles else of.c[name]
        added: Any = func.sum(column)
        if not doubles:
            added = cast(added, BigInteger)
        found.append((added if sign > 0 else -added).label(name))
    return found


def _within(query: Select[Any], of: Any, scope: SpendScope) -> Select[Any]:
    return query.where(of.c.day >= scope.since, of.c.day <= scope.until, *_of_whom(of, scope))


def _of_whom(of: Any, scope: SpendScope) -> list[ColumnElement[bool]]:
    found = []
    if scope.team_ids is not None:
        found.append(of.c.team_id.in_(scope.team_ids))
    if scope.user_id is not None:
        found.append(of.c.user_id == scope.user_id)
    if scope.payer_id is not None:
        found.append(of.c.payer_id == scope.payer_id)
    if scope.payer_group is not None:
        of_group = select(users.c.id).where(users.c.price_group == scope.payer_group)
        found.append(of.c.payer_id.in_(of_group))
    return found


async def _covered(
    conn: AsyncConnection, scope: SpendScope, by: Sequence[Dimension]
) -> tuple[RollupShape, list[DayRun]]:
    """What adds up to the days of a statement and tells apart what it is by and of."""
    columns = [_COLUMNS[each] for each in by if each not in SAID]
    asked = {"team_id": scope.team_ids, "user_id": scope.user_id, "payer_id": scope.payer_id}
    columns += [name for name, of in asked.items() if of is not None]
    columns += [] if scope.payer_group is None else ["payer_id"]
    return await rollups.covered(conn, scope.since, scope.until, columns)


async def _summed(conn: AsyncConnection, scope: SpendScope, by: Sequence[Dimension]) -> Any:
    """The same as rows."""
    shape, runs = await _covered(conn, scope, by)
    return rollups.rows_of(shape, runs, lambda of: _of_whom(of, scope))


async def total(conn: AsyncConnection, scope: SpendScope) -> SpendSums:
    """All of it together."""
    found = await _total(conn, scope, doubles=conn.dialect.name == "postgresql")
    return found if max(found) < DOUBLES_BELOW else await _total(conn, scope, doubles=False)


async def _total(conn: AsyncConnection, scope: SpendScope, *, doubles: bool) -> SpendSums:
    row = (await conn.execute(select(*_added(await _summed(conn, scope, ()), doubles)))).one()
    return SpendSums(*(int(value or 0) for value in row))


async def exactly(
    conn: AsyncConnection, scope: SpendScope, by: Sequence[Dimension], limit: int
) -> list[SpendRow]:
    """Sums by what every entry says, the most expensive first. A sum that doubles have not exactly
    is at least ``DOUBLES_BELOW`` in doubles, too, and all are added up again then.
    """
    shape, runs = await _covered(conn, scope, by)
    doubles = conn.dialect.name == "postgresql"
    rows = await _rows(conn, _most_of(shape, runs, scope, by, limit, doubles), by, limit)
    if doubles and any(max(row.sums) >= DOUBLES_BELOW for row in rows):
        rows = await _rows(conn, _most_of(shape, runs, scope, by, limit, False), by, limit)
    return rows


def _most_of(
    shape: RollupShape,
    runs: Sequence[DayRun],
    scope: SpendScope,
    by: Sequence[Dimension],
    limit: int,
    doubles: bool,
) -> Select[Any]:
    """Sums of these rows. By day and something else, only the most of each day are sorted: few are
    in memory at once.
    """
    days = [
        DayRun(run.span, day, day) for run in runs for day in range(run.first, run.last + 1)
    ] if Dimension.DAY in by and len(by) > 1 else []  # fmt: skip
    if not 1 < len(days) <= DAYS_APART:
        of = rollups.rows_of(shape, runs, lambda of: _of_whom(of, scope))
        return main_query(scope, by, doubles, of)
    parts = []
    for day in days:
        of = rollups.rows_of(shape, [day], lambda of: _of_whom(of, scope))
        query = main_query(scope, by, doubles, of).order_by(text("nanos DESC")).limit(limit)
        parts.append(select(query.subquery()))
    return select(union_all(*parts).subquery())


async def grouped(
    conn: AsyncConnection,
    scope: SpendScope,
    by: Sequence[Dimension],
    limit: int,
    whole: SpendSums | None = None,
) -> list[SpendRow]:
    """What it came to by each of these, the most expensive first; at most so many rows. ``whole``:
    what it comes to together, where that is known.
    """
    if not any(each in SAID for each in by):
        return await exactly(conn, scope, by, limit)
    doubles = adds_in_doubles(conn, whole or await total(conn, scope))
    rows = await _rows(conn, said_query(scope, by, doubles), by, limit)
    of = await _summed(conn, scope, by)
    rows += await _rows(conn, rest_query(scope, by, doubles, of), by, limit)
    rows = [row for row in rows if any(row.sums)]
    rows.sort(key=lambda row: (-row.sums.nanos, [str(value) for value in row.values]))
    return rows[:limit]


def main_query(
    scope: SpendScope, by: Sequence[Dimension], doubles: bool = False, of: Any = None
) -> Select[Any]:
    """Sums by what every entry says. ``of``: rows that add up to those of the scope, if not all."""
    rows = spend_days if of is None else of
    columns = [rows.c[_COLUMNS[each]] for each in by]
    query = select(*columns, *_added(rows, doubles)).group_by(*columns)
    return _within(query, rows, scope) if of is None else query


def said_query(scope: SpendScope, by: Sequence[Dimension], doubles: bool = False) -> Select[Any]:
    """Sums by what callers say, of whatever says anything of these dimensions."""
    of: Any = spend_attributed
    names = [_COLUMNS[each] for each in by if each not in SAID]
    if not names:  # one row of each attribution is joined, and not one of each day and model
        by_id = select(of.c.attribution_id, *_added(of, doubles))
        of = _within(by_id, of, scope).group_by(of.c.attribution_id).subquery()
    columns = [_SAID[each] if each in SAID else of.c[_COLUMNS[each]] for each in by]
    joined = of.join(attributions, attributions.c.id == of.c.attribution_id)
    if Dimension.TAG in by:
        tags = attribution_tags.c.attribution_id
        joined = joined.outerjoin(attribution_tags, tags == of.c.attribution_id)
    query = select(*columns, *_added(of, doubles)).select_from(joined).where(_says(by))
    return (_within(query, of, scope) if names else query).group_by(*columns)


def rest_query(
    scope: SpendScope, by: Sequence[Dimension], doubles: bool = False, summed: Any = None
) -> Select[Any]:
    """Sums of what says nothing of these dimensions: all, less of whatever anything is said, and of
    that what is silent about these. So most rows are not joined with what they say. ``summed``: as
    ``of`` above.
    """
    names = [_COLUMNS[each] for each in by if each not in SAID]
    parts = []
    for of, sign, silent in (
        (spend_days if summed is None else summed, 1, False),
        (spend_attributed, -1, False),
        (spend_attributed, 1, True),
    ):
        main = [of.c[name] for name in names]
        part = select(*main, *_added(of, doubles, sign))
        part = part if of is summed else _within(part, of, scope)
        if silent:
            is_it = attributions.c.id == of.c.attribution_id
            part = part.select_from(of.join(attributions, is_it)).where(not_(_says(by)))
        parts.append(part.group_by(*main) if main else part)
    both = union_all(*parts).subquery()
    none = {Dimension.TAGS: NO_TAGS}
    columns: list[Any] = [
        literal(none.get(each, "")).label(each.value) if each in SAID else both.c[_COLUMNS[each]]
        for each in by
    ]
    query = select(*columns, *_added(both, doubles))
    return query.group_by(*(both.c[name] for name in names)) if names else query


async def spent_by(
    conn: AsyncConnection, scope: SpendScope, by: Dimension, values: Sequence[int]
) -> dict[int, int]:
    """What it came to by each of these ids; of a dimension that is a column."""
    if not values:
        return {}
    of = await _summed(conn, scope, (by,))
    column = of.c[_COLUMNS[by]]
    query = select(column, cast(func.sum(of.c.nanos), BigInteger)).where(column.in_(values))
    query = query.group_by(column)
    return {int(row[0]): int(row[1] or 0) for row in await conn.execute(query)}


def _says(by: Sequence[Dimension]) -> ColumnElement[bool]:
    """Whether an attribution has anything to say of these dimensions."""
    return or_(*(_IS_SAID[each] for each in by if each in SAID))


async def _rows(
    conn: AsyncConnection, query: Select[Any], by: Sequence[Dimension], limit: int
) -> list[SpendRow]:
    found = await conn.execute(query.order_by(text("nanos DESC")).limit(limit))
    size = len(by)
    return [
        SpendRow(
            tuple("" if value is None else value for value in row[:size]),
            SpendSums(*(int(value or 0) for value in row[size:])),
        )
        for row in found
    ]


async def names_of(
    conn: AsyncConnection, user_ids: Iterable[int], key_ids: Iterable[int]
) -> tuple[dict[int, str], dict[int, str]]:
    """The names of users, teams among them, and of keys. Who is gone has none."""
    found: list[dict[int, str]] = []
    for table, ids in ((users, sorted(set(user_ids))), (keys, sorted(set(key_ids)))):
        named: dict[int, str] = {}
        for start in range(0, len(ids), PAGE):
            query = select(table.c.id, table.c.name).where(
                table.c.id.in_(ids[start : start + PAGE])
            )
            named.update({int(row.id): row.name for row in await conn.execute(query)})
        found.append(named)
    return found[0], found[1]


# --- forgetting -----------------------------------------------------------------------------------


async def delete_attributed(conn: AsyncConnection, before_ms: int, limit: int) -> int:
    """Forget at most so many attributions that were last said before a moment, with their sums; how
    many. What was spent stays in the sums by day.
    """
    is_old = attributions.c.last_day < before_ms // 86_400_000
    order = attributions.c.last_day
    some = select(attributions.c.id).where(is_old).order_by(order).limit(limit)
    ids = list(await conn.scalars(some))
    if not ids:
        return 0
    # looked at once more: it may have been said again meanwhile. What refers to it goes with it
    gone = delete(attributions).where(attributions.c.id.in_(ids), is_old)
    return int((await conn.execute(gone)).rowcount)
