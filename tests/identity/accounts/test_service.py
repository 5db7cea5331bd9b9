"""The parts belong together."""

import pytest

from trivium.identity.accounts.service import Preferences, Theme
from trivium.identity.service import Identity


@pytest.mark.asyncio
async def test_what_was_chosen_is_kept_and_what_was_not_stays(database, clock):
    """Nobody else's is touched."""
    people, preferences = Identity(database, clock), Preferences(database)
    ada = await people.create_user("ada", "ada@example.com")
    await people.create_user("eve", "eve@example.com")
    for given, expected in (
        ({}, (None, None)),
        ({"language": "zh-Hans"}, ("zh-Hans", None)),
        ({"theme": Theme.DARK}, ("zh-Hans", "dark")),
        ({"language": "en", "theme": Theme.SYSTEM}, ("en", "system")),
        ({}, ("en", "system")),
    ):
        await preferences.keep(ada.id, **given)
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
