"""Counts what was spent of a budget before it was given, out of the ledger's entries.

That may be millions of rows, so it is no part of a turn, for which callers wait and which ends
after seconds: a worker that meets such a budget counts in a task of its own, and what is to be held
of the budget waits for it.
"""

from typing import Any, Final

import msgspec
from sqlalchemy import (
    JSON,
    BigInteger,
    ColumnElement,
    Select,
    case,
    cast,
    delete,
    func,
    literal,
    select,
    union,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.ledger.budgets import store as counting
from trivium.ledger.model import EntryKind
from trivium.settings.budget import WINDOWS, CounterId, Period
from trivium.storage.database import NOW, Database
from trivium.storage.schema.budgets import budget_counters, budget_spans
from trivium.storage.schema.core import entries, keys
from trivium.storage.schema.teams import teams

RECALL_S: Final = 600.0
"""Reading what is long booked."""
NEWEST: Final = 100_000
"""So many of the newest entries are read again with the counter locked: their numbers were given
before they were seen, by transactions that had not ended. More than all workers book at once.
"""
EVERYWHERE: Final = "all/"
"""How scopes begin that are of all keys."""
_BILLED: Final = entries.c.detail.like("{%")


async def recall(database: Database, counter: CounterId, since: int, payer: int) -> None:
    """Have a counter begin with what its scope has spent in the period; once for each moment of
    giving, ``since``, whichever worker is the first.

    ``payer``: whose account pays, for scopes that are not made of keys. Raises the storage errors.
    """
    if counter.scope.startswith(EVERYWHERE):
        await _go_on(database, counter, since)
        return
    async with database.read(RECALL_S) as conn:
        last = int(await conn.scalar(select(func.max(entries.c.id))) or 0) - NEWEST
        begin = await _begin(conn, counter)
        found = await _spent(conn, counter, payer, begin, entries.c.id <= last) if last > 0 else {}
    async with database.write() as conn:
        row = (await counting.locked(conn, [counter]))[counter]
        if row.since >= since:
            return
        for at, nanos in (await _spent(conn, counter, payer, begin, entries.c.id > last)).items():
            found[at] = found.get(at, 0) + nanos
        anew = update(budget_counters).where(budget_counters.c.id == row.id)
        await conn.execute(anew.values(spent_nanos=sum(found.values()), since=since))
        if Period(counter.period) in WINDOWS:
            await conn.execute(delete(budget_spans).where(budget_spans.c.counter_id == row.id))
            await counting.add_spans(conn, {(row.id, at): nanos for at, nanos in found.items()})


async def _go_on(database: Database, counter: CounterId, since: int) -> None:
    """Have a counter go on from what it has: no index finds the requests of all keys with a tag."""
    async with database.write() as conn:
        row = (await counting.locked(conn, [counter]))[counter]
        anew = update(budget_counters).where(budget_counters.c.id == row.id)
        await conn.execute(anew.values(since=max(since, row.since)))


async def _begin(conn: AsyncConnection, counter: CounterId) -> int:
    """The first second that counts."""
    length, _ = WINDOWS.get(Period(counter.period), (0, 0))
    if not length:
        return counter.starts_at
    now = int((await conn.execute(select(NOW[conn.dialect.name]))).scalar_one())
    return now - length


async def _spent(
    conn: AsyncConnection, counter: CounterId, payer: int, begin: int, which: ColumnElement[bool]
) -> dict[int, int]:
    """What was spent, by the step of the window; all under 0 where it is none."""
    _, step = WINDOWS.get(Period(counter.period), (0, 0))
    at = entries.c.created_at
    span: ColumnElement[int] = at - at % step if step else literal(0, BigInteger)
    query = (
        select(span.label("at"), cast(func.sum(-entries.c.amount_nanos), BigInteger).label("nanos"))
        .where(
            entries.c.kind == EntryKind.USAGE.value,
            at >= begin,
            which,
            _of_scope(conn, counter.scope, payer),
        )
        .group_by(span)
    )
    return {int(row.at): int(row.nanos) for row in await conn.execute(query)}


def _of_scope(conn: AsyncConnection, scope: str, payer: int) -> ColumnElement[bool]:
    """Entries of a scope: those of its keys, by their bills; else those that name it."""
    own = _keys(scope)
    if own is None:
        # as the bill writes it: a tag may have quotes and backslashes
        written = msgspec.json.encode(scope).decode()
        named = entries.c.detail.contains(written, autoescape=True)
        return (entries.c.user_id == payer) & named
    if conn.dialect.name == "sqlite":
        key: Any = func.json_extract(entries.c.detail, "$.key")
    else:
        # a plain cast would be tried on rows that the condition leaves out
        key = cast(case((_BILLED, entries.c.detail)), JSON)["key"].as_string().cast(BigInteger)
    found = own.subquery()
    its: ColumnElement[bool] = key.in_(select(found.c.id))
    return entries.c.user_id.in_(_payers(own)) & _BILLED & its


def _keys(scope: str) -> Select[Any] | None:
    """The keys whose requests count against a scope, revoked ones too; ``None``: it has none."""
    kind, _, rest = scope.partition(":")
    if "/" in rest:  # an end user of a key, a tag of a team
        return None
    found = select(keys.c.id, keys.c.user_id, keys.c.team_id)
    if kind == "key":
        return found.where(keys.c.id == int(rest))
    if kind == "grant":
        return found.where(keys.c.grant_id == int(rest))
    if kind == "member":
        team_id, _, user_id = rest.partition(":")
        return found.where(keys.c.team_id == int(team_id), keys.c.user_id == int(user_id))
    if kind != "team":
        return None
    below = select(teams.c.id).where(teams.c.id == int(rest)).cte("below", recursive=True)
    below = below.union(select(teams.c.id).where(teams.c.parent_id == below.c.id))
    return found.where(keys.c.team_id.in_(select(below.c.id)))


def _payers(own: Select[Any]) -> Any:
    """Whose accounts such keys may have been paid from, ever: those of their users, and of any team
    above. By these there is an index of entries.
    """
    found = own.subquery()
    above = (
        select(teams.c.id, teams.c.parent_id)
        .where(teams.c.id.in_(select(found.c.team_id)))
        .cte("above", recursive=True)
    )
    above = above.union(
        select(teams.c.id, teams.c.parent_id).where(teams.c.id == above.c.parent_id)
    )
    both = union(select(found.c.user_id), select(above.c.id)).subquery()
    return select(both.c[0])
