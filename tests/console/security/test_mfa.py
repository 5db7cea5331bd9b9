"""A second factor is switched on and off by the pages."""

import re
from html import unescape

import pytest
from pyotp import TOTP

from console.visiting import PASSWORD, console_over, user_of, visiting
from trivium.console.security.mfa import picture

PAGE = "/account/security/factor"


@pytest.fixture
def console(database, clock):
    return console_over(database, clock)


def secret_of(page):
    """What stands below the picture."""
    return re.search(r'<code id="secret"[^>]*>([^<]+)<', page.text)[1].replace(" ", "")


async def enrol(visitor, clock):
    """Through the page: the recovery codes."""
    page = await visitor.get(PAGE)
    code = TOTP(secret_of(page)).at(int(clock.now()))
    page = await visitor.post(PAGE, code=code)
    assert 200 == page.status_code, page.text
    return unescape(re.search(r'<code id="codes"[^>]*>([^<]+)<', page.text)[1]).split()


@pytest.mark.asyncio
async def test_switched_on_and_off(database, console, clock):
    """With a picture, a first code, ten recovery codes shown once, and other tokens each time."""
    async with visiting(database, console) as visitor:
        user = await user_of(console, password=PASSWORD)
        before = await visitor.log_in(user)
        page = await visitor.get(PAGE)
        assert "style=" not in re.search(r'<svg[^>]*class="qr".*?</svg>', page.text, re.DOTALL)[0]
        codes = await enrol(visitor, clock)
        assert 10 == len(set(codes))
        assert None is await console.accounts.sessions.find(before)
        page = await visitor.get("/account/security")
        assert "10 recovery codes are left." in page.text
        assert not any(code in page.text for code in codes)
        page = await visitor.post(f"{PAGE}/codes")
        assert 200 == page.status_code
        assert not any(code in page.text for code in codes)
        await visitor.get("/account/security")
        answer = await visitor.post(f"{PAGE}/off")
        assert "/account/security" == answer.headers["location"]
        assert None is (await console.accounts.factor.state(user.id)).since
        kinds = {act.kind for act in await console.audit.of_user(user.id)}
        assert {"second_factor_on", "second_factor_off"} <= kinds


@pytest.mark.asyncio
async def test_a_wrong_code_shows_the_same_secret_again(database, console):
    """The app need not take another picture."""
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console))
        page = await visitor.get(PAGE)
        for code, says in (("000000", "wrong or was used"), ("", "fill in this field")):
            again = await visitor.post(PAGE, code=code)
            assert (422, True) == (again.status_code, says in again.text)
            assert secret_of(page) == secret_of(again)


@pytest.mark.asyncio
async def test_without_a_recent_proof_it_is_asked_for(database, console, clock):
    """For each of these pages."""
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console))
        await visitor.get("/account/security")
        clock.advance(601)
        assert (await visitor.get(PAGE)).headers["location"].startswith("/login/confirm")
        for path in ("", "/off", "/codes"):
            answer = await visitor.post(f"{PAGE}{path}", code="123456")
            assert answer.headers["location"].startswith("/login/confirm")


@pytest.mark.asyncio
async def test_what_does_not_fit_leads_back(database, console, clock):
    """On twice, codes without a factor, a code without a beginning."""
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console))
        await visitor.get("/account/security")
        for path in ("", "/codes"):
            answer = await visitor.post(f"{PAGE}{path}", code="123456")
            assert "/account/security" == answer.headers["location"]
        await enrol(visitor, clock)
        assert "/account/security" == (await visitor.get(PAGE)).headers["location"]
        assert "on already" in (await visitor.get("/account/security")).text


def test_the_picture_brings_no_style_along():
    """The pages allow none inline."""
    drawn = picture("otpauth://totp/Trivium:ada?secret=ABC&issuer=Trivium")
    assert drawn.startswith("<svg")
    assert "style" not in drawn
    assert "<script" not in drawn
