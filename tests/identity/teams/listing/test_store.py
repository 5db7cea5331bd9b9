"""What a page of a team costs does not grow with what there is besides."""

import pytest
from sqlalchemy import event

from trivium.identity.service import Identity
from trivium.identity.teams.listing import store
from trivium.identity.teams.model import DEPTH_MAX, TeamRole
from trivium.identity.teams.service import Teams


@pytest.mark.asyncio
async def test_a_search_takes_marks_as_they_are(database, clock):
    """A per cent sign matches itself alone."""
    identity, teams = Identity(database, clock), Teams(database, clock)
    acme = await teams.create("acme")
    for name in ("a%b", "axb"):
        user = await identity.create_user(name, f"{name[0]}{ord(name[1])}@example.com")
        await teams.put_member(acme.id, user.id, TeamRole.MEMBER)
    async with database.read() as conn:
        assert ["a%b"] == [who.name for _, who in await store.members(conn, acme.id, "%", 0, 9)]
        assert [] == await store.by_name(conn, "%", "", 9)


@pytest.mark.asyncio
async def test_a_chain_reads_its_teams_alone(database, clock):
    """As many statements as levels, whatever there is beside them."""
    teams = Teams(database, clock)
    at = None
    for level in range(DEPTH_MAX):
        at = (await teams.create(f"t{level}", None if at is None else at.id)).id and (
            await teams.find("/".join(f"t{each}" for each in range(level + 1)))
        )
    for number in range(20):
        await teams.create(f"beside{number}")
    statements = []

    def told(conn, cursor, statement, *_):
        statements.append(statement)

    async with database.read() as conn:
        engine = conn.sync_connection.engine
        event.listen(engine, "before_cursor_execute", told)
        try:
            found = await store.chain(conn, at.id)
        finally:
            event.remove(engine, "before_cursor_execute", told)
    assert DEPTH_MAX == len(found)
    assert DEPTH_MAX == sum("teams" in each for each in statements)
