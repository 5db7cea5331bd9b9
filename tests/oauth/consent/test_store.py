"""Requests, consent and codes in SQL."""

import pytest

from trivium.oauth.apps import store as apps_store
from trivium.oauth.consent import store
from trivium.storage.errors import Conflict

pytestmark = pytest.mark.asyncio


async def test_a_user_has_one_consent_for_an_application(world):
    """The schema refuses a second, not a later one."""
    answer = {"scopes": "profile", "consented_at": 5, "automatic": False, "language": "en"}
    async with world.database.write() as conn:
        one = (world.ada.id, world.app.id, answer)
        first = await store.insert_grant(conn, *one)
        assert [world.app.id] == await store.revoke_grants(conn, world.ada.id, first, 6)
        assert (await store.history(conn, world.ada.id, world.app.id)).was_revoked
        second = await store.insert_grant(conn, *one)
        found = await store.history(conn, world.ada.id, world.app.id)
        assert (second, False) == (found.grant.id, found.was_revoked)
    with pytest.raises(Conflict):
        async with world.database.write() as conn:
            await store.insert_grant(conn, *one)


async def test_what_is_over_is_swept(world, clock):
    """Requests and codes that expired, consent that was taken back."""
    await world.consents.begin(world.asked())
    await world.code()
    await world.consents.revoke_all(world.ada.id)
    now = int(clock.at)
    async with world.database.write() as conn:
        assert 0 == await store.sweep(conn, now, now, now)
        assert 1 == await store.sweep(conn, now + 600, now, now)
        assert 1 == await store.sweep(conn, now + 600, now + 61, now)
        assert 1 == await store.sweep(conn, now + 600, now + 61, now + 1)


async def test_an_unknown_user_is_not_held(world):
    """And a disabled one says so."""
    await world.people.disable_user("ada")
    async with world.database.write() as conn:
        assert None is await apps_store.hold_user(conn, 999)
        assert True is await apps_store.hold_user(conn, world.ada.id)
        assert False is await apps_store.hold_user(conn, world.owner.id)
