"""What the endpoints have in common."""

from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount
from starlette.testclient import TestClient

from console.api.calling import Caller
from console.visiting import console_over
from trivium.clock import FixedClock
from trivium.console.api import answer
from trivium.console.api.answer import Endpoint
from trivium.oauth.errors import OAuthError


def request(client, agent="agent/1"):
    headers = [(b"user-agent", agent.encode())] if agent else []
    return Request({"type": "http", "headers": headers, "client": client})


def test_an_error_says_how_long_to_wait():
    """Where it knows."""
    made = answer.refused(OAuthError("temporarily_unavailable", "later", 429, retry_after=7))
    assert (429, "7", "no-store") == (
        made.status_code,
        made.headers["retry-after"],
        made.headers["cache-control"],
    )
    assert "retry-after" not in answer.refused(OAuthError("x", "y")).headers


def test_a_sender_is_an_address_and_a_program():
    """Either may be missing."""
    told = answer.sender(request(("192.0.2.1", 1)))
    assert ("192.0.2.1", "agent/1") == (told.address, told.agent)
    told = answer.sender(request(None, ""))
    assert ("", "") == (told.address, told.agent)
    assert answer.network(request(("2001:db8::1", 1))) == answer.network(
        request(("2001:db8::2", 1))
    )


def test_a_body_is_json_that_nobody_stores():
    """Whatever else is said with it."""
    made = answer.json({"a": 1}, headers={"x": "y"})
    assert (
        SimpleNamespace(**made.headers).__dict__.items()
        >= {
            "content-type": "application/json;charset=UTF-8",
            "pragma": "no-cache",
            "x": "y",
        }.items()
    )


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/api/oauth2/authorize", "/api/oauth2/token", "/api/oauth_apps"])
async def test_without_https_nothing_is_served_to_other_machines(database, path):
    """Codes and tokens would be read on their way."""
    plain = console_over(database, FixedClock(), public_url="http://gateway.example")
    async with Caller.over(plain, origin="http://gateway.example") as caller:
        assert 404 == (await caller.client.post(path)).status_code


async def fine(_):
    return PlainTextResponse("fine")


def test_another_method_is_refused_and_not_looked_for_elsewhere():
    """With what is allowed; other paths go on."""
    app = Starlette(routes=[Endpoint("/api/x", fine, methods=["POST"]), Mount("", routes=[])])
    client = TestClient(app)
    assert 200 == client.post("/api/x").status_code
    answer = client.get("/api/x")
    assert (405, "POST") == (answer.status_code, answer.headers["allow"])
    assert 404 == client.get("/api/y").status_code
