"""Places: how many, who waits, in which order, and that each comes back exactly once."""

import asyncio
import contextlib
import gc

import pytest
from tests.scripted_upstream import Close, Double, Recorder, Send, Stall, Until, sized
from tests.upstream.conftest import ask, limits

from trivium.faults import Fault, Kind

OK = [Send(sized(b"{}"))]


async def settled(client, standing, **expected):
    """Wait until the pool stands like this."""
    async with asyncio.timeout(20):
        while any(getattr(standing(client), name) != value for name, value in expected.items()):
            await asyncio.sleep(0.001)


@pytest.mark.asyncio
async def test_calls_beyond_the_limit_wait_in_order(make_client, standing):
    """First come, first served, over one connection that is handed on."""
    client = make_client(connections_max=1)
    gate = asyncio.Event()
    order = []
    async with Double([[Until(gate), *OK], OK]) as double:
        first = Recorder()
        await client.open(ask(double), first)

        async def later(number):
            sink = Recorder()
            opened = await client.open(ask(double), sink)
            order.append(number)
            assert opened.reused
            await sink.end()

        waiting = []
        for number in range(5):
            waiting.append(asyncio.create_task(later(number)))
            await settled(client, standing, waiting=number + 1)
        assert client.open_now(ask(double), Recorder()) is None
        gate.set()
        await asyncio.gather(*waiting)
        assert list(range(5)) == order
        assert 1 == double.connections
        assert (1, 1, 0) == (standing(client).open, standing(client).idle, standing(client).waiting)


@pytest.mark.asyncio
async def test_waiting_has_a_limit(make_client, standing):
    """Then the caller may try another channel."""
    client = make_client(connections_max=1, wait_s=0.1)
    async with Double([[Stall()]]) as double:
        running = await client.open(ask(double), Recorder())
        with pytest.raises(Fault) as refused:
            await client.open(ask(double), Recorder())
        assert Kind.UPSTREAM_BUSY is refused.value.kind
        assert "within 0.1 s" in refused.value.message
        assert (1, 0) == (standing(client).refused, standing(client).waiting)
        running.abort()
        assert 0 == standing(client).open


@pytest.mark.asyncio
async def test_a_freed_place_lets_the_next_connect(make_client, standing):
    """A connection that ends badly makes room as one that ends well."""
    client = make_client(connections_max=1)
    async with Double([[Stall()], OK]) as double:
        running = await client.open(ask(double), Recorder())
        sink = Recorder()
        task = asyncio.create_task(client.open(ask(double), sink))
        await settled(client, standing, waiting=1)
        running.abort()
        assert not (await task).reused
        await sink.end()
        assert (2, 1) == (double.connections, standing(client).open)


@pytest.mark.asyncio
async def test_who_stops_waiting_loses_nothing_for_others(make_client, standing):
    """Cancelled before, at and after the moment a connection is handed over."""
    client = make_client(connections_max=1)
    async with Double([[Stall()], OK]) as double:
        running = await client.open(ask(double), Recorder())
        sink = Recorder()
        left = [asyncio.create_task(client.open(ask(double), Recorder())) for _ in range(2)]
        stays = asyncio.create_task(client.open(ask(double), sink))
        await settled(client, standing, waiting=3)
        left[0].cancel()
        await asyncio.sleep(0)
        running.abort()
        left[1].cancel()  # it has been granted the place, and does not know yet
        await stays
        await sink.end()
        outcomes = await asyncio.gather(*left, return_exceptions=True)
        assert all(isinstance(each, asyncio.CancelledError) for each in outcomes)
        assert (1, 1, 0) == (standing(client).open, standing(client).idle, standing(client).waiting)


@pytest.mark.asyncio
async def test_a_connection_granted_to_one_who_left_goes_to_the_next(make_client, standing):
    """Or back to the idle ones."""
    client = make_client(connections_max=1)
    gate = asyncio.Event()
    async with Double([[Until(gate), *OK]]) as double:
        granted = []

        class Cancels(Recorder):
            def done(self, rest=b""):
                super().done(rest)
                granted[0].cancel()

        await client.open(ask(double), Cancels())
        granted.append(asyncio.create_task(client.open(ask(double), Recorder())))
        await settled(client, standing, waiting=1)
        gate.set()
        await asyncio.gather(*granted, return_exceptions=True)
        assert granted[0].cancelled()
        assert (1, 1) == (standing(client).open, standing(client).idle)


@pytest.mark.asyncio
async def test_a_connection_that_dies_on_its_way_to_the_next_is_replaced(make_client, standing):
    """Whoever waited connects in its place."""
    client = make_client(connections_max=1)
    gate = asyncio.Event()
    async with Double([[Until(gate), *OK], OK]) as double:
        sink = Recorder()

        class Breaks(Recorder):
            def done(self, rest=b""):
                super().done(rest)
                double.peers[0].reset()
                (pool,) = client._pools.values()
                for connection in pool._connections:
                    connection._transport.abort()
                    connection.connection_lost(None)
                    break

        await client.open(ask(double), Breaks())
        task = asyncio.create_task(client.open(ask(double), sink))
        await settled(client, standing, waiting=1)
        gate.set()
        assert not (await task).reused
        assert "done" == (await sink.end()).log[-1]
        assert (1, 1) == (standing(client).open, standing(client).idle)


@pytest.mark.asyncio
async def test_closing_turns_away_those_who_wait(make_client, standing):
    """They would wait for connections that are not kept."""
    client = make_client(connections_max=1)
    async with Double([[Stall()]]) as double:
        running = await client.open(ask(double), Recorder())
        task = asyncio.create_task(client.open(ask(double), Recorder()))
        await settled(client, standing, waiting=1)
        await client.close()
        with pytest.raises(Fault) as refused:
            await task
        assert Kind.STOPPING is refused.value.kind
        running.abort()
        assert 0 == standing(client).open


@pytest.mark.asyncio
async def test_places_return_after_a_thousand_aborted_calls(make_client, standing):
    """Some before, some after their connection was there."""
    client = make_client(connections_max=20, wait_s=10)
    async with Double([[Stall()]]) as double:

        async def leave(number):
            task = asyncio.create_task(client.open(ask(double), Recorder()))
            if number % 3:
                for _ in range(number % 7):
                    await asyncio.sleep(0)
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                (await task).abort()

        await asyncio.gather(*(leave(number) for number in range(1000)))
        assert (0, 0) == (standing(client).open, standing(client).waiting)


@pytest.mark.asyncio
async def test_origins_do_not_share(client):
    """Another host, port, scheme or proxy is another pool."""
    async with Double([OK]) as one, Double([OK]) as two:
        for double in (one, two):
            sink = Recorder()
            await client.open(ask(double, limits=limits()), sink)
            await sink.end()
        assert client.open_now(ask(one, host="localhost"), Recorder()) is None
        assert (1, 1) == (one.connections, two.connections)
        assert 2 == len(client.stats())


class Makes:
    """A connector whose connections are as the test wants them."""

    def __init__(self, make):
        self._make = make

    async def connect(self, origin, limit_s, make):
        return self._make(make())


class Silent:
    """A transport that does nothing."""

    def __getattr__(self, name):
        return lambda *arguments: None


def hang_up(connection):
    """Connected and gone before anybody could write."""
    connection.connection_made(Silent())
    connection.eof_received()
    connection.connection_lost(None)
    return connection


def fail(connection):
    """Something nobody planned."""
    raise RuntimeError("a bug")


@pytest.mark.parametrize(("make", "raised"), [(hang_up, Fault), (fail, RuntimeError)])
@pytest.mark.asyncio
async def test_a_place_comes_back_when_connecting_fails(make_client, standing, make, raised):
    """The vendor hangs up at once, or something breaks."""
    client = make_client()
    client._connector = Makes(make)
    with pytest.raises(raised):
        await client.open(ask(None, port=9), Recorder())
    assert 0 == standing(client).open
    assert set() == next(iter(client._pools.values()))._connections


@pytest.mark.asyncio
async def test_a_place_comes_back_when_a_retry_fails(client, standing):
    """In a way nobody planned; the loop's handler is told."""
    complaints = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: complaints.append(what))
    async with Double([OK, [Close()]]) as double:
        sink = Recorder()
        await client.open(ask(double), sink)
        await sink.end()
        next(iter(client._pools.values()))._connector = Makes(fail)
        await client.open(ask(double), Recorder())
        await settled(client, standing, open=0, retried=1)
    gc.collect()
    assert ["a bug"] == [str(what["exception"]) for what in complaints]
