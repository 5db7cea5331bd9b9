"""Codes in SQL. Every function works in the transaction it is given."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, Text, cast, func, literal, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.ledger.codes.model import Batch, Code
from trivium.storage.schema.core import code_batches, codes, entries, users
from trivium.storage.structs import struct_of

_WHOLE: Final[Select[Any]] = (
    select(
        codes.c.id,
        codes.c.batch_id,
        codes.c.hint,
        codes.c.revoked_at,
        codes.c.redeemed_at,
        code_batches.c.amount_nanos,
        code_batches.c.expires_at,
        users.c.name.label("user"),
    )
    .join(code_batches, code_batches.c.id == codes.c.batch_id)
    .outerjoin(users, users.c.id == codes.c.user_id)
)


async def insert(
    conn: AsyncConnection,
    amount_nanos: int,
    note: str,
    expires_at: int | None,
    created_at: int,
    made: Sequence[tuple[bytes, str]],
) -> int:
    """Insert a batch of codes, each as digest and hint; returns the batch's id."""
    values = {
        "amount_nanos": amount_nanos,
        "note": note,
        "expires_at": expires_at,
        "created_at": created_at,
    }
    batch = code_batches.insert().values(values).returning(code_batches.c.id)
    batch_id = int((await conn.execute(batch)).scalar_one())
    rows = [{"batch_id": batch_id, "digest": digest, "hint": hint} for digest, hint in made]
    await conn.execute(codes.insert(), rows)
    return batch_id


async def claim(conn: AsyncConnection, digest: bytes, user_id: int, now: int) -> Code | None:
    """Mark an open code as redeemed by a user; ``None`` when there is none to mark.

    Of several that claim one, the database lets the first; the others see it claimed.
    """
    unexpired = select(code_batches.c.id).where(
        (code_batches.c.expires_at.is_(None)) | (code_batches.c.expires_at > now)
    )
    taken = (
        update(codes)
        .where(
            codes.c.digest == digest,
            codes.c.redeemed_at.is_(None),
            codes.c.revoked_at.is_(None),
            codes.c.batch_id.in_(unexpired),
        )
        .values(redeemed_at=now, user_id=user_id)
    )
    if (await conn.execute(taken)).rowcount != 1:
        return None
    return await find(conn, digest)


async def find(conn: AsyncConnection, digest: bytes) -> Code | None:
    """A code by the digest of its secret."""
    row = (await conn.execute(_WHOLE.where(codes.c.digest == digest))).one_or_none()
    return None if row is None else struct_of(Code, row)


async def one(conn: AsyncConnection, code_id: int) -> Code | None:
    """A code by its id."""
    row = (await conn.execute(_WHOLE.where(codes.c.id == code_id))).one_or_none()
    return None if row is None else struct_of(Code, row)


async def codes_of(
    conn: AsyncConnection, batch_id: int, after: int = 0, limit: int | None = None
) -> list[Code]:
    """The codes of a batch after an id, in the order they were made; ``limit``: ``None``: all."""
    query = _WHOLE.where(codes.c.batch_id == batch_id, codes.c.id > after).order_by(codes.c.id)
    return [struct_of(Code, row) for row in await conn.execute(query.limit(limit))]


async def batches(conn: AsyncConnection) -> list[Batch]:
    """Every batch with how many of its codes are what, oldest first."""
    return await _batches(conn, select(code_batches).order_by(code_batches.c.id))


async def newest_batches(conn: AsyncConnection, before: int | None, limit: int) -> list[Batch]:
    """At most so many batches before an id, the newest first."""
    query = select(code_batches).order_by(code_batches.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(code_batches.c.id < before)
    return list(reversed(await _batches(conn, query)))


async def batch(conn: AsyncConnection, batch_id: int) -> Batch | None:
    """A batch by its id."""
    found = await _batches(conn, select(code_batches).where(code_batches.c.id == batch_id))
    return found[0] if found else None


async def _batches(conn: AsyncConnection, which: Select[Any]) -> list[Batch]:
    """These batches, oldest first; only their own codes are counted."""
    of = which.subquery()
    query = (
        select(
            of,
            func.count(codes.c.id).label("codes"),
            func.count(codes.c.redeemed_at).label("redeemed"),
            func.count(codes.c.revoked_at).label("revoked"),
        )
        .join(codes, codes.c.batch_id == of.c.id)
        .group_by(*of.c)
        .order_by(of.c.id)
    )
    return [struct_of(Batch, row) for row in await conn.execute(query)]


async def revoke(
    conn: AsyncConnection,
    now: int,
    *,
    digest: bytes | None = None,
    code_id: int | None = None,
    batch_id: int | None = None,
) -> int:
    """Revoke the open ones of the codes that are named; returns how many."""
    named: ColumnElement[bool]
    if digest is not None:
        named = codes.c.digest == digest
    elif code_id is not None:
        named = codes.c.id == code_id
    else:
        named = codes.c.batch_id == batch_id
    is_open = codes.c.redeemed_at.is_(None) & codes.c.revoked_at.is_(None)
    done = await conn.execute(update(codes).where(named, is_open).values(revoked_at=now))
    return done.rowcount


async def contradictions(conn: AsyncConnection) -> list[int]:
    """Codes whose mark and whose entry do not agree: in being there, in the user, in the amount."""
    named = literal("code:").concat(cast(codes.c.id, Text))
    query = (
        select(codes.c.id)
        .join(code_batches, code_batches.c.id == codes.c.batch_id)
        .outerjoin(entries, entries.c.request_id == named)
        .where(
            (codes.c.redeemed_at.is_(None) != entries.c.id.is_(None))
            | (entries.c.user_id != codes.c.user_id)
            | (entries.c.amount_nanos != code_batches.c.amount_nanos)
        )
        .order_by(codes.c.id)
    )
    return list(await conn.scalars(query))
