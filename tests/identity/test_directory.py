"""Everybody, by id."""

import pytest

from trivium.identity.directory import Directory
from trivium.identity.errors import IdentityError
from trivium.identity.model import Role
from trivium.identity.service import Identity
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind


@pytest.mark.asyncio
async def test_pages_hold_everybody_once(database, clock):
    """With balance and enabled keys; a search looks into names and addresses, in any case."""
    identity, directory = Identity(database, clock), Directory(database)
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
    identity, directory = Identity(database, clock), Directory(database)
    ada = await identity.create_user("ada", "ada@example.com")
    eve = await identity.create_user("eve", "eve@example.com", Role.ADMIN)
    assert (await directory.switch(eve.id, ada.id, disabled=True)).disabled
    assert (await identity.find_user("ada")).disabled
    assert Role.ADMIN is (await directory.appoint(eve.id, ada.id, Role.ADMIN)).role
    assert Role.ADMIN is (await identity.find_user("ada")).role
    for user_id in (eve.id, 999):
        for call in (
            directory.switch(eve.id, user_id, disabled=True),
            directory.appoint(eve.id, user_id, Role.USER),
        ):
            with pytest.raises(IdentityError) as caught:
                await call
            assert "user" == caught.value.field
