"""So many a minute, for all workers together and for each alone when they cannot ask."""

import asyncio
import contextlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trivium.clock import FixedClock
from trivium.oauth.shared_rate_limits import SCRIPTS, Rate, SharedCounters, SharedRate
from trivium.shared.connection import parse
from trivium.shared.state import SharedState
from valkey_server import reached

TIME = "local at = redis.call('TIME')\n"
READ = "local at = {redis.call('GET', 'now'), 0}\n"
"""A clock that a test sets."""
STEPS = st.lists(
    st.tuples(st.sampled_from(["wait", "count", "take"]), st.integers(0, 40)), max_size=30
)


@contextlib.asynccontextmanager
async def sharing(server, scripts=SCRIPTS, workers=2, limit=2):
    """Workers that count together: their rates, and the state of each."""
    states = [SharedState(parse(server.url), scripts, limit_s=5.0) for _ in range(workers)]
    for state in states:
        await reached(state)
    clock = FixedClock()
    try:
        yield (
            [SharedRate(Rate(limit, clock), "token", SharedCounters(state, 0)) for state in states],
            states,
            clock,
        )
    finally:
        for state in states:
            state.close()
        await asyncio.sleep(0)


@pytest.mark.asyncio
async def test_workers_keep_one_limit(valkey):
    """Whichever is asked; subjects do not share, nor do things that are counted."""
    async with sharing(valkey) as ((one, other), states, clock):
        assert None is await one.take("a")
        assert None is await other.take("a")
        for rate in (one, other):
            assert 60 == await rate.take("a") == await rate.wait("a")
            assert None is await rate.wait("b")
        elsewhere = SharedRate(Rate(2, clock), "authorize", SharedCounters(states[0], 0))
        assert None is await elsewhere.take("a")


@pytest.mark.asyncio
async def test_many_at_once_are_counted_one_by_one(valkey):
    """No two of them are both the last that fits."""
    async with sharing(valkey, limit=5) as (rates, _, _):
        taken = await asyncio.gather(*(rate.take("a") for rate in rates * 10))
        assert 5 == taken.count(None)


@pytest.mark.asyncio
async def test_failures_count_for_everybody(valkey):
    """`count` asks nobody whether it fits."""
    async with sharing(valkey) as ((one, other), _, _):
        for _ in range(3):
            await one.count("a")
        assert 60 == await other.wait("a")


@pytest.mark.asyncio
async def test_without_the_shared_state_each_goes_on_with_what_it_has_seen(valkey):
    """Nobody is let in for free, and nobody locked out, because a server is away."""
    async with sharing(valkey) as ((one, other), states, _):
        assert None is await one.take("a")
        for state in states:
            state.close()
        assert [None, 60, 60] == [await one.take("a"), await one.take("a"), await one.wait("a")]
        assert [None, None, 60] == [await other.take("a") for _ in range(3)]
        await other.count("b")
        await other.count("b")
        assert 60 == await other.wait("b")


@pytest.mark.asyncio
async def test_without_anything_to_share_by_memory_counts(clock):
    """A gateway of one worker."""
    rate = SharedRate(Rate(1, clock), "token", None)
    assert [None, 60, 60] == [await rate.take("a"), await rate.take("a"), await rate.wait("a")]
    await rate.count("b")
    assert 60 == await rate.wait("b")


@pytest.mark.asyncio
async def test_nothing_is_kept_longer_than_a_minute(valkey):
    """Nor more of it than is needed."""
    async with sharing(valkey) as ((one, _), _, _):
        for _ in range(5):
            await one.count("a")
        assert b":2" == valkey.ask("LLEN", "trivium:rate:token:a").strip()
        assert 0 < int(valkey.ask("PTTL", "trivium:rate:token:a").strip()[1:]) <= 60_000


@given(steps=STEPS, limit=st.integers(1, 4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_script_and_the_memory_are_twins(valkey, steps, limit):
    """Every answer, through any sequence of steps and waiting."""
    asyncio.run(compare(valkey, steps, limit))


async def compare(valkey, steps, limit):
    valkey.ask("FLUSHALL")
    told = tuple(text.replace(TIME, READ) for text in SCRIPTS)
    assert told != SCRIPTS
    async with sharing(valkey, told, workers=1, limit=limit) as (_, (state,), _):
        now = FixedClock()
        own = Rate(limit, now)
        shared = SharedCounters(state, 0)
        for step, gap in steps:
            now.advance(gap)
            valkey.ask("SET", "now", str(1_000_000 + int(now.monotonic())))
            expected = getattr(own, step)("a")
            assert expected == await shared.ask("twin", "a", limit, step)


@pytest.mark.asyncio
async def test_what_was_counted_alone_counts_for_all_afterwards(valkey):
    """An outage is no way to try twice as often."""
    async with sharing(valkey, limit=4) as ((one, other), states, _):
        valkey.freeze()
        for state in states:
            state.is_up = False
            state._connection.end("a test says so")
        valkey.thaw()
        await one.count("a")
        assert None is await one.take("a")
        assert None is await other.take("a")
        for state in states:
            await reached(state)
        assert None is await other.take("a")
        assert None is not await one.take("a")
