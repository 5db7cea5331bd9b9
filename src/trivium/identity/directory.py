"""All users, for administrators: searched, disabled, enabled and given roles."""

from typing import Final

import msgspec

from trivium.clock import Clock
from trivium.identity import store
from trivium.identity.errors import IdentityError
from trivium.identity.model import InForce, Key, User, UserKind, UserRole, left_to_others
from trivium.identity.revocation import LogAct, end_access, end_office, log_nothing
from trivium.identity.terms import limits_of
from trivium.observe.audit.model import ActKind
from trivium.storage.database import Connection, Database

PAGE_MAX: Final = 200
ID_MAX: Final = 2**53
"""No database has so many rows, and none takes a number of any length."""


class ListedUser(msgspec.Struct, frozen=True, kw_only=True):
    """A user with the balance of their account and the number of their keys."""

    user: User
    balance_nanos: int
    keys: int
    """Enabled ones."""


class Directory:
    """Users by id. Storage faults pass through as they are."""

    def __init__(self, db: Database, clock: Clock, in_force: InForce = left_to_others) -> None:
        """``in_force``: called after each change of keys; raises nothing."""
        self._db = db
        self._clock = clock
        self._in_force = in_force

    async def page(
        self, search: str = "", after: int = 0, limit: int = 50
    ) -> tuple[list[ListedUser], int | None]:
        """Users in the order they were made, after that id, whose name or address holds the text;
        and after which id the next page begins, ``None`` on the last.
        """
        limit = min(limit, PAGE_MAX)
        async with self._db.read() as conn:
            found = await store.page_users(conn, search.strip()[:254], after, limit + 1)
        listed = [
            ListedUser(user=user, balance_nanos=nanos, keys=keys)
            for user, nanos, keys in found[:limit]
        ]
        return listed, listed[-1].user.id if len(found) > limit else None

    async def one(self, user_id: int) -> User:
        """The user of that id. Raises ``IdentityError`` (``user``)."""
        async with self._db.read() as conn:
            return await _user(conn, user_id)

    async def key(self, key_id: int) -> Key:
        """Anybody's key, revoked or not, but none of an application's, which consent gives.

        Raises ``IdentityError`` (``key``).
        """
        async with self._db.read() as conn:
            found = await store.key_by_id(conn, key_id) if key_id <= ID_MAX else None
        if found is None or found.grant_id is not None:
            raise IdentityError("key", "is not there")
        return found

    async def keys(
        self,
        after: int = 0,
        limit: int = 50,
        *,
        user_id: int | None = None,
        team_id: int | None = None,
        revoked: bool | None = None,
    ) -> list[Key]:
        """At most so many keys after an id, in the order they were made; of a user, or for a team;
        ``revoked``: those alone, or others alone. Keys of applications are not among them.
        """
        async with self._db.read() as conn:
            return await store.page_keys(conn, after, limit, user_id, team_id, revoked)

    async def switch(
        self, by: int | None, user_id: int, *, disabled: bool, log_act: LogAct = log_nothing
    ) -> User:
        """Disable or enable a user: keys are refused within seconds; logins, consents and developer
        tokens end for good. ``log_act``: logs all that was done.

        Raises ``IdentityError`` (``user``), also for whoever would switch themselves off.
        """
        if by == user_id:
            raise IdentityError("user", "you cannot switch yourself off")
        async with self._db.write() as conn:
            user = await _user(conn, user_id)
            if user.kind is UserKind.TEAM:
                raise IdentityError("user", f"{user.name} is a team: change the team instead")
            if user.kind is UserKind.ERASED and not disabled:
                raise IdentityError("user", f"{user.name} is nobody any more: make a new user")
            if disabled:
                await end_access(conn, user_id, int(self._clock.now()), log_act)
            raised = await store.bump(conn)
            await store.set_user_disabled(conn, user_id, raised, disabled=disabled)
            kind = ActKind.USER_DISABLED if disabled else ActKind.USER_ENABLED
            await log_act(conn, kind, user_id, f"user:{user_id}")
        await self._in_force()
        return msgspec.structs.replace(user, disabled=disabled)

    async def change(
        self, user_id: int, changes: dict[str, object], log_act: LogAct = log_nothing
    ) -> User:
        """Another price group, other limits over all keys, or spending without a balance:
        ``group``, ``limits`` and ``unlimited`` of ``User`` by name; in force within seconds.

        Raises ``IdentityError`` (``user``, ``limits``).
        """
        async with self._db.write() as conn:
            raised = await store.bump(conn)
            user = await _user(conn, user_id)
            if user.kind not in (UserKind.PERSON, UserKind.SERVICE):
                raise IdentityError("user", f"{user.name} is no person and no service account")
            user = msgspec.structs.replace(user, **changes)
            user = msgspec.structs.replace(user, limits=limits_of(user.limits))
            await store.update_user(conn, user, raised)
            told = {"changed": ", ".join(sorted(changes))}
            await log_act(conn, ActKind.USER_CHANGED, user_id, f"user:{user_id}", told)
        await self._in_force()
        return user

    async def appoint(
        self, by: int | None, user_id: int, role: UserRole, log_act: LogAct = log_nothing
    ) -> User:
        """Give a user another role; their logins end, so that none outlives what it was for, and
        tokens for administration with the office. ``log_act``: logs all that was done.

        Raises ``IdentityError`` (``user``), also for whoever would change their own: so there is
        always an administrator.
        """
        if by == user_id:
            raise IdentityError("user", "you cannot change your own role")
        async with self._db.write() as conn:
            user = await _user(conn, user_id)
            if user.kind is not UserKind.PERSON and role is not UserRole.USER:
                raise IdentityError("user", f"{user.name} is no person, who could administer")
            await end_office(conn, user_id, role, int(self._clock.now()), log_act)
            await store.bump(conn)
            await store.set_role(conn, user_id, role)
            await log_act(conn, ActKind.USER_ROLE, user_id, f"user:{user_id}", {"role": role.value})
        return msgspec.structs.replace(user, role=role)


async def _user(conn: Connection, user_id: int) -> User:
    found = await store.user_by_id(conn, user_id) if user_id <= ID_MAX else None
    if found is None:
        raise IdentityError("user", "is not there")
    return found
