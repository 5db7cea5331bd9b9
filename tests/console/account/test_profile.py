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
        letter = await console.accounts.emails._post.last()
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


@pytest.mark.asyncio
async def test_a_visitor_chooses_a_language_and_keeps_it(database):
    """Back where it was chosen, in the language chosen, until it is chosen otherwise."""
    async with visiting(database) as visitor:
        page = await visitor.get("/account/none?x=1")
        assert ("html", {"lang": "en"}) == Seen(page.text).elements[0]
        place = page.text.partition('name="place" value="')[2].partition('"')[0]
        answer = await visitor.post("/account/preferences", language="zh-Hans", place=place)
        assert (303, "/account/none?x=1") == (answer.status_code, answer.headers["location"])
        page = await visitor.get("/account/none", accept_language="en")
        assert ("html", {"lang": "zh-Hans"}) == Seen(page.text).elements[0]
        assert "zh-Hans" == page.headers["content-language"]


@pytest.mark.asyncio
@pytest.mark.parametrize("theme", ["dark", "light", "system"])
async def test_a_visitor_chooses_colours_without_a_script(database, theme):
    """The page says so itself; the system's colours are what it says nothing about."""
    async with visiting(database) as visitor:
        await visitor.get("/account/none")
        answer = await visitor.post("/account/preferences", theme=theme, place="")
        assert (
            f"gw_theme={theme}; Max-Age=31536000; Path=/; SameSite=lax; Secure"
            == (answer.headers["set-cookie"])
        )
        _, attributes = Seen((await visitor.get("/account/none")).text).elements[0]
        assert (None if theme == "system" else theme) == attributes.get("data-theme")


@pytest.mark.asyncio
async def test_a_choice_that_is_not_offered_changes_nothing(database):
    """And leads nowhere else than home."""
    async with visiting(database) as visitor:
        await visitor.get("/account/none")
        answer = await visitor.post(
            "/account/preferences", language="xx", theme="pink", place="https://evil.example"
        )
        assert (303, "/account") == (answer.status_code, answer.headers["location"])
        assert "set-cookie" not in answer.headers


@pytest.mark.asyncio
async def test_what_a_user_chose_follows_them_to_another_browser(database):
    """And is theirs alone: whoever uses that browser next has what its cookies say."""
    async with visiting(database) as first:
        user = await user_of(first.console)
        await first.log_in(user)
        await first.get("/account")
        await first.post("/account/preferences", language="zh-Hans")
        await first.post("/account/preferences", theme="dark")
    async with visiting(database, first.console) as other:
        other.client.cookies.set("gw_theme", "light", domain="gateway.example")
        _, stranger = Seen((await other.get("/login")).text).elements[0]
        assert ("en", "light") == (stranger["lang"], stranger["data-theme"])
        await other.log_in(user)
        page = await other.get("/account", accept_language="en")
        _, known = Seen(page.text).elements[0]
        assert ("zh-Hans", "dark", "zh-Hans") == (
            known["lang"], known["data-theme"], page.headers["content-language"],
        )  # fmt: skip


@pytest.mark.asyncio
async def test_system_colours_are_a_choice_as_well(database):
    """Kept against the cookie of a browser that was dark before."""
    async with visiting(database) as visitor:
        await visitor.log_in(await user_of(visitor.console))
        await visitor.get("/account")
        await visitor.post("/account/preferences", theme="system")
        visitor.client.cookies.set("gw_theme", "dark", domain="gateway.example")
        _, attributes = Seen((await visitor.get("/account")).text).elements[0]
        assert "data-theme" not in attributes


@pytest.mark.asyncio
async def test_a_user_who_chose_nothing_has_what_the_browser_has(database):
    """Choices that are not offered are none."""
    async with visiting(database) as visitor:
        user = await user_of(visitor.console)
        await visitor.log_in(user)
        await visitor.get("/account")
        await visitor.post("/account/preferences", language="xx", theme="pink")
        page = await visitor.get("/account", accept_language="zh-CN")
        assert ("html", {"lang": "zh-Hans"}) == Seen(page.text).elements[0]
        found = await visitor.console.identity.find_user("ada")
        assert (None, None) == (found.language, found.theme)


@pytest.mark.asyncio
async def test_letters_about_budgets_are_switched(database):
    """Off and on again, for oneself."""
    console = console_over(database)
    user = await user_of(console)
    async with visiting(database, console) as browser:
        await browser.log_in(user)
        page = await browser.get("/account/profile")
        assert "Send me none" in page.text
        await browser.post("/account/profile/letters", budgets="off")
        assert not (await console.directory.one(user.id)).budget_letters
        assert "Send them to me" in (await browser.get("/account/profile")).text
        await browser.post("/account/profile/letters", budgets="on")
        assert (await console.directory.one(user.id)).budget_letters


@pytest.mark.asyncio
async def test_below_which_balance_a_letter_comes(database, clock):
    """A dollar until another amount is chosen; an empty field is none."""
    async with visiting(database, console_over(database, clock)) as visitor:
        ada = await user_of(visitor.console)
        entries = visitor.console.entries
        await visitor.log_in(ada)
        assert 'value="1.00"' in (await visitor.get("/account/profile")).text
        path = "/account/profile/balance"
        assert 303 == (await visitor.post(path, below="12.5")).status_code
        assert 12_500_000_000 == await entries.low(ada.id)
        assert 'value="12.50"' in (await visitor.get("/account/profile")).text
        for wrong in ("much", "-1", "0"):
            assert 422 == (await visitor.post(path, below=wrong)).status_code
        assert 303 == (await visitor.post(path, below="")).status_code
        assert await entries.low(ada.id) is None
