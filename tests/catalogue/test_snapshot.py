"""Entries in memory follow the database, with their credentials opened."""

import asyncio

import pytest
from sqlalchemy import delete, update

from catalogue.sealed import SEAL, put, seal_of
from trivium.catalogue import snapshot as module
from trivium.catalogue.model import EntryName, Revision
from trivium.catalogue.snapshot import CatalogueSnapshot
from trivium.storage.schema import catalogue as tables

CHANNEL = {"name": "a", "provider": "openai", "api_key": "sk-canary-1"}
MODEL = {"name": "m", "free": True, "bindings": [{"channel": "a"}]}
A, M = ("channel", "a"), ("model", "m")

pytestmark = pytest.mark.asyncio


def seen(found):
    return [(each.table, each.name, each.version, each.document) for each in found.whole]


async def test_what_is_changed_is_read_and_nothing_else(database):
    """Made, changed, deleted; what stays is the very same object."""
    found = CatalogueSnapshot(database, SEAL)
    assert not await found.refresh()
    assert ((), Revision()) == (found.whole, found.revision)
    await put(database, {M: MODEL, A: CHANNEL})
    assert await found.refresh()
    assert not await found.refresh()
    assert [("channels", "a", 1, CHANNEL), ("models", "m", 1, MODEL)] == seen(found)
    kept = found.whole[0]
    await put(database, {M: MODEL | {"title": "M"}, ("group", "g"): "0.8"})
    assert await found.refresh()
    assert [1, 2, 2] == [each.version for each in found.whole]
    assert found.whole[0] is kept is found.whole_of(EntryName(*A))
    await put(database, {M: None})
    await found.refresh()
    assert [("channels", "a"), ("groups", "g")] == [(e.table, e.name) for e in found.whole]
    assert {EntryName(*A), EntryName("group", "g")} == set(found.entries)


async def test_pages_are_put_together(database, monkeypatch):
    """The first reading and a later one, both in several."""
    monkeypatch.setattr(module, "PAGE", 3)
    found = CatalogueSnapshot(database, SEAL)
    names = [("model", f"m{i}") for i in range(7)]
    await put(database, {key: {"name": "x"} for key in names})
    await found.refresh()
    assert 7 == len(found.whole)
    await put(database, {key: {"name": "y"} for key in names})
    await found.refresh()
    assert [("y", 2)] * 7 == [(each.document["name"], each.version) for each in found.whole]


async def test_what_this_process_wrote_is_not_read_again(database):
    """The very objects that it made are known, as they would be read; only beside what they were made
    of; and a reading that began before does not go back behind them.
    """
    found = CatalogueSnapshot(database, SEAL)
    base = await put(database, {A: CHANNEL, M: MODEL})
    await found.refresh()
    at, gone = EntryName(*A), EntryName(*M)
    now = await put(database, {A: CHANNEL | {"queue_s": 1.0}, M: None})
    other = CatalogueSnapshot(database, SEAL)
    await other.refresh()
    made = (other.entries[at], other.whole_of(at))
    found.follow(Revision(base.value, "another"), now, {})
    assert base == found.revision
    reading = asyncio.ensure_future(found.refresh())
    await asyncio.sleep(0)
    found.follow(base, now, {at: made, gone: None})
    assert await reading in (True, False)
    assert now == found.revision
    assert (other.entries, other.whole) == (found.entries, found.whole)
    assert found.whole_of(at) is made[1]
    assert not await found.refresh()


async def test_a_backup_that_was_put_back_is_read_whole(database):
    """Its numbers come again for something else; also when it has gone on beyond what we knew."""
    found = CatalogueSnapshot(database, SEAL)
    await put(database, {A: CHANNEL})
    await put(database, {M: MODEL})
    await found.refresh()
    async with database.write() as conn:
        await conn.execute(delete(tables.catalogue_change_entries))
        await conn.execute(delete(tables.catalogue_changes))
        await conn.execute(delete(tables.catalogue_entries))
        await conn.execute(update(tables.catalogue_revision).values(value=1, mark="other"))
    await put(database, {("group", "g"): "0.8"}, mark="another")
    assert await found.refresh()
    assert [("groups", "g")] == [(each.table, each.name) for each in found.whole]
    for _ in range(3):
        await put(database, {("group", "g"): "0.8"})
    await found.refresh()
    assert 5 == found.whole[0].version
    async with database.write() as conn:
        await conn.execute(delete(tables.catalogue_entries))
        await conn.execute(update(tables.catalogue_revision).values(value=1, mark="m1"))
    assert await found.refresh()
    assert () == found.whole


async def test_what_another_deployment_sealed_is_told(database):
    """By the member; nothing of the credential is said, and the entry stays visible."""
    await put(database, {A: CHANNEL}, seal_of(b"2" * 32))
    found = CatalogueSnapshot(database, SEAL)
    await found.refresh()
    (entry,) = found.whole
    ((problem,), document) = entry.problems, entry.document
    assert (("api_key",), "sealed:channels/a/api_key") == (problem.path, document["api_key"])
    assert "sealed with another secret" in problem.what
    assert "canary" not in repr(entry)


async def test_what_an_older_key_sealed_is_sealed_anew(sqlite_database):
    """So that the older one can be taken out; what opens with neither stays."""
    old, new, lost = b"1" * 32, b"2" * 32, b"3" * 32
    await put(sqlite_database, {A: CHANNEL, ("channel", "b"): {"name": "b", "provider": "openai"}})
    await put(sqlite_database, {("channel", "c"): CHANNEL | {"name": "c"}}, seal_of(lost))
    both = CatalogueSnapshot(sqlite_database, seal_of(new, old))
    await both.refresh()
    assert 1 == await both.seal_anew()
    alone = CatalogueSnapshot(sqlite_database, seal_of(new))
    await alone.refresh()
    assert CHANNEL == alone.whole_of(EntryName(*A)).document
    assert () == alone.whole_of(EntryName(*A)).problems
    assert alone.whole_of(EntryName("channel", "c")).problems
    assert 0 == await alone.seal_anew()
