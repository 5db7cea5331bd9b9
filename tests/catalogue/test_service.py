"""Changes that meet, states that come back: what the API's own tests do not reach."""

import asyncio

import pytest

from catalogue.sealed import SEAL, put
from trivium.catalogue import planning, rounds
from trivium.catalogue.documents import DocumentError
from trivium.catalogue.model import (
    ChangeAuthor,
    EntryName,
    KeptApartError,
    StaleError,
    UnfitError,
)
from trivium.catalogue.service import CatalogueService, Condition, EntryEdit
from trivium.catalogue.snapshot import CatalogueSnapshot
from trivium.clock import FixedClock
from trivium.routing.model import Catalogue
from trivium.settings.errors import SettingsError
from trivium.settings.model import Settings

AUTHOR = ChangeAuthor(user_id=3, address="198.51.100.7")
G = EntryName("group", "g")


class World:
    """A service, with a trial that can be told what to do."""

    def __init__(self, db):
        self.db = db
        self.meanwhile = []
        self.lines = ()
        self.tried = []
        self.service = CatalogueService(
            db, FixedClock(), SEAL, CatalogueSnapshot(db, SEAL), self.trial, self.in_force,
            lambda: (None, None),
        )  # fmt: skip

    def trial(self, entries):
        self.tried.append([each.name for each in entries])
        if self.meanwhile:
            asyncio.run_coroutine_threadsafe(self.meanwhile.pop()(), self.loop).result()
        if self.lines:
            raise SettingsError(*self.lines)
        return Settings(), Catalogue(models={}, channels={})

    async def in_force(self):
        """Nothing is served here."""

    async def change(self, at, document, condition=Condition(), **more):  # noqa: B008 - frozen
        self.loop = asyncio.get_running_loop()
        edit = EntryEdit(at=at, document=document, condition=condition)
        return await self.service.change([edit], AUTHOR, **more)


pytestmark = pytest.mark.asyncio


async def test_what_was_changed_meanwhile_is_tried_again(database):
    """Another entry: with it, so that both are right together. The same one: the editor is told."""
    world = World(database)

    async def other():
        await put(database, {("group", "other"): "1"})

    world.meanwhile.append(other)
    done = await world.change(G, "0.5")
    assert ([["g"], ["g", "other"]], 2) == (world.tried, done.revision)

    async def same():
        await put(database, {("group", "g"): "0.9"})

    world.meanwhile.append(same)
    with pytest.raises(StaleError, match="it has version 3, by nobody who has an account"):
        await world.change(G, "0.7", Condition(version=2))
    _, entries = await world.service.everything()
    assert "0.9" == entries[G].body.document


async def test_somebody_who_never_gets_a_turn_is_told(sqlite_database, monkeypatch):
    """After a bounded number of times."""
    monkeypatch.setattr(rounds, "TRIES", 2)
    world = World(sqlite_database)

    async def other():
        await put(sqlite_database, {("group", "other"): "1"})

    world.meanwhile += [other, other]
    with pytest.raises(KeptApartError, match="others keep changing"):
        await world.change(G, "0.5")
    assert 2 == len(world.tried)


async def test_what_does_not_fit_is_not_written(database):
    """All that is wrong is told."""
    world = World(database)
    world.lines = ("one", "two")
    with pytest.raises(UnfitError) as refused:
        await world.change(G, "0.5")
    assert ("one", "two") == refused.value.lines
    assert 0 == (await world.service.everything())[0].value


async def test_a_name_that_comes_back_has_no_old_version(database):
    """Whoever read it before it was deleted does not overwrite the new one."""
    world = World(database)
    await world.change(G, "0.5")
    await world.change(G, None, Condition(version=1))
    await world.change(G, "0.6")
    with pytest.raises(StaleError):
        await world.change(G, "0.7", Condition(version=1))


async def test_bounds(sqlite_database, monkeypatch):
    """Of a reason, and of how many there are."""
    world = World(sqlite_database)
    for reason in ("x" * 501, "a\nb"):
        with pytest.raises(DocumentError, match="reason: must be at most"):
            await world.change(G, "0.5", reason=reason)
    monkeypatch.setattr(planning, "ENTRIES_MAX", 0)
    with pytest.raises(DocumentError, match="at most 0 entries"):
        await world.change(G, "0.5")


async def test_credentials_that_are_forgotten_cannot_be_put_back(sqlite_database):
    """It is told, and nothing else is undone."""
    from trivium.catalogue import store

    world = World(sqlite_database)
    at = EntryName("channel", "a")
    await world.change(at, {"provider": "openai", "api_key": "one"})
    await world.change(at, {"provider": "openai", "api_key": "two"}, Condition(version=1))
    async with sqlite_database.write() as conn:
        await store.forget_credentials(conn, 2**60, 100)
    with pytest.raises(KeptApartError, match=r"former credentials of .* are no longer kept"):
        await world.service.undo(2, AUTHOR)


async def test_an_entry_that_was_deleted_comes_back_with_its_credentials(database):
    """Its references name what the last change took away, for the account that it was given for."""
    world = World(database)
    at = EntryName("channel", "a")
    await world.change(at, {"provider": "openai", "api_key": "sk-canary-0123456789"})
    (diff,) = (await world.change(at, None, Condition(version=1))).diffs
    document = diff.before.document
    elsewhere = {**document, "base_url": "https://evil.example/v1"}
    with pytest.raises(DocumentError, match="base_url: is another than before"):
        await world.change(at, elsewhere)
    other = EntryName("channel", "b")
    with pytest.raises(DocumentError, match="is no reference to a credential of"):
        await world.change(other, {**document, "name": "b"})
    (back,) = (await world.change(at, document)).diffs
    assert (None, diff.before) == (back.before, back.after)
    assert (3, ()) == (
        (await world.service.everything())[0].value,
        (await world.change(at, document)).diffs,
    )


async def test_what_was_forgotten_does_not_come_back(sqlite_database):
    """It has to be given again."""
    from trivium.catalogue import store

    world = World(sqlite_database)
    at = EntryName("channel", "a")
    await world.change(at, {"provider": "openai", "api_key": "sk-canary-0123456789"})
    (diff,) = (await world.change(at, None, Condition(version=1))).diffs
    async with sqlite_database.write() as conn:
        await store.forget_credentials(conn, 2**60, 100)
    with pytest.raises(DocumentError, match="give the credential itself, or env:NAME"):
        await world.change(at, diff.before.document)


async def test_all_that_is_wrong_with_a_set_is_told_with_its_entry(sqlite_database):
    """Not the first alone, and nobody has to guess whose it is."""
    world = World(sqlite_database)
    edits = [
        EntryEdit(at=EntryName("channel", name), document={"proxy": "env:PROXY_API_KEY"})
        for name in "ab"
    ]
    with pytest.raises(UnfitError) as refused:
        await world.service.change(edits, AUTHOR, together=True)
    assert ['channels["a"]: proxy: cannot', 'channels["b"]: proxy: cannot'] == [
        line[:28] for line in refused.value.lines
    ]


async def test_changes_that_meet_here_take_turns(database):
    """Each is computed once, and none is refused for the others, however many there are."""
    world = World(database)
    world.loop = asyncio.get_running_loop()
    edits = [EntryEdit(at=EntryName("group", f"g{i}"), document="0.5") for i in range(20)]
    done = await asyncio.gather(*(world.service.change([edit], AUTHOR) for edit in edits))
    assert list(range(1, 21)) == sorted(each.revision for each in done)
    assert 20 == len(world.tried)
    again = CatalogueSnapshot(database, SEAL)
    await again.refresh()
    assert (again.revision, again.entries) == await world.service.everything()
    at = EntryName("group", "g3")
    assert again.entries[at] == done[3].entries[at]


async def test_a_turn_that_does_not_come_is_not_waited_for(sqlite_database, monkeypatch):
    """A change is made beside one that takes too long."""
    monkeypatch.setattr(rounds, "TURN_S", 0.01)
    world = World(sqlite_database)
    async with world.service._rounds._turn:
        assert 1 == (await world.change(G, "0.5")).revision
