"""Entries and changes in SQL, on both engines."""

import asyncio

import pytest

from trivium.catalogue import store
from trivium.catalogue.model import (
    CatalogueChange,
    ChangeAuthor,
    CredentialMark,
    EntryBody,
    EntryDiff,
    EntryName,
    Revision,
)

MAIN = EntryName("channel", "main")
MARK = CredentialMark(at="api_key", hint="cdef", fingerprint="0" * 16, set_ms=5)
BODY = EntryBody(document={"name": "main", "provider": "openai"}, sealed=b"\x02x", marks=(MARK,))
OTHER = EntryBody(document={"name": "main", "provider": "anthropic"})


async def change(db, known, *diffs, version=None, undoes=None, user=None):
    """Make a change as the service does; the revision, or ``None`` if it was refused."""
    async with db.write() as conn:
        new = await store.advance(conn, known, f"m{known.value + 1}")
        if new is None:
            return None
        for diff in diffs:
            if not await store.write(conn, diff, version, new, user, 7):
                return None
        told = CatalogueChange(
            id=0, revision=new.value, at_ms=7, author=ChangeAuthor(user_id=user), reason="why",
            undoes=undoes, diffs=diffs,
        )  # fmt: skip
        await store.record(conn, told, new.mark)
        return new


def made(body=BODY, at=MAIN):
    return EntryDiff(at=at, before=None, after=body)


async def read(db, do, *given, **named):
    async with db.read() as conn:
        return await do(conn, *given, **named)


@pytest.mark.asyncio
async def test_an_entry_is_made_changed_and_deleted(database):
    """Its version is the revision; each change is told with what was before and after."""
    assert Revision() == await read(database, store.current)
    one = await change(database, Revision(), made(), user=None)
    assert one == await read(database, store.current) == Revision(1, "m1")
    (entry,) = await read(database, store.page, None, 10)
    assert (MAIN, 1, BODY, 7, None) == (
        entry.at, entry.version, entry.body, entry.updated_ms, entry.updated_by
    )  # fmt: skip
    two = await change(database, one, EntryDiff(at=MAIN, before=BODY, after=OTHER), version=1)
    (entry,) = await read(database, store.named, [MAIN])
    assert (2, OTHER) == (entry.version, entry.body)
    gone = await change(
        database, two, EntryDiff(at=MAIN, before=OTHER, after=None), version=2, undoes=1
    )
    assert 3 == gone.value
    assert [] == await read(database, store.page, None, 10)
    third, second, first = await read(database, store.newest, None, 10)
    assert ([BODY, OTHER], None) == (
        [d.before for d in (*second.diffs, *third.diffs)],
        third.diffs[0].after,
    )
    assert (1, 3) == (third.undoes, first.undone_by)
    assert first == await read(database, store.change, 1)
    assert None is await read(database, store.change, 9)
    assert "m2" == await read(database, store.mark_of, 2)
    assert None is await read(database, store.mark_of, 9)


@pytest.mark.asyncio
async def test_of_two_that_read_the_same_state_one_gets_through(database):
    """On both engines: the condition stands in the statement."""
    found = await asyncio.gather(*(change(database, Revision(), made()) for _ in range(5)))
    assert 1 == sum(each is not None for each in found)
    assert 1 == len(await read(database, store.newest, None, 10))


@pytest.mark.asyncio
async def test_what_was_read_must_be_what_is_there(database):
    """Another version, one that is gone, one that is there already."""
    one = await change(database, Revision(), made())
    for version in (None, 5):
        async with database.write() as conn:
            new = Revision(2, "m2")
            assert not await store.write(conn, made(OTHER), version, new, None, 7)
    async with database.write() as conn:
        nobody = EntryDiff(at=MAIN, before=BODY, after=None)
        assert not await store.write(conn, nobody, 5, new, None, 7)
    assert None is await change(database, Revision(1, "another"), made())
    (entry,) = await read(database, store.page, None, 10)
    assert (one.value, BODY) == (entry.version, entry.body)


@pytest.mark.asyncio
async def test_pages_and_what_was_touched(database):
    """In the order of kinds and names, from where one left off."""
    names = [EntryName("model", f"m{i}") for i in range(5)]
    body = EntryBody(document={"name": "m"})
    one = await change(database, Revision(), *(made(body, at) for at in names[:3]))
    await change(database, one, *(made(body, at) for at in names[3:]), made())
    first = await read(database, store.page, None, 4)
    assert [MAIN, *names[:3]] == [entry.at for entry in first]
    assert names[3:] == [e.at for e in await read(database, store.page, names[2], 4)]
    assert [MAIN, *names[3:]] == await read(database, store.touched, 1, None, 9)
    assert names[4:] == await read(database, store.touched, 1, names[3], 9)
    assert [] == await read(database, store.touched, 2, None, 9)
    kinds = [each.id for each in await read(database, store.newest, None, 9, kind="model")]
    assert [2, 1] == kinds
    one_name = await read(database, store.newest, None, 9, kind="model", name="m4")
    assert [2] == [each.id for each in one_name]
    assert [1] == [each.id for each in await read(database, store.newest, 2, 1)]
    assert [] == await read(database, store.newest, None, 9, user_id=8)


@pytest.mark.asyncio
async def test_old_credentials_are_forgotten(database):
    """Of changes before a moment, so many at a time; what is in force stays."""
    await change(database, Revision(), made(), made(BODY, EntryName("channel", "b")))
    async with database.write() as conn:
        assert 0 == await store.forget_credentials(conn, 7, 10)
        assert 1 == await store.forget_credentials(conn, 8, 1)
        assert 1 == await store.forget_credentials(conn, 8, 10)
    (told,) = await read(database, store.newest, None, 10)
    assert {None} == {diff.after.sealed for diff in told.diffs}
    assert {b"\x02x"} == {entry.body.sealed for entry in await read(database, store.page, None, 9)}


@pytest.mark.asyncio
async def test_what_an_entry_was_when_it_was_deleted(database):
    """The last time; nothing of one that is there, came back or never was."""
    other = EntryName("channel", "other")
    first = await change(database, Revision(), made(), made(OTHER, other))
    gone = EntryDiff(at=MAIN, before=BODY, after=None)
    second = await change(database, first, gone, version=1)
    names = [MAIN, other, EntryName("model", "main")]
    assert {MAIN: BODY} == await read(database, store.deleted, names)
    third = await change(database, second, made(OTHER))
    assert {} == await read(database, store.deleted, names)
    await change(database, third, EntryDiff(at=MAIN, before=OTHER, after=None), version=3)
    assert {MAIN: OTHER} == await read(database, store.deleted, names)


@pytest.mark.asyncio
async def test_changes_with_some_of_their_entries(database):
    """So many at most, and how many were left out; whole however many there are."""
    many = store.DIFFS + 3
    names = [EntryName("group", f"g{n:04}") for n in range(many)]
    body = EntryBody(document="1")
    one = await change(database, Revision(), *(made(body, at) for at in names))
    await change(database, one, made(body, EntryName("group", "one")))
    last, first = await read(database, store.newest, None, 5, entries_max=2)
    assert (1, 0, 2, many - 2) == (
        len(last.diffs), last.left_out, len(first.diffs), first.left_out
    )  # fmt: skip
    assert names[:2] == [diff.at for diff in first.diffs]
    for whole in (
        await read(database, store.change, first.id),
        (await read(database, store.newest, None, 5))[1],
    ):
        assert (names, 0) == ([diff.at for diff in whole.diffs], whole.left_out)
    assert [] == await read(database, store.newest, first.id, 5, entries_max=2)
