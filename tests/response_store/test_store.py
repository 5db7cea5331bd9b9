"""Stored responses in SQL, on both engines."""

import pytest

from trivium.response_store import store


def row(name="resp_1", *, user=3, created=1, expires=100, size=0):
    return {
        "user_id": user, "id": name, "key_id": 7, "model": "m", "channel": "c",
        "status": "completed", "created_at": created, "expires_at": expires, "size_bytes": size,
        "body": b"x" * size or None,
    }  # fmt: skip


def item(name, response="resp_1", *, user=3):
    return {"user_id": user, "id": name, "response_id": response}


async def saved(db, rows, items=()):
    async with db.write() as conn:
        await store.save(conn, rows, list(items))


async def names(db, *ids, user=3, now=50):
    async with db.read() as conn:
        return [bool(await store.find(conn, user, name, now)) for name in ids]


@pytest.mark.asyncio
async def test_a_response_is_its_owners_until_it_expires(database):
    """Nobody else's id finds it, and an expired one is gone before it is swept."""
    await saved(database, [row()])
    assert [True, False] == await names(database, "resp_1", "resp_2")
    assert [False] == await names(database, "resp_1", user=4)
    assert [False] == await names(database, "resp_1", now=100)


@pytest.mark.asyncio
async def test_two_users_may_have_the_same_id(database):
    """Upstreams choose ids; neither user can touch the other's row."""
    await saved(database, [row(), row(user=4)])
    async with database.write() as conn:
        assert await store.forget(conn, 4, "resp_1")
    assert [True] == await names(database, "resp_1")


@pytest.mark.asyncio
async def test_saving_again_changes_nothing(database):
    """A batch whose commit was in doubt is written once more."""
    for _ in range(2):
        await saved(database, [row()], [item("msg_1")])
    assert [True] == await names(database, "resp_1")


@pytest.mark.asyncio
async def test_a_forgotten_response_takes_its_items_along(database):
    """No id of a deleted answer leads anywhere."""
    await saved(database, [row()], [item("msg_1")])
    async with database.write() as conn:
        assert await store.forget(conn, 3, "resp_1")
        assert not await store.forget(conn, 3, "resp_1")
    async with database.read() as conn:
        assert None is await store.holder(conn, 3, "msg_1")


@pytest.mark.asyncio
async def test_an_item_is_held_by_the_newest_response_that_brought_it(database):
    """And by nobody for another user."""
    await saved(database, [row(), row("resp_2")], [item("msg_1")])
    await saved(database, [row("resp_2")], [item("msg_1", "resp_2")])
    async with database.read() as conn:
        assert "resp_2" == await store.holder(conn, 3, "msg_1")
        assert None is await store.holder(conn, 4, "msg_1")


@pytest.mark.asyncio
async def test_the_expired_go_oldest_first(database):
    """No more than asked for at once."""
    await saved(database, [row(f"resp_{n}", expires=n, user=n % 2) for n in range(5)])
    async with database.write() as conn:
        assert 2 == await store.delete_expired(conn, 3, 2)
        assert 2 == await store.delete_expired(conn, 3, 5)
        assert 0 == await store.delete_expired(conn, 3, 5)
    assert [True] == await names(database, "resp_4", user=0, now=3)


@pytest.mark.asyncio
async def test_who_keeps_too_much_loses_the_oldest(database):
    """As many as it takes, and nothing of those who keep less."""
    await saved(database, [row(f"resp_{n}", created=n, size=10) for n in range(5)])
    await saved(database, [row("resp_none"), row(user=4, size=20)])
    async with database.write() as conn:
        assert [3] == await store.owners_above(conn, 25)
        assert (2, 5) == await store.delete_oldest(conn, 3, 25, 2)
        assert (1, 0) == await store.delete_oldest(conn, 3, 25, 100)
        assert (0, 0) == await store.delete_oldest(conn, 3, 25, 100)
        assert [] == await store.owners_above(conn, 25)
    assert [False, False, False, True, True, True] == await names(
        database, *(f"resp_{n}" for n in range(5)), "resp_none"
    )
