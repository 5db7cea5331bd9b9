"""Log in with a passkey through the pages, as the script does."""

import msgspec
import pytest

from authenticator import Authenticator
from console.visiting import PASSWORD, console_over, user_of, visiting


@pytest.fixture
def device():
    return Authenticator()


@pytest.fixture
def console(database, clock):
    return console_over(database, clock)


async def signed(visitor, device, **changes):
    """What the script would send."""
    asked = await visitor.post("/login/passkey/begin", headers={"accept": "application/json"})
    told = msgspec.json.decode(asked.text)
    options = msgspec.json.encode(told["options"]).decode()
    return {"step": told["step"], "answer": device.sign(options, **changes)}


async def add(visitor, device):
    """A user's passkey, by the page."""
    page = await visitor.get("/account/security/passkeys/new")
    assert 'data-passkey="create"' in page.text
    asked = await visitor.post("/account/security/passkeys/begin")
    told = msgspec.json.decode(asked.text)
    answer = device.make(msgspec.json.encode(told["options"]).decode())
    fields = {"step": told["step"], "answer": answer, "name": "Laptop"}
    return await visitor.post("/account/security/passkeys/new", **fields)


@pytest.mark.asyncio
async def test_a_passkey_lets_in(database, console, device):
    """And to the page that was wanted."""
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console))
        assert "/account/security" == (await add(visitor, device)).headers["location"]
        visitor.client.cookies.clear()
        asked = await visitor.get("/account/usage")
        page = await visitor.get(asked.headers["location"])
        assert 'action="/login/passkey"' in page.text
        place = page.text.partition('name="place" value="')[2].partition('"')[0]
        answer = await visitor.post("/login/passkey", place=place, **await signed(visitor, device))
        assert (303, "/account/usage") == (answer.status_code, answer.headers["location"])
        assert 200 == (await visitor.get("/account")).status_code


@pytest.mark.asyncio
async def test_a_bad_answer_is_told_and_noted(database, console, device):
    """Without a word on why."""
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console))
        await add(visitor, device)
        visitor.client.cookies.clear()
        await visitor.get("/login")
        fields = await signed(visitor, device, origin="https://evil.example")
        answer = await visitor.post("/login/passkey", **fields)
        assert (422, True) == (answer.status_code, "could not be recognised" in answer.text)
        (act, *_) = await console.audit.everything(limit=1)
        assert ("login_failed", "passkey_bad") == (act.kind, act.what)


@pytest.mark.asyncio
async def test_another_site_cannot_log_anybody_in(database, console, device):
    """With its own passkey: the form is bound to this browser, as every form is."""
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console))
        await add(visitor, device)
        visitor.client.cookies.clear()
        await visitor.get("/login")
        fields = await signed(visitor, device)
        for more in (
            {"headers": {"sec-fetch-site": "cross-site"}},
            {"csrf": "stolen"},
            {"csrf": ""},
        ):
            assert 403 == (await visitor.post("/login/passkey", **fields, **more)).status_code
        assert "__Host-gw_session" not in visitor.client.cookies


@pytest.mark.asyncio
async def test_a_passkey_proves_again(database, console, device, clock):
    """Where a password would be asked for; who has none is not asked for one."""
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console))
        await add(visitor, device)
        clock.advance(601)
        asked = await visitor.get("/account/security/factor")
        assert asked.headers["location"].startswith("/login/confirm")
        page = await visitor.get(asked.headers["location"])
        assert 'action="/login/confirm/passkey"' in page.text
        assert 'name="password"' not in page.text
        place = page.text.partition('name="place" value="')[2].partition('"')[0]
        fields = await signed(visitor, device)
        answer = await visitor.post("/login/confirm/passkey", place=place, **fields)
        assert "/account/security/factor" == answer.headers["location"]
        assert 200 == (await visitor.get("/account/security/factor")).status_code
        bad = await visitor.post("/login/confirm/passkey", **fields)
        assert 422 == bad.status_code


@pytest.mark.asyncio
async def test_too_many_beginnings_are_told_to_the_script(database, console):
    """In its own form, in the visitor's language."""
    async with visiting(database, console) as visitor:
        await visitor.get("/login", accept_language="zh-CN")
        for _ in range(101):
            answer = await visitor.post(
                "/login/passkey/begin", headers={"accept-language": "zh-CN"}
            )
        assert 429 == answer.status_code
        assert "尝试" in msgspec.json.decode(answer.text)["message"]


@pytest.mark.asyncio
async def test_no_passkeys_where_browsers_allow_none(database):
    """A gateway at an IP address does not offer what cannot work."""
    console = console_over(database)
    console.accounts.passkeys.party = None
    async with visiting(database, console) as visitor:
        await user_of(console, password=PASSWORD)
        assert "data-passkey" not in (await visitor.get("/login")).text
