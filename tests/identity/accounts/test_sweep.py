"""Rounds of the sweeper end, and an outage is one log line."""

import asyncio

import pytest
from structlog.testing import capture_logs

from trivium.identity.accounts.sweep import AccountSweeper
from trivium.storage.errors import StorageDown


async def at_once(seconds):
    """Sleeps for nobody."""
    await asyncio.sleep(0)


@pytest.mark.asyncio
async def test_a_round_deletes_everything_that_is_over(
    database, clock, user, enter, seconds, accounts
):
    """In as many batches as it takes."""
    ada = await user()
    for _ in range(3):
        await enter()
    seconds(12 * 3600)
    live = await enter()
    sweeper = AccountSweeper(database, clock, idle_s=12 * 3600, sleep=at_once)
    assert await sweeper.round() >= 3
    assert 0 == await sweeper.round()
    assert 1 == len(await accounts.sessions.of_user(ada.id))
    assert await accounts.sessions.find(live) is not None


@pytest.mark.asyncio
async def test_an_outage_is_told_once(database, clock, monkeypatch):
    """And the rounds go on after it."""
    rounds = []

    async def down(now):
        rounds.append(1)
        if len(rounds) < 4:
            raise StorageDown("away")
        await asyncio.Event().wait()

    sweeper = AccountSweeper(database, clock, idle_s=60, sleep=at_once)
    monkeypatch.setattr(sweeper, "round", down)
    with capture_logs() as logs:
        task = asyncio.ensure_future(sweeper.run())
        while len(rounds) < 4:
            await asyncio.sleep(0)
        task.cancel()
    assert [("sweep_waits", "accounts")] == [(line["event"], line["what"]) for line in logs]
