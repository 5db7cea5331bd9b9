"""Dismissals end with what was dismissed."""

import pytest

from trivium.identity.announcements import store
from trivium.identity.announcements.model import Announcement, Level
from trivium.identity.service import Identity


@pytest.mark.asyncio
async def test_removing_takes_the_dismissals_along(database, clock):
    """And says whether there was one."""
    ada = await Identity(database, clock).create_user("ada", "ada@example.com")
    made = Announcement(id=0, text="x", level=Level.BAD, starts_at=1, ends_at=None, created_at=1)
    async with database.write() as conn:
        number = await store.put(conn, made)
        await store.dismiss(conn, number, ada.id, 5)
        assert {number} == await store.dismissed(conn, [number], ada.id)
        assert 1 == await store.count(conn)
        assert await store.remove(conn, number)
        assert set() == await store.dismissed(conn, [number], ada.id)
        assert not await store.remove(conn, number)
        assert [] == await store.newest(conn)
        assert [] == await store.shown(conn, 9, 5)
