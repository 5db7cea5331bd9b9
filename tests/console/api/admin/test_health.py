"""How the gateway stands, over the API: its parts, its channels, their identities."""

from types import SimpleNamespace

import pytest
import pytest_asyncio

from console.api.admin.calling import Script
from console.visiting import SeenWorker
from trivium.console import channel_tests
from trivium.console.gateway import ChannelTestError, ChannelTrial, GatewayState
from trivium.routing.overview import ChannelOverview, RestOverview
from trivium.settings.model import Settings
from trivium.upstream.vendor_identity import VendorIdentity

PATH = "/api/admin/health"

pytestmark = pytest.mark.asyncio


def channel(name, *rests):
    """A channel, and what of it rests."""
    return ChannelOverview(
        channel=name, provider="openai", host="api:443", keys=1, models=["m"], rests=list(rests)
    )


def rest(until):
    """A rest until a moment."""
    return RestOverview(
        key=1,
        upstream_model=None,
        fault="upstream_broke",
        named_by_vendor=False,
        until=until,
        openings=2,
    )


@pytest.fixture
def seen():
    """What can be seen of the worker."""
    return SeenWorker(Settings())


@pytest_asyncio.fixture
async def watching(database, seen):
    """A script beside it."""
    async with Script.over(database, seen=seen) as made:
        yield made


async def test_the_parts_are_told(watching, seen):
    """As `/readyz` has them, with numbers."""
    seen.parts["database"] = False
    found = await watching.done("GET", PATH)
    assert {"accepting": True, "database": False} == found["parts"]
    assert ({"running": 1}, None, 7) == (found["worker"], found["workers"], found["started_at"])


async def test_channels_are_told_with_what_rests(watching, seen):
    """By name, in pages, only those that rest where that is asked; a rest that is over waits for a
    probe.
    """
    now = int(watching.console.clock.at)
    seen.channels = [channel("b", rest(now + 60)), channel("a"), channel("c", rest(now - 1))]

    async def names(query=""):
        found = await watching.done("GET", f"{PATH}/channels?{query}")
        return [one["channel"] for one in found["channels"]], found["after"]

    assert (["a", "b", "c"], None) == await names()
    assert (["b", "c"], None) == await names("resting=true")
    assert (["a"], None) == await names("resting=false")
    assert (["a"], "a") == await names("limit=1")
    assert (["b"], "b") == await names("limit=1&after=a")
    found = (await watching.done("GET", f"{PATH}/channels?resting=true"))["channels"]
    states = [one["rests"][0]["state"] for one in found]
    assert ["resting", "waiting for a probe"] == states
    refused = await watching.refused("GET", f"{PATH}/channels?resting=1")
    assert (400, "resting: must be true or false") == refused


async def test_identities_are_told(watching, seen):
    """Whether there is one, and why not."""
    one = VendorIdentity(
        channel="b", source="file", life_s=None, failures=2, why="gone", is_missed=True
    )
    seen.identities = [one]
    (found,) = (await watching.done("GET", f"{PATH}/identities"))["identities"]
    assert ("b", True, "gone") == (found["channel"], found["is_missed"], found["why"])


async def test_a_channel_is_tested(database):
    """Whether each key would have served, in words; bounded, and named where it cannot be asked."""
    asked = []

    async def tried(name, model):
        asked.append((name, model))
        if name == "idle":
            raise ChannelTestError("no model is bound to it")
        of = {"upstream_model": "m-2", "first_byte_ms": 3, "total_ms": 4}
        return (
            ChannelTrial(key=1, status=200, fault="", message="", **of),
            ChannelTrial(key=2, status=401, fault="upstream_credential", message="No.", **of),
        )

    channel_tests._tested_at.clear()
    state = GatewayState(
        channels=lambda: [SimpleNamespace(name=name) for name in ("team/main", "idle")], tried=tried
    )
    async with Script.over(database, gateway=state) as script:
        path = f"{PATH}/channels/team/main/test"
        found = await script.done("POST", path, {"model": "m"})
        assert ("team/main", False, [200, 401]) == (
            found["channel"], found["ok"], [each["status"] for each in found["trials"]]
        )  # fmt: skip
        early = await script.ask("POST", path, {})
        assert (429, "10") == (early.status_code, early.headers["retry-after"])
        idle = await script.ask("POST", f"{PATH}/channels/idle/test", {})
        assert (409, True) == (idle.status_code, "no model is bound" in idle.text)
        assert 404 == (await script.ask("POST", f"{PATH}/channels/other/test", {})).status_code
        wrong = await script.ask("POST", f"{PATH}/channels/idle/test", {"models": "m"})
        assert (400, True) == (wrong.status_code, "models" in wrong.text)
        assert [("team/main", "m"), ("idle", None)] == asked
