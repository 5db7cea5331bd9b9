"""What pages ask of a worker is answered by what is in force there."""

import asyncio
import json
from types import SimpleNamespace

import pytest

from end_to_end.running import ANSWER, settings
from gateway import Gateway
from pipeline.test_health_probe import OK, refusal
from scripted_upstream import Double, Send, sized
from trivium.clock import FixedClock, SystemClock
from trivium.console.gateway import ChannelTestError, InFlight
from trivium.identity.revocation import ActLog
from trivium.oauth.admin.service import AdminTokens
from trivium.observe.audit.service import Audit
from trivium.settings.workloads import AdminScope
from trivium.storage.database import Database
from trivium.wiring.gateway import GatewayParts, gateway_state
from wiring.serving import serving, sqlite

pytestmark = pytest.mark.asyncio
IDLE = SimpleNamespace(client=None, composer=None, clock=FixedClock())
"""Services that nobody asks."""


def parts(services, listeners=(), metrics=None):
    """A worker of which only this is asked."""
    unasked = dict.fromkeys(("settings", "database", "reader", "parts", "ledger"))
    return GatewayParts(services=services, listeners=listeners, metrics=metrics, **unasked)


async def test_a_channel_is_tested_with_each_of_its_keys():
    """Keys are counted from one; one that there is not, and one without a model, say so."""
    async with (
        Double([OK, refusal(b"401 Unauthorized")]) as vendor,
        Gateway.to(("openai", vendor), keys=("sk-one", "sk-two"), upstream_model="up") as gateway,
    ):
        state = gateway_state(parts(gateway.services))
        assert ["openai-0"] == [channel.name for channel in state.channels()]
        well, refused = await state.tried("openai-0", None)
        assert (1, 200, "", "up") == (well.key, well.status, well.fault, well.upstream_model)
        assert (2, 401, "upstream_credential") == (refused.key, refused.status, refused.fault)
        assert refused.message
        with pytest.raises(ChannelTestError, match="there is no channel none"):
            await state.tried("none", None)
        assert [] == list(state.identities())


async def test_what_runs_is_counted_without_the_page_that_asks():
    """Of this worker alone, or of all where somebody knows of the others."""
    lines = [SimpleNamespace(busy=busy) for busy in (True, True, False, True)]
    listener = SimpleNamespace(connections=lines)
    state = gateway_state(parts(IDLE, [listener]))
    assert InFlight(requests=2, workers=1) == state.in_flight()
    metrics = SimpleNamespace(running=lambda: (9, 4))
    assert (
        InFlight(requests=8, workers=4) == gateway_state(parts(IDLE, metrics=metrics)).in_flight()
    )
    idle = SimpleNamespace(running=lambda: (0, 4))
    assert 0 == gateway_state(parts(IDLE, metrics=idle)).in_flight().requests


JSON = b"Content-Type: application/json\r\n"
WELL = [Send(sized(ANSWER, headers=JSON))]
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


async def test_a_worker_is_seen_as_it_is(tmp_path):
    """Its parts and numbers, what rests and why, and each setting's line; by a machine's token."""
    async with Double([WELL, *[BROKEN] * 2]) as vendor:
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
