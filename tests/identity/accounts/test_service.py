"""The parts belong together."""

import pytest


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
