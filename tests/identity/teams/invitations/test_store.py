"""Rows of invitations, on both engines."""

import pytest

from trivium.identity.teams.invitations import store
from trivium.identity.teams.invitations.model import TeamInvitation
from trivium.identity.teams.model import Team, TeamRole
from trivium.identity.teams.store import insert_team


@pytest.mark.asyncio
async def test_one_is_used_once(database):
    """Whoever claims it first; neither after its time nor after its end."""
    async with database.write() as conn:
        team = await insert_team(conn, Team(id=0, name="acme", title="acme"), 1)

        async def made(digest, **more):
            invitation = TeamInvitation(
                id=0, team_id=team, role=TeamRole.MEMBER, invited_by=None, created_at=10,
                **{"email": "a@x.org", "expires_at": 20, **more},
            )  # fmt: skip
            return await store.put(conn, invitation, digest)

        first, second = await made(b"1"), await made(b"2", email="b@x.org")
        assert [first, second] == [each.id for each in await store.of_team(conn, team, 19)]
        assert [] == await store.of_team(conn, team, 20)
        assert 2 == await store.count_since(conn, team, 10)
        assert 0 == await store.count_since(conn, team, 11)
        assert first == (await store.find(conn, b"1", 19)).id
        assert await store.find(conn, b"1", 20) is None
        assert await store.claim(conn, b"1", 20) is None
        assert first == (await store.claim(conn, b"1", 19)).id
        assert await store.claim(conn, b"1", 19) is None
        assert 0 == await store.end(conn, team + 1, 19, invitation_id=second)
        assert 1 == await store.end(conn, team, 19, email="b@x.org")
        assert 0 == await store.end(conn, team, 19, invitation_id=second)
