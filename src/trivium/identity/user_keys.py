"""A user's own keys, as pages handle them: by id, and never anybody else's."""

import secrets
from collections.abc import Callable

import msgspec

from trivium.clock import Clock
from trivium.identity import keys, store
from trivium.identity.errors import IdentityError
from trivium.identity.model import InForce, Key, left_to_others
from trivium.identity.revocation import LogAct, log_nothing
from trivium.identity.terms import Terms, changed, checked, given, terms_of
from trivium.observe.audit.model import ActKind, Detail
from trivium.storage.database import Connection, Database

KEYS_MAX = 200
"""Enabled keys of one user, as far as they make them themselves."""
OVERLAP_S_MAX = 30 * 86_400
"""For how long two secrets of a key may work at once."""


class OwnKeys:
    """Keys of one user at a time. Storage faults pass through as they are."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        in_force: InForce = left_to_others,
        random_bytes: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        """``in_force``: called after each change; raises nothing."""
        self._random_bytes = random_bytes
        self._db = db
        self._clock = clock
        self._in_force = in_force

    async def all(self, user_id: int) -> list[Key]:
        """The user's keys in the order they were made, also revoked and applications' ones."""
        async with self._db.read() as conn:
            return await store.find_keys(conn, user_id)

    async def own(self, user_id: int) -> list[Key]:
        """The user's keys without those of applications, which consent gives and ends."""
        return [key for key in await self.all(user_id) if key.grant_id is None]

    async def one(self, user_id: int, key_id: int) -> Key:
        """Return a key that can still be changed. Raises ``IdentityError`` (``key``)."""
        async with self._db.read() as conn:
            return await self._own(conn, user_id, key_id)

    async def digest(self, user_id: int, key_id: int) -> bytes:
        """By what the relay knows one of the user's own keys. Raises ``IdentityError`` (``key``)
        when it has been revoked, or is not theirs.
        """
        async with self._db.read() as conn:
            await self._own(conn, user_id, key_id)
            return await store.digest_of(conn, key_id)

    async def check_room(self, user_id: int) -> None:
        """Raise ``IdentityError`` (``keys``) for a user who has as many keys as allowed."""
        if sum(not key.disabled for key in await self.own(user_id)) >= KEYS_MAX:
            raise IdentityError("keys", f"are {KEYS_MAX} already; revoke one that is not used")

    async def edit(
        self, user_id: int, key_id: int, change: Callable[[Terms], Terms]
    ) -> tuple[Key, list[str]]:
        """Other terms for a key, and the members that have changed; none: it was left alone.

        ``change``: from what it may do to what it may do from now on.
        Raises ``IdentityError`` (``key`` and whatever ``checked`` names).
        """
        now = int(self._clock.now())
        async with self._db.write() as conn:
            # holds the row that all writers of keys queue at: what is read here stays true
            raised = await store.bump(conn)
            key = await self._own(conn, user_id, key_id)
            before = terms_of(key)
            after = checked(change(before), now, key.expires_at)
            after = msgspec.structs.replace(after, budgets=given(after.budgets, before, now))
            members = changed(before, after)
            if members:
                await store.update_key(conn, key_id, after, raised)
        await self._in_force()
        return msgspec.structs.replace(key, **msgspec.structs.asdict(after)), members

    async def revoke(self, user_id: int, key_id: int) -> Key:
        """Disable a key for good. Raises ``IdentityError`` (``key``)."""
        async with self._db.write() as conn:
            raised = await store.bump(conn)
            key = await self._own(conn, user_id, key_id)
            await store.disable_key(conn, key_id, raised)
        await self._in_force()
        return msgspec.structs.replace(key, disabled=True)

    async def rotate(
        self, user_id: int, key_id: int, overlap_s: int, log_act: LogAct = log_nothing
    ) -> tuple[Key, str]:
        """Give a key another secret, which is nowhere to be had again; its terms, its budgets and
        its records stay. The secret before works for ``overlap_s`` seconds more, an earlier one no
        longer.

        Raises ``IdentityError`` (``key``, ``overlap``).
        """
        if not 0 <= overlap_s <= OVERLAP_S_MAX:
            raise IdentityError("overlap", f"is 0 to {OVERLAP_S_MAX // 86_400} days, such as 24h")
        until = int(self._clock.now()) + overlap_s if overlap_s else None
        secret = keys.issue(self._random_bytes)
        async with self._db.write() as conn:
            raised = await store.bump(conn)
            key = await self._own(conn, user_id, key_id)
            hint = keys.hint(secret)
            await store.rotate_key(conn, key_id, keys.digest(secret), hint, until, raised)
            detail: Detail = {"name": key.name, "overlap_s": overlap_s}
            await log_act(conn, ActKind.KEY_ROTATED, user_id, f"key:{key_id}", detail)
        await self._in_force()
        return msgspec.structs.replace(key, hint=hint, former_until=until), secret

    async def switch(self, user_id: int, key_id: int, *, paused: bool) -> Key:
        """Refuse a key until it is resumed, or resume it. Raises ``IdentityError`` (``key``)."""
        async with self._db.write() as conn:
            raised = await store.bump(conn)
            key = await self._own(conn, user_id, key_id)
            await store.set_paused(conn, key_id, raised, paused=paused)
        await self._in_force()
        return msgspec.structs.replace(key, paused=paused)

    async def _own(self, conn: Connection, user_id: int, key_id: int) -> Key:
        for key in await store.find_keys(conn, user_id):
            if key.id == key_id and not key.disabled and key.grant_id is None:
                return key
        raise IdentityError("key", "is not one of yours, or has been revoked")
