"""Creating an account: by letter, or by invitation."""

import re

import pytest

from console.visiting import PASSWORD, Seen, console_over, user_of, visiting
from trivium.identity.accounts.first_run import first_link

LINK = re.compile(r"https://gateway\.example(/\S+)")


def link_of(letter):
    return LINK.search(letter)[1]


@pytest.mark.asyncio
async def test_a_visitor_becomes_a_user_by_the_letter_s_link(database):
    """Address, letter, name and password; and is logged in."""
    console = console_over(database, signup="open")
    async with visiting(database, console) as visitor:
        page = await visitor.get("/login")
        assert "/sign-up" in page.text
        await visitor.get("/sign-up")
        sent = await visitor.post("/sign-up", email="Ada@Example.com")
        assert "Check your inbox" in sent.text
        path = link_of(await console.accounts.emails._post.last())
        page = await visitor.get(path)
        assert "ada@example.com" in Seen(page.text).text
        short = await visitor.post(path, name="ada", password="short")
        assert (422, True) == (short.status_code, "at least 8 characters" in short.text)
        made = await visitor.post(path, name="ada", password=PASSWORD)
        assert (303, "/account") == (made.status_code, made.headers["location"])
        assert "ada" in Seen((await visitor.get("/account")).text).text
        assert 410 == (await visitor.get(path)).status_code
        assert (await console.identity.find_user("ada")).email_verified


@pytest.mark.asyncio
async def test_a_known_address_gets_the_same_page(database):
    """Nobody learns who has an account here."""
    console = console_over(database, signup="open")
    async with visiting(database, console) as visitor:
        await user_of(console)
        seen = set()
        for email in ("ada@example.com", "bob@example.com"):
            await visitor.get("/sign-up")
            answer = await visitor.post("/sign-up", email=email)
            seen.add(Seen(answer.text).text.replace(email, "…"))
        assert 1 == len(seen)


@pytest.mark.asyncio
@pytest.mark.parametrize("mode", ["closed", "invitation"])
async def test_where_sign_up_is_not_open_there_is_no_form(database, mode):
    """And none is taken."""
    console = console_over(database, signup=mode)
    async with visiting(database, console) as visitor:
        assert "/sign-up" not in (await visitor.get("/login")).text
        page = await visitor.get("/sign-up")
        assert 'name="email"' not in page.text
        answer = await visitor.post("/sign-up", email="bob@example.com")
        assert 422 == answer.status_code
        assert [] == console.accounts.emails._post.letters


@pytest.mark.asyncio
async def test_an_invitation_makes_an_account_where_the_guest_gives_the_address(database):
    """Once."""
    console = console_over(database, signup="invitation")
    async with visiting(database, console) as visitor:
        await user_of(console, "eve")
        _, url = await console.accounts.signup.invite()
        path = link_of(url)
        await visitor.get(path)
        taken = await visitor.post(path, name="eve", password=PASSWORD, email="a@example.com")
        assert "Somebody has this name already." in taken.text
        bad = await visitor.post(path, name="ada", password=PASSWORD, email="nonsense")
        assert "This is not an e-mail address." in bad.text
        made = await visitor.post(path, name="ada", password=PASSWORD, email="ada@example.com")
        assert 303 == made.status_code
        assert 410 == (await visitor.get(path)).status_code


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/sign-up/x", "/invitation/" + "a" * 43])
async def test_a_link_that_is_none_says_so(database, path):
    """Whatever somebody typed."""
    async with visiting(database, console_over(database, signup="open")) as visitor:
        answer = await visitor.get(path)
        assert (410, True) == (answer.status_code, "This link does not work" in answer.text)
        assert 410 == (await visitor.post(path, name="a", password="b")).status_code


@pytest.mark.asyncio
async def test_the_first_administrator_is_made_by_the_link_of_a_start(database):
    """With sign-up closed; logged in; the link is gone after that."""
    console = console_over(database)
    path = await first_link(database, console.clock)
    async with visiting(database, console) as visitor:
        page = await visitor.get(path)
        assert "first administrator" in page.text
        made = await visitor.post(path, name="ada", email="ada@example.com", password=PASSWORD)
        assert (303, "/admin/start") == (made.status_code, made.headers["location"])
        assert 200 == (await visitor.get("/admin/users")).status_code
        assert 410 == (await visitor.get(path)).status_code
        assert 410 == (await visitor.get("/setup/elsewhere")).status_code
