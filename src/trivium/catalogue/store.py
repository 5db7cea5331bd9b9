"""Entries of the catalogue and their changes in SQL. Each function works in the transaction that it
is given.

A change is written at the revision that was read: ``advance`` lets one of two that read the same
one through. So whatever was checked together is in force together.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import delete, func, insert, or_, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.catalogue.model import (
    CatalogueChange,
    CatalogueEntry,
    ChangeAuthor,
    EntryBody,
    EntryDiff,
    EntryName,
    Marks,
    Revision,
)
from trivium.storage.schema.catalogue import (
    catalogue_change_entries as parts,
)
from trivium.storage.schema.catalogue import (
    catalogue_changes as changes,
)
from trivium.storage.schema.catalogue import (
    catalogue_entries as entries,
)
from trivium.storage.schema.catalogue import (
    catalogue_revision as revision,
)

DIFFS: Final = 200
"""Entries of a change that one query reads."""
NAMES_MAX: Final = 400
"""Names of one query."""
_INSERT: Final[Mapping[str, Any]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
_marks = msgspec.json.Decoder(Marks).decode


async def current(conn: AsyncConnection) -> Revision:
    """The state that the last committed change left."""
    row = (await conn.execute(select(revision.c.value, revision.c.mark))).one_or_none()
    return Revision() if row is None else Revision(row.value, row.mark)


async def advance(
    conn: AsyncConnection, known: Revision, mark: str, by: int = 1
) -> Revision | None:
    """Go on from a state to the next, and hold its row until commit; ``None``: somebody else did.

    ``mark``: of the change, at random; ``by``: so many changes are made at once, and the mark is
    that of the last.
    """
    if not known.value:
        first = _INSERT[conn.dialect.name](revision).values(id=1, value=0, mark="")
        await conn.execute(first.on_conflict_do_nothing())
    same = (revision.c.value == known.value) & (revision.c.mark == known.mark)
    raised = update(revision).where(same).values(value=known.value + by, mark=mark)
    done = await conn.execute(raised)
    return Revision(known.value + by, mark) if done.rowcount else None


async def mark_of(conn: AsyncConnection, value: int) -> str | None:
    """The mark of the change that made a revision; ``None``: it is not known any more."""
    found = await conn.scalar(select(changes.c.mark).where(changes.c.revision == value))
    return None if found is None else str(found)


async def page(conn: AsyncConnection, after: EntryName | None, limit: int) -> list[CatalogueEntry]:
    """Entries by kind and name, from the one behind ``after``; ``None``: from the first."""
    query = select(entries).order_by(entries.c.kind, entries.c.name).limit(limit)
    if after is not None:
        query = query.where(tuple_(entries.c.kind, entries.c.name) > (after.kind, after.name))
    return [_entry(row) for row in await conn.execute(query)]


async def touched(
    conn: AsyncConnection, since: int, after: EntryName | None, limit: int
) -> list[EntryName]:
    """Names of what was changed since a revision, in order, from the one behind ``after``."""
    query = (
        select(parts.c.kind, parts.c.name)
        .join(changes, changes.c.id == parts.c.change_id)
        .where(changes.c.revision > since)
        .distinct()
        .order_by(parts.c.kind, parts.c.name)
        .limit(limit)
    )
    if after is not None:
        query = query.where(tuple_(parts.c.kind, parts.c.name) > (after.kind, after.name))
    return [EntryName(row.kind, row.name) for row in await conn.execute(query)]


async def named(conn: AsyncConnection, names: Collection[EntryName]) -> list[CatalogueEntry]:
    """The entries of these names, at most ``NAMES_MAX``; those that are gone are left out."""
    pairs = [(name.kind, name.name) for name in names]
    query = select(entries).where(tuple_(entries.c.kind, entries.c.name).in_(pairs))
    return [_entry(row) for row in await conn.execute(query)]


async def write(
    conn: AsyncConnection,
    diff: EntryDiff,
    version: int | None,
    new: Revision,
    author: int | None,
    at_ms: int,
) -> bool:
    """Make one entry what it is after a change. ``version``: what was read; ``None``: it was not
    there. Returns whether that still holds; if not, the transaction has to be given up.
    """
    mine = (entries.c.kind == diff.at.kind) & (entries.c.name == diff.at.name)
    if diff.after is None:
        gone = await conn.execute(delete(entries).where(mine, entries.c.version == version))
        return bool(gone.rowcount)
    values = {
        "version": new.value,
        **_columns(diff.after),
        "updated_ms": at_ms,
        "updated_by": author,
    }
    if version is None:
        made = _INSERT[conn.dialect.name](entries).values(
            kind=diff.at.kind, name=diff.at.name, **values
        )
        return bool((await conn.execute(made.on_conflict_do_nothing())).rowcount)
    done = update(entries).where(mine, entries.c.version == version).values(values)
    return bool((await conn.execute(done)).rowcount)


async def reseal(conn: AsyncConnection, entry: CatalogueEntry, sealed: bytes) -> None:
    """Put the same credentials, sealed anew, in the place of those that were read."""
    same = (entries.c.kind == entry.at.kind) & (entries.c.name == entry.at.name)
    same &= entries.c.version == entry.version
    await conn.execute(update(entries).where(same).values(sealed=sealed))


async def record(conn: AsyncConnection, change: CatalogueChange, mark: str) -> int:
    """Append a change, whose id is ignored; returns its id. One that it undoes says so."""
    made = (
        changes.insert()
        .values(
            revision=change.revision,
            mark=mark,
            at_ms=change.at_ms,
            actor_id=change.author.user_id,
            actor=change.author.name,
            address=change.author.address,
            agent=change.author.agent,
            reason=change.reason,
            undoes=change.undoes,
        )
        .returning(changes.c.id)
    )
    change_id = int((await conn.execute(made)).scalar_one())
    rows = [
        {"change_id": change_id, "kind": diff.at.kind, "name": diff.at.name}
        | _columns(diff.before, "before", "before_")
        | _columns(diff.after, "after", "after_")
        for diff in change.diffs
    ]
    await conn.execute(insert(parts), rows)
    if change.undoes is not None:
        told = update(changes).where(changes.c.id == change.undoes).values(undone_by=change_id)
        await conn.execute(told)
    return change_id


async def newest(
    conn: AsyncConnection,
    before_id: int | None,
    limit: int,
    *,
    kind: str | None = None,
    name: str | None = None,
    user_id: int | None = None,
    entries_max: int | None = None,
) -> list[CatalogueChange]:
    """A page of changes, newest first: those of a kind, of one entry, or by one user; of each so
    many entries at most.
    """
    query = select(changes)
    if before_id is not None:
        query = query.where(changes.c.id < before_id)
    if user_id is not None:
        query = query.where(changes.c.actor_id == user_id)
    if kind is not None:
        concerned = select(parts.c.change_id).where(parts.c.kind == kind)
        if name is not None:
            concerned = concerned.where(parts.c.name == name)
        query = query.where(changes.c.id.in_(concerned))
    rows = (await conn.execute(query.order_by(changes.c.id.desc()).limit(limit))).all()
    return await _changes(conn, rows, entries_max)


async def change(conn: AsyncConnection, change_id: int) -> CatalogueChange | None:
    """A change; ``None``: there is none of this id."""
    rows = (await conn.execute(select(changes).where(changes.c.id == change_id))).all()
    found = await _changes(conn, rows)
    return found[0] if found else None


async def deleted(
    conn: AsyncConnection, names: Collection[EntryName]
) -> dict[EntryName, EntryBody]:
    """What entries of these names, at most ``NAMES_MAX``, were when they were deleted last. Those
    that were never deleted, or came back since, are left out.
    """
    pairs = [(name.kind, name.name) for name in names]
    newest_of = (
        select(func.max(parts.c.change_id), parts.c.kind, parts.c.name)
        .where(tuple_(parts.c.kind, parts.c.name).in_(pairs))
        .group_by(parts.c.kind, parts.c.name)
    )
    query = select(parts).where(
        tuple_(parts.c.change_id, parts.c.kind, parts.c.name).in_(newest_of),
        parts.c.after.is_(None),
    )
    found: dict[EntryName, EntryBody] = {}
    for row in await conn.execute(query):
        body = _body(row.before, row.before_sealed, row.before_marks)
        if body is not None:
            found[EntryName(row.kind, row.name)] = body
    return found


async def forget_credentials(conn: AsyncConnection, at_ms: int, limit: int) -> int:
    """Drop the sealed credentials of at most ``limit`` entries of changes older than a moment;
    returns how many. Such a change can no longer be undone.
    """
    old = (
        select(parts.c.change_id, parts.c.kind, parts.c.name)
        .join(changes, changes.c.id == parts.c.change_id)
        .where(changes.c.at_ms < at_ms)
        .where(or_(parts.c.before_sealed.is_not(None), parts.c.after_sealed.is_not(None)))
        .order_by(changes.c.at_ms)
        .limit(limit)
    )
    these = tuple_(parts.c.change_id, parts.c.kind, parts.c.name).in_(old)
    blank = update(parts).where(these).values(before_sealed=None, after_sealed=None)
    return int((await conn.execute(blank)).rowcount)


async def _changes(
    conn: AsyncConnection, rows: Sequence[Any], entries_max: int | None = None
) -> list[CatalogueChange]:
    ids = [row.id for row in rows]
    left_out: dict[int, int] = {}
    if entries_max is None:
        diffs = await _diffs(conn, ids)
    else:
        diffs = {}
        for each in ids:
            diffs |= await _diffs(conn, [each], entries_max)
        counted = (
            select(parts.c.change_id, func.count())
            .where(parts.c.change_id.in_(ids))
            .group_by(parts.c.change_id)
        )
        for each, count in await conn.execute(counted) if ids else ():
            left_out[each] = count - len(diffs[each])
    return [
        CatalogueChange(
            id=row.id,
            revision=row.revision,
            at_ms=row.at_ms,
            author=ChangeAuthor(
                user_id=row.actor_id, name=row.actor, address=row.address, agent=row.agent
            ),
            reason=row.reason,
            undoes=row.undoes,
            undone_by=row.undone_by,
            diffs=tuple(diffs[row.id]),
            left_out=left_out.get(row.id, 0),
        )
        for row in rows
    ]


async def _diffs(
    conn: AsyncConnection, change_ids: Sequence[int], most: int | None = None
) -> dict[int, list[EntryDiff]]:
    """Entries of changes, so many in all, a page at a time: others have their turns between."""
    found: dict[int, list[EntryDiff]] = {each: [] for each in change_ids}
    key = (parts.c.change_id, parts.c.kind, parts.c.name)
    after: tuple[int, str, str] | None = None
    read = 0
    while found and (most is None or read < most):
        size = DIFFS if most is None else min(DIFFS, most - read)
        query = select(parts).where(parts.c.change_id.in_(change_ids))
        if after is not None:
            query = query.where(tuple_(*key) > after)
        rows = (await conn.execute(query.order_by(*key).limit(size))).all()
        for row in rows:
            found[row.change_id].append(
                EntryDiff(
                    at=EntryName(row.kind, row.name),
                    before=_body(row.before, row.before_sealed, row.before_marks),
                    after=_body(row.after, row.after_sealed, row.after_marks),
                )
            )
        read += len(rows)
        if len(rows) < size:
            break
        after = (rows[-1].change_id, rows[-1].kind, rows[-1].name)
        await asyncio.sleep(0)
    return found


def _columns(body: EntryBody | None, first: str = "document", before: str = "") -> dict[str, Any]:
    return {
        first: None if body is None else msgspec.json.encode(body.document).decode(),
        f"{before}sealed": None if body is None else body.sealed,
        f"{before}marks": None if body is None else msgspec.json.encode(body.marks).decode(),
    }


def _body(document: str | None, sealed: bytes | None, marks: str | None) -> EntryBody | None:
    if document is None:
        return None
    found = msgspec.json.decode(document)
    return EntryBody(document=found, sealed=sealed, marks=_marks(marks or "[]"))


def _entry(row: Any) -> CatalogueEntry:
    body = _body(row.document, row.sealed, row.marks)
    assert body is not None
    return CatalogueEntry(
        at=EntryName(row.kind, row.name),
        version=row.version,
        body=body,
        updated_ms=row.updated_ms,
        updated_by=row.updated_by,
    )
