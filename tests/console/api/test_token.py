"""The token and revocation endpoints over HTTP: every row of their tables."""

import asyncio
import re

import pytest

from console.api.calling import CALLBACK, Caller, said
from console.visiting import console_over
from oauth.world import CHALLENGE, VERIFIER
from trivium.clock import FixedClock
from trivium.oauth.apps.model import AppStatus, GrantType
from trivium.storage.errors import StorageDown

pytestmark = pytest.mark.asyncio
TOKEN = "/api/oauth2/token"
REVOKE = "/api/oauth2/revoke"
PKCE = {"code_challenge": CHALLENGE.encode(), "code_challenge_method": b"S256"}


def code_grant(code, **more):
    return {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": CALLBACK,
        **more,
    }


def refresh_grant(token, **more):
    return {"grant_type": "refresh_token", "refresh_token": token, **more}


def check_headers(answer):
    """What every answer of the endpoint carries; and no browser may read it."""
    assert "application/json;charset=UTF-8" == answer.headers["content-type"]
    assert "no-store" == answer.headers["cache-control"]
    assert "no-cache" == answer.headers["pragma"]
    assert "location" not in answer.headers
    assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_a_code_becomes_the_record_of_the_specification(caller):
    """Members, types and headers."""
    answer = await caller.token(code_grant(await caller.code()), auth=caller.basic)
    check_headers(answer)
    body = answer.json()
    assert re.fullmatch("gwat_[A-Za-z0-9_-]{43}", body.pop("access_token"))
    assert re.fullmatch("gwrt_[A-Za-z0-9_-]{43}", body.pop("refresh_token"))
    assert (200, {"token_type": "Bearer", "expires_in": 7200, "scope": "profile balance"}) == (
        answer.status_code,
        body,
    )


@pytest.mark.parametrize("way", ["basic", "post", "basic and client_id"])
async def test_a_client_authenticates_in_either_way(caller, way):
    """client_secret_basic and client_secret_post."""
    fields = code_grant(await caller.code())
    if way == "post":
        answer = await caller.token(fields | caller.post_fields)
    elif way == "basic":
        answer = await caller.token(fields, auth=caller.basic)
    else:
        answer = await caller.token(fields | {"client_id": caller.app.client_id}, auth=caller.basic)
    assert 200 == answer.status_code


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "invalid_request"),
        ({"grant_type": ""}, "invalid_request"),
        ({"grant_type": "authorization_code"}, "invalid_request"),
        ({"grant_type": "authorization_code", "code": "x"}, "invalid_request"),
        ({"grant_type": "authorization_code", "redirect_uri": CALLBACK}, "invalid_request"),
        ({"grant_type": "refresh_token"}, "invalid_request"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
        (code_grant("gwac_" + "x" * 43), "invalid_grant"),
        (refresh_grant("gwrt_" + "x" * 43), "invalid_grant"),
        (refresh_grant("gwrt_" + "x" * 43, scope="everything"), "invalid_scope"),
    ],
)
async def test_what_is_wrong_with_a_grant_is_a_400(caller, fields, code):
    """With the RFC's code, and words for developers."""
    answer = await caller.token(fields, auth=caller.basic)
    check_headers(answer)
    assert (400, code) == said(answer)
    assert {"error", "error_description"} == set(answer.json())
    assert "www-authenticate" not in answer.headers


@pytest.mark.parametrize(
    "case", ["nothing", "unknown", "wrong", "no secret", "bearer", "suspended"]
)
async def test_a_client_that_is_not_known_is_a_401(caller, case):
    """Unknown, wrong and suspended are told alike."""
    fields = code_grant(await caller.code())
    more = {
        "nothing": {},
        "unknown": {"auth": ("gwc_nobody", caller.secret)},
        "wrong": {"auth": (caller.app.client_id, "gws_wrong")},
        "no secret": {},
        "bearer": {"headers": {"authorization": "Bearer x"}},
        "suspended": {"auth": caller.basic},
    }[case]
    if case == "no secret":
        fields |= {"client_id": caller.app.client_id}
    if case == "suspended":
        await caller.oauth.apps.set_status(caller.owner.id, caller.app.id, AppStatus.SUSPENDED)
    answer = await caller.token(fields, **more)
    check_headers(answer)
    assert (401, "invalid_client") == said(answer)
    assert 'Basic realm="oauth2"' == answer.headers["www-authenticate"]


async def test_a_client_that_authenticates_twice_is_a_400(caller):
    """At most one method."""
    answer = await caller.token(
        code_grant(await caller.code()) | caller.post_fields, auth=caller.basic
    )
    assert (400, "invalid_request") == said(answer)


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data"])
async def test_another_content_type_is_a_400(caller, kind):
    """415 would confuse clients."""
    answer = await caller.client.post(
        TOKEN, content=b'{"grant_type":"x"}', headers={"content-type": kind}, auth=caller.basic
    )
    assert (400, "invalid_request") == said(answer)


@pytest.mark.parametrize("name", ["client_secret", "client_id", "code", "refresh_token"])
async def test_secrets_in_the_address_are_a_400(caller, name):
    """They would stand in every log on the way."""
    fields = code_grant(await caller.code())
    answer = await caller.token(fields, auth=caller.basic, params={name: "x"})
    assert (400, "invalid_request") == said(answer)


async def test_a_repeated_parameter_is_a_400(caller):
    """Also where both are the same."""
    answer = await caller.client.post(
        TOKEN,
        content=b"grant_type=refresh_token&refresh_token=a&refresh_token=a",
        headers={"content-type": "application/x-www-form-urlencoded"},
        auth=caller.basic,
    )
    assert (400, "invalid_request") == said(answer)


async def test_a_large_body_is_a_400(caller):
    """16 KiB."""
    answer = await caller.token({"grant_type": "x" * 16_385}, auth=caller.basic)
    assert (400, "invalid_request") == said(answer)


@pytest.mark.parametrize("path", [TOKEN, REVOKE])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD"])
async def test_another_method_is_a_405(caller, path, method):
    """With what is allowed."""
    answer = await caller.client.request(method, path)
    assert (405, "POST") == (answer.status_code, answer.headers["allow"])


async def test_an_application_without_the_grant_is_told_so(caller):
    """unauthorized_client."""
    code = await caller.code()
    await caller.oauth.apps.edit(
        caller.owner.id,
        caller.app.id,
        name="Shop",
        description="",
        redirect_uri=CALLBACK,
        grants=frozenset({GrantType.REFRESH}),
        rotate_refresh=True,
        send_iss=False,
    )
    answer = await caller.token(code_grant(code), auth=caller.basic)
    assert (400, "unauthorized_client") == said(answer)


MATRIX = {
    "none, none": ({}, {}, 200),
    "S256, right": (PKCE, {"code_verifier": VERIFIER}, 200),
    "S256, wrong": (PKCE, {"code_verifier": "x" * 43}, 400),
    "S256, missing": (PKCE, {}, 400),
    "none, given": ({}, {"code_verifier": VERIFIER}, 400),
}


@pytest.mark.parametrize(("asked", "given", "status"), MATRIX.values(), ids=MATRIX)
async def test_pkce_is_checked_whenever_one_side_has_it(caller, asked, given, status):
    """The whole matrix, with the downgrade rule of RFC 9700."""
    code = await caller.code(**asked)
    answer = await caller.token(code_grant(code, **given), auth=caller.basic)
    assert status == answer.status_code
    if status == 400:
        assert "invalid_grant" == answer.json()["error"]


async def test_another_address_than_the_authorizations_is_refused(caller):
    """Also one that is registered, for another application."""
    code = await caller.code()
    fields = code_grant(code) | {"redirect_uri": "https://shop.example/callback"}
    assert (400, "invalid_grant") == said(await caller.token(fields, auth=caller.basic))


async def test_a_second_exchange_ends_the_first(caller):
    """userinfo says so on the next call."""
    code = await caller.code()
    first = (await caller.token(code_grant(code), auth=caller.basic)).json()
    assert 200 == (await caller.userinfo(first["access_token"])).status_code
    assert (400, "invalid_grant") == said(await caller.token(code_grant(code), auth=caller.basic))
    assert 401 == (await caller.userinfo(first["access_token"])).status_code


async def test_of_exchanges_at_once_one_is_answered(caller):
    """The others are refused, not broken."""
    code = await caller.code()
    made = await asyncio.gather(
        *(caller.token(code_grant(code), auth=caller.basic) for _ in range(10))
    )
    assert [200] + [400] * 9 == sorted(one.status_code for one in made)


async def test_refreshes_at_once_are_all_answered(caller):
    """With one and the same new refresh token."""
    issued = await caller.issued()
    fields = refresh_grant(issued.refresh_token)
    made = await asyncio.gather(*(caller.token(fields, auth=caller.basic) for _ in range(5)))
    assert [200] * 5 == [one.status_code for one in made]
    assert 1 == len({one.json()["refresh_token"] for one in made})


async def test_a_refresh_narrows_the_scope(caller):
    """And says what it gives; wider is refused."""
    issued = await caller.issued(scope=b"profile balance")
    fields = refresh_grant(issued.refresh_token, scope="profile")
    narrow = await caller.token(fields, auth=caller.basic)
    assert "profile" == narrow.json()["scope"]
    only = await caller.issued(scope=b"profile")
    fields = refresh_grant(only.refresh_token, scope="profile balance")
    assert (400, "invalid_scope") == said(await caller.token(fields, auth=caller.basic))


async def test_an_application_waits_after_sixty_requests_a_minute(caller):
    """temporarily_unavailable, with the seconds; another application goes on."""
    for _ in range(60):
        await caller.token(refresh_grant("x"), auth=caller.basic)
    answer = await caller.token(refresh_grant("x"), auth=caller.basic)
    check_headers(answer)
    assert (429, "temporarily_unavailable") == said(answer)
    assert "60" == answer.headers["retry-after"]
    rival, secret = await caller.oauth.apps.create(
        caller.owner.id, "Rival", "", "https://rival.example/"
    )
    answer = await caller.token(refresh_grant("x"), auth=(rival.client_id, secret))
    assert (400, "invalid_grant") == said(answer)
    caller.console.clock.advance(60)
    answer = await caller.token(refresh_grant("x"), auth=caller.basic)
    assert (400, "invalid_grant") == said(answer)


async def test_who_fails_twenty_times_a_minute_waits(caller):
    """By address; an application elsewhere is not touched by it."""
    wrong = (caller.app.client_id, "gws_wrong")
    for _ in range(20):
        assert 401 == (await caller.token(refresh_grant("x"), auth=wrong)).status_code
    answer = await caller.token(refresh_grant("x"), auth=wrong)
    assert (429, "temporarily_unavailable") == said(answer)
    assert 429 == (await caller.token(refresh_grant("x"), auth=caller.basic)).status_code
    caller.client._transport.client = ("203.0.113.9", 5000)
    answer = await caller.token(refresh_grant("x"), auth=caller.basic)
    assert (400, "invalid_grant") == said(answer)


async def test_a_first_wrong_way_to_authenticate_locks_nothing(caller):
    """Some clients try Basic with an empty secret first and the form after it."""
    fields = code_grant(await caller.code())
    assert 401 == (await caller.token(fields, auth=(caller.app.client_id, ""))).status_code
    assert 200 == (await caller.token(fields | caller.post_fields)).status_code


@pytest.mark.parametrize(
    ("raised", "status"), [(StorageDown("away"), 503), (LookupError("x"), 500)]
)
async def test_our_own_failure_is_a_server_error(caller, monkeypatch, raised, status):
    """Nothing of the cause is told."""

    async def fails(*_):
        raise raised

    monkeypatch.setattr(caller.oauth.apps, "authenticate", fails)
    answer = await caller.token(refresh_grant("x"), auth=caller.basic)
    check_headers(answer)
    assert (status, {"error": "server_error"}) == (answer.status_code, answer.json())


@pytest.mark.parametrize(
    "hint", [{}, {"token_type_hint": "access_token"}, {"token_type_hint": "x"}]
)
@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
async def test_a_revoked_token_opens_nothing(caller, kind, hint):
    """Whatever the hint says; the answer is empty."""
    issued = await caller.issued()
    fields = {"token": getattr(issued, kind), **hint}
    answer = await caller.client.post(REVOKE, data=fields, auth=caller.basic)
    assert (200, b"") == (answer.status_code, answer.content)
    assert 401 == (await caller.userinfo(issued.access_token)).status_code
    refreshed = await caller.token(refresh_grant(issued.refresh_token), auth=caller.basic)
    assert (200 if kind == "access_token" else 400) == refreshed.status_code


async def test_revoking_what_is_not_there_is_fine(caller):
    """And what is somebody else's stays."""
    issued = await caller.issued()
    rival, secret = await caller.oauth.apps.create(
        caller.owner.id, "Rival", "", "https://rival.example/"
    )
    for token in ("unknown", issued.access_token, issued.refresh_token):
        answer = await caller.client.post(
            REVOKE, data={"token": token}, auth=(rival.client_id, secret)
        )
        assert (200, b"") == (answer.status_code, answer.content)
    assert 200 == (await caller.userinfo(issued.access_token)).status_code


async def test_a_revocation_can_be_wrong_too(caller):
    """No client, no token, no token of that type."""
    answer = await caller.client.post(REVOKE, data={"token": "x"})
    assert (401, "invalid_client") == said(answer)
    answer = await caller.client.post(REVOKE, data={"a": "x"}, auth=caller.basic)
    assert (400, "invalid_request") == said(answer)
    answer = await caller.client.post(REVOKE, data={"token": "gwac_x"}, auth=caller.basic)
    assert (400, "unsupported_token_type") == said(answer)


async def test_on_another_host_there_is_nothing(database):
    """Where the settings name different hosts."""
    console = console_over(
        database,
        FixedClock(),
        public_url="https://gateway.example",
        auth_url="https://login.example",
    )
    async with Caller.over(console) as caller:
        answer = await caller.token(refresh_grant("x"), auth=caller.basic)
        assert 404 == answer.status_code
        answer = await caller.token(
            refresh_grant("x"), auth=caller.basic, headers={"host": "login.example"}
        )
        assert (400, "invalid_grant") == said(answer)
