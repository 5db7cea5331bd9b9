"""Everybody, by id."""

import pytest

from trivium.identity import store
from trivium.identity.accounts.model import Visitor, Way
from trivium.identity.accounts.sessions import Sessions
from trivium.identity.directory import Directory
from trivium.identity.errors import IdentityError
from trivium.identity.model import Key, UserRole
from trivium.identity.service import Identity
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind


@pytest.mark.asyncio
async def test_pages_hold_everybody_once(database, clock):
    """With balance and enabled keys; a search looks into names and addresses, in any case."""
    identity, directory = Identity(database, clock), Directory(database, clock)
    made = [await identity.create_user(f"u{n}", f"U{n}@Example.com") for n in range(5)]
    await Entries(database, clock).book(made[1].id, EntryKind.TOP_UP, 7)
    await identity.create_key("u1")
    await identity.revoke_key(str((await identity.create_key("u1", "old"))[0].id))
    seen, after = [], 0
    while after is not None:
        page, after = await directory.page(after=after, limit=2)
        seen += [(each.user.name, each.balance_nanos, each.keys) for each in page]
    assert [("u0", 0, 0), ("u1", 7, 1), ("u2", 0, 0), ("u3", 0, 0), ("u4", 0, 0)] == seen
    for search, count in (("U3@", 1), ("EXAMPLE", 5), ("%", 0), ("_", 0), ("", 5)):
        assert count == len((await directory.page(search))[0])


@pytest.mark.asyncio
async def test_a_user_is_switched_and_appointed_by_another(database, clock):
    """Never by themselves, and not where there is none."""
    identity, directory = Identity(database, clock), Directory(database, clock)
    ada = await identity.create_user("ada", "ada@example.com")
    eve = await identity.create_user("eve", "eve@example.com", UserRole.ADMIN)
    assert (await directory.switch(eve.id, ada.id, disabled=True)).disabled
    assert (await identity.find_user("ada")).disabled
    assert UserRole.ADMIN is (await directory.appoint(eve.id, ada.id, UserRole.ADMIN)).role
    assert UserRole.ADMIN is (await identity.find_user("ada")).role
    for user_id in (eve.id, 999):
        for call in (
            directory.switch(eve.id, user_id, disabled=True),
            directory.appoint(eve.id, user_id, UserRole.USER),
        ):
            with pytest.raises(IdentityError) as caught:
                await call
            assert "user" == caught.value.field


@pytest.mark.parametrize("act", ["disable", "appoint"])
@pytest.mark.asyncio
async def test_logins_end_for_good(database, clock, act):
    """Not only for as long as somebody is disabled, and none outlives the role it was for."""
    identity, directory = Identity(database, clock), Directory(database, clock)
    ada = await identity.create_user("ada", "ada@example.com", UserRole.ADMIN)
    sessions = Sessions(database, clock, idle_s=3600, lifetime_s=7200)
    async with database.write() as conn:
        token = await sessions.begin(conn, ada.id, Way.PASSWORD, Visitor())
    assert ada.id == (await sessions.find(token)).user.id
    if act == "disable":
        await directory.switch(0, ada.id, disabled=True)
        await directory.switch(0, ada.id, disabled=False)
    else:
        await directory.appoint(0, ada.id, UserRole.USER)
    assert await sessions.find(token) is None


@pytest.mark.asyncio
async def test_a_key_is_found_by_its_id(database, clock):
    """Anybody's, revoked or not; none of an application's, and no number is too large to ask."""
    identity, directory = Identity(database, clock), Directory(database, clock)
    ada = await identity.create_user("ada", "ada@example.com")
    key, _ = await identity.create_key("ada")
    assert key == await directory.key(key.id)
    await identity.revoke_key(f"id:{key.id}")
    assert (await directory.key(key.id)).disabled
    async with database.write() as conn:
        given = Key(id=0, user_id=ada.id, name="shop", hint="abcd", grant_id=7)
        given_id = await store.insert_key(conn, given, b"d" * 32, await store.bump(conn))
    for missing in (given_id, 999, 2**70):
        with pytest.raises(IdentityError) as raised:
            await directory.key(missing)
        assert "key" == raised.value.field
