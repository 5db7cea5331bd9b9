"""A user's own keys, as their pages handle them: by id, and never anybody else's."""

from typing import TYPE_CHECKING

import msgspec

from trivium.identity.errors import IdentityError
from trivium.identity.model import Key
from trivium.identity.service import name_of

if TYPE_CHECKING:
    from trivium.storage.database import Connection, Database

KEYS_MAX = 200
"""Enabled keys of one user, as far as they make them themselves."""


class OwnKeys:
    """Keys of one user at a time. Storage faults pass through as they are."""

    def __init__(self, db: "Database") -> None:
        self._db = db

    async def all(self, user_id: int) -> list[Key]:
        """The user's keys, revoked ones and those of applications too, in the order they were
        made.
        """
        from trivium.identity import store

        async with self._db.read() as conn:
            return await store.find_keys(conn, user_id)

    async def own(self, user_id: int) -> list[Key]:
        """Those without the ones that applications were given, which consent gives and ends."""
        return [key for key in await self.all(user_id) if key.grant_id is None]

    async def check_room(self, user_id: int) -> None:
        """Raises ``IdentityError`` (``keys``) for a user who has as many as they may."""
        if sum(not key.disabled for key in await self.own(user_id)) >= KEYS_MAX:
            raise IdentityError("keys", f"are {KEYS_MAX} already; revoke one that is not used")

    async def rename(self, user_id: int, key_id: int, name: str) -> Key:
        """Another name. Raises ``IdentityError`` (``key``, ``name``)."""
        from trivium.identity import store

        name = name_of(name)
        async with self._db.write() as conn:
            key = await self._own(conn, user_id, key_id)
            await store.rename_key(conn, key_id, name)
        return msgspec.structs.replace(key, name=name)

    async def revoke(self, user_id: int, key_id: int) -> Key:
        """Disable a key for good. Raises ``IdentityError`` (``key``)."""
        from trivium.identity import store

        async with self._db.write() as conn:
            raised = await store.bump(conn)
            key = await self._own(conn, user_id, key_id)
            await store.disable_key(conn, key_id, raised)
        return msgspec.structs.replace(key, disabled=True)

    async def _own(self, conn: "Connection", user_id: int, key_id: int) -> Key:
        from trivium.identity import store

        for key in await store.find_keys(conn, user_id):
            if key.id == key_id and not key.disabled and key.grant_id is None:
                return key
        raise IdentityError("key", "is not one of yours, or has been revoked")
