"""Payments in SQL. Every function works in the transaction it is given."""

from typing import Any

from sqlalchemy import ColumnElement, func, literal, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.ledger.model import EntryKind
from trivium.ledger.payments.model import REFUND, Payment, PaymentEvent, PaymentState
from trivium.storage.bulk_insert import upsert
from trivium.storage.schema.core import entries, payment_events, payments
from trivium.storage.structs import struct_of, values_of


async def insert(conn: AsyncConnection, payment: Payment) -> int:
    """Store a payment, whose id is ignored; returns the new one."""
    query = payments.insert().values(values_of(payment, "id")).returning(payments.c.id)
    done = await conn.execute(query)
    return int(done.scalar_one())


async def begun_since(conn: AsyncConnection, user_id: int, since: int) -> int:
    """How many payments a user began after a moment."""
    query = select(func.count()).where(payments.c.user_id == user_id, payments.c.created_at > since)
    return int(await conn.scalar(query) or 0)


async def put(conn: AsyncConnection, payment: Payment) -> None:
    """Set everything of a payment that may change."""
    values = {
        "session_id": payment.session_id,
        "charge": payment.charge,
        "state": payment.state.value,
        "refunded_nanos": payment.refunded_nanos,
        "disputed_at": payment.disputed_at,
        "paid_at": payment.paid_at,
    }
    await conn.execute(update(payments).where(payments.c.id == payment.id).values(values))


async def begun(conn: AsyncConnection, payment_id: int, session_id: str) -> None:
    """Note the provider's session, unless an event has told it already."""
    query = (
        update(payments)
        .where(payments.c.id == payment_id, payments.c.session_id.is_(None))
        .values(session_id=session_id)
    )
    await conn.execute(query)


async def not_begun(conn: AsyncConnection, payment_id: int) -> None:
    """Close a payment for which the provider gave no page."""
    query = (
        update(payments)
        .where(payments.c.id == payment_id, payments.c.state == PaymentState.OPEN.value)
        .values(state=PaymentState.FAILED.value)
    )
    await conn.execute(query)


async def locked(conn: AsyncConnection, provider: str, notice: PaymentEvent) -> Payment | None:
    """The payment an event is about, held until the transaction ends.

    By our own reference where the event carries it, else by the provider's names.
    """
    found: ColumnElement[bool]
    if notice.reference:
        found = payments.c.reference == notice.reference
    elif notice.session_id:
        found = payments.c.session_id == notice.session_id
    elif notice.charge:
        found = payments.c.charge == notice.charge
    else:
        return None
    query = select(payments).where(payments.c.provider == provider, found).with_for_update()
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else _payment(row)


async def heard(
    conn: AsyncConnection, provider: str, notice: PaymentEvent, payment_id: int, now: int
) -> bool:
    """Note an event; ``False`` when it was heard before."""
    made = (
        upsert(conn, payment_events)
        .values(
            provider=provider,
            event_id=notice.event_id,
            event=notice.event,
            payment_id=payment_id,
            created_at=now,
        )
        .on_conflict_do_nothing(index_elements=["provider", "event_id"])
    )
    return (await conn.execute(made)).rowcount == 1


async def by_reference(conn: AsyncConnection, reference: str) -> Payment | None:
    """A payment by our own name for it."""
    row = (await conn.execute(select(payments).where(payments.c.reference == reference))).first()
    return None if row is None else _payment(row)


async def by_id(conn: AsyncConnection, payment_id: int) -> Payment | None:
    """A payment by its number."""
    row = (await conn.execute(select(payments).where(payments.c.id == payment_id))).first()
    return None if row is None else _payment(row)


async def newest(
    conn: AsyncConnection,
    user_id: int | None,
    state: PaymentState | None,
    limit: int,
    before: int | None = None,
) -> list[Payment]:
    """Payments, newest first; of one user, in one state, before an id."""
    query = select(payments).order_by(payments.c.id.desc()).limit(limit)
    if user_id is not None:
        query = query.where(payments.c.user_id == user_id)
    if state is not None:
        query = query.where(payments.c.state == state.value)
    if before is not None:
        query = query.where(payments.c.id < before)
    return [_payment(row) for row in await conn.execute(query)]


async def contradictions(conn: AsyncConnection) -> list[int]:
    """Payments whose state and whose entries do not agree: in being there, user or amount."""
    named = payments.c.provider.concat(literal(":")).concat(payments.c.session_id)
    is_paid = payments.c.state == PaymentState.PAID.value
    query = (
        select(payments.c.id)
        .outerjoin(entries, entries.c.request_id == named)
        .where(
            or_(
                is_paid != entries.c.id.is_not(None),
                entries.c.user_id != payments.c.user_id,
                entries.c.amount_nanos != payments.c.amount_nanos,
            )
        )
    )
    wrong = set(await conn.scalars(query))
    returned = await _returned(conn)
    paid = select(payments).where(is_paid, payments.c.session_id.is_not(None))
    for row in await conn.execute(paid):
        if returned.get(f"{row.provider}:{row.session_id}", 0) != row.refunded_nanos:
            wrong.add(row.id)
    return sorted(wrong)


async def _returned(conn: AsyncConnection) -> dict[str, int]:
    """What refund entries took back, by the request id of what they took it from."""
    query = select(entries.c.request_id, entries.c.amount_nanos).where(
        entries.c.kind == EntryKind.REFUND.value, entries.c.request_id.is_not(None)
    )
    sums: dict[str, int] = {}
    for request_id, amount_nanos in await conn.execute(query):
        of = request_id.partition(REFUND)[0]
        sums[of] = sums.get(of, 0) - amount_nanos
    return sums


def _payment(row: Any) -> Payment:
    return struct_of(Payment, row, state=PaymentState(row.state))
