"""What the login page says of the application that sent somebody there."""

from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.requests import Request

from console.consent.asking import came_back, let_in
from console.visiting import Seen
from trivium.console.consent import login_notice
from trivium.console.consent.login_notice import WORDS, scopes_in_words
from trivium.oauth.scope import EVERY


def request(asking):
    scope = {"type": "http", "method": "GET", "path": "/login", "query_string": b"", "headers": []}
    state = {"request_id": "req_test"}
    return Request(scope | {"console": asking.console, "state": state})


@pytest.mark.asyncio
async def test_the_application_of_a_consent_page_is_named(asking):
    """With its host and what it will see."""
    page = await asking.page(scope="balance")
    told = (await login_notice.notice_of(request(asking), page)).values
    assert ("Shop & Co", "shop.example", 1) == (told["name"], told["host"], len(told["scopes"]))


@pytest.mark.parametrize(
    "path", ["/account", "/authorize/", "/authorize/x", "/authorize/gwar_" + "x" * 43]
)
@pytest.mark.asyncio
async def test_other_pages_are_nobodys(asking, path):
    """Nor is a request that is gone."""
    assert None is await login_notice.notice_of(request(asking), path)
    answer = await login_notice.entered(request(asking), path, asking.ada.id)
    assert (303, path) == (answer.status_code, answer.headers["location"])


@pytest.mark.asyncio
async def test_a_login_there_is_remembered(asking):
    """For the user who logged in."""
    page = await asking.page()
    await login_notice.entered(request(asking), page, asking.ada.id)
    pending = await asking.oauth.consents.find(page.removeprefix("/authorize/"))
    assert (asking.ada.id, asking.console.clock.now()) == (pending.user_id, pending.login_at)


@pytest.mark.asyncio
async def test_who_logs_in_on_a_page_that_named_the_application_is_not_asked(asking):
    """The flag's safe rule, over the real login page; without the flag there is the question."""
    await asking.console.accounts.recovery.set_password(asking.ada, "correct horse battery")
    for flag, status in (("true", 303), ("false", 200)):
        asking.visitor.client.cookies.clear()
        await asking.oauth.consents.revoke_all(asking.ada.id) if flag == "false" else None
        page = await asking.page(auto_authorize=flag)
        login = await asking.visitor.get(page)
        shown = await asking.visitor.get(login.headers["location"])
        words = Seen(shown.text).text
        assert "Log in to continue to Shop & Co , which will see:" in words
        assert "Afterwards you go to shop.example ." in words
        assert "Your balance" in words
        place = parse_qs(urlsplit(login.headers["location"]).query)["for"][0]
        entered = await asking.visitor.post(
            "/login", name="ada", password="correct horse battery", place=place
        )
        if flag == "true":
            assert (200, f"0; url={page}") == (entered.status_code, entered.headers["refresh"])
            assert "On to Shop & Co" in Seen(entered.text).text
        else:
            assert (303, page) == (entered.status_code, entered.headers["location"])
        answer = await asking.visitor.get(page)
        assert status == answer.status_code
        if flag == "true":
            assert {"code", "state"} == set(came_back(answer))


@pytest.mark.asyncio
async def test_whom_there_is_nothing_to_ask_goes_on_from_a_page_of_ours(asking):
    """No redirect of the login form leads to an application: browsers would stop it."""
    await let_in(asking)
    page = await asking.page()
    answer = await login_notice.entered(request(asking), page, asking.ada.id)
    assert (200, f"0; url={page}") == (answer.status_code, answer.headers["refresh"])
    assert "form-action 'self';" in answer.headers["content-security-policy"]


def test_every_scope_has_its_words():
    """Nobody agrees to what is not said."""
    assert set(EVERY) == set(WORDS)


def test_scopes_are_said_in_their_order():
    """Whatever order they come in."""
    assert (WORDS["profile"], WORDS["balance"]) == scopes_in_words({"balance", "profile"})
    assert (WORDS["balance"],) == scopes_in_words(["balance"])


def test_a_balance_that_can_be_spent_is_not_said_to_be_safe():
    """Two lines of one list do not contradict each other."""
    balance, spend = scopes_in_words({"spend", "balance"})
    assert (WORDS["spend"], WORDS["balance"][0]) == (spend, balance[0])
    assert ("cannot spend" in WORDS["balance"][1], "cannot spend" in balance[1]) == (True, False)
