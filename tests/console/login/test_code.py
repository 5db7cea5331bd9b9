"""The second step of a login."""

import pytest
from pyotp import TOTP

from console.visiting import PASSWORD, console_over, user_of, visiting
from trivium.identity.accounts.model import Visitor as Somebody


@pytest.fixture
def console(database, clock):
    return console_over(database, clock)


@pytest.fixture
def half(console, clock):
    """A browser that gave the right password of a user with a second factor: the secret, codes."""

    async def go(visitor, place=""):
        user = await user_of(console, password=PASSWORD)
        token = await visitor.log_in(user)
        session = await console.accounts.sessions.find(token)
        secret = (await console.accounts.factor.begin(session)).secret
        shown = TOTP(secret).at(int(clock.now()))
        _, codes = await console.accounts.factor.finish(token, session, shown, Somebody())
        visitor.client.cookies.clear()
        clock.advance(30)
        await visitor.get("/login")
        answer = await visitor.post("/login", name="ada", password=PASSWORD, place=place)
        assert answer.headers["location"].startswith("/login/code")
        await visitor.get(answer.headers["location"])
        return TOTP(secret).at(int(clock.now())), codes

    return go


@pytest.mark.asyncio
async def test_the_code_lets_in(database, console, half):
    """And the step is forgotten."""
    async with visiting(database, console) as visitor:
        code, _ = await half(visitor)
        answer = await visitor.post("/login/code", code=code)
        assert (303, "/account") == (answer.status_code, answer.headers["location"])
        assert 200 == (await visitor.get("/account")).status_code
        assert "__Host-gw_step" not in visitor.client.cookies


@pytest.mark.asyncio
async def test_half_way_is_not_in(database, console, half):
    """No page opens before the code, and the step's cookie is no session."""
    async with visiting(database, console) as visitor:
        await half(visitor)
        assert (await visitor.get("/account")).headers["location"].startswith("/login")
        step = visitor.client.cookies["__Host-gw_step"]
        visitor.client.cookies.set("__Host-gw_session", step)
        assert (await visitor.get("/account")).headers["location"].startswith("/login")


@pytest.mark.asyncio
async def test_a_wrong_code_is_told_and_counted(database, console, half):
    """As a failed login, too."""
    async with visiting(database, console) as visitor:
        _, codes = await half(visitor)
        for _ in range(5):
            answer = await visitor.post("/login/code", code="000000")
            assert (422, True) == (answer.status_code, "wrong or was used" in answer.text)
        assert 429 == (await visitor.post("/login/code", code=codes[0])).status_code
        acts = await console.audit.everything(limit=10)
        assert {"login_failed"} == {act.kind for act in acts[:5]}


@pytest.mark.asyncio
async def test_without_a_first_step_there_is_no_second(database):
    """A bookmark of the page leads to the login; a step that is over says so."""
    async with visiting(database) as visitor:
        assert "/login" == (await visitor.get("/login/code")).headers["location"]
        await visitor.get("/login")
        answer = await visitor.post("/login/code", code="123456")
        assert (410, True) == (answer.status_code, "has been used" in answer.text)
        assert 422 == (await visitor.post("/login/code", code="")).status_code
