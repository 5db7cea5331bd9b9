"""Invitations over the admin API; who may is in the matrix of ``test_teams.py``."""

import pytest

from trivium.identity.teams.model import TeamRole
from trivium.oauth.developer.model import TEAMS

pytestmark = pytest.mark.asyncio


async def test_an_invitation_is_made_listed_and_withdrawn(script):
    """Without its link, which is in the letter alone."""
    acme = await script.console.teams.create("acme")
    path = f"/api/admin/teams/{acme.id}/invitations"
    made = await script.done("POST", path, {"email": "Bo@example.org", "role": "manager"})
    assert ("bo@example.org", "manager") == (made["email"], made["role"])
    assert {"id", "email", "role", "created_at", "expires_at"} == made.keys()
    assert [made] == (await script.done("GET", path))["invitations"]
    await script.done("DELETE", f"{path}/{made['id']}")
    assert 404 == (await script.refused("DELETE", f"{path}/{made['id']}"))[0]
    assert [] == (await script.done("GET", path))["invitations"]
    kinds = [act.kind for act in await script.console.audit.everything()]
    assert {"team_invitation", "team_invitation_withdrawn"} <= set(kinds)
    status, message = await script.refused("POST", path, {"email": "no address"})
    assert (400, True) == (status, "email" in message)


async def test_a_manager_invites_no_owner(script):
    """As they appoint none."""
    acme = await script.console.teams.create("acme")
    await script.console.teams.put_member(acme.id, script.ada.id, TeamRole.MANAGER)
    token = await script.made_token(script.ada.id, TEAMS)
    path = f"/api/admin/teams/{acme.id}/invitations"
    body = {"email": "bo@example.org", "role": "owner"}
    assert 403 == (await script.refused("POST", path, body, token=token))[0]
