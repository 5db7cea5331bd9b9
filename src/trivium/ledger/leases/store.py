"""Leases in SQL, the same of accounts and of budgets. Each function works in the transaction it is
given, whose caller has locked what is leased of.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Column, Table, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.ledger.allowance import granted
from trivium.ledger.model import LeaseRequest, LeaseState
from trivium.storage.bulk_insert import upsert
from trivium.storage.database import NOW
from trivium.storage.schema.budgets import budget_leases
from trivium.storage.schema.core import leases


class LeaseTable(NamedTuple):
    """Where leases of one kind are."""

    table: Table
    of: Column[int]
    """The account's user, or the counter."""


ACCOUNTS: Final = LeaseTable(leases, leases.c.user_id)
BUDGETS: Final = LeaseTable(budget_leases, budget_leases.c.counter_id)
KINDS: Final = (ACCOUNTS, BUDGETS)


class Lease(NamedTuple):
    """The lease of a worker, as its row has it."""

    amount_nanos: int
    called: int
    answered: int

    @property
    def is_wanted(self) -> bool:
        """Whether others wait for what is not used of it."""
        return self.called > self.answered


NONE: Final = Lease(0, 0, 0)


def stands(wanted: LeaseRequest, lease: Lease, pool: int) -> LeaseState:
    """How a lease stands after a turn. ``pool``: the most this worker could have."""
    # a lease that was swept meanwhile is not relied on any more
    keep = min(wanted.keep, lease.amount_nanos)
    ahead = 0 if lease.is_wanted else wanted.ahead
    leased = granted(msgspec.structs.replace(wanted, keep=keep, ahead=ahead), pool)
    is_unheard = lease.is_wanted and not wanted.yields
    return LeaseState(leased, pool, is_final=False, is_wanted=is_unheard)


async def leases_of(
    conn: AsyncConnection, kind: LeaseTable, worker: str, ids: Iterable[int]
) -> dict[int, Lease]:
    """A worker's leases of these accounts or counters."""
    if not ids:
        return {}
    table = kind.table
    query = select(
        kind.of.label("of"), table.c.amount_nanos, table.c.called, table.c.answered
    ).where(table.c.worker == worker, kind.of.in_(ids))
    return {
        row.of: Lease(row.amount_nanos, row.called, row.answered)
        for row in await conn.execute(query)
    }


async def set_leases(
    conn: AsyncConnection,
    kind: LeaseTable,
    worker: str,
    own: Mapping[int, Lease],
    standings: Mapping[int, LeaseState],
    wishes: Mapping[int, LeaseRequest],
) -> None:
    """Write the leases down. Whoever was called, and knew it, has answered with this."""
    table, of = kind
    gone = [id_ for id_, standing in standings.items() if not standing.leased and id_ in own]
    rows = []
    for id_, standing in standings.items():
        lease = own.get(id_, NONE)
        answers = lease.is_wanted and wishes[id_].yields
        if standing.leased and (answers or standing.leased != lease.amount_nanos):
            rows.append(
                {
                    "worker": worker,
                    of.name: id_,
                    "amount_nanos": standing.leased,
                    "answered": lease.called if answers else lease.answered,
                }
            )
    if gone:
        await conn.execute(delete(table).where((table.c.worker == worker) & of.in_(gone)))
    if rows:
        put = upsert(conn, table).values(renewed_at=NOW[conn.dialect.name])
        put = put.on_conflict_do_update(
            index_elements=["worker", of.name],
            set_={
                "amount_nanos": put.excluded.amount_nanos,
                "answered": put.excluded.answered,
                "renewed_at": put.excluded.renewed_at,
            },
        )
        await conn.execute(put, rows)


async def called(
    conn: AsyncConnection,
    kind: LeaseTable,
    worker: str,
    short: Sequence[int],
    wishes: Mapping[int, LeaseRequest],
    standings: Mapping[int, LeaseState],
) -> dict[int, LeaseState]:
    """The standings of those with too little, after other workers' leases have been marked.

    What another transaction has locked is marked in a later turn: whoever waited for it here, with
    accounts locked, could be waited for in return.
    """
    table, of = kind
    theirs = of.in_(short) & (table.c.worker != worker)
    rows = (await conn.execute(select(table, of.label("of")).where(theirs))).all()
    found = {}
    for id_ in short:
        others = [row for row in rows if row.of == id_]
        last = max((max(row.called, row.answered) for row in others), default=0)
        number = wishes[id_].round or last + 1
        silent = [row for row in others if row.answered < number]
        workers = [row.worker for row in silent if row.called < number]
        await _mark(conn, kind, id_, workers, number)
        found[id_] = msgspec.structs.replace(
            standings[id_],
            others=sum(row.amount_nanos for row in others),
            is_final=not silent,
            round=number,
        )
    return found


async def _mark(
    conn: AsyncConnection, kind: LeaseTable, id_: int, workers: list[str], number: int
) -> None:
    if not workers:
        return
    table, of = kind
    theirs = (of == id_) & table.c.worker.in_(workers)
    free = select(table.c.worker).where(theirs).with_for_update(skip_locked=True)
    found = list(await conn.scalars(free))
    mine = (of == id_) & table.c.worker.in_(found)
    await conn.execute(update(table).where(mine).values(called=number))


async def wanted(conn: AsyncConnection, kind: LeaseTable, worker: str) -> list[int]:
    """Of what others want that this worker has leased and does not use."""
    table = kind.table
    mine = (table.c.worker == worker) & (table.c.called > table.c.answered)
    return list(await conn.scalars(select(kind.of).where(mine)))


async def renew(conn: AsyncConnection, worker: str, older_s: int) -> None:
    """Say that a worker lives and keeps its leases: of all that were not renewed for so long.

    Those that its turns changed since are left: a worker of a fleet has thousands.
    """
    now = NOW[conn.dialect.name]
    for table, _ in KINDS:
        mine = (table.c.worker == worker) & (table.c.renewed_at < now - older_s)
        await conn.execute(update(table).where(mine).values(renewed_at=now))


async def silent_workers(conn: AsyncConnection, lease_s: int) -> list[str]:
    """Workers with a lease that was not renewed within so many seconds: a living one has none.

    Only these are read, by their index, and not the leases of all who live.
    """
    found: set[str] = set()
    for table, _ in KINDS:
        before = NOW[conn.dialect.name] - lease_s
        found.update(
            await conn.scalars(select(table.c.worker).where(table.c.renewed_at < before).distinct())
        )
    return sorted(found)


async def ended(
    conn: AsyncConnection, kind: LeaseTable, worker: str, silent_s: int
) -> Sequence[Any]:
    """What a worker's leases are of, in order; with ``silent_s`` of 0 or more only those that were
    not renewed for so long.
    """
    table, of = kind
    query = select(of).where(table.c.worker == worker).order_by(of)
    if silent_s >= 0:
        query = query.where(table.c.renewed_at < NOW[conn.dialect.name] - silent_s)
    return list(await conn.scalars(query))


async def delete_leases(
    conn: AsyncConnection, kind: LeaseTable, worker: str, ids: Iterable[int]
) -> None:
    """Delete a worker's leases of these."""
    table, of = kind
    await conn.execute(delete(table).where((table.c.worker == worker) & of.in_(ids)))
