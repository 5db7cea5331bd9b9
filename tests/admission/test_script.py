"""The scripts on a real server: the same as in memory, for several workers, and without leaks."""

import asyncio
import contextlib

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from trivium.admission import script
from trivium.admission.meter import Meter, Subject
from trivium.admission.script import NOW, SCRIPTS, ScriptedWindows
from trivium.admission.service import Admission
from trivium.admission.shared import Unreachable
from trivium.clock import SystemClock
from trivium.faults import Fault
from trivium.settings.limits import RateLimits
from trivium.shared import state as state_module
from trivium.shared.connection import parse
from trivium.shared.state import LIMIT_S, SharedState
from valkey_server import reached

READ = "local now = tonumber(redis.call('GET', 'now') or '0')\n"
"""A clock that a test sets."""

LIMIT = st.one_of(st.none(), st.integers(1, 30))
STEPS = st.lists(
    st.tuples(st.floats(0, 100), st.integers(0, 30), st.integers(-30, 200), st.booleans()),
    min_size=1,
    max_size=25,
)


@contextlib.asynccontextmanager
async def windows(server, scripts=SCRIPTS, limit_s=5.0):
    """``limit_s``: patient with a busy machine, but where the limit itself is looked at."""
    state = SharedState(parse(server.url), scripts, limit_s=limit_s)
    await reached(state)
    try:
        yield ScriptedWindows(state)
    finally:
        state.close()
        await asyncio.sleep(0)


@given(limits=st.builds(RateLimits, LIMIT, LIMIT, LIMIT), steps=STEPS)
@example(  # given back after a refusal in the next minute, when more had been used than allowed
    limits=RateLimits(None, 1, None),
    steps=[(0.0, 1, 5, True), (0.0, 1, 0, False), (20.0, 1, 0, False), (20.0, 1, -1, True)],
)
@example(
    limits=RateLimits(None, 2, None),
    steps=[(0.0, 2, 9, True), (59.0, 0, 0, False), (60.0, 2, 0, False), (20.0, 2, -1, True)] * 3,
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_script_and_the_meter_are_twins(valkey, limits, steps):
    """Every decision and every counter, through any sequence of entering, leaving and waiting."""
    asyncio.run(compare(valkey, limits, steps))


async def compare(valkey, limits, steps):
    valkey.ask("FLUSHALL")
    told = tuple(text.replace(NOW, READ) for text in SCRIPTS)
    async with windows(valkey, told) as shared:
        twin, at, inside = Meter(Subject.KEY, "key:7", limits), 1_000_000.0, []
        for number, (gap, wanted, more, leaves) in enumerate(steps):
            at += min(gap, 25) if inside else gap
            tokens = min(wanted, limits.tokens or wanted)
            minute, into = int(at // 60), at - at // 60 * 60
            valkey.ask("SET", "now", repr(at))
            for key in ("trivium:slots:key:7",):
                for member, _ in inside:  # their workers live
                    valkey.ask("ZADD", key, "XX", repr(at + 30), member)
            verdict = await shared.admit(f"r{number}", [twin], tokens)
            fits = twin.fits(minute, into, tokens)
            assert fits is verdict.granted
            if fits:
                twin.take(tokens)
                inside.append((f"r{number}", minute))
            (counts,) = verdict.counts
            assert (twin.requests, twin.requests_before) == (
                counts.requests,
                counts.requests_before,
            )
            assert (twin.tokens, twin.tokens_before) == (counts.tokens, counts.tokens_before)
            assert minute == verdict.minute
            if leaves and inside:
                member, admitted = inside.pop(0)
                shared.leave(member, [twin], admitted, more)
                await shared._state.call(2, [], [script.LEASE_S])  # answered after it
                twin.leave()
                if more and limits.tokens is not None:
                    twin.correct(admitted, minute, more)


def admission(shared):
    return Admission(SystemClock(), shared=shared)


@pytest.mark.asyncio
async def test_two_workers_share_one_limit(valkey, caller, asked):
    """Fifty at once on two workers: as many as the limit, and not one more."""
    async with windows(valkey) as one, windows(valkey) as other:
        workers = [admission(one), admission(other)]
        who = caller(limits=RateLimits(concurrency=7))
        outcomes = await asyncio.gather(
            *(workers[n % 2].ask(*asked(who, request_id=f"r{n}")) for n in range(50)),
            return_exceptions=True,
        )
        given = [each for each in outcomes if not isinstance(each, Fault)]
        assert 7 == len(given)
        given[0].leave(None)
        await asyncio.sleep(0.02)
        again = await workers[1].ask(*asked(who, request_id="again"))
        with pytest.raises(Fault):
            await workers[0].ask(*asked(who, request_id="once more"))
        again.leave(None)


@pytest.mark.asyncio
async def test_a_killed_workers_slots_come_free(valkey, caller, asked, monkeypatch):
    """A slot is a lease: it ends unless somebody renews it."""
    monkeypatch.setattr(script, "LEASE_S", 1)
    async with windows(valkey) as shared:
        who = caller(limits=RateLimits(concurrency=1))
        alive, other = admission(shared), admission(shared)
        given = await alive.ask(*asked(who, request_id="held"))
        for _ in range(4):
            await asyncio.sleep(0.4)
            shared.renew(list(alive.running))
            with pytest.raises(Fault):
                await other.ask(*asked(who, request_id="early"))
        assert [given] == list(alive.running)
        await asyncio.sleep(1.2)  # nobody renews: the worker is dead
        assert await other.ask(*asked(who, request_id="late"))


@pytest.mark.asyncio
async def test_a_caller_that_leaves_while_we_ask_leaves_no_slot(valkey, caller, asked):
    """The question is cancelled, the answer would have been yes."""
    async with windows(valkey) as shared:
        gate = admission(shared)
        who = caller(limits=RateLimits(concurrency=1))
        task = asyncio.create_task(gate.ask(*asked(who, request_id="gone")))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await gate.ask(*asked(who, request_id="next"))


@pytest.mark.asyncio
async def test_what_runs_is_known_again_after_a_restart_with_empty_memory(
    valkey, caller, asked, monkeypatch
):
    """Slots are taken again as soon as the server is back, and windows go on as they stood."""
    monkeypatch.setattr(state_module, "RETRY_S", 0.05)
    state = SharedState(parse(valkey.url), SCRIPTS)
    gate = admission(ScriptedWindows(state))
    state.returned.append(gate.returned)
    await reached(state)
    task = asyncio.create_task(state.run())
    try:
        who = caller(limits=RateLimits(requests=2, concurrency=1))
        given = await gate.ask(*asked(who, request_id="held"))
        with capture_logs():
            valkey.kill()
            while state.is_up:
                await asyncio.sleep(0.01)
            with pytest.raises(Fault):  # the memory knows that one is running
                gate.admit(*asked(who, request_id="alone"))
            valkey.start()
            while not state.is_up:
                await asyncio.sleep(0.01)
        with pytest.raises(Fault):
            await gate.ask(*asked(who, request_id="second"))
        given.leave(None)
        assert await gate.ask(*asked(who, request_id="third"))
        with pytest.raises(Fault):  # the first counts still
            await gate.ask(*asked(who, request_id="fourth"))
    finally:
        task.cancel()
        state.close()
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def workers(server, count):
    """Whole workers' admissions, each with a connection of its own that comes back."""
    async with contextlib.AsyncExitStack() as stack:
        found = []
        for _ in range(count):
            state = SharedState(parse(server.url), SCRIPTS)
            gate = Admission(SystemClock(), shared=ScriptedWindows(state))
            state.returned.append(gate.returned)
            await reached(state)
            task = asyncio.create_task(state.run())
            stack.callback(state.close)
            stack.callback(task.cancel)
            found.append((gate, state))
        yield found
        await asyncio.sleep(0)


async def let_in(gate, arguments):
    try:
        return gate.admit(*arguments) or await gate.ask(*arguments)
    except Fault:
        return None


async def away(server, found, how):
    getattr(server, how)()
    for gate, state in found:
        with contextlib.suppress(Unreachable):
            await ScriptedWindows(state).admit("probe", [], 0)
        assert not gate._shared.is_up


async def back(server, found, how):
    server.start() if how == "kill" else server.thaw()
    for _, state in found:
        while not state.is_up:
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("how", ["kill", "freeze"])
@pytest.mark.asyncio
async def test_the_minute_of_an_outage_is_counted_by_all(valkey, caller, asked, monkeypatch, how):
    """What was let in before it and what each worker let in alone: nobody gets more afterwards."""
    monkeypatch.setattr(state_module, "RETRY_S", 0.05)
    await later_in_the_minute()
    who = caller(limits=RateLimits(requests=30, tokens=3_000))
    async with workers(valkey, 3) as found:
        with capture_logs():
            got = [await let_in(found[n % 3][0], asked(who, request_id=f"b{n}")) for n in range(12)]
            assert all(got)
            await away(valkey, found, how)
            for number, (gate, _) in enumerate(found):
                for n in range(5):
                    given = await let_in(gate, asked(who, request_id=f"a{number}-{n}"))
                    assert given
                    given.leave(20)
            await back(valkey, found, how)
        # 12 before, 15 alone
        more = [await let_in(found[n % 3][0], asked(who, request_id=f"c{n}")) for n in range(15)]
        assert 3 == len([given for given in more if given])
        meter = next(iter(found[1][0]._meters.values()))
        await let_in(found[1][0], asked(who, request_id="look"))
        assert 12 * 20 + 15 * 20 + 3 * 20 == meter.tokens


@pytest.mark.parametrize("how", ["kill", "freeze"])
@pytest.mark.asyncio
async def test_no_slot_leaks_through_an_outage(valkey, caller, asked, monkeypatch, how):
    """Of requests that began before it, during it, or when it began; whenever they ended."""
    monkeypatch.setattr(state_module, "RETRY_S", 0.05)
    who = caller(limits=RateLimits(concurrency=4))
    async with workers(valkey, 2) as found:
        (gate, _), (other, _) = found
        with capture_logs():
            before = [await let_in(gate, asked(who, request_id=f"b{n}")) for n in range(2)]
            getattr(valkey, how)()
            between = await let_in(gate, asked(who, request_id="between"))
            await away(valkey, found, how)
            alone = await let_in(gate, asked(who, request_id="alone"))
            assert all([*before, between, alone])
            before[0].leave(None)
            await back(valkey, found, how)
        # three of four run
        assert (True, False) == tuple(
            [bool(await let_in(other, asked(who, request_id=f"o{n}"))) for n in range(2)]
        )
        for given in (before[1], between, alone):
            given.leave(None)
        await asyncio.sleep(0.02)
        after = [await let_in(other, asked(who, request_id=f"p{n}")) for n in range(4)]
        assert [True, True, True, False] == [bool(given) for given in after]


async def later_in_the_minute():
    """Not so close to its end that it turns in the middle of a test."""
    left = 60 - SystemClock().now() % 60
    if left < 8:
        await asyncio.sleep(left + 0.1)


@pytest.mark.asyncio
async def test_a_frozen_server_is_waited_for_once_and_then_limits_hold_alone(valkey, caller, asked):
    """Fifty milliseconds, then this worker's own windows, which go on from the shared ones."""
    async with windows(valkey, limit_s=LIMIT_S) as shared:
        gate = admission(shared)
        who = caller(limits=RateLimits(requests=2))
        await gate.ask(*asked(who))
        valkey.freeze()
        with capture_logs() as logs:
            assert gate.admit(*asked(who)) is None
            assert await gate.ask(*asked(who))
            with pytest.raises(Fault):
                gate.admit(*asked(who))
            with pytest.raises(Unreachable):
                await shared.admit("r", [], 0)
        assert ["shared_state_away"] == [line["event"] for line in logs]
        valkey.thaw()
