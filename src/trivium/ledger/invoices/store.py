"""Invoices in SQL. Every function works in the transaction it is given."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Select, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.ledger.invoices.model import Invoice, InvoiceDocument
from trivium.storage.bulk_insert import upsert
from trivium.storage.schema.invoices import invoice_sellers, invoices

_I: Final = invoices.c
_COLUMNS: Final = tuple(invoices.c[name] for name in Invoice.__struct_fields__)
_document: Final = msgspec.json.Decoder(InvoiceDocument).decode


async def last_number(conn: AsyncConnection, seller: str) -> int:
    """The number that a seller used last; others wait for the end of this transaction."""
    put = upsert(conn, invoice_sellers).values(seller=seller, last_number=0)
    put = put.on_conflict_do_update(
        index_elements=["seller"], set_={"last_number": invoice_sellers.c.last_number}
    )
    return int((await conn.execute(put.returning(invoice_sellers.c.last_number))).scalar_one())


async def add(conn: AsyncConnection, made: Invoice, document: InvoiceDocument) -> Invoice:
    """Write an invoice under its seller's next number; returns it with its id."""
    is_of = invoice_sellers.c.seller == made.seller
    await conn.execute(update(invoice_sellers).where(is_of).values(last_number=made.number))
    values = {name: getattr(made, name) for name in Invoice.__struct_fields__ if name != "id"}
    values["document"] = msgspec.json.encode(document).decode()
    put = insert(invoices).values(**values).returning(_I.id)
    return msgspec.structs.replace(made, id=int((await conn.execute(put)).scalar_one()))


async def crossing(
    conn: AsyncConnection, seller: str, account_id: int, since: int, until: int
) -> list[Invoice]:
    """Invoices of an account, not voided, that share a day with these."""
    query = select(*_COLUMNS).where(
        _I.account_id == account_id,
        _I.seller == seller,
        _I.since <= until,
        _I.until >= since,
        _I.voided_at.is_(None),
    )
    return await _found(conn, query.order_by(_I.number))


async def page(
    conn: AsyncConnection, account_ids: Sequence[int] | None, before: int | None, limit: int
) -> list[Invoice]:
    """The newest invoices, of some accounts or of all (``None``), behind one of this id."""
    query = select(*_COLUMNS).order_by(_I.id.desc()).limit(limit)
    if account_ids is not None:
        query = query.where(_I.account_id.in_(account_ids))
    if before is not None:
        query = query.where(_I.id < before)
    return await _found(conn, query)


async def one(
    conn: AsyncConnection, *, id_: int | None = None, name: str = "", seller: str = ""
) -> tuple[Invoice, InvoiceDocument] | None:
    """An invoice with all that is printed, by its id, or by its seller and printed number."""
    query = select(*_COLUMNS, _I.document)
    if id_ is not None:
        query = query.where(_I.id == id_)
    else:
        query = query.where(_I.seller == seller, _I.name == name)
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else (_invoice(row), _document(row.document))


async def last_document(
    conn: AsyncConnection, seller: str, account_id: int
) -> InvoiceDocument | None:
    """What was printed last for an account."""
    query = select(_I.document).where(_I.seller == seller, _I.account_id == account_id)
    found = await conn.scalar(query.order_by(_I.number.desc()).limit(1))
    return None if found is None else _document(found)


async def void(conn: AsyncConnection, id_: int, at: int, note: str) -> bool:
    """Void an invoice; ``False``: it was already, or there is none."""
    change = update(invoices).where(_I.id == id_, _I.voided_at.is_(None))
    return bool((await conn.execute(change.values(voided_at=at, void_note=note))).rowcount)


async def _found(conn: AsyncConnection, query: Select[Any]) -> list[Invoice]:
    return [_invoice(row) for row in await conn.execute(query)]


def _invoice(row: Any) -> Invoice:
    return Invoice(**{name: getattr(row, name) for name in Invoice.__struct_fields__})
