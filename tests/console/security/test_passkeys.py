"""Passkeys are added and removed by the pages."""

import msgspec
import pytest

from authenticator import Authenticator
from console.visiting import PASSWORD, console_over, user_of, visiting

PAGE = "/account/security/passkeys"


@pytest.fixture
def console(database, clock):
    return console_over(database, clock)


async def begin(visitor):
    """What the script is told."""
    answer = await visitor.post(f"{PAGE}/begin")
    return answer.status_code, msgspec.json.decode(answer.text)


async def made(visitor, **more):
    """A new passkey, by the page."""
    await visitor.get(f"{PAGE}/new")
    _, told = await begin(visitor)
    answer = Authenticator().make(msgspec.json.encode(told["options"]).decode())
    return await visitor.post(f"{PAGE}/new", step=told["step"], answer=answer, **more)


@pytest.mark.asyncio
async def test_added_listed_and_removed(database, console):
    """Under the name that its user gave it, as plain text."""
    async with visiting(database, console) as visitor:
        user = await user_of(console, password=PASSWORD)
        await visitor.log_in(user)
        added = await made(visitor, name="<i>Laptop")
        assert "/account/security" == added.headers["location"]
        assert "&lt;i&gt;Laptop" in (await visitor.get("/account/security")).text
        (key,) = await console.accounts.passkeys.of_user(user.id)
        assert 404 == (await visitor.post(f"{PAGE}/remove", passkey=key.id + 1)).status_code
        await visitor.get("/account/security")
        assert 303 == (await visitor.post(f"{PAGE}/remove", passkey=key.id)).status_code
        assert [] == await console.accounts.passkeys.of_user(user.id)
        kinds = {act.kind for act in await console.audit.of_user(user.id)}
        assert {"passkey_added", "passkey_removed"} <= kinds


@pytest.mark.asyncio
async def test_an_answer_that_proves_nothing_is_told(database, console):
    """On the page where one can try again."""
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console))
        await visitor.get(f"{PAGE}/new")
        _, told = await begin(visitor)
        answer = await visitor.post(f"{PAGE}/new", step=told["step"], answer="{}")
        assert (422, True) == (answer.status_code, "could not be recognised" in answer.text)
        assert 422 == (await visitor.post(f"{PAGE}/new", step="", answer="")).status_code


@pytest.mark.asyncio
async def test_the_last_way_in_is_kept(database, console):
    """And the page says why."""
    async with visiting(database, console) as visitor:
        user = await user_of(console)
        await visitor.log_in(user)
        await made(visitor)
        (key,) = await console.accounts.passkeys.of_user(user.id)
        await visitor.get("/account/security")
        await visitor.post(f"{PAGE}/remove", passkey=key.id)
        assert "last way in" in (await visitor.get("/account/security")).text


@pytest.mark.asyncio
async def test_where_there_are_none_the_script_is_told(database, console):
    """In words it can show."""
    async with visiting(database, console) as visitor:
        console.accounts.passkeys.party = None
        await visitor.log_in(await user_of(console))
        assert "/passkeys/new" not in (await visitor.get("/account/security")).text
        status, told = await begin(visitor)
        assert (422, {"message"}) == (status, set(told))
