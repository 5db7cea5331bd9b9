"""What the login page says of the application that sent somebody there."""

import pytest
from starlette.requests import Request

from trivium.console.consent import arrival

pytestmark = pytest.mark.asyncio


def request(asking):
    return Request({"type": "http", "headers": [], "console": asking.console})


async def test_the_application_of_a_consent_page_is_named(asking):
    """With its host and what it will see."""
    page = await asking.page(scope="balance")
    found = await arrival.arrival_of(request(asking), page)
    assert ("Shop & Co", "shop.example", 1) == (found.name, found.host, len(found.scopes))


@pytest.mark.parametrize(
    "path", ["/account", "/authorize/", "/authorize/x", "/authorize/gwar_" + "x" * 43]
)
async def test_other_pages_are_nobodys(asking, path):
    """Nor is a request that is gone."""
    assert None is await arrival.arrival_of(request(asking), path)
    await arrival.entered(request(asking), path, asking.ada.id)


async def test_a_login_there_is_remembered(asking):
    """For the user who logged in."""
    page = await asking.page()
    await arrival.entered(request(asking), page, asking.ada.id)
    pending = await asking.oauth.consents.find(page.removeprefix("/authorize/"))
    assert (asking.ada.id, asking.console.clock.now()) == (pending.user_id, pending.login_at)
