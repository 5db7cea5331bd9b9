"""What the login page says of the application that sent somebody there."""

from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.requests import Request

from console.consent.asking import came_back
from console.visiting import Seen
from trivium.console.consent import arrival

pytestmark = pytest.mark.asyncio


def request(asking):
    return Request({"type": "http", "headers": [], "console": asking.console})


async def test_the_application_of_a_consent_page_is_named(asking):
    """With its host and what it will see."""
    page = await asking.page(scope="balance")
    told = (await arrival.tell(request(asking), page)).values
    assert ("Shop & Co", "shop.example", 1) == (told["name"], told["host"], len(told["scopes"]))


@pytest.mark.parametrize(
    "path", ["/account", "/authorize/", "/authorize/x", "/authorize/gwar_" + "x" * 43]
)
async def test_other_pages_are_nobodys(asking, path):
    """Nor is a request that is gone."""
    assert None is await arrival.tell(request(asking), path)
    await arrival.entered(request(asking), path, asking.ada.id)


async def test_a_login_there_is_remembered(asking):
    """For the user who logged in."""
    page = await asking.page()
    await arrival.entered(request(asking), page, asking.ada.id)
    pending = await asking.oauth.consents.find(page.removeprefix("/authorize/"))
    assert (asking.ada.id, asking.console.clock.now()) == (pending.user_id, pending.login_at)


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
        assert (303, page) == (entered.status_code, entered.headers["location"])
        answer = await asking.visitor.get(page)
        assert status == answer.status_code
        if flag == "true":
            assert {"code", "state"} == set(came_back(answer))
