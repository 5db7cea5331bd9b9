"""Accounts, entries and leases in SQL. Every function works in the transaction it is given.

Whoever changes an account locks its row first, several in the order of their ids: SQLite's writers
queue anyway, on PostgreSQL this keeps workers from waiting for each other in a circle.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import (
    BigInteger,
    bindparam,
    case,
    cast,
    delete,
    func,
    literal,
    literal_column,
    select,
    type_coerce,
    union_all,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.ledger.allowance import granted
from trivium.ledger.model import Entry, EntryKind, LeaseRequest, LeaseState, Settlement
from trivium.ledger.orphan_journals import INTERRUPTED
from trivium.ledger.statement.store import add_to_days
from trivium.storage.bulk_insert import insert, upsert
from trivium.storage.schema.core import accounts, entries, holds, leases, users
from trivium.storage.structs import struct_of, values_of

_USAGE: Final = ("user_id", "amount_nanos", "note", "request_id", "created_at", "detail")
"""Columns of a usage entry in the order of their values."""
_OF_USAGE: Final = (("kind", EntryKind.USAGE.value),)

REPEATED: Final = ":repeated"
"""Ends the request id of an entry that completes the bill of one that was interrupted."""

_NOW: Final = {
    "sqlite": literal_column("CAST(strftime('%s', 'now') AS INTEGER)"),
    "postgresql": cast(func.extract("epoch", func.clock_timestamp()), BigInteger),
}
"""The database's own clock: leases are renewed and swept by one."""


async def has_user(conn: AsyncConnection, user_id: int) -> bool:
    """Whether there is an account to book on, or could be."""
    return await conn.scalar(select(users.c.id).where(users.c.id == user_id)) is not None


async def insert_entry(conn: AsyncConnection, entry: Entry) -> int | None:
    """Append an entry, whose id is ignored; ``None`` when its request is booked already."""
    append = upsert(conn, entries).values(values_of(entry, "id")).returning(entries.c.id)
    if conn.dialect.name != "sqlite":
        append = append.on_conflict_do_nothing(index_elements=["request_id"])
    elif entry.request_id is not None and await entry_of(conn, entry.request_id) is not None:
        # its trigger against replacing refuses what ON CONFLICT would pass over; and nobody else
        # writes between the two statements
        return None
    booked = (await conn.execute(append)).scalar()
    return None if booked is None else int(booked)


async def add_to_account(conn: AsyncConnection, entry: Entry) -> int:
    """Move the balance by an entry's amount and return it; the first entry opens the account."""
    used = -entry.amount_nanos if entry.kind is EntryKind.USAGE else 0
    opened = upsert(conn, accounts).values(
        user_id=entry.user_id, balance_nanos=entry.amount_nanos, used_nanos=used
    )
    moved = opened.on_conflict_do_update(
        index_elements=["user_id"],
        set_={
            "balance_nanos": accounts.c.balance_nanos + opened.excluded.balance_nanos,
            "used_nanos": accounts.c.used_nanos + opened.excluded.used_nanos,
        },
    ).returning(accounts.c.balance_nanos)
    balance = int((await conn.execute(moved)).scalar_one())
    if entry.kind is EntryKind.USAGE:
        await add_to_days(conn, [(entry.user_id, entry.created_at, used)])
    return balance


async def entry_of(conn: AsyncConnection, request_id: str) -> Entry | None:
    """The entry that booked a request."""
    query = select(entries).where(entries.c.request_id == request_id)
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else _entry(row)


def _entry(row: Any) -> Entry:
    return struct_of(Entry, row, kind=EntryKind(row.kind))


async def balance_of(conn: AsyncConnection, user_id: int) -> int:
    """Nano-dollars; 0 for whoever has no entry yet."""
    query = select(accounts.c.balance_nanos).where(accounts.c.user_id == user_id)
    return int(await conn.scalar(query) or 0)


async def differing_accounts(conn: AsyncConnection) -> Sequence[Any]:
    """Accounts whose balance or use is not what their entries add up to, and the four numbers."""
    taken = case((entries.c.kind == EntryKind.USAGE.value, -entries.c.amount_nanos), else_=0)
    sums = (
        select(
            entries.c.user_id,
            func.sum(entries.c.amount_nanos).label("balance"),
            func.sum(taken).label("used"),
        )
        .group_by(entries.c.user_id)
        .subquery()
    )
    whole = accounts.c.balance_nanos.type
    balance = type_coerce(func.coalesce(sums.c.balance, literal(0)), whole).label("entries_nanos")
    used = type_coerce(func.coalesce(sums.c.used, literal(0)), whole).label("entries_used_nanos")
    has_balance = func.coalesce(accounts.c.balance_nanos, 0).label("balance_nanos")
    has_used = func.coalesce(accounts.c.used_nanos, 0).label("used_nanos")
    query = (
        select(users.c.id, has_balance, balance, has_used, used)
        .select_from(users)
        .outerjoin(accounts, accounts.c.user_id == users.c.id)
        .outerjoin(sums, sums.c.user_id == users.c.id)
        .where((has_balance != balance) | (has_used != used))
        .order_by(users.c.id)
    )
    return (await conn.execute(query)).all()


async def turn(
    conn: AsyncConnection,
    worker: str,
    settlements: Sequence[Settlement],
    wishes: Mapping[int, LeaseRequest],
    *,
    repeated: bool = True,
) -> dict[int, LeaseState]:
    """Book settlements, each request once ever, and set a worker's leases as it wishes.

    The standing of every account with a wish. May be repeated when its outcome is unknown: what is
    booked is not booked again, and a lease is set, not added to. Where it is not ``repeated``, the
    look-up is spared: a request booked already would raise ``Conflict``.
    """
    fresh = await _not_booked(conn, settlements) if repeated else settlements
    costs: dict[int, int] = {}
    for settled in fresh:
        costs[settled.user_id] = costs.get(settled.user_id, 0) + settled.cost_nanos
    found = await locked(conn, sorted(costs.keys() | wishes.keys()), costs)
    own = await _leases_of(conn, worker, wishes)
    if fresh:
        await _insert_usage(conn, fresh)
    standings: dict[int, LeaseState] = {}
    changes = []
    short = []
    for user_id, row in found.items():
        spent = costs.get(user_id, 0)
        more = 0
        wanted = wishes.get(user_id)
        if wanted is not None:
            lease = own.get(user_id, _NONE)
            had = lease.amount_nanos
            pool = row.balance_nanos - spent + row.overdraft_nanos - row.leased_nanos + had
            standings[user_id] = _stands(wanted, lease, pool)
            more = standings[user_id].leased - had
            if wanted.need + wanted.room > pool and (wanted.awaited or wanted.room):
                short.append(user_id)
        if spent or more:
            changes.append({"of": user_id, "spent": spent, "more": more})
    if changes:
        await conn.execute(_MOVE, changes)
    await _set_leases(conn, worker, own, standings, wishes)
    if short:
        standings.update(await _called(conn, worker, short, wishes, standings))
    for user_id in wishes.keys() - standings.keys():
        standings[user_id] = LeaseState(0, 0)  # nobody ever booked anything there
    return standings


class _Lease(NamedTuple):
    """The lease of a worker, as its row has it."""

    amount_nanos: int
    called: int
    answered: int

    @property
    def is_wanted(self) -> bool:
        """Whether others wait for what is not used of it."""
        return self.called > self.answered


_NONE: Final = _Lease(0, 0, 0)


def _stands(wanted: LeaseRequest, lease: _Lease, pool: int) -> LeaseState:
    """How a lease stands after a turn."""
    # a lease that was swept meanwhile is not relied on any more
    keep = min(wanted.keep, lease.amount_nanos)
    ahead = 0 if lease.is_wanted else wanted.ahead
    leased = granted(msgspec.structs.replace(wanted, keep=keep, ahead=ahead), pool)
    is_unheard = lease.is_wanted and not wanted.yields
    return LeaseState(leased, pool, is_final=False, is_wanted=is_unheard)


async def _called(
    conn: AsyncConnection,
    worker: str,
    short: Sequence[int],
    wishes: Mapping[int, LeaseRequest],
    standings: Mapping[int, LeaseState],
) -> dict[int, LeaseState]:
    """The standings of accounts with too little, after other workers' leases have been marked.

    What another transaction has locked is marked in a later turn: whoever waited for it here, with
    accounts locked, could be waited for in return.
    """
    theirs = (leases.c.user_id.in_(short)) & (leases.c.worker != worker)
    rows = (await conn.execute(select(leases).where(theirs))).all()
    found = {}
    for user_id in short:
        others = [row for row in rows if row.user_id == user_id]
        last = max((max(row.called, row.answered) for row in others), default=0)
        number = wishes[user_id].round or last + 1
        silent = [row for row in others if row.answered < number]
        await _mark(conn, user_id, [row.worker for row in silent if row.called < number], number)
        found[user_id] = msgspec.structs.replace(
            standings[user_id],
            others=sum(row.amount_nanos for row in others),
            is_final=not silent,
            round=number,
        )
    return found


async def _mark(conn: AsyncConnection, user_id: int, workers: list[str], number: int) -> None:
    if not workers:
        return
    theirs = (leases.c.user_id == user_id) & leases.c.worker.in_(workers)
    free = select(leases.c.worker).where(theirs).with_for_update(skip_locked=True)
    found = list(await conn.scalars(free))
    mine = (leases.c.user_id == user_id) & leases.c.worker.in_(found)
    await conn.execute(update(leases).where(mine).values(called=number))


async def wanted(conn: AsyncConnection, worker: str) -> list[int]:
    """Accounts of which others want what this worker has leased and does not use."""
    mine = (leases.c.worker == worker) & (leases.c.called > leases.c.answered)
    return list(await conn.scalars(select(leases.c.user_id).where(mine)))


_MOVE: Final = (
    update(accounts)
    .where(accounts.c.user_id == bindparam("of"))
    .values(
        balance_nanos=accounts.c.balance_nanos - bindparam("spent", type_=BigInteger),
        used_nanos=accounts.c.used_nanos + bindparam("spent", type_=BigInteger),
        leased_nanos=accounts.c.leased_nanos + bindparam("more", type_=BigInteger),
    )
)


async def _not_booked(conn: AsyncConnection, settlements: Sequence[Settlement]) -> list[Settlement]:
    if not settlements:
        return []
    asked = {settled.request_id: settled for settled in settlements}
    booked = select(entries.c.request_id, entries.c.note, entries.c.amount_nanos)
    again = []
    for row in await conn.execute(booked.where(entries.c.request_id.in_(asked))):
        settled = asked.pop(row.request_id)
        if row.note == INTERRUPTED and settled.note != INTERRUPTED:
            # its Idempotency-Key came again: what it costs now, less what was booked
            more = settled.cost_nanos + row.amount_nanos
            named = row.request_id + REPEATED
            again.append(msgspec.structs.replace(settled, request_id=named, cost_nanos=more))
    return [*asked.values(), *await _not_booked(conn, again)]


async def locked(
    conn: AsyncConnection, user_ids: Sequence[int], opening: Iterable[int]
) -> dict[int, Any]:
    """Account rows by user, locked until the end; those in ``opening`` are made if need be."""
    query = (
        select(accounts)
        .where(accounts.c.user_id.in_(user_ids))
        .order_by(accounts.c.user_id)
        .with_for_update()
    )
    rows = {row.user_id: row for row in await conn.execute(query)}
    missing = [user_id for user_id in opening if user_id not in rows]
    if missing:
        values = [{"user_id": u, "balance_nanos": 0, "used_nanos": 0} for u in sorted(missing)]
        opened = upsert(conn, accounts).values(values).on_conflict_do_nothing()
        await conn.execute(opened)
        rows = {row.user_id: row for row in await conn.execute(query)}
    return rows


async def _leases_of(
    conn: AsyncConnection, worker: str, user_ids: Iterable[int]
) -> dict[int, _Lease]:
    if not user_ids:
        return {}
    query = select(leases).where(leases.c.worker == worker, leases.c.user_id.in_(user_ids))
    return {
        row.user_id: _Lease(row.amount_nanos, row.called, row.answered)
        for row in await conn.execute(query)
    }


async def _set_leases(
    conn: AsyncConnection,
    worker: str,
    own: Mapping[int, _Lease],
    standings: Mapping[int, LeaseState],
    wishes: Mapping[int, LeaseRequest],
) -> None:
    """Write the leases down. Whoever was called, and knew it, has answered with this."""
    gone = [u for u, standing in standings.items() if not standing.leased and u in own]
    rows = []
    for user_id, standing in standings.items():
        lease = own.get(user_id, _NONE)
        answers = lease.is_wanted and wishes[user_id].yields
        if standing.leased and (answers or standing.leased != lease.amount_nanos):
            answered = lease.called if answers else lease.answered
            rows.append(
                {
                    "worker": worker,
                    "user_id": user_id,
                    "amount_nanos": standing.leased,
                    "answered": answered,
                }
            )
    if gone:
        mine = (leases.c.worker == worker) & leases.c.user_id.in_(gone)
        await conn.execute(delete(leases).where(mine))
    if rows:
        put = upsert(conn, leases).values(renewed_at=_NOW[conn.dialect.name])
        put = put.on_conflict_do_update(
            index_elements=["worker", "user_id"],
            set_={
                "amount_nanos": put.excluded.amount_nanos,
                "answered": put.excluded.answered,
                "renewed_at": put.excluded.renewed_at,
            },
        )
        await conn.execute(put, rows)


async def _insert_usage(conn: AsyncConnection, settlements: Sequence[Settlement]) -> None:
    """Append usage entries: as text and values, which spares SQLAlchemy's work on each."""
    rows = [(s.user_id, -s.cost_nanos, s.note, s.request_id, s.at, s.detail) for s in settlements]
    await insert(conn, entries, _USAGE, rows, _OF_USAGE)
    await add_to_days(conn, ((s.user_id, s.at, s.cost_nanos) for s in settlements))


async def renew(conn: AsyncConnection, worker: str) -> None:
    """Say that a worker lives and keeps its leases."""
    now = _NOW[conn.dialect.name]
    await conn.execute(update(leases).where(leases.c.worker == worker).values(renewed_at=now))


async def silent_workers(conn: AsyncConnection, lease_s: int) -> list[str]:
    """Workers of whose leases none was renewed within so many seconds."""
    query = (
        select(leases.c.worker)
        .group_by(leases.c.worker)
        .having(func.max(leases.c.renewed_at) < _NOW[conn.dialect.name] - lease_s)
    )
    return list(await conn.scalars(query))


async def give_back(conn: AsyncConnection, worker: str, silent_s: int = -1) -> int:
    """End a worker's leases; with ``silent_s`` only those not renewed for so long. How many."""
    query = select(leases.c.user_id).where(leases.c.worker == worker)
    if silent_s >= 0:
        query = query.where(leases.c.renewed_at < _NOW[conn.dialect.name] - silent_s)
    user_ids = sorted(await conn.scalars(query))
    await locked(conn, user_ids, ())
    own = await _leases_of(conn, worker, user_ids)
    if not own:
        return 0
    changes = [{"of": u, "spent": 0, "more": -lease.amount_nanos} for u, lease in own.items()]
    await conn.execute(_MOVE, changes)
    mine = (leases.c.worker == worker) & leases.c.user_id.in_(own)
    await conn.execute(delete(leases).where(mine))
    return len(own)


async def set_overdraft(conn: AsyncConnection, user_id: int, overdraft_nanos: int) -> None:
    """Let a balance go so far below zero."""
    opened = upsert(conn, accounts).values(
        user_id=user_id, balance_nanos=0, used_nanos=0, overdraft_nanos=overdraft_nanos
    )
    put = opened.on_conflict_do_update(
        index_elements=["user_id"], set_={"overdraft_nanos": opened.excluded.overdraft_nanos}
    )
    await conn.execute(put)


async def misleased_accounts(conn: AsyncConnection) -> Sequence[Any]:
    """Accounts whose leased amount is not the sum of leases and holds, and the two numbers."""
    both = union_all(
        select(leases.c.user_id, leases.c.amount_nanos),
        select(holds.c.user_id, holds.c.amount_nanos),
    ).subquery()
    sums = (
        select(both.c.user_id, func.sum(both.c.amount_nanos).label("amount"))
        .group_by(both.c.user_id)
        .subquery()
    )
    total = type_coerce(func.coalesce(sums.c.amount, literal(0)), accounts.c.leased_nanos.type)
    query = (
        select(accounts.c.user_id, accounts.c.leased_nanos, total.label("leases_nanos"))
        .select_from(accounts)
        .outerjoin(sums, sums.c.user_id == accounts.c.user_id)
        .where(accounts.c.leased_nanos != total)
        .order_by(accounts.c.user_id)
    )
    return (await conn.execute(query)).all()


async def entries_after(
    conn: AsyncConnection, after_id: int, limit: int, user_id: int | None, since: int, until: int
) -> AsyncIterator[tuple[str, Entry]]:
    """A page of entries in the order of their ids, each with its user's name."""
    query = (
        select(users.c.name.label("user_name"), entries)
        .join(users, users.c.id == entries.c.user_id)
        .where(entries.c.id > after_id, entries.c.created_at >= since, entries.c.created_at < until)
        .order_by(entries.c.id)
        .limit(limit)
    )
    if user_id is not None:
        query = query.where(entries.c.user_id == user_id)
    for row in await conn.execute(query):
        yield row.user_name, _entry(row)
