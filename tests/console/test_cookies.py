"""What holds for every cookie of ours."""

import pytest

from console.visiting import console_over, user_of, visiting


@pytest.mark.asyncio
async def test_they_are_out_of_reach(database):
    """Of scripts, other hosts, plain connections and forms of other sites."""
    async with visiting(database) as visitor:
        page = await visitor.get("/login")
        for cookie in page.headers.get_list("set-cookie"):
            name, _, rest = cookie.partition("=")
            assert "__Host-gw_visit" == name
            assert {"HttpOnly", "Path=/", "SameSite=lax", "Secure"} <= set(rest.split("; "))
            assert "Domain" not in rest
        assert page.headers.get_list("set-cookie")


@pytest.mark.asyncio
async def test_on_plain_http_the_names_go_without_their_prefix(database):
    """Browsers take neither the prefix nor ``Secure`` there."""
    console = console_over(database, public_url="http://127.0.0.1:8080")
    async with visiting(database, console) as visitor:
        answer = await visitor.get("/login")
        assert answer.headers["set-cookie"].startswith("gw_visit=")
        assert "Secure" not in answer.headers["set-cookie"]


@pytest.mark.asyncio
async def test_a_forgotten_one_is_gone(database):
    """Under the name that it was given."""
    async with visiting(database) as visitor:
        await visitor.log_in(await user_of(visitor.console))
        await visitor.get("/account")
        await visitor.post("/logout")
        assert "__Host-gw_session" not in visitor.client.cookies
