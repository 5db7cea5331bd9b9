"""Passkeys in SQL. Every function works in the transaction it is given."""

from typing import Any, NamedTuple

import msgspec
from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity.accounts.passkeys.model import Passkey
from trivium.storage.schema.logins import passkeys
from trivium.storage.structs import struct_of

_texts = msgspec.json.Decoder(list[str]).decode


class StoredPasskey(NamedTuple):
    """What verifying a login needs."""

    id: int
    user_id: int
    public_key: bytes
    handle: bytes
    sign_count: int


async def insert_passkey(conn: AsyncConnection, values: dict[str, Any]) -> int:
    """Store a passkey; its id. Raises Conflict when the credential is known."""
    made = insert(passkeys).values(values).returning(passkeys.c.id)
    return int((await conn.execute(made)).scalar_one())


async def of_user(conn: AsyncConnection, user_id: int) -> list[Passkey]:
    """A user's passkeys, in the order they were added."""
    query = select(passkeys).where(passkeys.c.user_id == user_id).order_by(passkeys.c.id)
    return [struct_of(Passkey, row) for row in await conn.execute(query)]


async def credentials(conn: AsyncConnection, user_id: int) -> list[tuple[bytes, list[str]]]:
    """Ids of a user's credentials and how they are reached."""
    query = select(passkeys.c.credential, passkeys.c.transports)
    rows = await conn.execute(query.where(passkeys.c.user_id == user_id))
    return [(row.credential, _texts(row.transports)) for row in rows]


async def handle_of(conn: AsyncConnection, user_id: int) -> bytes | None:
    """Return the user handle that authenticators store; ``None`` for a user without a passkey."""
    query = select(func.min(passkeys.c.handle)).where(passkeys.c.user_id == user_id)
    found: bytes | None = await conn.scalar(query)
    return found


async def find(conn: AsyncConnection, credential: bytes) -> StoredPasskey | None:
    """The passkey of a credential, held until the transaction ends."""
    query = select(*(passkeys.c[name] for name in StoredPasskey._fields))
    query = query.where(passkeys.c.credential == credential).with_for_update()
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else StoredPasskey(*row)


async def used(
    conn: AsyncConnection, passkey_id: int, sign_count: int, now: int, *, synced: bool
) -> None:
    """Store the time and the counter of a login with the passkey."""
    values = {"sign_count": sign_count, "used_at": now, "synced": synced}
    await conn.execute(update(passkeys).where(passkeys.c.id == passkey_id).values(values))


async def remove(conn: AsyncConnection, user_id: int, passkey_id: int) -> bool:
    """Delete one of a user's; ``False`` when there was none."""
    query = delete(passkeys).where(passkeys.c.id == passkey_id, passkeys.c.user_id == user_id)
    return (await conn.execute(query)).rowcount == 1
