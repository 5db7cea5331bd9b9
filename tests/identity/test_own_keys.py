"""A user's own keys, by id."""

import msgspec
import pytest

from trivium.identity import own_keys, store
from trivium.identity.errors import IdentityError
from trivium.identity.own_keys import OwnKeys
from trivium.identity.service import Identity


@pytest.fixture
def identity(database, clock):
    return Identity(database, clock)


async def two(identity):
    """Two users, and a key of the first."""
    ada = await identity.create_user("ada", "ada@example.com")
    eve = await identity.create_user("eve", "eve@example.com")
    key, _ = await identity.create_key("ada", "laptop")
    return ada, eve, key


@pytest.mark.asyncio
async def test_a_user_renames_and_revokes_their_key(database, identity):
    """A revoked one stays in the list, and is done with."""
    own = OwnKeys(database)
    ada, _, key = await two(identity)
    assert "phone" == (await own.rename(ada.id, key.id, " phone ")).name
    assert [("phone", False)] == [(k.name, k.disabled) for k in await own.all(ada.id)]
    assert (await own.revoke(ada.id, key.id)).disabled
    assert [("phone", True)] == [(k.name, k.disabled) for k in await own.all(ada.id)]
    for again in (own.revoke(ada.id, key.id), own.rename(ada.id, key.id, "x")):
        with pytest.raises(IdentityError) as caught:
            await again
        assert "key" == caught.value.field


@pytest.mark.asyncio
async def test_nobody_touches_another_s_key(database, identity):
    """By whatever id: it is told like one that never was."""
    own = OwnKeys(database)
    ada, eve, key = await two(identity)
    assert [] == await own.all(eve.id)
    for user, key_id in ((eve.id, key.id), (ada.id, key.id + 1)):
        for call in (own.revoke(user, key_id), own.rename(user, key_id, "mine")):
            with pytest.raises(IdentityError) as caught:
                await call
            assert "key: is not one of yours, or has been revoked" == str(caught.value)
    assert [("laptop", False)] == [(k.name, k.disabled) for k in await own.all(ada.id)]


@pytest.mark.asyncio
async def test_a_name_must_be_one(database, identity):
    """As when the key was made."""
    ada, _, key = await two(identity)
    with pytest.raises(IdentityError) as caught:
        await OwnKeys(database).rename(ada.id, key.id, "  ")
    assert "name" == caught.value.field


@pytest.mark.asyncio
async def test_a_user_has_so_many_keys(database, identity, monkeypatch):
    """Revoked ones do not count."""
    monkeypatch.setattr(own_keys, "KEYS_MAX", 2)
    own = OwnKeys(database)
    ada, _, key = await two(identity)
    await own.check_room(ada.id)
    await identity.create_key("ada", "second")
    with pytest.raises(IdentityError):
        await own.check_room(ada.id)
    await own.revoke(ada.id, key.id)
    await own.check_room(ada.id)


@pytest.mark.asyncio
async def test_keys_of_applications_are_not_ones_own(database, clock):
    """Consent gives and ends them: they are named in requests, and listed nowhere else."""
    people = Identity(database, clock)
    own = OwnKeys(database)
    user = await people.create_user("ada", "ada@example.com")
    key, _ = await people.create_key("ada")
    async with database.write() as conn:
        given = msgspec.structs.replace(key, grant_id=7)
        await store.insert_key(conn, given, b"d" * 32, await store.bump(conn))
    assert [None, 7] == [each.grant_id for each in await own.all(user.id)]
    assert [key.id] == [each.id for each in await own.own(user.id)]
    for act in (own.revoke(user.id, key.id + 1), own.rename(user.id, key.id + 1, "x")):
        with pytest.raises(IdentityError):
            await act
