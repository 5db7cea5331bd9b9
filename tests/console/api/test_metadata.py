"""The metadata document over HTTP."""

import pytest

from console.api.calling import Caller
from console.visiting import console_over
from trivium.clock import FixedClock
from trivium.settings.section import OAuth as Rules

pytestmark = pytest.mark.asyncio
PATH = "/.well-known/oauth-authorization-server"


async def test_every_endpoint_it_names_is_served(caller):
    """By the same application; its issuer is the origin."""
    answer = await caller.client.get(PATH)
    body = answer.json()
    assert (200, "https://gateway.example") == (answer.status_code, body["issuer"])
    for name in ("token_endpoint", "revocation_endpoint", "userinfo_endpoint"):
        path = body[name].removeprefix(body["issuer"])
        assert 404 != (await caller.client.get(path)).status_code


async def test_it_is_on_the_host_of_the_issuer(database):
    """Where the settings name several."""
    console = console_over(database, FixedClock(), auth_url="https://login.example")
    async with Caller.over(console) as caller:
        assert 404 == (await caller.client.get(PATH)).status_code
        answer = await caller.client.get(PATH, headers={"host": "login.example"})
        assert "https://login.example" == answer.json()["issuer"]


async def test_spending_is_told_where_it_is_switched_on(database):
    """And only there."""
    console = console_over(database, FixedClock(), oauth=Rules(spend=True))
    async with Caller.over(console) as caller:
        assert "spend" in (await caller.client.get(PATH)).json()["scopes_supported"]


async def test_spending_is_not_told_where_it_is_not(caller):
    """Nobody asks for what would be refused."""
    assert "spend" not in (await caller.client.get(PATH)).json()["scopes_supported"]
