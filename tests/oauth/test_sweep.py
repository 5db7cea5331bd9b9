"""The sweeper, on both engines."""

import asyncio

import pytest

from trivium.oauth.errors import OAuthError
from trivium.oauth.sweep import OAuthSweeper
from trivium.storage.errors import StorageDown

pytestmark = pytest.mark.asyncio
DAY = 86_400


async def at_once(_):
    """A pause that takes no time."""
    await asyncio.sleep(0)


async def test_a_round_leaves_what_is_live(world, clock):
    """And a year later nothing."""
    await world.consents.begin(world.asked())
    issued = await world.issued()
    await world.developer.create(world.ada.id, "ci", 1)
    await world.apps.rotate_secret(world.owner.id, world.app.id)
    sweeper = OAuthSweeper(world.database, clock, at_once)
    assert 0 == await sweeper.round()
    await world.tokens.access(issued.access_token)
    clock.advance(2 * DAY)
    # the request, the code, the replaced secret, the access token
    assert 4 == await sweeper.round()
    clock.advance(100 * DAY)
    # the refresh token with its family, the developer token
    assert 3 == await sweeper.round()
    assert 1 == len(await world.consents.authorized(world.ada.id))


async def test_more_than_a_batch_is_swept_in_one_round(world, clock, monkeypatch):
    """Batch by batch, with pauses."""
    monkeypatch.setattr("trivium.oauth.sweep.BATCH", 1)
    paused = []

    async def pause(seconds):
        paused.append(seconds)

    for _ in range(3):
        await world.issued()
    clock.advance(400 * DAY)
    assert 12 == await OAuthSweeper(world.database, clock, pause).round()
    assert paused


async def test_a_database_that_is_away_is_waited_for(world, clock):
    """The next round comes."""
    rounds = []

    class Broken(OAuthSweeper):
        async def round(self, now=None):
            rounds.append(1)
            if len(rounds) < 3:
                raise StorageDown("away")
            if len(rounds) == 4:
                raise OAuthError("stop", "enough")
            return 0

    with pytest.raises(OAuthError):
        await Broken(world.database, clock, at_once).run()
    assert 4 == len(rounds)
