"""Keys that spend for a team, over the API."""

import pytest

from trivium.identity.teams.model import TeamRole
from trivium.oauth.developer.model import TEAMS

pytestmark = pytest.mark.asyncio


async def test_members_have_their_own_and_managers_those_of_programs(script):
    """Nobody reads the secret of another person's key; a manager may end it."""
    console = script.console
    acme = await console.teams.create("acme", owner_id=script.ada.id)
    bo = await console.identity.create_user("bo", "bo@example.org")
    await console.teams.put_member(acme.id, bo.id, TeamRole.MEMBER)
    bot = await console.teams.create_service(acme.id, "bot")
    owner, member = [await script.made_token(who, TEAMS) for who in (script.ada.id, bo.id)]
    path = f"/api/admin/teams/{acme.id}/keys"
    own = (await script.ask("POST", path, {"name": "mine"}, token=member)).json()["data"]
    assert (bo.id, acme.id, "mine") == (own["user_id"], own["team_id"], own["name"])
    programs = (await script.ask("POST", path, {"user_id": bot.id}, token=owner)).json()["data"]
    assert bot.id == programs["user_id"]
    seen = [
        [key["id"] for key in (await script.ask("GET", path, token=token)).json()["data"]["keys"]]
        for token in (owner, member)
    ]
    assert [[own["id"], programs["id"]], [own["id"]]] == seen
    for body, token, status in (
        ({"user_id": bo.id}, owner, 403),
        ({"user_id": bot.id}, member, 403),
        ({"user_id": 10**6}, owner, 404),
    ):
        assert status == (await script.refused("POST", path, body, token=token))[0]
    rotate = f"{path}/{own['id']}/rotate"
    assert 403 == (await script.refused("POST", rotate, {}, token=owner))[0]
    other = (await script.ask("POST", rotate, {"overlap_s": 60}, token=member)).json()["data"]
    assert (own["id"], True) == (other["id"], other["former_until"] is not None)
    assert other["key"] != own["key"]
    assert 404 == (await script.refused("DELETE", f"{path}/{programs['id']}", token=member))[0]
    ended = await script.ask("DELETE", f"{path}/{own['id']}", token=owner)
    assert ended.json()["data"]["revoked"]
    status, said = await script.refused("POST", rotate, {}, token=member)
    assert (409, "the key is revoked, which is for good") == (status, said)


async def test_they_come_by_the_page(script):
    """All for who manages them, of one user where one is named; else one's own, and nobody else's
    by asking for them.
    """
    console = script.console
    acme = await console.teams.create("acme", owner_id=script.ada.id)
    bo = await console.identity.create_user("bo", "bo@example.org")
    await console.teams.put_member(acme.id, bo.id, TeamRole.MEMBER)
    bot = await console.teams.create_service(acme.id, "bot")
    made = {
        who.name: [
            (await console.identity.create_key(who.name, team=acme.name))[0].id for _ in "12"
        ]
        for who in (bo, bot)
    }
    owner, member = [await script.made_token(who, TEAMS) for who in (script.ada.id, bo.id)]
    path = f"/api/admin/teams/{acme.id}/keys"

    async def listed(query, token):
        data = (await script.ask("GET", f"{path}?{query}", token=token)).json()["data"]
        return [key["id"] for key in data["keys"]], data["after"]

    first, after = await listed("limit=3", owner)
    assert (made["bo"] + made["acme/bot"][:1], first[-1]) == (first, after)
    assert (made["acme/bot"][1:], None) == await listed(f"limit=3&after={after}", owner)
    assert (made["acme/bot"], None) == await listed(f"user={bot.id}", owner)
    assert (made["bo"], None) == await listed("limit=3", member)
    assert (made["bo"], None) == await listed(f"user={bo.id}", member)
    status, said = await script.refused("GET", f"{path}?user={bot.id}", token=member)
    assert (403, "user: your role in acme shows you your own keys") == (status, said)
    await script.done("DELETE", f"{path}/{made['bo'][0]}")
    assert (made["bo"][:1], None) == await listed("revoked=true", owner)
    assert (made["bo"][1:], None) == await listed("revoked=false", member)
