"""Rows of a person in SQL, a slice at a time. Every function works in the transaction it is given.

Slices follow each other by a unique order, never by "what is left": a million rows are read once.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import (
    Column,
    ColumnElement,
    LargeBinary,
    Table,
    delete,
    exists,
    func,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity.erasure.model import Ending, OwnerLink, Person, PersonalTable, erased_name
from trivium.identity.erasure.tables import PERSONAL
from trivium.identity.model import UserKind, UserRole
from trivium.observe.audit.model import COMMAND_LINE
from trivium.storage.schema import metadata
from trivium.storage.schema.core import accounts, holds, keys, leases, users
from trivium.storage.schema.idempotency import kept_answers
from trivium.storage.schema.oauth import oauth_apps, oauth_grants
from trivium.storage.schema.requests import acts, jobs
from trivium.wire.videos.answer import FINAL

_BY_NAME: Final = {each.name: each for each in PERSONAL}
Position = tuple[Any, ...]
"""Where a slice ended."""


async def person_of(conn: AsyncConnection, user_id: int) -> Person:
    """By what the rows of a user are found."""
    email = await conn.scalar(select(users.c.email).where(users.c.id == user_id))
    granted = select(oauth_grants.c.id).where(oauth_grants.c.user_id == user_id)
    of_keys = select(keys.c.grant_id).where(keys.c.user_id == user_id, keys.c.grant_id.is_not(None))
    found = await conn.scalars(granted.union(of_keys))
    return Person(id=user_id, email=email or "", grants=tuple(sorted(found)))


def _column(name: str) -> Column[Any]:
    table, _, column = name.partition(".")
    return metadata.tables[table].c[column]


def _link(column: Column[Any], link: OwnerLink | str, person: Person) -> ColumnElement[bool] | None:
    """Whether a row is the person's by this column; ``None``: none is."""
    if isinstance(link, str):
        parent = _column(link)
        theirs = _whose(_BY_NAME[parent.table.name], person)
        return None if theirs is None else exists().where(parent == column, theirs)
    if link is OwnerLink.USER:
        return column == person.id
    if link is OwnerLink.OWNER:
        return column.in_([person.id, *(-each for each in person.grants)])
    if link is OwnerLink.GRANT:
        return column.in_(person.grants) if person.grants else None
    return column == person.email if person.email else None


def _whose(of: PersonalTable, person: Person) -> ColumnElement[bool] | None:
    columns = metadata.tables[of.name].c
    found = [_link(columns[name], link, person) for name, link in of.by]
    known = [each for each in found if each is not None]
    return or_(*known) if known else None


def _order(of: PersonalTable) -> list[Column[Any]]:
    table = metadata.tables[of.name]
    return [table.c[name] for name in of.order] if of.order else list(table.primary_key.columns)


def _after(order: Sequence[Column[Any]], after: Position | None) -> list[ColumnElement[bool]]:
    if after is None:
        return []
    return [order[0] > after[0] if len(order) == 1 else tuple_(*order) > after]


async def listed(
    conn: AsyncConnection, of: PersonalTable, person: Person, after: Position | None, limit: int
) -> tuple[list[dict[str, Any]], Position | None]:
    """Rows as an export shows them, after a position, and where they end; ``None``: no more."""
    whose = _whose(of, person)
    if whose is None:
        return [], None
    order = _order(of)
    shown = [each for each in metadata.tables[of.name].c if _is_shown(of, each)]
    query = select(*shown, *(column.label(f"_{n}") for n, column in enumerate(order)))
    rows = (
        await conn.execute(query.where(whose, *_after(order, after)).order_by(*order).limit(limit))
    ).all()
    found = [
        {column.name: value for column, value in zip(shown, row, strict=False)} for row in rows
    ]
    return found, tuple(rows[-1][len(shown) :]) if len(rows) == limit else None


def _is_shown(of: PersonalTable, column: Column[Any]) -> bool:
    return not isinstance(column.type, LargeBinary) and column.name not in of.withheld


async def ended(
    conn: AsyncConnection, of: PersonalTable, person: Person, after: Position | None
) -> tuple[int, Position | None]:
    """Delete or blank a slice of rows after a position; how many, and where it ended."""
    table, order = metadata.tables[of.name], _order(of)
    theirs = _ending(of, person)
    if theirs is None:
        return 0, None
    query = select(*order).where(theirs, *_after(order, after)).order_by(*order).limit(of.slice)
    found = [tuple(row) for row in await conn.execute(query)]
    if not found:
        return 0, None
    if of.unless_in:
        await _hold_accounts(conn, table, [row[0] for row in found])
    single = len(order) == 1
    slice_ = order[0].in_([row[0] for row in found]) if single else tuple_(*order).in_(found)
    if of.ending is Ending.DELETED:
        # looked at once more: others may have used it meanwhile
        done = await conn.execute(delete(table).where(slice_, theirs))
    else:
        done = await conn.execute(update(table).where(slice_).values(dict(of.blank)))
    return int(done.rowcount), found[-1] if len(found) == of.slice else None


def _ending(of: PersonalTable, person: Person) -> ColumnElement[bool] | None:
    """The rows that are to end: of those that are blank already none."""
    table = metadata.tables[of.name]
    if of.unless_in:
        kept = _column(of.unless_in)
        first, link = of.by[0]
        theirs = _link(table.c[first], link, person)
        return (
            or_(theirs, ~exists().where(kept == table.c[of.by[1][0]]))
            if theirs is not None
            else None
        )
    whose = _whose(of, person)
    if whose is None or of.ending is Ending.DELETED:
        return whose
    return whose & or_(*(table.c[name].is_distinct_from(to) for name, to in of.blank.items()))


async def _hold_accounts(conn: AsyncConnection, table: Table, ids: Sequence[int]) -> None:
    """Lock the accounts of attributions: whoever adds sums to one holds its account."""
    payers = select(table.c.payer_id).where(table.c.id.in_(ids))
    query = select(accounts.c.user_id).where(accounts.c.user_id.in_(payers))
    await conn.execute(query.order_by(accounts.c.user_id).with_for_update())


async def blank_acts(conn: AsyncConnection, person: Person, after: int) -> tuple[int, int | None]:
    """Take from a slice of acts what names the person; how many, and the last id, ``None``: none.

    Of what others did to them, operators among them, the detail alone: address and program are the
    others'.
    """
    of = _BY_NAME["acts"]
    theirs = or_(acts.c.actor_id == person.id, acts.c.subject_id == person.id)
    query = select(acts.c.id).where(theirs, acts.c.id > after).order_by(acts.c.id).limit(of.slice)
    ids = list(await conn.scalars(query))
    if not ids:
        return 0, None
    unknown = acts.c.actor_id.is_(None) & (acts.c.agent != COMMAND_LINE)
    own = func.coalesce(acts.c.actor_id == person.id, unknown)
    said = or_(acts.c.address != "", acts.c.agent != "", acts.c.detail != "")
    wholly = update(acts).where(acts.c.id.in_(ids), own, said).values(dict(of.blank))
    partly = update(acts).where(acts.c.id.in_(ids), acts.c.detail != "", ~own).values(detail="")
    count = sum([(await conn.execute(each)).rowcount for each in (wholly, partly)])
    return count, ids[-1]


async def blank_user(conn: AsyncConnection, user_id: int, raised: int) -> None:
    """Take from a user and their keys what names them; the keys are revoked for good."""
    of_user = {**_BY_NAME["users"].blank, "name": erased_name(user_id), "revision": raised}
    await conn.execute(update(users).where(users.c.id == user_id).values(of_user))
    of_keys = {**_BY_NAME["keys"].blank, "revision": raised}
    await conn.execute(update(keys).where(keys.c.user_id == user_id).values(of_keys))


async def count_keys(conn: AsyncConnection, user_id: int) -> int:
    """How many keys a user has, revoked ones too."""
    query = select(func.count()).select_from(keys).where(keys.c.user_id == user_id)
    return int(await conn.scalar(query) or 0)


async def other_administrators(conn: AsyncConnection, user_id: int) -> int:
    """How many enabled administrators there are beside a user."""
    query = select(func.count()).where(
        users.c.role == UserRole.ADMIN.value,
        users.c.kind == UserKind.PERSON.value,
        users.c.disabled.is_(False),
        users.c.id != user_id,
    )
    return int(await conn.scalar(query) or 0)


async def apps_of(conn: AsyncConnection, user_id: int, limit: int) -> list[str]:
    """Names of applications that a user has registered."""
    query = select(oauth_apps.c.name).where(oauth_apps.c.user_id == user_id)
    return list(await conn.scalars(query.order_by(oauth_apps.c.id).limit(limit)))


async def under_way(conn: AsyncConnection, person: Person) -> dict[str, int]:
    """What of the person's is not over, by what it is."""
    owners = [person.id, *(-each for each in person.grants)]
    final = [status.value for status in FINAL]
    asked = exists().where(jobs.c.request_id == holds.c.request_id, jobs.c.user_id.in_(owners))
    queries = {
        "videos being made": select(func.count()).where(
            jobs.c.user_id.in_(owners), jobs.c.status.not_in(final)
        ),
        "amounts held": select(func.count()).where(or_(holds.c.user_id == person.id, asked)),
        "answers being kept": select(func.count()).where(
            kept_answers.c.user_id.in_(owners), kept_answers.c.state == "running"
        ),
        "workers that still have some of the balance": select(func.count()).where(
            leases.c.user_id == person.id, leases.c.amount_nanos > 0
        ),
    }
    counts = {name: int(await conn.scalar(query) or 0) for name, query in queries.items()}
    return {name: count for name, count in counts.items() if count}


def checked_position(
    of: PersonalTable, values: Sequence[int | str | bool] | None
) -> Position | None:
    """A position as columns have it. Raises ``ValueError`` where it is none of this table."""
    if values is None:
        return None
    found: list[Any] = []
    for column, value in zip(_order(of), values, strict=True):
        if isinstance(column.type, LargeBinary):
            found.append(bytes.fromhex(str(value)))
        elif isinstance(value, column.type.python_type) and not isinstance(value, bool):
            if isinstance(value, int) and not -(2**63) <= value < 2**63:
                raise ValueError("no number of a database")
            if isinstance(value, str) and ("\0" in value or not _is_text(value)):
                raise ValueError("no text of a database")
            found.append(value)
        else:
            raise ValueError("another kind of value")  # noqa: TRY004 - as whatever else is wrong
    return tuple(found)


def _is_text(value: str) -> bool:
    """Whether it can be written as UTF-8; JSON may hold half a character."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
