"""Language and colours."""

import pytest

from console.visiting import Seen, visiting


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
