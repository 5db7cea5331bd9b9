"""The link that shows an address to be somebody's."""

import re

import pytest

from console.visiting import user_of, visiting

LINK = re.compile(r"https://gateway\.example(/\S+)")


@pytest.mark.asyncio
async def test_opening_the_link_changes_nothing_and_the_button_does(database):
    """Mail programs open links by themselves."""
    async with visiting(database) as visitor:
        console = visitor.console
        await visitor.log_in(await user_of(console))
        assert "not confirmed" in (await visitor.get("/account/profile")).text
        await visitor.post("/account/profile/verify")
        path = LINK.search(await console.accounts.emails._post.last())[1]
        page = await visitor.get(path)
        assert "ada@example.com" in page.text
        assert "<strong>ada</strong>" in page.text, "whose account it becomes"
        assert not (await console.identity.find_user("ada")).email_verified
        answer = await visitor.post(path)
        assert (303, "/account/profile") == (answer.status_code, answer.headers["location"])
        assert (await console.identity.find_user("ada")).email_verified
        page = await visitor.get("/account/profile")
        assert "Your e-mail address is confirmed." in page.text
        again = await visitor.post(path)
        assert (410, True) == (again.status_code, "This link has been used" in again.text)


@pytest.mark.asyncio
async def test_a_link_that_is_none_shows_no_button(database):
    """It says so at once."""
    async with visiting(database) as visitor:
        answer = await visitor.get("/email/" + "x" * 43)
        assert (410, False) == (answer.status_code, "/email/" in answer.text)
