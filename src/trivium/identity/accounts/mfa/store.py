"""Second factors in SQL. Every function works in the transaction it is given."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.storage.schema.logins import recovery_codes, totp_secrets


class Factor(NamedTuple):
    """What is known of a user's second factor."""

    secret: bytes
    """Sealed."""
    confirmed_at: int | None
    """``None``: enrolment is under way."""
    last_step: int


async def find(conn: AsyncConnection, user_id: int) -> Factor | None:
    """A user's second factor, also one whose enrolment is under way; ``None`` without one."""
    query = select(totp_secrets.c.secret, totp_secrets.c.confirmed_at, totp_secrets.c.last_step)
    row = (await conn.execute(query.where(totp_secrets.c.user_id == user_id))).one_or_none()
    return None if row is None else Factor(*row)


async def begin(conn: AsyncConnection, user_id: int, secret: bytes, now: int) -> None:
    """Keep the secret of an enrolment under way, instead of an earlier one under way."""
    which = totp_secrets.c.user_id == user_id
    await conn.execute(delete(totp_secrets).where(which, totp_secrets.c.confirmed_at.is_(None)))
    values = {"user_id": user_id, "secret": secret, "created_at": now, "last_step": 0}
    await conn.execute(insert(totp_secrets).values(values))


async def confirm(conn: AsyncConnection, user_id: int, now: int) -> bool:
    """Switch on what is under way; ``False`` when nothing is."""
    query = update(totp_secrets).where(
        totp_secrets.c.user_id == user_id, totp_secrets.c.confirmed_at.is_(None)
    )
    return (await conn.execute(query.values(confirmed_at=now))).rowcount == 1


async def use_step(conn: AsyncConnection, user_id: int, step: int) -> bool:
    """Use up a step and all before it. Of two at once the database lets one."""
    query = update(totp_secrets).where(
        totp_secrets.c.user_id == user_id, totp_secrets.c.last_step < step
    )
    return (await conn.execute(query.values(last_step=step))).rowcount == 1


async def reseal(conn: AsyncConnection, user_id: int, old: bytes, new: bytes) -> None:
    """Replace a sealed secret by the same one sealed under another key."""
    query = update(totp_secrets).where(
        totp_secrets.c.user_id == user_id, totp_secrets.c.secret == old
    )
    await conn.execute(query.values(secret=new))


async def remove(conn: AsyncConnection, user_id: int) -> None:
    """Delete the factor with its recovery codes."""
    await conn.execute(delete(recovery_codes).where(recovery_codes.c.user_id == user_id))
    await conn.execute(delete(totp_secrets).where(totp_secrets.c.user_id == user_id))


async def replace_codes(conn: AsyncConnection, user_id: int, digests: Sequence[bytes]) -> None:
    """Replace the recovery codes; the earlier ones no longer work."""
    await conn.execute(delete(recovery_codes).where(recovery_codes.c.user_id == user_id))
    rows = [{"user_id": user_id, "digest": digest} for digest in digests]
    await conn.execute(insert(recovery_codes), rows)


async def use_code(conn: AsyncConnection, user_id: int, digest: bytes, now: int) -> bool:
    """Use up a recovery code. Of two at once the database lets one."""
    query = update(recovery_codes).where(
        recovery_codes.c.user_id == user_id,
        recovery_codes.c.digest == digest,
        recovery_codes.c.used_at.is_(None),
    )
    return (await conn.execute(query.values(used_at=now))).rowcount == 1


async def codes_left(conn: AsyncConnection, user_id: int) -> int:
    """Return how many recovery codes are unused."""
    query = select(func.count()).where(
        recovery_codes.c.user_id == user_id, recovery_codes.c.used_at.is_(None)
    )
    return int((await conn.execute(query)).scalar_one())
