"""A session cannot be given to somebody in advance, nor taken along from before a login."""

import pytest

from console.conftest import database  # noqa: F401 - the pages' own database
from console.visiting import PASSWORD, console_over, user_of, visiting

COOKIE = "__Host-gw_session"


@pytest.mark.asyncio
@pytest.mark.parametrize("planted", ["x" * 43, "of the attacker"])
async def test_a_planted_session_is_not_what_a_login_makes(database, clock, planted):  # noqa: F811
    """Neither a value that was made up, nor the attacker's own session, becomes the victim's."""
    console = console_over(database, clock)
    async with visiting(database, console) as visitor:
        mallory = await user_of(console, "mallory", password=PASSWORD)
        ada = await user_of(console, password=PASSWORD)
        if planted == "of the attacker":
            planted = await visitor.log_in(mallory)
            visitor.client.cookies.clear()
        await visitor.get("/login")
        form = visitor.token
        visitor.client.cookies.set(COOKIE, planted, domain="gateway.example")
        await visitor.post("/login", csrf=form, name="ada", password=PASSWORD, place="")
        if visitor.client.cookies[COOKIE] == planted:
            # the form was bound to no session, and a session was there: refused, and shown anew
            await visitor.get("/account")
            await visitor.post("/logout")
            await visitor.get("/login")
            await visitor.post("/login", name="ada", password=PASSWORD, place="")
        after = visitor.client.cookies[COOKIE]
        assert planted != after
        found = await console.accounts.sessions.find(after)
        assert ada.id == found.user.id
        before = await console.accounts.sessions.find(planted)
        assert before is None or before.user.id == mallory.id


@pytest.mark.asyncio
async def test_the_browsers_value_from_before_is_not_kept(database, clock):  # noqa: F811
    """Forms from before the login are worth nothing after it."""
    console = console_over(database, clock)
    async with visiting(database, console) as visitor:
        await user_of(console, password=PASSWORD)
        await visitor.get("/login")
        form, visit = visitor.token, visitor.client.cookies["__Host-gw_visit"]
        await visitor.post("/login", name="ada", password=PASSWORD, place="")
        assert visit != visitor.client.cookies["__Host-gw_visit"]
        answer = await visitor.post("/account/security/sessions/end-all", csrf=form)
        assert 403 == answer.status_code
        assert 200 == (await visitor.get("/account")).status_code
