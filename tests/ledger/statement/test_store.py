"""A moment among entries, found by halving."""

import pytest

from trivium.identity.service import Identity
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.ledger.statement import store


@pytest.mark.asyncio
@pytest.mark.parametrize("count", [0, 1, 2, 7, 20])
async def test_a_moment_is_found_whatever_stands_between(database, clock, count):
    """The first entry of that moment or later; others' entries lie in between."""
    identity, entries = Identity(database, clock), Entries(database, clock)
    ada = await identity.create_user("ada", "ada@example.com")
    eve = await identity.create_user("eve", "eve@example.com")
    made = []
    for number in range(count):
        clock.advance(100)
        await entries.book(eve.id, EntryKind.TOP_UP, 1)
        made.append(await entries.book(ada.id, EntryKind.TOP_UP, number + 1))
        await entries.book(eve.id, EntryKind.TOP_UP, 1)
    async with database.read() as conn:
        for at in [0, *(entry.created_at + more for entry in made for more in (0, 1))]:
            first = await store.first_since(conn, ada.id, at)
            wanted = [entry.id for entry in made if entry.created_at >= at]
            assert wanted == [entry.id for entry in made if entry.id >= first]
