"""Tokens for machines over the API: made, used, rotated, revoked; and what they may never do."""

import msgspec
import pytest

from console.api.admin.calling import USERS
from trivium.identity.model import UserRole
from trivium.oauth.admin.service import DAY_S, LIVE_MAX

TOKENS = "/api/admin/tokens"

pytestmark = pytest.mark.asyncio


async def made(script, *scopes, token=None, **more):
    """A new token as the answer has it."""
    body = {"name": "nightly", "scopes": list(scopes), **more}
    answer = await script.ask("POST", TOKENS, body, token=token)
    assert 200 == answer.status_code, answer.text
    return answer.json()["data"]


async def test_a_token_is_made_shown_once_and_listed(script):
    """With a prefix that tells what it is, and never its secret again."""
    first = await made(script, "read", "money", days=7)
    now = int(script.console.clock.now())
    assert first["token"].startswith("gwadm_")
    assert (["read", "money"], "live", now + 7 * DAY_S) == (
        first["scopes"],
        first["state"],
        first["expires_at"],
    )
    (listed,) = (await script.done("GET", TOKENS))["tokens"]
    assert {name: value for name, value in first.items() if name != "token"} == listed
    answer = await script.ask("GET", TOKENS, token=first["token"])
    assert 200 == answer.status_code
    assert first["token"] not in answer.text
    assert now == answer.json()["data"]["tokens"][0]["last_used_at"]


async def test_tokens_come_in_pages(script):
    """Newest first."""
    first, second = (await made(script, "read"))["id"], (await made(script, "read"))["id"]
    page = await script.done("GET", f"{TOKENS}?limit=1")
    assert ([second], second) == ([each["id"] for each in page["tokens"]], page["before"])
    page = await script.done("GET", f"{TOKENS}?before={second}")
    assert ([first], None) == ([each["id"] for each in page["tokens"]], page["before"])


async def test_acts_name_the_token(script):
    """And whose it is."""
    token = await made(script, "users")
    body = {"name": "eve", "email": "eve@example.org"}
    assert 200 == (await script.ask("POST", USERS, body, token=token["token"])).status_code
    act = (await script.console.audit.everything())[0]
    assert ("user_created", script.root.id) == (act.kind, act.actor_id)
    wanted = {"machine": f"token {token['id']} (nightly)", "role": "user"}
    assert wanted == msgspec.json.decode(act.detail)


async def test_a_token_is_rotated_with_an_overlap(script):
    """Both secrets work meanwhile, then only the new one; with none the old one ends at once."""
    token = await made(script, "read")
    path = f"{TOKENS}/{token['id']}/rotate"
    # by itself: a machine needs nobody
    answer = await script.ask("POST", path, {"overlap_s": 60}, token=token["token"])
    second = answer.json()["data"]["token"]

    async def works(secret):
        return (await script.ask("GET", TOKENS, token=secret)).status_code == 200

    assert [True, True] == [await works(token["token"]), await works(second)]
    script.console.clock.advance(61)
    assert [False, True] == [await works(token["token"]), await works(second)]
    third = (await script.done("POST", path, {"overlap_s": 0}))["token"]
    assert [False, True] == [await works(second), await works(third)]


async def test_the_secret_before_makes_nothing_that_outlives_it(script):
    """Whoever found it, which is why it was rotated, cannot stay by it; ending is open to it."""
    token = await made(script, "read", "users")
    old, path = token["token"], f"{TOKENS}/{token['id']}"
    new = (await script.done("POST", f"{path}/rotate", {"overlap_s": 3600}))["token"]
    said = "the secret before the last rotation makes and rotates none: present the new one"
    body = {"name": "x", "scopes": ["read"]}
    for where, sent in ((f"{path}/rotate", {}), (TOKENS, body)):
        assert (403, said) == await script.refused("POST", where, sent, token=old)
    await made(script, "read", token=new)
    assert 200 == (await script.ask("DELETE", path, token=old)).status_code
    assert 401 == (await script.refused("GET", TOKENS, token=new))[0]


async def test_a_token_prolongs_nothing(script):
    """Not itself by rotation, and not by making others; an administrator does."""
    token = await made(script, "read", "users", days=2)
    path, secret = f"{TOKENS}/{token['id']}/rotate", token["token"]
    refused = await script.refused("POST", path, {"days": 90}, token=secret)
    assert (400, "days: a token prolongs none: an administrator does") == refused
    body = {"name": "x", "scopes": ["read"], "days": 3}
    refused = await script.refused("POST", TOKENS, body, token=secret)
    assert (400, "days: would outlive the token that asks") == refused
    assert token["expires_at"] == (await made(script, "read", token=secret))["expires_at"]
    longer = await script.done("POST", path, {"days": 90})
    assert longer["expires_at"] > token["expires_at"]


async def test_a_token_makes_none_with_more_than_its_own_scopes(script):
    """Each scope that it lacks is refused by name."""
    token = await made(script, "users")
    for scope in ("read", "catalogue", "money"):
        body = {"name": "x", "scopes": ["users", scope]}
        refused = await script.refused("POST", TOKENS, body, token=token["token"])
        assert (403, f"the token that asks has no {scope} itself") == refused
    child = await made(script, "users", token=token["token"])
    assert (token["id"], script.root.id) == (child["parent_id"], child["user_id"])


async def test_a_token_touches_no_token_of_others(script):
    """Rotating a stronger one would be as good as making it."""
    strong, weak = await made(script, "read", "money"), await made(script, "users")
    text = "a token rotates and revokes itself and those that it made"
    for method, path, body in (
        ("POST", f"{TOKENS}/{strong['id']}/rotate", {}),
        ("DELETE", f"{TOKENS}/{strong['id']}", None),
    ):
        assert (403, text) == await script.refused(method, path, body, token=weak["token"])


async def test_a_revoked_token_ends_with_all_that_it_made(script):
    """Down to the last; asked again, the same answer."""
    first = await made(script, "read", "users")
    second = await made(script, "read", "users", token=first["token"])
    third = await made(script, "read", "users", token=second["token"])
    other = await made(script, "read")
    ended = await script.done("DELETE", f"{TOKENS}/{first['id']}")
    assert ended == await script.done("DELETE", f"{TOKENS}/{first['id']}")
    for each in (first, second, third):
        refused = await script.refused("GET", TOKENS, token=each["token"])
        assert (401, f"token {each['id']} is revoked") == refused
    assert 200 == (await script.ask("GET", TOKENS, token=other["token"])).status_code
    refused = await script.refused("POST", f"{TOKENS}/{first['id']}/rotate", {})
    assert (409, "the token is revoked: make another") == refused


async def test_a_token_ends_with_its_owner(script):
    """Disabled or no administrator any more: for good, told in the audit log."""
    identity = script.console.identity
    other = await identity.create_user("second", "second@example.org", UserRole.ADMIN)
    script.token = await script.made_token(other.id)
    token = await made(script, "read")
    await identity.set_role("second", UserRole.USER)
    assert 401 == (await script.refused("GET", TOKENS, token=token["token"]))[0]
    await identity.set_role("second", UserRole.ADMIN)
    assert 401 == (await script.refused("GET", TOKENS, token=token["token"]))[0]


async def test_nobody_is_made_an_administrator_by_a_machine(script):
    """Not made, not raised; and no administrator is switched off or lowered."""
    secret = (await made(script, "read", "catalogue", "money", "users"))["token"]
    text = "an administrator does that, not a token for machines"
    eve = {"name": "eve", "email": "eve@example.org", "role": "admin"}
    assert (403, f"role: {text}") == await script.refused("POST", USERS, eve, token=secret)
    for user, body, what in (
        (script.ada.id, {"role": "admin"}, "role"),
        (script.root.id, {"role": "user"}, "role"),
        (script.root.id, {"disabled": True}, "this is an administrator"),
    ):
        refused = await script.refused("PATCH", f"{USERS}/{user}", body, token=secret)
        assert (403, f"{what}: {text}") == refused
    assert (
        200
        == (
            await script.ask("PATCH", f"{USERS}/{script.ada.id}", {"disabled": True}, token=secret)
        ).status_code
    )


async def test_money_needs_its_scope_wherever_it_moves(script):
    """A user's first credit, who spends without a balance, and whose wallet pays."""
    secret = (await made(script, "users"))["token"]
    eve = {"name": "eve", "email": "eve@example.org"}
    for more in ({"credit": "5.00"}, {"unlimited": True}):
        (name,) = more
        refused = await script.refused("POST", USERS, eve | more, token=secret)
        assert (403, f"{name}: this needs the scope money; the token has users") == refused
    team = await script.console.teams.create("acme", None, script.root.id)
    path = f"/api/admin/teams/{team.id}"
    for more in ({"unlimited": True}, {"group": "staff"}, {"has_wallet": True}):
        assert 403 == (await script.refused("PATCH", path, more, token=secret))[0]
    wanted = {"title": "lab", "has_wallet": True}
    refused = await script.refused("POST", "/api/admin/teams", wanted, token=secret)
    assert (403, "has_wallet: this needs the scope money; the token has users") == refused
    assert 200 == (await script.ask("POST", USERS, eve, token=secret)).status_code


async def test_a_machine_leaves_nothing_that_vouches_for_people(script):
    """No directory's token, which lives longer than it; and no administrator is erased."""
    secret = (await made(script, "read", "catalogue", "money", "users"))["token"]
    team = await script.console.teams.create("acme", None, script.root.id)
    path = f"/api/admin/teams/{team.id}/scim-tokens"
    text = "an administrator does that, not a token for machines"
    refused = await script.refused("POST", path, {"name": "okta"}, token=secret)
    assert (403, f"a directory's token: {text}") == refused
    path = f"{USERS}/{script.root.id}/erase"
    refused = await script.refused("POST", path, {"name": "root"}, token=secret)
    assert (403, f"this is an administrator: {text}") == refused


async def test_a_machine_has_no_keys_of_its_own(script):
    """It names a service account."""
    secret = (await made(script, "users"))["token"]
    team = await script.console.teams.create("acme", None, script.root.id)
    path = f"/api/admin/teams/{team.id}/keys"
    status, message = await script.refused("POST", path, {}, token=secret)
    assert (400, True) == (status, "name a service account" in message)
    nightly = await script.console.teams.create_service(team.id, "nightly")
    body = {"user_id": nightly.id}
    assert 200 == (await script.ask("POST", path, body, token=secret)).status_code


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"name": "x", "scopes": []}, "scopes: must name a scope"),
        ({"name": "x", "scopes": ["all"]}, "$.scopes[0]"),
        ({"name": "x", "scopes": ["read"], "days": 0}, "days: must be 1 to 366"),
        ({"name": "x", "scopes": ["read"], "days": 367}, "days: must be 1 to 366"),
        ({"name": " ", "scopes": ["read"]}, "name: must have"),
        ({"name": "x\u202e", "scopes": ["read"]}, "name: must not"),
        ({"scopes": ["read"]}, "`name`"),
    ],
)
async def test_what_is_wrong_is_named(script, body, said):
    """400, with the member."""
    status, message = await script.refused("POST", TOKENS, body)
    assert (400, True) == (status, said in message), message


async def test_tokens_are_bound_in_number(script, monkeypatch):
    """Those that are good at once, and those that are made an hour."""
    monkeypatch.setattr("trivium.oauth.admin.service.LIVE_MAX", 2)
    for _ in range(2):
        last = await made(script, "read")
    body = {"name": "x", "scopes": ["read"]}
    assert (409, "limit: at most 2 tokens are good at once") == await script.refused(
        "POST", TOKENS, body
    )
    await script.done("DELETE", f"{TOKENS}/{last['id']}")
    monkeypatch.setattr("trivium.oauth.admin.service.PER_HOUR_MAX", 2)
    assert (429, "rate: at most 2 tokens are made an hour") == await script.refused(
        "POST", TOKENS, body
    )
    assert 200 == LIVE_MAX


async def test_there_is_no_such_token(script):
    """404."""
    for path, body in ((f"{TOKENS}/77/rotate", {}), (f"{TOKENS}/x/rotate", {})):
        assert 404 == (await script.refused("POST", path, body))[0]
    assert 404 == (await script.refused("DELETE", f"{TOKENS}/77"))[0]
    assert (400, "overlap_s: must be 0 to 2592000") == await script.refused(
        "POST", f"{TOKENS}/77/rotate", {"overlap_s": -1}
    )
