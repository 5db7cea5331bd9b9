"""A member who moves to another team in the middle of a stream: what was begun is billed where it
was begun, and what comes next to where they are now, whichever worker serves it.
"""

import asyncio

import msgspec
import pytest
from sqlalchemy import text

from end_to_end.running import ANSWER, database, identity, running
from scripted_upstream import Double, Send, Until, chunked, sized
from trivium.clock import SystemClock
from trivium.identity.teams.model import TeamRole, team_scope
from trivium.identity.teams.service import Teams
from trivium.settings.budget import Budget, Period
from waiting import within

WITHIN_S = 2.0
"""Within which every worker knows of a change."""
SHARED = '[shared]\nurl = "valkey://127.0.0.1:6379"\n'
PRICED = """
[[models]]
name = "m"
price = { input = "1000", output = "1000" }
[[models.bindings]]
channel = "main"
"""
OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
SSE = b"Content-Type: text/event-stream\r\n"
FIRST = b'data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"Ho"},"finish_reason":null}]}\n\n'
LAST = (
    b'data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    b'data: {"id":"c1","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}\n\n'
    b"data: [DONE]\n\n"
)
STREAM = chunked(FIRST, LAST, headers=SSE)
CUT = STREAM.index(FIRST) + len(FIRST) + 2
ENTRIES = "SELECT user_id, amount_nanos, detail FROM entries WHERE kind = 'usage' ORDER BY id"


class Company:
    """Two teams with a balance and a budget each, and a member who has a key for one at a time."""

    def __init__(self, db, people):
        self.db, self.people = db, people
        self.teams = Teams(db, SystemClock())

    async def found(self):
        self.acme = await self.teams.create("acme")
        self.ids = {}
        for name in ("old", "new"):
            team = await self.teams.create(name, self.acme.id, has_wallet=True)
            budget = Budget(amount_nanos=10**12, period=Period.MONTH, scope=team_scope(team.id))
            await self.teams.set_budget(team.id, budget)
            await self.teams.change(team.id, {"unlimited": True})
            self.ids[name] = team.id
        self.ada = (await self.people.find_user("ada")).id
        return await self.join("old")

    async def join(self, name):
        """The secret of a key for the team of which she is a member from now on."""
        await self.teams.put_member(self.ids[name], self.ada, TeamRole.MEMBER)
        return (await self.people.create_key("ada", team=f"acme/{name}"))[1]

    async def entries(self):
        """Whose account each entry is of, and the scopes that it counted against."""
        async with self.db.read() as conn:
            found = (await conn.execute(text(ENTRIES))).all()
        names = {team_id: name for name, team_id in self.ids.items()}
        return [
            (names[row.user_id], row.amount_nanos < 0, team_scope(row.user_id) in row.detail)
            for row in found
            if msgspec.json.decode(row.detail)
        ]


@pytest.mark.asyncio
async def test_a_stream_is_billed_to_the_team_it_began_for(tmp_path):
    """Through to its end, with its usage; from then on the former key is refused by both workers,
    and the new one is billed to the new team.
    """
    moved = asyncio.Event()
    script = [Send(STREAM[:CUT]), Until(moved), Send(STREAM[CUT:])]
    async with (
        Double([script, OK]) as vendor,
        running(tmp_path, vendor, server="workers = 2", rest=SHARED + PRICED, models=()) as gateway,
        database(tmp_path) as db,
        identity(tmp_path) as people,
    ):
        company = Company(db, people)
        old = await company.found()
        lines = [await gateway.wire() for _ in range(12)]

        async def statuses(raw):
            """Over connections to either worker."""
            for line in lines[1:]:
                await line.send(raw)
            return {(await line.answer())[0] for line in lines[1:]}

        async def only(status, key):
            """Wait until every worker answers so, without a request that costs anything."""
            raw = gateway.get("/v1/models", f"Authorization: Bearer {key}")

            async def comes():
                return {status} == await statuses(raw)

            await within(WITHIN_S, comes)

        await only(200, old)
        await lines[0].send(gateway.chat(key=old, stream=True))
        while not vendor.requests:
            await asyncio.sleep(0.01)
        await company.teams.remove_member(company.ids["old"], company.ada)
        new = await company.join("new")

        await only(401, old)
        await only(200, new)
        moved.set()
        status, _, body = await lines[0].answer()
        assert 200 == status
        assert body.endswith(b"data: [DONE]\n\n")

        assert {200} == await statuses(gateway.chat(key=new))

        async def booked():
            found = await company.entries()
            return 1 + len(lines[1:]) <= len(found)

        await within(10, booked)
        found = await company.entries()
        assert ("old", True, True) in found
        assert 1 == sum(name == "old" for name, _, _ in found), "the stream, and nothing else"
        assert {("old", True, True), ("new", True, True)} == set(found)
        for line in lines:
            await line.close()
