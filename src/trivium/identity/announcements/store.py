"""Announcements and who does not want to see them again, in SQL. Every function works in the
transaction it is given.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, func, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity.announcements.model import Announcement, Level
from trivium.storage.bulk_insert import upsert
from trivium.storage.schema.announcements import announcements, dismissals
from trivium.storage.structs import struct_of, values_of


async def put(conn: AsyncConnection, announcement: Announcement) -> int:
    """A new announcement; its id."""
    made = insert(announcements).values(values_of(announcement, "id")).returning(announcements.c.id)
    return int((await conn.execute(made)).scalar_one())


async def newest(conn: AsyncConnection) -> list[Announcement]:
    """All there are, newest first."""
    query = select(announcements).order_by(announcements.c.id.desc())
    return [_announcement(row) for row in await conn.execute(query)]


async def shown(conn: AsyncConnection, now: int, most: int) -> list[Announcement]:
    """At most so many that have begun and are not over, newest first."""
    query = (
        select(announcements)
        .where(
            announcements.c.starts_at <= now,
            or_(announcements.c.ends_at.is_(None), announcements.c.ends_at > now),
        )
        .order_by(announcements.c.id.desc())
        .limit(most)
    )
    return [_announcement(row) for row in await conn.execute(query)]


async def count(conn: AsyncConnection) -> int:
    """How many there are."""
    return int(await conn.scalar(select(func.count()).select_from(announcements)) or 0)


async def remove(conn: AsyncConnection, announcement_id: int) -> bool:
    """Delete one with its dismissals; whether there was one."""
    gone = delete(dismissals).where(dismissals.c.announcement_id == announcement_id)
    await conn.execute(gone)
    query = delete(announcements).where(announcements.c.id == announcement_id)
    return bool((await conn.execute(query)).rowcount)


async def dismiss(conn: AsyncConnection, announcement_id: int, user_id: int, now: int) -> None:
    """Note that somebody does not want to see one again."""
    known = select(announcements.c.id).where(announcements.c.id == announcement_id)
    if await conn.scalar(known) is None:
        return
    values = {"announcement_id": announcement_id, "user_id": user_id, "dismissed_at": now}
    await conn.execute(upsert(conn, dismissals).values(values).on_conflict_do_nothing())


async def dismissed(conn: AsyncConnection, ids: Sequence[int], user_id: int) -> set[int]:
    """Of these the ids of those that somebody dismissed."""
    query = select(dismissals.c.announcement_id).where(
        dismissals.c.user_id == user_id, dismissals.c.announcement_id.in_(ids)
    )
    return {int(each) for each in await conn.scalars(query)}


def _announcement(row: Any) -> Announcement:
    return struct_of(Announcement, row, level=Level(row.level))
