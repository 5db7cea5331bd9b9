"""The client over real sockets: reuse, expiry, limits, dead connections, ends."""

import asyncio

import pytest
from tests.scripted_upstream import (
    Close,
    Double,
    Recorder,
    Reset,
    Send,
    Stall,
    Until,
    Wait,
    chunked,
    sized,
)
from tests.upstream.conftest import ask, limits

from trivium.faults import Fault, Kind
from trivium.upstream.pool import ORIGINS_MAX, TICK_S
from trivium.upstream.resolve import system_lookup

OK = [Send(sized(b"{}"))]


async def call(client, request):
    """One call to its end."""
    sink = Recorder()
    await client.open(request, sink)
    return await sink.end()


@pytest.mark.asyncio
async def test_an_answer_arrives_whole(client):
    """Head, body and end come once each, in that order."""
    async with Double([[Send(sized(b'{"a":1}', headers=b"X-Vendor: Yes\r\n"))]]) as double:
        sink = await call(client, ask(double))
        assert ["head", "data", "done"] == sink.log
        assert 200 == sink.status
        assert (b"x-vendor", b"Yes") in sink.headers
        assert b'{"a":1}' == sink.body
        assert ask(double).payload == double.requests[0].raw


@pytest.mark.asyncio
async def test_a_connection_is_reused(client, standing):
    """Calls one after the other share a connection, and say so."""
    async with Double([OK]) as double:
        first, second = Recorder(), Recorder()
        opened = await client.open(ask(double), first)
        await first.end()
        again = await client.open(ask(double), second)
        await second.end()
        assert (False, True) == (opened.reused, again.reused)
        assert 1 == double.connections
        assert (1, 1, 1) == (
            standing(client).connected,
            standing(client).reused,
            standing(client).idle,
        )


@pytest.mark.asyncio
async def test_open_now_needs_an_idle_connection(client):
    """Without one it does nothing; with one it writes before it returns."""
    async with Double([OK]) as double:
        sink = Recorder()
        assert client.open_now(ask(double), sink) is None
        await call(client, ask(double))
        found = client.open_now(ask(double), sink)
        assert found is not None
        await sink.end()
        assert b"{}" == sink.body
        assert 2 == len(double.requests)


@pytest.mark.asyncio
async def test_the_sink_may_call_again_from_done(client):
    """The connection is free by the time the sink hears of the end."""
    async with Double([OK]) as double:
        second = Recorder()

        class Again(Recorder):
            def done(self, rest=b""):
                super().done(rest)
                assert client.open_now(ask(double), second) is not None

        await client.open(ask(double), Again())
        await second.end()
        assert 1 == double.connections


@pytest.mark.asyncio
async def test_the_connection_that_went_idle_last_is_taken_first(client):
    """So the others can expire when load falls."""
    gates = [asyncio.Event() for _ in range(3)]
    async with Double([[Until(gate), *OK] for gate in gates] + [OK]) as double:
        sinks = [Recorder() for _ in gates]
        for number, sink in enumerate(sinks):
            await client.open(ask(double), sink)
            while len(double.requests) <= number:
                await asyncio.sleep(0.001)
        for number in (0, 2, 1):
            gates[number].set()
            await sinks[number].end()
        await call(client, ask(double))
        assert 1 == double.requests[-1].connection


@pytest.mark.asyncio
async def test_an_idle_connection_expires(make_client, standing):
    """It is closed after the keep-alive limit, and not reused even before the ticker comes."""
    client = make_client(keepalive_s=0.1)
    async with Double([OK]) as double:
        await call(client, ask(double))
        await asyncio.sleep(0.15)
        assert client.open_now(ask(double), Recorder()) is None
        await call(client, ask(double))
        assert 2 == double.connections
        async with asyncio.timeout(20):
            await double.peers[1].left.wait()
        assert (0, 0) == (standing(client).idle, standing(client).open)


@pytest.mark.asyncio
async def test_the_vendors_own_keepalive_shortens_ours(client, standing):
    """A second before the vendor closes, so that requests do not cross its end."""
    async with Double(
        [[Send(sized(b"{}", headers=b"Keep-Alive: timeout=1, max=5\r\n"))]]
    ) as double:
        await call(client, ask(double))
        assert client.open_now(ask(double), Recorder()) is None


@pytest.mark.parametrize(
    "answer",
    [
        sized(b"{}", headers=b"Connection: close\r\n"),
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}",
        sized(b"{}") + b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad",
        sized(b"{}") + b"HTTP/1.1",
        sized(b"{}") + b"garbage",
    ],
    ids=["close", "http/1.0", "http/1.0 keep-alive", "second answer", "its start", "garbage"],
)
@pytest.mark.asyncio
async def test_a_doubtful_connection_is_not_reused(client, standing, answer):
    """Whatever follows an answer belongs to no exchange."""
    async with Double([[Send(answer)], OK]) as double:
        first = await call(client, ask(double))
        assert ("done", b"{}") == (first.log[-1], first.body)
        second = await call(client, ask(double))
        assert ("done", b"{}") == (second.log[-1], second.body)
        assert 2 == double.connections
        assert 1 == standing(client).open


@pytest.mark.asyncio
async def test_bytes_on_an_idle_connection_end_it(client, standing):
    """An answer nobody asked for never becomes the next caller's."""
    late = asyncio.Event()
    evil = Send(sized(b"not yours"))
    async with Double([[*OK, Until(late), evil], OK]) as double:
        await call(client, ask(double))
        late.set()
        async with asyncio.timeout(20):
            while standing(client).idle:
                await asyncio.sleep(0.001)
        assert b"{}" == (await call(client, ask(double))).body
        assert 2 == double.connections


@pytest.mark.parametrize("reset", [False, True], ids=["EOF", "RST"])
@pytest.mark.asyncio
async def test_a_dead_reused_connection_is_retried_once(client, standing, reset):
    """The vendor closed while our request was under way: it is written again, unseen."""
    async with Double([OK, [Reset() if reset else Close()], OK]) as double:
        await call(client, ask(double))
        sink = Recorder()
        opened = await client.open(ask(double), sink)
        assert opened.reused
        await sink.end()
        assert (["head", "data", "done"], b"{}") == (sink.log, sink.body)
        assert not opened.reused
        assert [0, 0, 1] == [seen.connection for seen in double.requests]
        assert (1, 1) == (standing(client).retried, standing(client).open)


@pytest.mark.parametrize("reset", [False, True], ids=["EOF", "RST"])
@pytest.mark.asyncio
async def test_a_connection_that_died_idle_costs_nothing(client, standing, reset):
    """Its end is seen before the next call, which connects afresh."""
    async with Double([OK]) as double:
        await call(client, ask(double))
        if reset:
            double.peers[0].reset()
        else:
            double.peers[0].close()
        async with asyncio.timeout(20):
            while standing(client).idle:
                await asyncio.sleep(0.001)
        await call(client, ask(double))
        assert (0, 1) == (standing(client).retried, standing(client).open)


@pytest.mark.asyncio
async def test_a_stale_close_races_the_next_request(client):
    """Closed and written to in the same turn: the call succeeds all the same."""
    async with Double([OK]) as double:
        for _ in range(20):
            await call(client, ask(double))
            double.peers[-1].reset()
            sink = Recorder()
            if client.open_now(ask(double), sink) is not None:
                assert ["head", "data", "done"] == (await sink.end()).log


@pytest.mark.asyncio
async def test_it_is_never_retried_twice(client, standing):
    """A fresh connection that dies is the vendor's failure."""
    async with Double([OK, [Close()], [Close()], OK]) as double:
        await call(client, ask(double))
        sink = await call(client, ask(double))
        assert Kind.UPSTREAM_BROKE is sink.fault.kind
        assert 3 == len(double.requests)
        assert 0 == standing(client).open


@pytest.mark.parametrize("first", [b"H", b"HTTP/1.1 100 Continue\r\n\r\n"])
@pytest.mark.asyncio
async def test_no_retry_after_any_byte_of_an_answer(client, first):
    """The vendor may have acted on it."""
    async with Double([OK, [Send(first), Wait(0.02), Reset()], OK]) as double:
        await call(client, ask(double))
        sink = await call(client, ask(double))
        assert ["broke"] == sink.log
        assert 2 == len(double.requests)


@pytest.mark.asyncio
async def test_a_retry_that_cannot_connect_is_reported(client, standing):
    """The sink hears of it, since ``open`` has long returned."""
    async with Double([OK, [Wait(0.05), Close()]]) as double:
        await call(client, ask(double))
        sink = Recorder()
        await client.open(ask(double), sink)
        double._server.close()
        await sink.end()
        assert Kind.UPSTREAM_UNREACHABLE is sink.fault.kind
        assert 0 == standing(client).open


@pytest.mark.asyncio
async def test_an_aborted_retry_leaves_nothing(make_client, standing):
    """Neither a connection nor a place, whether or not the retry had begun."""
    asked = asyncio.Event()

    async def lookup(host, port):
        if asked.is_set():
            await asyncio.sleep(30)
        return [(2, 1, 6, "", ("127.0.0.1", port))]

    clock = asyncio.get_running_loop().time
    for turns in (0, 5):
        skew = [0.0]
        client = make_client(
            lookup=lookup, now=lambda skew=skew: clock() + skew[0], keepalive_s=500
        )
        asked.clear()
        async with Double([OK, [Close()]]) as double:
            await call(client, ask(double))
            asked.set()
            skew[0] = 100.0  # the addresses are looked up again
            sink = Recorder()
            opened = await client.open(ask(double), sink)
            async with asyncio.timeout(20):
                while not standing(client).retried:
                    await asyncio.sleep(0)
            for _ in range(turns):
                await asyncio.sleep(0)
            opened.abort()
            await asyncio.sleep(0.01)
            assert (0, []) == (standing(client).open, sink.log)


@pytest.mark.asyncio
async def test_limits_are_kept_without_a_timer_for_each_call(client):
    """The ticker runs only while there is something to look at."""
    async with Double([OK]) as double:
        await call(client, ask(double))
        assert client._ticker is not None
        double.peers[0].close()
        await asyncio.sleep(2.5 * TICK_S)
        assert client._ticker is None


@pytest.mark.parametrize(
    ("script", "short", "named"),
    [
        ([Stall()], {"first_byte": 0.2}, "first-byte limit"),
        ([Send(b"HTTP/1.1 200 OK\r\n"), Stall()], {"first_byte": 0.2}, "first-byte limit"),
        ([Send(chunked(b"a")[:-5]), Stall()], {"idle": 0.2}, "idle limit"),
        ([Send(chunked(b"a" * 9)[:-5], cut=5), Wait(0.3), Stall()], {"total": 0.2}, "total limit"),
    ],
)
@pytest.mark.asyncio
async def test_each_limit_is_kept(client, standing, script, short, named):
    """The fault says which, and the vendor sees us leave."""
    async with Double([script]) as double:
        sink = await call(client, ask(double, limits=limits(**short)))
        assert Kind.UPSTREAM_TIMEOUT is sink.fault.kind
        assert named in sink.fault.message
        assert "0.2 s" in sink.fault.message
        assert "127.0.0.1" not in sink.fault.message
        async with asyncio.timeout(20):
            await double.peers[0].left.wait()
        assert 0 == standing(client).open


@pytest.mark.asyncio
async def test_reads_put_the_idle_limit_off(client):
    """A slow stream is no silent one."""
    pieces = [step for _ in range(8) for step in (Send(b"1\r\na\r\n"), Wait(0.1))]
    head = Send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    async with Double([[head, *pieces, Send(b"0\r\n\r\n")]]) as double:
        sink = await call(client, ask(double, limits=limits(idle=0.4)))
        assert ("done", b"a" * 8) == (sink.log[-1], sink.body)


@pytest.mark.asyncio
async def test_close_ends_idle_connections_and_leaves_running_calls(make_client, standing):
    """A running call finishes; its connection is then closed as well."""
    client = make_client()
    gate = asyncio.Event()
    async with Double([OK, [Until(gate), *OK], OK]) as double:
        await call(client, ask(double))
        running = Recorder()
        await client.open(ask(double), running)
        other = asyncio.create_task(client.open(ask(double), idle := Recorder()))
        await other
        await idle.end()
        await client.close()
        async with asyncio.timeout(20):
            await double.peers[1].left.wait()
        gate.set()
        assert "done" == (await running.end()).log[-1]
        async with asyncio.timeout(20):
            await double.peers[0].left.wait()
        assert (0, 0) == (standing(client).open, standing(client).idle)
        with pytest.raises(Fault) as refused:
            await client.open(ask(double), Recorder())
        assert Kind.STOPPING is refused.value.kind


@pytest.mark.asyncio
async def test_a_thousand_calls_at_once(make_client, standing):
    """Each gets its own answer, over no more connections than calls."""
    client = make_client(connections_max=2048)
    async with Double([OK]) as double:
        sinks = [Recorder() for _ in range(1000)]
        await asyncio.gather(*(client.open(ask(double), sink) for sink in sinks))
        await asyncio.gather(*(sink.end(20) for sink in sinks))
        assert {b"{}"} == {sink.body for sink in sinks}
        assert 1000 >= double.connections
        assert standing(client).idle == standing(client).open


@pytest.mark.asyncio
async def test_a_sink_that_raises_does_not_stop_the_clock(client):
    """Somebody else's limit is still kept."""
    complaints = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: complaints.append(what))

    class Raises(Recorder):
        def broke(self, fault):
            raise RuntimeError("a bug")

    async with Double([[Stall()]]) as double:
        await client.open(ask(double, limits=limits(first_byte=0.1)), Raises())
        sink = await call(client, ask(double, limits=limits(first_byte=0.4)))
        assert Kind.UPSTREAM_TIMEOUT is sink.fault.kind
        assert complaints


@pytest.mark.asyncio
async def test_origins_that_nothing_goes_to_are_let_go_with_what_they_counted(make_client):
    """Callers choose strangers' addresses: every one would be remembered for ever."""

    async def look_up(host, port):
        if host.endswith(".example"):
            raise OSError("no such name")
        return await system_lookup(host, port)

    client = make_client(lookup=look_up)
    async with Double([OK]) as double:
        await call(client, ask(double))
        for number in range(ORIGINS_MAX + 20):
            with pytest.raises(Fault):
                await client.open(ask(double, host=f"n{number}.example"), Recorder())
        assert len(client.stats()) <= ORIGINS_MAX
        assert (1, 0) == (client.total().connected, client.total().waiting)
        await call(client, ask(double))
        assert (1, 1) == (client.total().connected, client.total().reused)
        assert 1 == double.connections
