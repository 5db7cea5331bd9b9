"""Tokens of directories over the admin API; who may is in the matrix of ``test_teams.py``."""

import pytest

pytestmark = pytest.mark.asyncio


async def test_a_token_is_made_listed_and_revoked(script):
    """Its secret is shown once; one of another team is not there."""
    teams = script.console.teams
    acme, other = await teams.create("acme"), await teams.create("other")
    path = f"/api/admin/teams/{acme.id}/scim-tokens"
    made = await script.done("POST", path, {"name": "okta", "domains": ["Example.com"], "days": 9})
    assert made["token"].startswith("gwscim_")
    assert (["example.com"], acme.id) == (made["domains"], made["team_id"])
    (listed,) = (await script.done("GET", path))["tokens"]
    assert listed == {name: value for name, value in made.items() if name != "token"}
    wrong = f"/api/admin/teams/{other.id}/scim-tokens/{made['id']}"
    assert 404 == (await script.refused("DELETE", wrong))[0]
    await script.done("DELETE", f"{path}/{made['id']}")
    assert 404 == (await script.refused("DELETE", f"{path}/{made['id']}"))[0]
    assert await script.console.scim.tokens.authenticate(made["token"]) is None
    acts = [act.kind for act in await script.console.audit.everything()]
    assert {"scim_token_created", "scim_token_revoked"} <= set(acts)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"days": 0}, "days"),
        ({"domains": ["x"]}, "domains"),
        ({"name": ""}, "name"),
        ({"x": 1}, "x"),
    ],
)
async def test_what_makes_no_token_is_said(script, body, said):
    """By the member's name."""
    acme = await script.console.teams.create("acme")
    status, message = await script.refused("POST", f"/api/admin/teams/{acme.id}/scim-tokens", body)
    assert (400, True) == (status, said in message)
