"""Registering an application over HTTP: every row of the table."""

import re

import msgspec
import pytest

from console.api.calling import Caller
from console.visiting import console_over
from trivium.clock import FixedClock
from trivium.settings.section import OAuthSettings as Rules

pytestmark = pytest.mark.asyncio
PATH = "/api/oauth_apps"
BODY = {
    "name": " Shop ",
    "description": "Sells things.",
    "redirect_uri": "https://shop.example/oauth/callback",
}


async def post(caller, token, body=BODY, **headers):
    content = body if isinstance(body, bytes) else msgspec.json.encode(body)
    said = {"content-type": "application/json", **headers}
    if token:
        said["authorization"] = f"Bearer {token}"
    return await caller.client.post(PATH, content=content, headers=said)


def failure(answer):
    """Status and message; everything else of the form is fixed."""
    body = answer.json()
    assert {"success": False, "message": body["message"], "data": None} == body
    assert "no-store" == answer.headers["cache-control"]
    return answer.status_code, body["message"]


async def test_an_application_is_made_and_its_secret_shown_once(caller):
    """The record of the specification."""
    answer = await post(caller, await caller.developer_token())
    body = answer.json()
    data = body.pop("data")
    assert (200, {"success": True, "message": ""}) == (answer.status_code, body)
    assert re.fullmatch("gws_[A-Za-z0-9_-]{43}", data.pop("client_secret"))
    client_id = data.pop("client_id")
    made = await caller.oauth.apps.find(client_id)
    assert {
        "id": made.id,
        "name": "Shop",
        "redirect_uri": BODY["redirect_uri"],
        "created_time": made.created_at,
    } == data
    assert (caller.owner.id, "Sells things.") == (made.user_id, made.description)


async def test_a_description_may_be_left_out(caller):
    """It is then empty."""
    body = {name: value for name, value in BODY.items() if name != "description"}
    assert 200 == (await post(caller, await caller.developer_token(), body)).status_code


@pytest.mark.parametrize("token", ["", "gwdev_" + "x" * 43, "sk-gateway-x", "a b"])
async def test_without_a_developer_token_nothing_is_made(caller, token):
    """401 with a challenge."""
    answer = await post(caller, token)
    assert 401 == failure(answer)[0]
    assert "Bearer" == answer.headers["www-authenticate"]


async def test_an_access_token_is_none(caller):
    """Applications do not register applications."""
    assert 401 == failure(await post(caller, (await caller.issued()).access_token))[0]


async def test_a_disabled_user_is_a_403(caller):
    """Another token would not help."""
    token = await caller.developer_token()
    await caller.console.identity.disable_user("owner")
    assert 403 == failure(await post(caller, token))[0]


async def test_a_token_without_the_permission_is_a_403(caller, monkeypatch):
    """It says which."""
    token = await caller.developer_token()
    monkeypatch.setattr("trivium.console.api.apps.WRITE_APPS", "other:thing")
    assert (403, "the token lacks other:thing") == failure(await post(caller, token))


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b"", ""),
        (b"{", ""),
        (b"[]", ""),
        (b"\xff", ""),
        ({"redirect_uri": "https://a.example/"}, "name"),
        ({"name": "Shop"}, "redirect_uri"),
        (BODY | {"name": 7}, "name"),
        (BODY | {"name": "  "}, "name"),
        (BODY | {"name": "x" * 65}, "name"),
        (BODY | {"description": "x" * 501}, "description"),
        (BODY | {"description": None}, "description"),
        (BODY | {"redirect_uri": "http://shop.example/"}, "redirect_uri"),
        (BODY | {"redirect_uri": "http://localhost:3000/"}, "redirect_uri"),
        (BODY | {"redirect_uri": "https://shop.example/#x"}, "redirect_uri"),
        (BODY | {"redirect_uri": "https://*.shop.example/"}, "redirect_uri"),
        (BODY | {"redirect_uri": ["https://shop.example/"]}, "redirect_uri"),
    ],
)
async def test_what_is_wrong_with_the_body_is_a_400(caller, body, field):
    """The message names the field."""
    status, message = failure(await post(caller, await caller.developer_token(), body))
    assert (400, True) == (status, field in message)


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded"])
async def test_another_content_type_is_a_415(caller, kind):
    """JSON alone, with or without a charset."""
    token = await caller.developer_token()
    assert 415 == failure(await post(caller, token, **{"content-type": kind}))[0]
    kind = "Application/JSON; charset=utf-8"
    assert 200 == (await post(caller, token, **{"content-type": kind})).status_code


async def test_a_large_body_is_a_413(caller):
    """16 KiB."""
    body = BODY | {"unknown": "x" * 16_384}
    assert 413 == failure(await post(caller, await caller.developer_token(), body))[0]


async def test_a_user_has_so_many_applications(database):
    """403 at the limit, 429 with a wait at the rate."""
    rules = Rules(apps_max=3, apps_per_hour=2)
    async with Caller.over(console_over(database, FixedClock(), rules)) as caller:
        token = await caller.developer_token()
        assert 200 == (await post(caller, token)).status_code
        answer = await post(caller, token)
        assert (429, "3600") == (failure(answer)[0], answer.headers["retry-after"])
        caller.console.clock.advance(3600)
        assert 200 == (await post(caller, token)).status_code
        assert 403 == failure(await post(caller, token))[0]


async def test_only_post_is_served(caller):
    """Listing and changing are pages."""
    answer = await caller.client.get(PATH)
    assert (405, "POST") == (answer.status_code, answer.headers["allow"])


async def test_it_is_on_the_host_of_the_api(database):
    """And on no other."""
    console = console_over(
        database,
        FixedClock(),
        public_url="https://gateway.example",
        auth_url="https://login.example",
        api_url="https://api.example",
    )
    async with Caller.over(console) as caller:
        token = await caller.developer_token()
        for host, status in (("gateway", 404), ("login", 404), ("api", 200)):
            assert status == (await post(caller, token, host=f"{host}.example")).status_code


async def test_the_token_remembers_its_use(caller):
    """The page shows it."""
    token = await caller.developer_token()
    await post(caller, token)
    (shown,) = await caller.oauth.developer.owned_by(caller.owner.id)
    assert int(caller.console.clock.at) == shown.last_used_at
