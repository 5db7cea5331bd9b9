"""userinfo and topup over HTTP: every row of their tables."""

import pytest

from console.api.calling import NO_STORE, ORIGIN, Caller, said
from console.visiting import console_over
from trivium.clock import FixedClock
from trivium.ledger.model import EntryKind
from trivium.settings.section import OAuthSettings as Rules

pytestmark = pytest.mark.asyncio
USERINFO = "/api/oauth2/userinfo"
TOPUP = "/api/oauth2/topup"
BOTH = pytest.mark.parametrize("path", [USERINFO, TOPUP])


async def test_both_scopes_open_the_whole_record(caller):
    """Exactly the specification's, and `sub`."""
    await caller.console.entries.book(caller.ada.id, EntryKind.TOP_UP, 2_500_000_000)
    answer = await caller.userinfo((await caller.issued()).access_token)
    assert NO_STORE.items() <= dict(answer.headers).items()
    assert (
        200,
        {
            "id": caller.ada.id,
            "username": "ada",
            "email": "ada@example.org",
            "quota": 1_250_000,
            "used_quota": 0,
            "balance_formatted": "2.50",
            "created_time": caller.ada.created_at,
            "status": 1,
            "sub": str(caller.ada.id),
            "email_verified": False,
        },
    ) == (answer.status_code, answer.json())


@pytest.mark.parametrize(
    ("scope", "members"),
    [
        (
            b"profile",
            {"id", "sub", "username", "email", "email_verified", "created_time", "status"},
        ),
        (b"balance", {"id", "sub", "quota", "used_quota", "balance_formatted"}),
    ],
)
async def test_one_scope_opens_its_members(caller, scope, members):
    """The others are left out."""
    answer = await caller.userinfo((await caller.issued(scope=scope)).access_token)
    assert members == set(answer.json())


async def test_sub_and_decimals_are_settings(database):
    """As the record of the specification has it, to the cent of a cent."""
    rules = Rules(userinfo_sub=False, balance_decimals=4)
    async with Caller.over(console_over(database, FixedClock(), rules)) as caller:
        body = (await caller.userinfo((await caller.issued()).access_token)).json()
        assert ("0.0000", False) == (body["balance_formatted"], "sub" in body)


@BOTH
async def test_without_a_token_no_error_is_named(caller, path):
    """RFC 6750 section 3.1."""
    answer = await caller.client.get(path)
    assert (401, {"error": "unauthorized"}, 'Bearer realm="gateway"') == (
        answer.status_code,
        answer.json(),
        answer.headers["www-authenticate"],
    )


@BOTH
@pytest.mark.parametrize(
    ("query", "headers", "form"),
    [
        ({"access_token": "gwat_x"}, {}, None),
        ({}, {"authorization": "Bearer"}, None),
        ({}, {"authorization": "Bearer a b"}, None),
        ({"access_token": "gwat_x"}, {"authorization": "Bearer gwat_x"}, None),
        ({}, {}, b"access_token=gwat_x"),
    ],
)
async def test_a_token_in_another_place_is_a_400(caller, path, query, headers, form):
    """invalid_request, without a description in the header."""
    more = {}
    if form is not None:
        headers = {**headers, "content-type": "application/x-www-form-urlencoded"}
        more = {"content": form}
    answer = await caller.client.request("GET", path, params=query, headers=headers, **more)
    assert (400, "invalid_request") == said(answer)
    assert 'Bearer realm="gateway", error="invalid_request"' == answer.headers["www-authenticate"]


@BOTH
@pytest.mark.parametrize("case", ["unknown", "key", "refresh", "expired", "revoked", "disabled"])
async def test_a_token_that_opens_nothing_is_a_401(caller, path, case):
    """A refresh, or a new authorization, heals each."""
    issued = await caller.issued()
    token = {"unknown": "gwat_" + "x" * 43, "refresh": issued.refresh_token}.get(
        case, issued.access_token
    )
    if case == "key":
        _, token = await caller.console.identity.create_key("ada")
    if case == "expired":
        caller.console.clock.advance(7200)
    if case == "revoked":
        await caller.oauth.consents.revoke_all(caller.ada.id)
    if case == "disabled":
        await caller.console.identity.disable_user("ada")
    answer = await caller.client.get(path, headers={"authorization": f"Bearer {token}"})
    assert (401, "invalid_token") == said(answer)
    challenge = answer.headers["www-authenticate"]
    assert challenge.startswith('Bearer realm="gateway", error="invalid_token", error_description=')


async def test_a_token_for_something_else_is_a_403(caller, monkeypatch):
    """With the scope that would have done."""
    issued = await caller.issued()
    access = caller.oauth.tokens.access

    async def without_scopes(token):
        found = await access(token)
        return type(found)(**{name: getattr(found, name) for name in found.__struct_fields__}
                           | {"scopes": frozenset()})  # fmt: skip

    monkeypatch.setattr(caller.oauth.tokens, "access", without_scopes)
    answer = await caller.userinfo(issued.access_token)
    assert (403, "insufficient_scope") == said(answer)
    assert answer.headers["www-authenticate"].endswith('scope="profile"')


@BOTH
async def test_only_reading_is_served(caller, path):
    """HEAD as GET, POST not at all."""
    assert 405 == (await caller.client.post(path)).status_code
    issued = await caller.issued()
    answer = await caller.client.head(
        path, headers={"authorization": f"Bearer {issued.access_token}"}
    )
    assert 200 == answer.status_code


@pytest.mark.parametrize("scope", [b"profile", b"balance"])
async def test_the_top_up_address_is_fixed_and_logs_nobody_in(caller, scope):
    """Any valid token; the host is the settings', whatever `Host` says."""
    issued = await caller.issued(scope=scope)
    headers = {"authorization": f"Bearer {issued.access_token}", "host": "evil.example"}
    answer = await caller.client.get(TOPUP, headers=headers)
    url = answer.json()["topup_url"]
    assert ["topup_url"] == list(answer.json())
    assert url.startswith(f"{ORIGIN}/topup?app={caller.app.client_id}&t=")
    assert "set-cookie" not in answer.headers
    who, app = await caller.oauth.topup_of(caller.app.client_id, url.partition("&t=")[2])
    assert (caller.ada.id, caller.app.id) == (who.user_id, app.id)


async def test_an_access_token_is_no_key_of_the_gateway(caller):
    """Nor the reverse: their forms have nothing in common."""
    issued = await caller.issued()
    assert not issued.access_token.startswith("sk-gateway-")
