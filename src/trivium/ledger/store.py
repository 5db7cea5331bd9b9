"""Accounts, entries and leases in SQL. Every function works in the transaction it is given.

Whoever changes an account locks its row first, several in the order of their ids: SQLite's writers
queue anyway, on PostgreSQL this keeps workers from waiting for each other in a circle.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import (
    BigInteger,
    Boolean,
    bindparam,
    case,
    func,
    literal,
    select,
    type_coerce,
    union_all,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.ledger.budgets import store as budgets
from trivium.ledger.leases import store as leasing
from trivium.ledger.leases.store import ACCOUNTS
from trivium.ledger.model import (
    Entry,
    EntryKind,
    Holder,
    LeaseRequest,
    LeaseState,
    Settlement,
)
from trivium.ledger.orphan_journals import INTERRUPTED
from trivium.ledger.spending import store as spending
from trivium.ledger.spending.model import REPEATED, BookedUsage
from trivium.ledger.statement.store import add_to_days
from trivium.storage.bulk_insert import insert, upsert
from trivium.storage.schema.core import accounts, entries, holds, leases, users
from trivium.storage.structs import struct_of, values_of
from trivium.wire.attribution import NOBODY, Attributed

_USAGE: Final = ("user_id", "amount_nanos", "note", "request_id", "created_at", "detail")
"""Columns of a usage entry in the order of their values."""
LOW_NANOS: Final = 10**9
"""Of accounts whose owner has chosen nothing: the column's default."""
_OF_USAGE: Final = (("kind", EntryKind.USAGE.value),)


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


async def add_to_account(conn: AsyncConnection, entry: Entry, who: Attributed = NOBODY) -> int:
    """Move the balance by an entry's amount and return it; the first entry opens the account.
    ``who``: whom and what usage was for.
    """
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
        of, at, detail = entry.user_id, entry.created_at, entry.detail
        await spending.add(conn, [BookedUsage(of, at, used, detail, entry.request_id, who)])
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


async def overdraft_of(conn: AsyncConnection, user_id: int) -> int:
    """Nano-dollars that a balance may go below zero."""
    query = select(accounts.c.overdraft_nanos).where(accounts.c.user_id == user_id)
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
    wishes: Mapping[Holder, LeaseRequest],
    *,
    repeated: bool = True,
) -> dict[Holder, LeaseState]:
    """Book settlements, each request once ever, and set a worker's leases as it wishes.

    The standing of every account and budget with a wish. May be repeated when its outcome is
    unknown: what is booked is not booked again, and a lease is set, not added to. Where it is not
    ``repeated``, the look-up is spared: a request booked already would raise ``Conflict``.
    """
    fresh = await _not_booked(conn, settlements) if repeated else settlements
    of_accounts = {of: wish for of, wish in wishes.items() if isinstance(of, int)}
    of_budgets = {of: wish for of, wish in wishes.items() if not isinstance(of, int)}
    outcome: dict[Holder, LeaseState] = {}
    outcome |= await _turn_accounts(conn, worker, fresh, of_accounts)
    outcome |= await budgets.turn(conn, worker, fresh, of_budgets)
    return outcome


async def _turn_accounts(
    conn: AsyncConnection,
    worker: str,
    fresh: Sequence[Settlement],
    wishes: Mapping[int, LeaseRequest],
) -> dict[Holder, LeaseState]:
    costs: dict[int, int] = {}
    for settled in fresh:
        costs[settled.user_id] = costs.get(settled.user_id, 0) + settled.cost_nanos
    found = await locked(conn, sorted(costs.keys() | wishes.keys()), costs)
    own = await leasing.leases_of(conn, ACCOUNTS, worker, wishes)
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
            lease = own.get(user_id, leasing.NONE)
            had = lease.amount_nanos
            pool = row.balance_nanos - spent + row.overdraft_nanos - row.leased_nanos + had
            standings[user_id] = leasing.stands(wanted, lease, pool)
            more = standings[user_id].leased - had
            if wanted.need + wanted.room > pool and (wanted.awaited or wanted.room):
                short.append(user_id)
        if spent or more:
            changes.append({"of": user_id, "spent": spent, "more": more})
    if changes:
        await conn.execute(_MOVE, changes)
    marks = _watch(found, costs, standings)
    if marks:
        await conn.execute(_ARM, marks)
    await leasing.set_leases(conn, ACCOUNTS, worker, own, standings, wishes)
    if short:
        standings.update(await leasing.called(conn, ACCOUNTS, worker, short, wishes, standings))
    # nobody ever booked anything there
    standings |= dict.fromkeys(wishes.keys() - standings.keys(), LeaseState(0, 0))
    return {of: standing for of, standing in standings.items()}  # noqa: C416 - keys of another type


def _watch(
    found: Mapping[int, Any], costs: Mapping[int, int], standings: dict[int, LeaseState]
) -> list[dict[str, Any]]:
    """Say in the standings which balances ran low; what is to be noted of accounts."""
    marks = []
    for user_id, standing in standings.items():
        row = found[user_id]
        armed, is_low = _watched(row, row.balance_nanos - costs.get(user_id, 0))
        if armed != row.low_armed:
            marks.append({"of": user_id, "armed": armed})
        if is_low:
            standings[user_id] = msgspec.structs.replace(standing, is_low=True)
    return marks


def _watched(row: Any, after: int) -> tuple[bool, bool]:
    """Whether a balance that falls is to be told of next time, and whether it is now: it was above
    where its owner is told, and is not after this turn. The row is held, so one worker sees it.
    """
    if row.low_nanos is None:
        return False, False
    was_above = row.low_armed or row.balance_nanos >= row.low_nanos
    is_low = was_above and after < row.low_nanos
    return was_above and not is_low, is_low


_ARM: Final = (
    update(accounts)
    .where(accounts.c.user_id == bindparam("of"))
    .values(low_armed=bindparam("armed", type_=Boolean))
)
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


async def _insert_usage(conn: AsyncConnection, settlements: Sequence[Settlement]) -> None:
    """Append usage entries: as text and values, which spares SQLAlchemy's work on each."""
    rows = [(s.user_id, -s.cost_nanos, s.note, s.request_id, s.at, s.detail) for s in settlements]
    await insert(conn, entries, _USAGE, rows, _OF_USAGE)
    await add_to_days(conn, ((s.user_id, s.at, s.cost_nanos) for s in settlements))
    await spending.add(
        conn,
        (
            BookedUsage(s.user_id, s.at, s.cost_nanos, s.detail, s.request_id, s.who)
            for s in settlements
        ),
    )


async def wanted(conn: AsyncConnection, worker: str) -> list[Holder]:
    """Accounts and budgets of which others want what this worker has leased and does not use."""
    accounts_: list[Holder] = [*await leasing.wanted(conn, ACCOUNTS, worker)]
    return accounts_ + await budgets.wanted(conn, worker)


async def give_back(conn: AsyncConnection, worker: str, silent_s: int = -1) -> int:
    """End a worker's leases; with ``silent_s`` only those not renewed for so long. How many."""
    user_ids = await leasing.ended(conn, ACCOUNTS, worker, silent_s)
    await locked(conn, user_ids, ())
    own = await leasing.leases_of(conn, ACCOUNTS, worker, user_ids)
    if own:
        changes = [{"of": u, "spent": 0, "more": -lease.amount_nanos} for u, lease in own.items()]
        await conn.execute(_MOVE, changes)
        await leasing.delete_leases(conn, ACCOUNTS, worker, own)
    return len(own) + await budgets.give_back(conn, worker, silent_s)


async def low_of(conn: AsyncConnection, user_id: int) -> int | None:
    """Nano-dollars below which the owner of an account is told; ``None``: nobody is."""
    query = select(accounts.c.low_nanos).where(accounts.c.user_id == user_id)
    row = (await conn.execute(query)).one_or_none()
    return LOW_NANOS if row is None else row.low_nanos


async def set_low(conn: AsyncConnection, user_id: int, low_nanos: int | None) -> None:
    """Have the owner told below another balance, or not at all."""
    opened = upsert(conn, accounts).values(
        user_id=user_id, balance_nanos=0, used_nanos=0, low_nanos=low_nanos
    )
    put = opened.on_conflict_do_update(
        index_elements=["user_id"],
        set_={"low_nanos": opened.excluded.low_nanos, "low_armed": False},
    )
    await conn.execute(put)


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
