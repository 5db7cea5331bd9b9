"""Changes that wait together are written together, and each is as if it had been alone."""

import asyncio
import contextlib

import pytest

from catalogue.sealed import SEAL, put
from catalogue.test_service import AUTHOR, World
from trivium.catalogue import rounds, store
from trivium.catalogue.model import EntryName, KeptApartError, StaleError, UnfitError
from trivium.catalogue.service import Condition, EntryEdit
from trivium.catalogue.snapshot import CatalogueSnapshot
from trivium.settings.errors import SettingsError
from trivium.storage.errors import Rejected

pytestmark = pytest.mark.asyncio
NEW = Condition()


def group(name):
    return EntryName("group", name)


def edit(name, document, condition=NEW):
    return EntryEdit(at=group(name), document=document, condition=condition)


@pytest.fixture
def written(monkeypatch):
    """How many changes each transaction had."""
    found = []

    async def advance(conn, known, mark, by=1):
        found.append(by)
        return await store.advance(conn, known, mark, by)

    counted = type("Counted", (), {"__getattr__": lambda _, name: getattr(store, name)})()
    counted.advance = advance
    monkeypatch.setattr(rounds, "store", counted)
    return found


async def met(world, *edits):
    """What comes of changes that wait for the same turn."""
    world.loop = asyncio.get_running_loop()
    async with world.service._rounds._turn:
        tasks = [asyncio.ensure_future(world.service.change([one], AUTHOR)) for one in edits]
        await asyncio.sleep(0)
    return await asyncio.gather(*tasks, return_exceptions=True)


async def test_those_that_wait_are_one_transaction(database, written):
    """With a revision, a row and a mark of its own for each; another node reads the same."""
    world = World(database)
    done = await met(world, *(edit(f"g{i}", "0.5") for i in range(7)))
    assert (list(range(1, 8)), [7]) == ([each.revision for each in done], written)
    told = await world.service.changes()
    assert [7, 6, 5, 4, 3, 2, 1] == [each.revision for each in told]
    assert [f"g{i}" for i in reversed(range(7))] == [each.diffs[0].at.name for each in told]
    again = CatalogueSnapshot(database, SEAL)
    await again.refresh()
    assert (again.revision, again.entries) == await world.service.everything()
    async with database.read() as conn:
        marks = {await store.mark_of(conn, value) for value in range(1, 8)}
    assert 7 == len(marks)
    assert again.revision.mark in marks


async def test_a_round_has_a_bound(sqlite_database, written, monkeypatch):
    """Of changes, and of what they concern."""
    world = World(sqlite_database)
    monkeypatch.setattr(rounds, "ROUND_MAX", 3)
    await met(world, *(edit(f"g{i}", "0.5") for i in range(7)))
    assert [3, 3, 1] == written
    monkeypatch.setattr(rounds, "ROUND_ENTRIES_MAX", 2)
    await met(world, *(edit(f"h{i}", "0.5") for i in range(3)))
    assert [2, 1] == written[3:]


async def test_whoever_is_refused_does_not_take_others_with_it(database, written):
    """One that does not fit, one that has read too little, of two editors the second."""
    world = World(database)
    await world.change(group("a"), "0.5")
    plain = world.trial

    def trial(entries):
        if any(each.name == "unfit" for each in entries):
            raise SettingsError("no")
        return plain(entries)

    world.service._rounds._trial = trial
    done = await met(
        world,
        edit("a", "0.6", Condition(version=1)),
        edit("unfit", "0.5"),
        edit("a", "0.7", Condition(version=1)),
        edit("b", "0.8"),
        edit("b", "0.8"),
    )
    assert [2, UnfitError, StaleError, 3] == [
        type(each) if isinstance(each, Exception) else each.revision for each in done[:4]
    ]
    assert ((), 3) == (done[4].diffs, done[4].revision)
    assert "it has version 2" in str(done[2])
    assert [1, 2] == written
    _, entries = await world.service.everything()
    assert {"a": "0.6", "b": "0.8"} == {at.name: e.body.document for at, e in entries.items()}


async def test_nobody_is_refused_by_what_was_read_too_long_ago(database):
    """Another worker has made what an editor refers to."""
    world = World(database)
    await world.change(group("a"), "0.5")
    await put(database, {("group", "a"): "0.9"})
    done = await world.change(group("a"), "0.6", Condition(version=2))
    assert 3 == done.revision
    await put(database, {("group", "a"): "0.7"})
    assert 4 == (await world.change(group("a"), "0.7", Condition(version=4))).revision


async def test_one_that_the_database_refuses_is_made_alone(sqlite_database, written):
    """And the others are made."""
    world = World(sqlite_database)

    async def write(conn, diff, *more):
        if diff.at.name == "bad":
            raise Rejected("a row is refused")
        return await store.write(conn, diff, *more)

    rounds.store.write = write
    done = await met(world, edit("a", "0.5"), edit("bad", "0.5"), edit("b", "0.5"))
    assert [1, Rejected, 2] == [
        type(each) if isinstance(each, Exception) else each.revision for each in done
    ]


async def test_who_applies_everything_is_told_of_the_change_before(database):
    """Though both waited together."""
    world = World(database)
    world.loop = asyncio.get_running_loop()
    async with world.service._rounds._turn:
        tasks = [
            asyncio.ensure_future(
                world.service.change([edit(name, "0.5")], AUTHOR, together=True, read_at=0)
            )
            for name in "ab"
        ]
        await asyncio.sleep(0)
    first, second = await asyncio.gather(*tasks, return_exceptions=True)
    assert (1, True) == (first.revision, isinstance(second, StaleError))


async def test_a_change_is_undone_once(database):
    """Of two who undo it together the second is told."""
    world = World(database)
    await world.change(group("a"), "0.5")
    async with world.service._rounds._turn:
        tasks = [asyncio.ensure_future(world.service.undo(1, AUTHOR)) for _ in range(2)]
        while 2 > len(world.service._rounds._waiting):
            await asyncio.sleep(0.001)
    done = await asyncio.gather(*tasks, return_exceptions=True)
    assert {2, KeptApartError} == {
        type(each) if isinstance(each, Exception) else each.revision for each in done
    }


async def test_credentials_come_back_within_a_round(database):
    """What one takes away and the next gives again keeps its key."""
    world = World(database)
    at = EntryName("channel", "a")
    first = await world.change(at, {"provider": "openai", "api_key": "sk-canary-0123456789"})
    document = first.diffs[0].after.document
    done = await met(
        world,
        EntryEdit(at=at, document=None, condition=Condition(version=1)),
        EntryEdit(at=at, document=document),
    )
    assert [2, 3] == [each.revision for each in done]
    assert first.diffs[0].after.marks == done[1].diffs[0].after.marks
    # each is told what it has made, not what the next made of it
    assert (None, 3) == (done[0].entries[at], done[1].entries[at].version)


async def test_whoever_leaves_takes_nobody_with_it(sqlite_database):
    """The change of one who leaves while it waits is not made, and those of others are: also where
    the one that leaves makes them.
    """
    world = World(sqlite_database)
    world.loop = asyncio.get_running_loop()
    async with world.service._rounds._turn:
        tasks = [
            asyncio.ensure_future(world.service.change([edit(name, "0.5")], AUTHOR))
            for name in "abc"
        ]
        await asyncio.sleep(0)
        tasks[1].cancel()
        await asyncio.sleep(0)
    while not world.tried:
        await asyncio.sleep(0.001)
    tasks[0].cancel()
    for task in tasks[:2]:
        with contextlib.suppress(asyncio.CancelledError):
            await task
    await tasks[2]
    _, entries = await world.service.everything()
    assert {"a", "c"} == {at.name for at in entries}
