"""Two workers and a real server: what one finds, the other knows; and one of them probes."""

import asyncio
import contextlib

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.routing.channel_health import HealthKey
from trivium.routing.health import Health
from trivium.routing.model import Step
from trivium.routing.shared_breakers import SCRIPTS, SharedBreakers, accounts
from trivium.secret import Secret
from trivium.settings.model import RoutingSettings
from trivium.shared.connection import parse
from trivium.shared.state import SharedState
from trivium.wire.operation import Operation
from valkey_server import reached
from waiting import quickest

RULES = RoutingSettings(failures=1, cooldown_s=30, cooldown_max_s=60)
BROKE = Fault(Kind.UPSTREAM_BROKE, "x")
REVOKED = Fault(Kind.UPSTREAM_CREDENTIAL, "x")
UP = HealthKey("a", 0, "up")


class Worker:
    """Health and its side of the sharing. Its clock goes faster when ``ahead`` is raised."""

    def __init__(self, url, channels, rules=RULES):
        self.ahead = 0.0
        self.logged = []
        self.channels = channels
        self.health = Health(self.now, rules, told=self.logged.append)
        self.state = SharedState(parse(url), SCRIPTS)
        self.sharing = SharedBreakers(self.state, 0, self.health, self.channels.get, self.now)
        self.health.peers = self.sharing
        self.health.watchers.append(self.sharing)
        self.state.returned.append(self.sharing.returned)

    def now(self):
        return asyncio.get_running_loop().time() + self.ahead

    async def sync(self):
        """What the background does four times a second."""
        await self.sharing.sync()

    def step(self, name="a"):
        """Stands for the model's one binding at a channel."""
        return self.steps[name]


@contextlib.asynccontextmanager
async def workers(url, bind, *, count=2, keys=1, order=None, rules=RULES):
    """So many workers of one configuration; ``order`` turns the credentials of the second."""
    found = []
    for number in range(count):
        names = [f"k{i}" for i in range(keys)]
        binding = bind("a")
        secrets = order if order and number else names
        channel = msgspec.structs.replace(
            binding.channel, credentials=tuple(Secret(name) for name in secrets)
        )
        worker = Worker(url, {"a": channel}, rules)
        step = msgspec.structs.replace(binding, channel=channel)
        worker.steps = {"a": Step(binding=step, operation=Operation.CHAT, why="priority 0")}
        await reached(worker.state)
        found.append(worker)
    try:
        yield found
    finally:
        for worker in found:
            worker.state.close()
        await asyncio.sleep(0)


async def settled(*all_of):
    """Everybody has told and everybody has looked, twice over."""
    for _ in range(2):
        for worker in all_of:
            await worker.sync()


def usable(worker):
    return worker.health.standing(worker.step()).usable


@pytest.mark.asyncio
async def test_what_one_worker_finds_broken_all_leave_alone(valkey, bind):
    """With the fault, the vendor's word and the same end, and one log line in all."""
    async with workers(valkey.url, bind) as (one, two):
        one.health.failed(UP, Fault(Kind.UPSTREAM_RATE_LIMITED, "x", retry_after=120))
        await settled(two)
        (mine,), (theirs,) = one.health.open().values(), two.health.open().values()
        assert (mine.trips, mine.told, mine.why) == (theirs.trips, theirs.told, theirs.why)
        assert abs(mine.until - theirs.until) < 0.1
        assert (1, 0) == (len(one.logged), len(two.logged))


@pytest.mark.asyncio
async def test_a_disabled_credential_is_known_by_itself_not_by_its_place(valkey, bind):
    """Two nodes may list the keys of an account in another order."""
    async with workers(valkey.url, bind, keys=2, order=["k1", "k0"]) as (one, two):
        one.health.failed(UP, REVOKED)
        await settled(two)
        assert [HealthKey("a", 1, "")] == list(two.health.open())
        assert 0 == two.health.credential(two.channels["a"], "up")


@pytest.mark.asyncio
async def test_a_credential_that_was_replaced_begins_anew(valkey, bind):
    """What the old one did at the same place says nothing of it."""
    async with workers(valkey.url, bind, order=["fresh"]) as (one, two):
        one.health.failed(UP, REVOKED)
        await settled(two)
        assert {} == two.health.open()


@pytest.mark.asyncio
async def test_exactly_one_of_many_workers_probes(valkey, bind):
    """And when the probe is answered, all are back."""
    rules = RoutingSettings(failures=1, cooldown_s=0.05)
    async with workers(valkey.url, bind, count=5, rules=rules) as all_of:
        all_of[3].health.failed(UP, BROKE)
        await settled(*all_of)
        await asyncio.sleep(0.06)
        assert [False] * 5 == [usable(worker) for worker in all_of]
        await asyncio.gather(*(worker.sync() for worker in all_of))
        (chosen,) = [worker for worker in all_of if usable(worker)]
        chosen.health.claim(UP)
        for _ in range(3):
            await settled(*all_of)
            assert [] == [worker for worker in all_of if usable(worker)]
        chosen.health.succeeded(UP)
        await settled(*all_of)
        assert [{}] * 5 == [worker.health.open() for worker in all_of]


@pytest.mark.asyncio
async def test_a_failed_probe_has_all_wait_for_twice_as_long(valkey, bind):
    """Whoever probed."""
    rules = RoutingSettings(failures=1, cooldown_s=0.05)
    async with workers(valkey.url, bind, rules=rules) as (one, two):
        one.health.failed(UP, BROKE)
        await asyncio.sleep(0.06)
        await two.sync()
        await two.sync()
        two.health.claim(UP)
        two.health.failed(UP, BROKE)
        await settled(one)
        assert 2 == one.health.open()[UP].trips
        assert abs(two.health.open()[UP].until - one.health.open()[UP].until) < 0.05


@pytest.mark.asyncio
async def test_a_probe_that_says_nothing_lets_another_worker_probe(valkey, bind):
    """Its caller left, say."""
    rules = RoutingSettings(failures=1, cooldown_s=0.05)
    async with workers(valkey.url, bind, rules=rules) as (one, two):
        one.health.failed(UP, BROKE)
        await asyncio.sleep(0.06)
        await one.sync()
        assert usable(one)
        one.health.claim(UP)
        await settled(two)
        assert not usable(two)
        one.health.left(UP)
        await settled(two)
        assert usable(two)
        assert not usable(one)


@pytest.mark.asyncio
async def test_a_permit_that_finds_no_request_goes_on(valkey, bind, monkeypatch):
    """A worker without callers keeps nobody from probing, and the two never overlap."""
    monkeypatch.setattr("trivium.routing.shared_breakers.PERMIT_S", 0.2)
    monkeypatch.setattr("trivium.routing.shared_breakers.SPARE_S", 0.1)
    rules = RoutingSettings(failures=1, cooldown_s=0.01)
    async with workers(valkey.url, bind, rules=rules) as (one, two):
        one.health.failed(UP, BROKE)
        await settled(two)
        await asyncio.sleep(0.02)
        had = set()
        for _ in range(40):
            await asyncio.gather(one.sync(), two.sync())
            assert usable(one) + usable(two) <= 1
            had |= {worker for worker in (one, two) if usable(worker)}
            await asyncio.sleep(0.02)
        assert {one, two} == had


@pytest.mark.asyncio
async def test_settings_read_again_are_everybodys_fresh_start(valkey, bind):
    """A credential was paid for: one worker that hears of it is enough."""
    async with workers(valkey.url, bind) as (one, two):
        one.health.failed(UP, REVOKED)
        await settled(two)
        two.health.forget()
        await settled(one)
        assert ({}, {}) == (one.health.open(), two.health.open())


@pytest.mark.asyncio
async def test_what_is_found_while_an_answer_is_on_its_way_is_kept(valkey, bind):
    """The answer is older than the finding and does not know it."""
    async with workers(valkey.url, bind) as (one, two):
        two.health.failed(HealthKey("a", 0, "other"), BROKE)
        look = asyncio.ensure_future(one.sync())
        await asyncio.sleep(0)
        one.health.failed(UP, BROKE)
        await look
        assert {UP, HealthKey("a", 0, "other")} == set(one.health.open())
        await settled(one, two)
        assert {UP, HealthKey("a", 0, "other")} == set(one.health.open()) == set(two.health.open())


@pytest.mark.asyncio
async def test_without_the_state_each_worker_probes_for_itself(valkey, bind):
    """Frozen: no request waits, and all rests end as they would."""
    rules = RoutingSettings(failures=1, cooldown_s=0.05)
    async with workers(valkey.url, bind, rules=rules) as (one, two):
        one.health.failed(UP, BROKE)
        await settled(two)
        valkey.freeze()

        async def failed():
            one.health.failed(UP, BROKE)

        await quickest(0.02, failed)
        await asyncio.gather(one.sync(), two.sync())
        assert (False, False) == (one.state.is_up, two.state.is_up)
        assert (True, True) == (usable(one), usable(two))
        one.health.claim(UP)
        one.health.succeeded(UP)
        assert [UP] == list(two.health.open())


@pytest.mark.asyncio
async def test_a_state_that_comes_back_empty_is_told_again(valkey, bind, monkeypatch):
    """Nothing that any worker knows is lost, and nobody takes emptiness for health."""
    monkeypatch.setattr("trivium.shared.state.RETRY_S", 0.05)
    async with workers(valkey.url, bind) as (one, two):
        one.health.failed(UP, BROKE)
        await settled(two)
        valkey.kill()
        await asyncio.sleep(0.05)
        two.health.failed(HealthKey("a", 0, "later"), BROKE)
        valkey.start()
        for worker in (two, one):
            await reached(worker.state)
        await settled(one, two)
        assert {UP, HealthKey("a", 0, "later")} == set(one.health.open()) == set(two.health.open())


@pytest.mark.asyncio
async def test_a_rest_that_nobody_ended_is_forgotten_in_time(valkey, bind, monkeypatch):
    """Names that no configuration has any more do not stay for ever."""
    async with workers(valkey.url, bind) as (one, _):
        stale = "gone\nmark\nm"
        valkey.ask("HSET", "trivium:breakers", stale, "1:1000:1:0:upstream_broke")
        one.health.failed(UP, BROKE)
        await one.sync()
        assert b"gone" not in valkey.ask("HKEYS", "trivium:breakers")


def test_a_keyless_channel_has_one_account(bind):
    """An engine without a credential."""
    channel = bind("a").channel
    assert ("none",) == accounts(msgspec.structs.replace(channel, credentials=()))


@pytest.mark.asyncio
async def test_a_turn_is_one_workers_of_all(valkey, bind):
    """Until it is over; without the state it is everybody's."""
    async with workers(valkey.url, bind, count=3) as all_of:

        async def turns():
            return sum(await asyncio.gather(*(worker.sharing.turn("x", 0.1) for worker in all_of)))

        assert (1, 0) == (await turns(), await turns())
        await asyncio.sleep(0.12)
        assert 1 == await turns()
        valkey.kill()
        await asyncio.sleep(0.05)
        assert 3 == await turns()


@pytest.mark.asyncio
async def test_what_another_version_wrote_is_passed_over(valkey, bind):
    """Nodes are updated one after another: what one cannot read must not end its keeping up."""
    async with workers(valkey.url, bind) as (one, two):
        valkey.ask("HSET", "trivium:breakers", "b\nold", "1:soon", "", "7")
        one.health.failed(UP, BROKE)
        await settled(one, two)
        assert [UP] == list(two.health.open())
        assert two.state.is_up
