"""Applications in SQL."""

import pytest

from trivium.oauth.apps import store
from trivium.oauth.apps.model import GrantType

pytestmark = pytest.mark.asyncio


async def test_a_client_without_secrets_has_no_digests(world):
    """As one that does not exist."""
    async with world.database.read() as conn:
        assert [] == list(await store.digests(conn, 0, 0))
        assert None is await store.by_id(conn, 999)
        assert world.app == await store.by_id(conn, world.app.id)


async def test_grants_survive_the_way(world):
    """Also when one is left, or none."""
    for grants in (frozenset({GrantType.REFRESH}), frozenset()):
        app = await world.apps.edit(
            world.owner.id,
            world.app.id,
            name="Shop",
            description="",
            redirect_uri=world.app.redirect_uri,
            grants=grants,
            rotate_refresh=True,
            send_iss=False,
        )
        assert grants == app.grants == (await world.apps.find(app.client_id)).grants


async def test_secrets_are_swept_when_they_open_nothing(world, clock):
    """The current one never."""
    await world.apps.rotate_secret(world.owner.id, world.app.id)
    async with world.database.write() as conn:
        assert 0 == await store.sweep_secrets(conn, int(clock.at))
        assert 1 == await store.sweep_secrets(conn, int(clock.at) + 86_400)
        assert 1 == len(await store.digests(conn, world.app.id, int(clock.at) + 10**9))
