"""A browser that somebody logged in with before."""

import pytest

from console.visiting import PASSWORD, console_over, user_of, visiting
from trivium.console.device import KEEP_S


@pytest.mark.asyncio
async def test_failures_of_others_do_not_keep_somebody_out_of_their_browser(database):
    """Not those for the same name, not those from the same network; others wait."""
    console = console_over(database)
    await user_of(console, password=PASSWORD)
    async with visiting(database, console) as home, visiting(database, console) as stranger:
        await home.get("/login")
        assert 303 == (await home.post("/login", name="ada", password=PASSWORD)).status_code
        await home.post("/logout")
        await stranger.get("/login")
        for name in ["ada"] * 6 + [f"nobody{n}" for n in range(100)]:
            await stranger.post("/login", name=name, password="wrong horse battery")
        answer = await stranger.post("/login", name="ada", password=PASSWORD)
        assert 429 == answer.status_code
        await home.get("/login")
        assert 303 == (await home.post("/login", name="ada", password=PASSWORD)).status_code


@pytest.mark.asyncio
@pytest.mark.parametrize("made_up", ["", "x", "1:abc:9999999999", "AAAA"])
async def test_a_cookie_that_is_not_ours_says_nothing(database, made_up):
    """It is counted as a stranger's."""
    console = console_over(database)
    await user_of(console, password=PASSWORD)
    async with visiting(database, console) as visitor:
        visitor.client.cookies.set("__Host-gw_device", made_up, domain="gateway.example")
        await visitor.get("/login")
        for _ in range(5):
            await visitor.post("/login", name="ada", password="wrong horse battery")
        answer = await visitor.post("/login", name="ada", password=PASSWORD)
        assert 429 == answer.status_code


@pytest.mark.asyncio
async def test_a_browser_is_forgotten_after_half_a_year(database, clock):
    """Then its owner is a stranger there, too."""
    console = console_over(database, clock)
    await user_of(console, password=PASSWORD)
    async with visiting(database, console) as visitor:
        await visitor.get("/login")
        await visitor.post("/login", name="ada", password=PASSWORD)
        await visitor.post("/logout")
        clock.advance(KEEP_S)
        await visitor.get("/login")
        for _ in range(5):
            await visitor.post("/login", name="ada", password="wrong horse battery")
        assert 1 == len([c for c in visitor.client.cookies.jar if c.name.endswith("device")])
        answer = await visitor.post("/login", name="ada", password=PASSWORD)
        assert 429 == answer.status_code
