"""People of a directory, where the interface over HTTP does not reach: at once, and in order."""

import asyncio

import msgspec
import pytest
import pytest_asyncio

from trivium.identity.model import User
from trivium.identity.scim.model import ScimDirectory, ScimError, ScimProfile
from trivium.identity.scim.users import ScimUsers, merged
from trivium.identity.service import Identity
from trivium.identity.teams.service import Teams

pytestmark = pytest.mark.asyncio
B = ScimProfile(user_name="B@example.com", email="B@example.com", external_id="e1")


@pytest_asyncio.fixture
async def directory(database, clock):
    acme = await Teams(database, clock).create("acme")
    return ScimDirectory(token_id=1, team_id=acme.id, domains=("example.com",))


async def test_two_at_once_make_one(database, clock, directory):
    """The second is told that there is one."""
    users = ScimUsers(database, clock)
    made = await asyncio.gather(
        *(users.create(directory, B) for _ in range(4)), return_exceptions=True
    )
    assert 1 == sum(not isinstance(each, Exception) for each in made)
    assert {"uniqueness"} == {each.scim_type for each in made if isinstance(each, ScimError)}
    assert 1 == (await users.page(directory, None, 1, 10))[1]


async def test_names_are_made_and_told_in_force(database, clock, directory):
    """A name like the directory's, free here; and gateways hear of whoever is locked out."""
    heard = []

    async def in_force():
        heard.append(1)

    await Identity(database, clock).create_user("B", "other@example.com")
    users = ScimUsers(database, clock, in_force)
    made = await users.create(directory, B)
    named: list[User] = await Identity(database, clock).list_users()
    assert ["B-2"] == [user.name for user in named if user.id == made.id]
    off = msgspec.structs.replace(B, active=False)
    changed = await users.change(directory, made.id, lambda before: off)
    assert (False, True, 2) == (changed.profile.active, changed.locked, len(heard))


async def test_another_address_ends_links_to_the_former(database, clock, directory):
    """It counts as shown where the directory owns it; another account's is refused."""
    await Identity(database, clock).create_user("ada", "ada@example.com")
    users = ScimUsers(database, clock)
    made = await users.create(directory, B)
    moved = msgspec.structs.replace(B, email="new@example.com")
    changed = await users.change(directory, made.id, lambda before: moved)
    assert "new@example.com" == changed.profile.email
    taken = msgspec.structs.replace(B, email="ada@example.com")
    with pytest.raises(ScimError, match="another account's"):
        await users.change(directory, made.id, lambda before: taken)
    assert made.id == (await users.one(directory, made.id)).id
    with pytest.raises(ScimError, match="no user"):
        await users.one(directory, None)


async def test_what_is_raised_meanwhile_changes_nothing(database, clock, directory):
    """Whatever was done before is undone."""
    users = ScimUsers(database, clock)
    made = await users.create(directory, B)

    def refuse(before):
        raise ScimError(412, "changed")

    with pytest.raises(ScimError):
        await users.delete(directory, made.id, refuse)
    off = msgspec.structs.replace(B, active=False, email="a@elsewhere.org")
    with pytest.raises(ScimError):
        await users.change(directory, made.id, lambda before: off)
    assert made == await users.one(directory, made.id)
    assert "e1" == merged(made, msgspec.structs.replace(B, external_id=None)).external_id
