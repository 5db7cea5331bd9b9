"""Making, finding and disabling users and keys. Each call is one transaction.

Every change raises the one revision number and stamps the keys it touches with it, in the same
transaction: that is all ``identity/snapshot.py`` needs to put it in force.
"""

import re
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

import msgspec

from trivium.clock import Clock
from trivium.identity import keys, store
from trivium.identity.directory import Directory
from trivium.identity.errors import IdentityError, TakenError
from trivium.identity.model import InForce, Key, User, UserKind, UserRole, left_to_others
from trivium.identity.revocation import LogAct, log_nothing
from trivium.identity.teams.membership import may_spend, roles_of
from trivium.identity.teams.store import find_teams
from trivium.identity.terms import Terms, checked, folded, limits_of, name_of
from trivium.settings.budget import Budget
from trivium.settings.limits import RateLimits
from trivium.storage.database import Connection, Database

Along: TypeAlias = Callable[[Connection, User], Awaitable[None]]
"""What else the transaction does that makes a user."""
EMAIL_CHARS_MAX: Final = 254
"""RFC 5321 section 4.5.3.1.3, without its angle brackets."""

_EMAIL: Final = re.compile(r"[^@\s\x00-\x1f\x7f]{1,64}@[^@\s\x00-\x1f\x7f]+")
_DIGITS: Final = re.compile(r"[0-9]{1,18}")
_GROUP: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z._:/@-]{0,63}")
_ID: Final = re.compile(r"id:([0-9]{1,18})")


class Identity:
    """Users and keys in the database. Storage faults pass through as they are."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        random_bytes: Callable[[int], bytes] = secrets.token_bytes,
        in_force: InForce = left_to_others,
    ) -> None:
        """``in_force``: called after each change of keys; raises nothing."""
        self._db = db
        self._clock = clock
        self._random_bytes = random_bytes
        self._in_force = in_force
        self._directory = Directory(db, clock, in_force)

    async def create_user(
        self,
        name: str,
        email: str,
        role: UserRole = UserRole.USER,
        *,
        unlimited: bool = False,
        group: str = "",
        limits: RateLimits | None = None,
        along: Along | None = None,
    ) -> User:
        """A new user. ``group``: of prices; ``limits``: over all keys together. ``along``: what
        else is done for them in the same transaction.

        Raises ``IdentityError`` (``name``, ``email``, ``group``, ``limits``).
        """
        user = User(
            id=0,
            name=name_of(name),
            email=_email(email),
            role=role,
            unlimited=unlimited,
            group=_group(group),
            created_at=int(self._clock.now()),
            limits=limits_of(limits),
        )
        if "@" in user.name:
            raise IdentityError("name", "must not contain '@', which tells addresses from names")
        async with self._db.write() as conn:
            # from here on nobody else writes identities: what is free now stays free
            raised = await store.bump(conn)
            if await store.find_users(conn, user.name):
                raise TakenError("name", f"there is a user {user.name!r} already")
            if await store.find_users(conn, user.email):
                raise TakenError("email", f"{user.email} belongs to a user already")
            user_id = await store.insert_user(conn, user, raised)
            user = msgspec.structs.replace(user, id=user_id)
            if along is not None:
                await along(conn, user)
        return user

    async def find_user(self, name_or_email: str) -> User:
        """The user of that name or e-mail address. Raises ``IdentityError`` (``user``)."""
        async with self._db.read() as conn:
            return _only_user(await store.find_users(conn, folded(name_or_email)), name_or_email)

    async def list_users(self) -> list[User]:
        """Return all users, in the order they were made."""
        async with self._db.read() as conn:
            return await store.find_users(conn, None)

    async def disable_user(self, name_or_email: str, log_act: LogAct = log_nothing) -> User:
        """Refuse all of a user's keys; end their logins, consents and developer tokens for good.

        ``log_act``: logs all that was done. Raises ``IdentityError`` (``user``).
        """
        return await self._set_disabled(name_or_email, log_act, disabled=True)

    async def enable_user(self, name_or_email: str, log_act: LogAct = log_nothing) -> User:
        """Accept a user's keys again, except revoked ones. Raises ``IdentityError`` (``user``)."""
        return await self._set_disabled(name_or_email, log_act, disabled=False)

    async def set_role(
        self, name_or_email: str, role: UserRole, log_act: LogAct = log_nothing
    ) -> User:
        """What a user may do from now on; their logins end, so that none outlives what it was for,
        and tokens for administration with the office. ``log_act``: logs all that was done.

        Raises ``IdentityError`` (``user``).
        """
        user = await self.find_user(name_or_email)
        return await self._directory.appoint(None, user.id, role, log_act)

    async def create_key(
        self,
        user: str,
        name: str = "default",
        models: Sequence[str] = (),
        expires_at: int | None = None,
        *,
        strict: bool = False,
        header_only: bool = False,
        limits: RateLimits | None = None,
        budgets: Sequence[Budget] = (),
        networks: Sequence[str] = (),
        team: str | None = None,
        end_user_requests: int | None = None,
        end_user_budgets: Sequence[Budget] = (),
    ) -> tuple[Key, str]:
        """A new key of a user's, and its secret, which is nowhere to be had again.

        ``models``: names allowed, a trailing ``*`` matches a prefix, empty allows all.
        ``expires_at``: seconds since the epoch, ``None``: never. ``strict``: what a translation
        would leave out is refused. ``header_only``: it is refused in an address (``?key=``).
        ``networks``: addresses or CIDR it may be used from, empty: from anywhere.
        ``team``: the name of the team that it spends for; a service account's is its own.
        ``end_user_…``: what each end user may take whom its requests are for.
        Raises ``IdentityError`` (``user``, ``name``, ``models``, ``expires_at``, ``limits``,
        ``budgets``, ``networks``, ``team``, ``end_user_requests``, ``end_user_budgets``).
        """
        now = int(self._clock.now())
        terms = Terms(
            name=name,
            models=tuple(models),
            expires_at=expires_at,
            strict=strict,
            header_only=header_only,
            limits=limits,
            budgets=tuple(budgets),
            networks=tuple(networks),
            end_user_requests=end_user_requests,
            end_user_budgets=tuple(end_user_budgets),
        )
        secret = keys.issue(self._random_bytes)
        key = Key(
            id=0,
            user_id=0,
            hint=keys.hint(secret),
            created_at=now,
            **msgspec.structs.asdict(checked(terms, now)),
        )
        async with self._db.write() as conn:
            raised = await store.bump(conn)
            owner = _only_user(await store.find_users(conn, folded(user)), user)
            team_id = await _team_of(conn, owner, team)
            key = msgspec.structs.replace(key, user_id=owner.id, team_id=team_id)
            key_id = await store.insert_key(conn, key, keys.digest(secret), raised)
        await self._in_force()
        return msgspec.structs.replace(key, id=key_id), secret

    async def list_keys(self, user: str | None = None) -> list[Key]:
        """A user's keys or everybody's, revoked ones too. Raises ``IdentityError`` (``user``)."""
        async with self._db.read() as conn:
            if user is None:
                return await store.find_keys(conn)
            owner = _only_user(await store.find_users(conn, folded(user)), user)
            return await store.find_keys(conn, owner.id)

    async def find_key(self, which: str) -> Key:
        """One key that is not revoked.

        ``which``: its id (``12``, or ``id:12`` where digits could be a name or hint as well), its
        name, its hint, or the key itself, for when it was found where it should not be.
        Raises ``IdentityError`` (``key``) unless exactly one matches.
        """
        async with self._db.read() as conn:
            return await _only_key(conn, which)

    async def revoke_key(self, which: str) -> Key:
        """Disable one key for good. ``which``: as for ``find_key``; raises the same."""
        async with self._db.write() as conn:
            raised = await store.bump(conn)
            found = await _only_key(conn, which)
            await store.disable_key(conn, found.id, raised)
        await self._in_force()
        return msgspec.structs.replace(found, disabled=True)

    async def _set_disabled(self, name_or_email: str, log_act: LogAct, *, disabled: bool) -> User:
        user = await self.find_user(name_or_email)
        return await self._directory.switch(None, user.id, disabled=disabled, log_act=log_act)


async def _team_of(conn: Connection, owner: User, name: str | None) -> int | None:
    """The team that a key of this user's spends for. Raises ``IdentityError`` (``user``,
    ``team``).
    """
    if owner.kind is UserKind.TEAM:
        message = f"{owner.name} is a team, and keys are of people and service accounts: name one"
        raise IdentityError("user", f"{message}, and the team beside")
    if owner.kind is UserKind.ERASED:
        raise IdentityError("user", f"{owner.name} is nobody any more: their data was erased")
    if name is None and owner.kind is UserKind.PERSON:
        return None
    teams = await find_teams(conn)
    team_id = owner.team_id
    if name is not None:
        team_id = teams.named(folded(name))
        if team_id is None:
            raise IdentityError("team", f"{name[:100]!r} is not there: `trivium team list`")
    assert team_id is not None  # a service account always has one
    if owner.kind is UserKind.SERVICE:
        if team_id != owner.team_id:
            raise IdentityError("team", f"{name!r} is not the team of {owner.name}")
        return team_id
    if not may_spend(await roles_of(conn, owner.id), teams, team_id):
        raise IdentityError("team", f"{name!r} has no member {owner.name} who may have keys")
    return team_id


async def _only_key(conn: Connection, which: str) -> Key:
    which = folded(which)
    by_id = _ID.fullmatch(which)
    digits = by_id[1] if by_id else which
    key_id = int(digits) if _DIGITS.fullmatch(digits) else None
    digest = keys.parse(which)
    text = None if by_id or digest else which
    shown = f"…{keys.hint(which)}" if which.startswith(keys.PREFIX) else repr(which)
    found = await store.match_keys(conn, key_id=key_id, text=text, digest=digest)
    if not found:
        raise IdentityError("key", f"no enabled key matches {shown}: `trivium key list` shows them")
    if len(found) > 1:
        ids = ", ".join(f"id:{key.id}" for key in found[:10])
        raise IdentityError("key", f"{shown} matches {len(found)} keys: name one of {ids}")
    return found[0]


def _only_user(found: list[User], asked: str) -> User:
    if len(found) != 1:
        raise IdentityError("user", f"there is no user of the name or e-mail {asked!r}")
    return found[0]


def _group(text: str) -> str:
    if text and not _GROUP.fullmatch(text):
        raise IdentityError(
            "group", f"{text[:80]!r} is no name of a price group, such as 'students'"
        )
    return text


def _email(text: str) -> str:
    text = folded(text).lower()
    if len(text) > EMAIL_CHARS_MAX or not _EMAIL.fullmatch(text):
        raise IdentityError("email", f"{text[:80]!r} is no address, such as 'ada@example.com'")
    return text
