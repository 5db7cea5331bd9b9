"""Handing out what is known of a person, and erasing it.

An erasure is many transactions: one that shuts the account, one for each slice of rows, one that
takes the name. Each leaves what can be repeated: what the rest is found by goes last.
"""

import base64
from typing import Any, Final

import msgspec

from trivium.clock import Clock
from trivium.identity import store as people
from trivium.identity.erasure import store
from trivium.identity.erasure.model import (
    Ending,
    Erased,
    ExportPage,
    Person,
    PersonalTable,
    erased_name,
)
from trivium.identity.erasure.tables import PERSONAL
from trivium.identity.errors import IdentityError, KeptError
from trivium.identity.model import InForce, User, UserKind, UserRole, left_to_others
from trivium.identity.revocation import LogAct, end_access, log_nothing
from trivium.identity.teams import membership
from trivium.identity.teams.model import TeamRole
from trivium.identity.teams.store import find_teams, members_of
from trivium.observe.audit.model import ActKind
from trivium.storage.database import Connection, Database

PAGE_MAX: Final = 1000
"""Rows of a page of an export."""
LIMIT_S: Final = 300.0
"""One slice: where no index leads to a person's rows it may read a whole table."""
_LISTED: Final = tuple(each for each in PERSONAL if not each.unlisted)
_APART: Final = frozenset({"users", "keys", "acts"})
"""Tables that end otherwise than in slices alike."""
_NAMED: Final = 5


class Erasure:
    """Exports and erasures. Storage faults pass through as they are."""

    def __init__(self, db: Database, clock: Clock, in_force: InForce = left_to_others) -> None:
        """``in_force``: called after each change of keys; raises nothing."""
        self._db = db
        self._clock = clock
        self._in_force = in_force

    async def find(self, which: str) -> User:
        """The person of that name, address or id (``12``, or ``id:12`` where that could be a name).

        Raises ``IdentityError`` (``user``).
        """
        digits = which.strip().removeprefix("id:")
        async with self._db.read() as conn:
            found = await people.find_users(conn, which.strip())
            if not found and digits.isascii() and digits.isdecimal() and len(digits) < 16:
                by_id = await people.user_by_id(conn, int(digits))
                found = [by_id] if by_id else []
        if len(found) != 1:
            raise IdentityError("user", f"there is no user of the name, e-mail or id {which!r}")
        return _person(found[0])

    async def page(self, user_id: int, after: str | None = None, limit: int = 500) -> ExportPage:
        """Rows that name a person, in the order of the tables, after a position.

        Each page sees one state, and the next another. Raises ``IdentityError`` (``user``,
        ``after``).
        """
        number, position = _read(after)
        limit = max(1, min(limit, PAGE_MAX))
        rows: list[dict[str, Any]] = []
        async with self._db.read(LIMIT_S) as conn:
            _person(await _user(conn, user_id))
            person = await store.person_of(conn, user_id)
            while number < len(_LISTED):
                of = _LISTED[number]
                wanted = limit - len(rows)
                found, position = await store.listed(conn, of, person, position, wanted)
                rows += ({"table": of.name, **row} for row in found)
                if position is not None:
                    return ExportPage(rows=rows, after=_written(number, position))
                number += 1
                if len(rows) >= limit and number < len(_LISTED):
                    return ExportPage(rows=rows, after=_written(number, None))
        return ExportPage(rows=rows, after=None)

    async def erase(self, by: int | None, user_id: int, log_act: LogAct = log_nothing) -> Erased:
        """Shut the account and erase what names the person; repeat it where it was cut short.

        ``by``: who asks, ``None``: the operator. Raises ``IdentityError`` (``user``) and
        ``KeptError``: nothing is changed where others need the account, and it is shut and nothing
        erased while something of theirs is under way.
        """
        if by == user_id:
            raise KeptError("user", "you cannot erase yourself: another administrator can")
        await self._shut(user_id, log_act)
        await self._in_force()
        async with self._db.read() as conn:
            person = await store.person_of(conn, user_id)
            open_ = await store.under_way(conn, person)
        if open_:
            what = ", ".join(f"{name}: {count}" for name, count in open_.items())
            raise KeptError(
                "user", f"is disabled now, and not erased yet ({what}): repeat this soon"
            )
        rows: dict[str, int] = {}
        for of in PERSONAL:
            if of.ending is not Ending.KEPT and not of.with_parent and of.name not in _APART:
                rows[of.name] = await self._end(of, person)
        rows["keys"] = await self._take_name(user_id, log_act)
        rows["acts"] = await self._blank_acts(person)
        await self._in_force()
        changed = {name: count for name, count in rows.items() if count}
        return Erased(id=user_id, name=erased_name(user_id), rows=changed)

    async def _shut(self, user_id: int, log_act: LogAct) -> None:
        """Refuse keys and end logins, if nobody needs the account."""
        async with self._db.write() as conn:
            raised = await people.bump(conn)
            user = _person(await _user(conn, user_id))
            if user.kind is UserKind.ERASED:
                return
            await _check_needed(conn, user)
            await end_access(conn, user_id, int(self._clock.now()), log_act)
            if not user.disabled:
                await people.set_user_disabled(conn, user_id, raised, disabled=True)
                await log_act(conn, ActKind.USER_DISABLED, user_id, f"user:{user_id}")

    async def _end(self, of: PersonalTable, person: Person) -> int:
        total, position = 0, None
        while True:
            async with self._db.write(LIMIT_S) as conn:
                count, position = await store.ended(conn, of, person, position)
            total += count
            if position is None:
                return total

    async def _take_name(self, user_id: int, log_act: LogAct) -> int:
        async with self._db.write() as conn:
            raised = await people.bump(conn)
            user = await _user(conn, user_id)
            if user.kind is UserKind.ERASED:
                return 0
            await store.blank_user(conn, user_id, raised)
            await log_act(conn, ActKind.USER_ERASED, user_id, f"user:{user_id}")
            return await store.count_keys(conn, user_id)

    async def _blank_acts(self, person: Person) -> int:
        total, after = 0, 0
        while True:
            async with self._db.write(LIMIT_S) as conn:
                count, last = await store.blank_acts(conn, person, after)
            total += count
            if last is None:
                return total
            after = last


async def _check_needed(conn: Connection, user: User) -> None:
    """Raise ``KeptError`` where others need the account."""
    is_admin = user.role is UserRole.ADMIN
    if is_admin and not await store.other_administrators(conn, user.id):
        raise KeptError("user", f"{user.name} is the last administrator: appoint another first")
    apps = await store.apps_of(conn, user.id, _NAMED)
    if apps:
        named = ", ".join(apps)
        raise KeptError("user", f"{user.name} has applications ({named}): transfer or delete them")
    teams = await find_teams(conn)
    roles = await membership.roles_of(conn, user.id)
    for team_id, role in roles.items():
        team = teams.get(team_id)
        if role is not TeamRole.OWNER or team is None or team.parent_id is not None:
            continue
        others = await members_of(conn, [team_id])
        if not any(each.role is TeamRole.OWNER and each.user_id != user.id for each, _ in others):
            raise KeptError(
                "user", f"{user.name} is the only owner of {team.name}: appoint another"
            )


async def _user(conn: Connection, user_id: int) -> User:
    found = await people.user_by_id(conn, user_id)
    if found is None:
        raise IdentityError("user", "is not there")
    return found


def _person(user: User) -> User:
    if user.kind not in (UserKind.PERSON, UserKind.ERASED):
        raise IdentityError(
            "user", f"{user.name} is no person: a {user.kind.value} has no such data"
        )
    return user


# --- positions ------------------------------------------------------------------------------------

_positions: Final = msgspec.json.Decoder(tuple[str, list[int | str | bool] | None]).decode


def _written(number: int, position: store.Position | None) -> str:
    """A position as callers send it back: the table, and where in it."""
    values = None
    if position is not None:
        values = [each.hex() if isinstance(each, bytes) else each for each in position]
    text = msgspec.json.encode((_LISTED[number].name, values))
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def _read(after: str | None) -> tuple[int, store.Position | None]:
    """The number of a table and a position in it. Raises ``IdentityError`` (``after``)."""
    if not after:
        return 0, None
    names = [each.name for each in _LISTED]
    try:
        name, values = _positions(base64.urlsafe_b64decode(after + "=" * (-len(after) % 4)))
        number = names.index(name)
        return number, store.checked_position(_LISTED[number], values)
    except (ValueError, msgspec.MsgspecError):
        message = "is not where a page ended: send `after` as the page before has it"
        raise IdentityError("after", message) from None
