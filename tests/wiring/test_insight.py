"""What the admin API sees of a worker, over a gateway that was put together."""

import asyncio
import json

import pytest

from end_to_end.running import ANSWER, settings
from scripted_upstream import Double, Send, sized
from trivium.clock import SystemClock
from trivium.identity.revocation import ActLog
from trivium.oauth.admin.service import AdminTokens
from trivium.observe.audit.service import Audit
from trivium.settings.workloads import AdminScope
from trivium.storage.database import Database
from wiring.serving import serving, sqlite

JSON = b"Content-Type: application/json\r\n"
OK = [Send(sized(ANSWER, headers=JSON))]
BROKEN = [Send(sized(b"{}", status=b"500 Internal Server Error", headers=JSON))]


async def token(folder):
    """The secret of a token that may look."""
    database, clock = Database(sqlite(folder)), SystemClock()
    try:
        acts = ActLog(Audit(database, clock))
        made = AdminTokens(database, clock).create("look", frozenset({AdminScope.READ}), acts)
        return (await made)[1]
    finally:
        await database.close()


@pytest.mark.asyncio
async def test_a_worker_is_seen_as_it_is(tmp_path):
    """Its parts and numbers, what rests and why, and each setting's line; by a machine's token."""
    async with Double([OK, *[BROKEN] * 2]) as vendor:
        text = settings(
            vendor, rest="[metrics]\nenabled = true\ntoken = 's3cret'\n[routing]\nfailures = 2\n"
        )
        async with serving(tmp_path, text) as gateway:
            assert [200, 502, 502] == [(await gateway.chat())[0] for _ in range(3)]
            gateway.key = await token(tmp_path)

            async def told(path):
                status, _, body = await gateway.get(f"/api/admin/{path}")
                assert 200 == status, body
                return json.loads(body)["data"]

            health = await told("health")
            assert ("ok", True) == (health["status"], health["parts"]["database"])
            assert (1, 1) == (health["workers"]["trivium_workers"], health["worker"]["running"])
            rests = []
            for _ in range(50):  # it is noted within two seconds
                (channel,) = (await told("health/channels"))["channels"]
                if rests := channel["rests"]:
                    break
                await asyncio.sleep(0.1)
            assert [("upstream_broke", "resting")] == [
                (rest["fault"], rest["state"]) for rest in rests
            ]
            lost = []
            for _ in range(50):  # records are written behind
                lost = (await told("requests?failed=true"))["requests"]
                if len(lost) == 2:
                    break
                await asyncio.sleep(0.1)
            why = [{"channel": "main", "why": "upstream_broke"}]
            assert [why, why] == [one["failed"] for one in lost]
            assert [] == (await told("health/identities"))["identities"]
            rows = {one["name"]: one for one in (await told("settings"))["settings"]}
            line = text_line(gateway.path, "failures = 2")
            assert rows["routing.failures"]["origin"].endswith(f"trivium.toml:{line}")


def text_line(path, wanted):
    """Where a line stands in a file."""
    return path.read_text().splitlines().index(wanted) + 1
