"""People of a directory: found, made, changed, locked out. Each call is one transaction.

A directory sees whom it brought, and never an administrator. It may take over an account that there
is only if the address is of a domain that is its own, and was shown to be the person's: neither a
stranger's account nor one that somebody made beforehand for another's address becomes its own.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from trivium.clock import Clock
from trivium.identity import store as accounts
from trivium.identity.accounts import names
from trivium.identity.accounts import store as logins
from trivium.identity.accounts.errors import AccountError
from trivium.identity.accounts.tickets import TO_USERS
from trivium.identity.grants import store as granted
from trivium.identity.model import InForce, User, UserKind, UserRole, left_to_others
from trivium.identity.revocation import LogAct, end_access, log_nothing
from trivium.identity.scim import store
from trivium.identity.scim.filters import Filter
from trivium.identity.scim.model import ScimDirectory, ScimError, ScimProfile, ScimUser
from trivium.identity.scim.store import ScimRow
from trivium.identity.teams import membership
from trivium.identity.teams.membership import MemberOrigin
from trivium.identity.teams.model import MemberSource
from trivium.identity.teams.store import find_teams
from trivium.observe.audit.model import ActKind
from trivium.storage.database import Connection, Database

ENDINGS_MAX: Final = 100
"""Names like the wanted one that are tried."""


def free_key(number: int) -> str:
    """What stands for a name that is free again: no directory can send it."""
    return f"\x7f{number}"


def checked_by_nobody(before: object) -> None:
    """Have nothing against a change: no version was asked for."""
    del before


class ScimUsers:
    """Users as directories see them. Storage faults pass through as they are."""

    def __init__(self, db: Database, clock: Clock, in_force: InForce = left_to_others) -> None:
        """``in_force``: called after each change of keys; raises nothing."""
        self._db = db
        self._clock = clock
        self._in_force = in_force

    async def one(self, directory: ScimDirectory, user_id: int | None) -> ScimUser:
        """A person of a directory. Raises ``ScimError`` (404)."""
        async with self._db.read() as conn:
            return await _found(conn, directory, user_id)

    async def page(
        self, directory: ScimDirectory, wanted: Filter | None, start: int, count: int
    ) -> tuple[list[ScimUser], int]:
        """People of a directory from the ``start``-th on, and how many there are."""
        async with self._db.read() as conn:
            return await store.page_users(conn, directory.team_id, wanted, start, count)

    async def create(
        self, directory: ScimDirectory, said: ScimProfile, log_act: LogAct = log_nothing
    ) -> ScimUser:
        """A new person: of an account that is made, or found where that is allowed.

        Raises ``ScimError`` (uniqueness, invalidValue).
        """
        async with self._db.write() as conn:
            now = int(self._clock.now())
            # Okta's suite makes a person again, with a name in the place of the address
            await _check_name(conn, directory, said)
            email = _address(directory, said)
            there = await logins.account(conn, name_or_email=email)
            if there is None:
                raised = await accounts.bump(conn)
                user_id, row = await self._made(conn, directory, said, email, raised, log_act), None
            else:
                user_id, row = there.user.id, await _taken_over(conn, directory, there.user)
                if not said.active and not there.user.disabled:
                    await end_access(conn, user_id, now, log_act)
                raised = await accounts.bump(conn)
            await _check_name(conn, directory, said, user_id)
            values = store.profile_columns(said)
            values |= {"directory_id": directory.team_id, "gone_at": None, "changed_at": now}
            if row is None:
                values |= {"created_at": now, "made_here": there is None}
            await store.put_user(conn, user_id, values, is_new=row is None)
            detail = {"directory": directory.team_id}
            await log_act(conn, ActKind.USER_PROVISIONED, user_id, f"user:{user_id}", detail)
            await self._switch(conn, user_id, said.active, raised, log_act)
            found = await _found(conn, directory, user_id)
        await self._in_force()
        return found

    async def change(
        self,
        directory: ScimDirectory,
        user_id: int | None,
        revise: Callable[[ScimUser], ScimProfile],
        log_act: LogAct = log_nothing,
    ) -> ScimUser:
        """What a directory says about a person from now on. ``revise``: from how they are; what it
        raises passes through. Raises ``ScimError`` (404, uniqueness, mutability, invalidValue).
        """
        async with self._db.write() as conn:
            now = int(self._clock.now())
            before = await self._held(conn, directory, user_id)
            said = revise(before)
            raised = await self._begin(conn, before, said.active, log_act)
            if said.email.lower() != before.profile.email:
                await self._move(conn, directory, before, said, log_act)
            await _check_name(conn, directory, said, before.id)
            values = {**store.profile_columns(said), "changed_at": now}
            await store.put_user(conn, before.id, values, is_new=False)
            await self._switch(conn, before.id, said.active, raised, log_act)
            found = await _found(conn, directory, before.id)
        await self._in_force()
        return found

    async def delete(
        self,
        directory: ScimDirectory,
        user_id: int | None,
        check: Callable[[ScimUser], None] = checked_by_nobody,
        log_act: LogAct = log_nothing,
    ) -> None:
        """Lock a person out, and take them out of the teams that the directory put them in. The
        account stays, with its bills; the directory may bring it back. ``check``: raises what
        speaks against it. Raises ``ScimError`` (404).
        """
        async with self._db.write() as conn:
            now = int(self._clock.now())
            before = await self._held(conn, directory, user_id)
            check(before)
            raised = await self._begin(conn, before, False, log_act)
            await self._switch(conn, before.id, False, raised, log_act)
            teams = await find_teams(conn)
            origin = MemberOrigin(MemberSource.SCIM, directory.via)
            await membership.follow(conn, teams, before.id, origin, {}, raised, now, log_act)
            values = {
                "gone_at": now,
                "changed_at": now,
                "active": False,
                "user_name_key": free_key(before.id),
            }
            await store.put_user(conn, before.id, values, is_new=False)
        await self._in_force()

    # --- accounts ---------------------------------------------------------------------------------

    async def _held(
        self, conn: Connection, directory: ScimDirectory, user_id: int | None
    ) -> ScimUser:
        """A person as they are until the transaction ends. Raises ``ScimError`` (404)."""
        if user_id is not None:
            await granted.hold(conn, user_id)
        return await _found(conn, directory, user_id)

    async def _begin(
        self, conn: Connection, before: ScimUser, active: bool, log_act: LogAct
    ) -> int:
        """The revision, held. What ends with a person's access ends first: locks are taken in one
        order (``identity/grants/store.py``).
        """
        if before.profile.active and not active:
            await end_access(conn, before.id, int(self._clock.now()), log_act)
        return await accounts.bump(conn)

    async def _made(
        self,
        conn: Connection,
        directory: ScimDirectory,
        said: ScimProfile,
        email: str,
        raised: int,
        log_act: LogAct,
    ) -> int:
        """An account without a password, whose address counts as verified if it is the directory's
        to vouch for.
        """
        if await accounts.find_users(conn, email):  # somebody was faster
            raise ScimError(409, f"there is an account {email} already", "uniqueness")
        now = int(self._clock.now())
        user = User(
            id=0,
            name=await _free_name(conn, said),
            email=email,
            created_at=now,
        )
        user_id = await accounts.insert_user(conn, user, raised)
        if directory.owns(email):
            await logins.verify_email(conn, user_id, email, now)
        detail = {"role": user.role.value, "source": MemberSource.SCIM.value}
        await log_act(conn, ActKind.USER_CREATED, user_id, "", detail)
        return user_id

    async def _move(
        self,
        conn: Connection,
        directory: ScimDirectory,
        before: ScimUser,
        said: ScimProfile,
        log_act: LogAct,
    ) -> None:
        """Give an account another address: links that went to the former lead nowhere."""
        email = _address(directory, said)
        if email == before.profile.email:
            return
        if not before.made_here:
            message = "emails: of an account that was here before is changed by its owner"
            raise ScimError(400, message, "mutability")
        if await accounts.find_users(conn, email):
            raise ScimError(409, f"emails: {email} is another account's", "uniqueness")
        now = int(self._clock.now())
        verified_at = now if directory.owns(email) else None
        await store.set_address(conn, before.id, email, verified_at)
        purposes = [purpose.value for purpose in TO_USERS]
        await logins.void(conn, purposes, now, user_id=before.id)
        await log_act(conn, ActKind.EMAIL_CHANGED, before.id, f"user:{before.id}")

    async def _switch(
        self,
        conn: Connection,
        user_id: int,
        active: bool,
        raised: int,
        log_act: LogAct,
    ) -> None:
        """Lock somebody out everywhere, or let them in again if it was the directory that locked
        them out: what an administrator switched off stays off.
        """
        user = await accounts.user_by_id(conn, user_id)
        row = await store.row_of(conn, user_id=user_id)
        assert user is not None
        if not active and not user.disabled:
            await accounts.set_user_disabled(conn, user_id, raised, disabled=True)
            await store.put_user(conn, user_id, {"locked": True}, is_new=False)
            await log_act(conn, ActKind.USER_DISABLED, user_id, f"user:{user_id}")
        elif active and user.disabled and row is not None and row.locked:
            await accounts.set_user_disabled(conn, user_id, raised, disabled=False)
            await store.put_user(conn, user_id, {"locked": False}, is_new=False)
            await log_act(conn, ActKind.USER_ENABLED, user_id, f"user:{user_id}")


async def _found(conn: Connection, directory: ScimDirectory, user_id: int | None) -> ScimUser:
    found = user_id and await store.find_user(conn, directory.team_id, user_id)
    if not found:
        raise ScimError(404, "there is no user of this id")
    return found


def _address(directory: ScimDirectory, said: ScimProfile) -> str:
    try:
        email = names.email(said.email)
    except AccountError:
        message = (
            f"emails: {said.email[:80]!r} is no address, such as ada@example.com; "
            "without emails, userName is one"
        )
        raise ScimError(400, message, "invalidValue") from None
    if directory.domains and not directory.owns(email):
        message = f"emails: {email} is of none of the domains of this directory's token"
        raise ScimError(400, message, "invalidValue")
    return email


async def _taken_over(conn: Connection, directory: ScimDirectory, there: User) -> ScimRow | None:
    """What is kept of an account that there is, which is held. Raises ``ScimError`` (uniqueness)
    unless it may become the directory's, or is its own and was deleted by it.
    """
    await granted.hold(conn, there.id)
    user, row = (
        await accounts.user_by_id(conn, there.id),
        await store.row_of(conn, user_id=there.id),
    )
    is_person = (
        user is not None and user.kind is UserKind.PERSON and user.role is not UserRole.ADMIN
    )
    own = row is not None and row.gone and row.directory_id == directory.team_id
    found = row is None and there.email_verified and directory.owns(there.email)
    if not (is_person and (own or found)):
        raise ScimError(409, f"there is an account {there.email} already", "uniqueness")
    return row


async def _check_name(
    conn: Connection, directory: ScimDirectory, said: ScimProfile, user_id: int = 0
) -> None:
    """Raise ``ScimError`` (uniqueness) for a userName that somebody else of a directory has."""
    row = await store.row_of(conn, key=(directory.team_id, said.user_name.casefold()))
    if row is not None and row.user_id != user_id:
        raise ScimError(409, f"userName: {said.user_name!r} is taken", "uniqueness")


async def _free_name(conn: Connection, said: ScimProfile) -> str:
    for name in names.alike(said.user_name.partition("@")[0], said.email, ENDINGS_MAX):
        if not await accounts.like_named(conn, name) and not await accounts.find_users(conn, name):
            return name
    raise ScimError(409, f"userName: every name like {said.user_name!r} is taken", "uniqueness")


def merged(before: ScimUser, said: ScimProfile, *, says_active: bool = True) -> ScimProfile:
    """What a whole replacement says: an external id that is left out stays, by which the directory
    knows them; and nobody is let in again by what is not said.
    """
    kept = said.external_id or before.profile.external_id
    active = said.active if says_active else before.profile.active
    return msgspec.structs.replace(said, external_id=kept, active=active)
