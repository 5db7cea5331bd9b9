"""Name and address."""

import re

import pytest

from console.visiting import Seen, console_over, user_of, visiting


@pytest.mark.asyncio
async def test_a_user_takes_another_name(database):
    """If it is free."""
    async with visiting(database) as visitor:
        console = visitor.console
        await user_of(console, "eve")
        await visitor.log_in(await user_of(console))
        await visitor.get("/account/profile")
        taken = await visitor.post("/account/profile/name", name="eve")
        assert (422, True) == (taken.status_code, "Somebody has this name" in taken.text)
        await visitor.post("/account/profile/name", name="ada.l")
        page = await visitor.get("/account/profile")
        assert {"ada.l", "Your name is changed."} <= set(Seen(page.text).words)


@pytest.mark.asyncio
async def test_an_address_changes_when_the_new_one_is_shown_to_be_theirs(database, clock):
    """By the letter to it; and only after a recent proof."""
    console = console_over(database, clock)
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console))
        await visitor.get("/account/profile")
        answer = await visitor.post("/account/profile/email", email="new@example.com")
        assert "/account/profile" == answer.headers["location"]
        assert "on its way to new@example.com" in (await visitor.get("/account/profile")).text
        assert "ada@example.com" == (await console.identity.find_user("ada")).email
        letter = await console.accounts.desk._post.last()
        await visitor.post(re.search(r"https://gateway\.example(/\S+)", letter)[1])
        assert "new@example.com" == (await console.identity.find_user("ada")).email
        bad = await visitor.post("/account/profile/email", email="nonsense")
        assert "This is not an e-mail address." in bad.text
        clock.advance(601)
        late = await visitor.post("/account/profile/email", email="x@example.com")
        assert late.headers["location"].startswith("/login/confirm?for=")


@pytest.mark.asyncio
async def test_without_letters_no_change_is_offered(database):
    """The page says whom to ask."""
    console = console_over(database, letters=False)
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console))
        page = await visitor.get("/account/profile")
        assert "does not send e-mail" in page.text
        assert 422 == (await visitor.post("/account/profile/verify")).status_code
