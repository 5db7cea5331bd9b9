"""Announcements are made, shown in their time, dismissed by each for themselves, and removed."""

import pytest

from trivium.identity.announcements import service
from trivium.identity.announcements.model import KEPT_MAX, SHOWN_MAX, TEXT_CHARS_MAX, Level
from trivium.identity.announcements.service import FRESH_S, Announcements
from trivium.identity.errors import IdentityError
from trivium.identity.service import Identity


async def person(database, clock, name="ada"):
    return (await Identity(database, clock).create_user(name, f"{name}@example.com")).id


@pytest.mark.asyncio
async def test_it_is_shown_in_its_time_until_it_is_dismissed(database, clock):
    """By one, and not for another."""
    ada, bob = await person(database, clock), await person(database, clock, "bob")
    told = Announcements(database, clock)
    now = int(clock.now())
    made = await told.make("  Moving\r\non  Sunday ", Level.WARN, now + 60, now + 120)
    assert "Moving\non Sunday" == made.text
    assert [] == await told.shown_to(ada)
    clock.advance(60)
    assert [made] == await told.shown_to(ada)
    await told.dismiss(made.id, ada)
    await told.dismiss(made.id, ada)
    assert ([], [made]) == (await told.shown_to(ada), await told.shown_to(bob))
    clock.advance(60)
    assert [] == await told.shown_to(bob)
    assert [made] == await told.all()


@pytest.mark.asyncio
async def test_another_worker_learns_of_it_within_seconds(database, clock):
    """And of its end; nobody dismisses what is gone."""
    ada = await person(database, clock)
    here, there = Announcements(database, clock), Announcements(database, clock)
    assert [] == await there.shown_to(ada)
    made = await here.make("x")
    clock.advance(FRESH_S)
    assert [made] == await there.shown_to(ada)
    await here.remove(made.id)
    assert [] == await here.shown_to(ada)
    clock.advance(FRESH_S)
    assert [] == await there.shown_to(ada)
    await there.dismiss(made.id, ada)
    with pytest.raises(IdentityError, match="not there"):
        await here.remove(made.id)


@pytest.mark.asyncio
async def test_what_is_wrong_is_named(database, clock, monkeypatch):
    """A text, a time, and as many as are kept."""
    told, now = Announcements(database, clock), int(clock.now())
    for text in ("", " \n ", "x" * (TEXT_CHARS_MAX + 1), "a\0b"):
        with pytest.raises(IdentityError, match=r"^text: "):
            await told.make(text)
    with pytest.raises(IdentityError, match=r"^starts_at: "):
        await told.make("x", starts_at=-1)
    for begins, ends in ((None, now), (now + 9, now + 9), (now - 9, now - 1)):
        with pytest.raises(IdentityError, match=r"^ends_at: "):
            await told.make("x", starts_at=begins, ends_at=ends)
    assert KEPT_MAX >= SHOWN_MAX
    monkeypatch.setattr(service, "KEPT_MAX", 1)
    await told.make("x")
    with pytest.raises(IdentityError, match=r"^announcements: "):
        await told.make("y")


@pytest.mark.asyncio
async def test_a_page_shows_the_newest_few(database, clock):
    """However many there are."""
    ada, told = await person(database, clock), Announcements(database, clock)
    made = [await told.make(f"text {number}") for number in range(SHOWN_MAX + 2)]
    assert made[: -SHOWN_MAX - 1 : -1] == await told.shown_to(ada)
