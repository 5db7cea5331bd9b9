"""The parts belong together."""

import asyncio

import pytest
from structlog.testing import capture_logs

from trivium.identity.accounts.service import AccountSweeper, Theme
from trivium.identity.service import Identity
from trivium.storage.errors import StorageDown


@pytest.mark.asyncio
async def test_what_was_chosen_is_kept_and_what_was_not_stays(database, clock, accounts):
    """Nobody else's is touched."""
    people = Identity(database, clock)
    ada = await people.create_user("ada", "ada@example.com")
    await people.create_user("eve", "eve@example.com")
    for given, expected in (
        ({}, (None, None)),
        ({"language": "zh-Hans"}, ("zh-Hans", None)),
        ({"theme": Theme.DARK}, ("zh-Hans", "dark")),
        ({"language": "en", "theme": Theme.SYSTEM}, ("en", "system")),
        ({}, ("en", "system")),
    ):
        await accounts.prefer(ada.id, **given)
        found = await people.find_user("ada")
        assert expected == (found.language, found.theme)
    eve = await people.find_user("eve")
    assert (None, None) == (eve.language, eve.theme)


@pytest.mark.asyncio
async def test_every_part_knows_the_same_sessions(accounts, user, enter):
    """A login by one is found by another."""
    ada = await user()
    session = await accounts.sessions.find(await enter())
    assert ada.id == session.user.id


def test_closing_twice_does_no_harm(build):
    """Whatever was used of it."""
    accounts = build()
    accounts.close()
    accounts.close()


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
