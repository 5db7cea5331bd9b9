"""Connections come about or fault in time, and a cancelled one leaves no socket behind."""

import asyncio
import socket

import pytest
from structlog.testing import capture_logs
from tests.scripted_upstream import Double, Recorder, Send, Stall, sized
from tests.upstream.conftest import ask, limits
from tests.waiting import stopwatch

from trivium.faults import Fault, Kind
from trivium.upstream.connect import EYEBALLS_DELAY_S

OK = [Send(sized(b"{}"))]
TCP = socket.SOCK_STREAM


def known(*addresses):
    """A look-up that always finds these."""

    async def lookup(host, port):
        return [
            (socket.AF_INET6, TCP, 6, "", (address, port, 0, 0))
            if ":" in address
            else (socket.AF_INET, TCP, 6, "", (address, port))
            for address in addresses
        ]

    return lookup


async def fault(client, request):
    """The fault that opening raises."""
    with pytest.raises(Fault) as raised:
        await client.open(request, Recorder())
    for secret in (request.origin.host, str(request.origin.port)):
        assert secret not in raised.value.message
    return raised.value


@pytest.mark.asyncio
async def test_nobody_listens(client, standing):
    """Unreachable, with nothing left."""
    async with Double() as double:
        request = ask(double)
    assert Kind.UPSTREAM_UNREACHABLE is (await fault(client, request)).kind
    assert 0 == standing(client).open


@pytest.mark.asyncio
async def test_an_unknown_name(make_client, standing):
    """Unreachable as well; whoever asks next within the second is told at once."""
    asked = []

    async def lookup(host, port):
        asked.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    client = make_client(lookup=lookup)
    for _ in range(2):
        found = await fault(client, ask(None, host="no.example", port=443))
        assert Kind.UPSTREAM_UNREACHABLE is found.kind
    assert ["no.example"] == asked
    assert 0 == standing(client).open


@pytest.mark.asyncio
async def test_localhost_by_name_and_ipv6(client):
    """As local engines are configured."""
    for host, bound in (("localhost", "localhost"), ("::1", "::1")):
        async with Double([OK], host=bound) as double:
            sink = Recorder()
            await client.open(ask(double, host=host), sink)
            assert b"{}" == (await sink.end()).body


@pytest.mark.asyncio
async def test_a_dead_first_address_costs_a_quarter_second(make_client, monkeypatch):
    """The next address is tried while the first is silent, and the race's loser is closed."""
    client = make_client(lookup=known("2001:db8::1", "127.0.0.1"))
    loop = asyncio.get_running_loop()
    original = type(loop).sock_connect
    silent = []

    async def sock_connect(sock, address):
        if sock.family == socket.AF_INET6:
            silent.append(sock)
            await asyncio.sleep(60)
        return await original(loop, sock, address)

    import aiohappyeyeballs.impl as racer

    class Loop:
        def __getattr__(self, name):
            return sock_connect if name == "sock_connect" else getattr(loop, name)

    proxy = Loop()
    monkeypatch.setattr(racer.asyncio, "get_running_loop", lambda: proxy, raising=True)
    async with Double([OK]) as double:
        started = loop.time()
        sink = Recorder()
        async with stopwatch() as took:
            await client.open(ask(double, host="two.example"), sink)
            assert took() < 2
        assert EYEBALLS_DELAY_S - 0.05 <= loop.time() - started
        assert b"{}" == (await sink.end()).body
    assert [-1] == [sock.fileno() for sock in silent]


@pytest.mark.asyncio
async def test_a_refused_first_address_costs_nothing(make_client):
    """The next is tried at once."""
    client = make_client(lookup=known("127.0.0.2", "127.0.0.1"))
    async with Double([OK]) as double:
        sink = Recorder()
        await client.open(ask(double, host="two.example"), sink)
        assert b"{}" == (await sink.end()).body


@pytest.fixture
def deaf():
    """A port whose queue is full: connecting to it never ends."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        fillers = []
        for _ in range(4):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
            fillers.append(filler)
        yield listener.getsockname()[1]
        for filler in fillers:
            filler.close()


@pytest.mark.asyncio
async def test_connecting_has_a_limit(client, standing, deaf):
    """A time-out, not an unreachable one."""
    found = await fault(client, ask(None, port=deaf, limits=limits(connect=0.2)))
    assert Kind.UPSTREAM_TIMEOUT is found.kind
    assert "0.2 s (connect limit)" in found.message
    assert 0 == standing(client).open


@pytest.mark.asyncio
async def test_looking_up_and_tls_count_towards_the_connect_limit(make_client, standing):
    """It is the time to a usable connection."""

    async def never(host, port):
        await asyncio.sleep(60)

    client = make_client(lookup=never)
    found = await fault(client, ask(None, port=9, limits=limits(connect=0.1)))
    assert Kind.UPSTREAM_TIMEOUT is found.kind
    client = make_client()
    async with Double(greeting=[Stall()]) as double:
        found = await fault(client, ask(double, scheme="https", limits=limits(connect=0.1)))
        assert Kind.UPSTREAM_TIMEOUT is found.kind
        async with asyncio.timeout(20):
            await double.peers[0].left.wait()
        assert 0 == standing(client).open


@pytest.mark.asyncio
async def test_a_trusted_vendor_speaks_http_1_1_over_tls(make_client, authority):
    """Also when it would rather speak HTTP/2; the connection is reused like any other."""
    client = make_client(ca_file=str(authority.ca_file))
    async with Double([OK], tls=authority.server("localhost")) as double:
        for reused in (False, True):
            sink = Recorder()
            call = await client.open(ask(double, scheme="https", host="localhost"), sink)
            assert reused == call.reused
            assert b"{}" == (await sink.end()).body
        ssl_object = double.peers[0].writer.get_extra_info("ssl_object")
        assert "http/1.1" == ssl_object.selected_alpn_protocol()


@pytest.mark.asyncio
async def test_tls_answers_stream_and_abort(make_client, authority):
    """Encrypted connections keep every promise of plain ones."""
    client = make_client(ca_file=str(authority.ca_file))
    body = b"x" * 300_000
    async with Double(
        [[Send(sized(body))], [Stall()]], tls=authority.server("127.0.0.1")
    ) as double:
        sink = Recorder()
        await client.open(ask(double, scheme="https"), sink)
        assert body == (await sink.end()).body
        call = await client.open(ask(double, scheme="https"), Recorder())
        await asyncio.sleep(0.02)
        call.abort()
        async with asyncio.timeout(20):
            await double.peers[0].left.wait()


@pytest.mark.parametrize(("named", "trusted"), [("other.example", True), ("localhost", False)])
@pytest.mark.asyncio
async def test_a_certificate_that_does_not_fit_is_refused(
    make_client, standing, authority, named, trusted
):
    """Wrong name or unknown authority: no request is sent, and only the log knows why."""
    client = make_client(ca_file=str(authority.ca_file) if trusted else None)
    async with Double([OK], tls=authority.server(named)) as double:
        with capture_logs() as logged:
            found = await fault(client, ask(double, scheme="https", host="localhost"))
        assert Kind.UPSTREAM_UNREACHABLE is found.kind
        assert "TLS" not in found.message
        assert [] == double.requests
        assert 0 == standing(client).open
    assert [("upstream_unreachable", "TLS")] == [(each["event"], each["step"]) for each in logged]


@pytest.mark.asyncio
async def test_a_vendor_that_does_not_speak_tls(client, standing):
    """Nothing of the request reaches it."""
    async with Double(greeting=[Send(sized(b"plain"))]) as double:
        found = await fault(client, ask(double, scheme="https"))
        assert Kind.UPSTREAM_UNREACHABLE is found.kind
        assert 0 == standing(client).open


@pytest.mark.parametrize("phase", ["name", "address", "tls", "tunnel", "socks", "any"])
@pytest.mark.asyncio
async def test_a_cancelled_open_leaves_nothing(make_client, standing, deaf, phase):
    """In every phase: the place is free and the vendor sees us leave."""

    async def never(host, port):
        await asyncio.sleep(60)

    client = make_client(lookup=never if phase == "name" else None)
    async with Double(greeting=[Stall()]) as double:
        asked = {
            "name": {"host": "slow.example"},
            "address": {"port": deaf},
            "tls": {"scheme": "https"},
            "tunnel": {"proxy": f"http://127.0.0.1:{double.port}"},
            "socks": {"proxy": f"socks5://127.0.0.1:{double.port}"},
            "any": {},
        }[phase]
        for turns in range(1, 12):
            before = len(double.peers)
            task = asyncio.create_task(client.open(ask(double, **asked), Recorder()))
            for _ in range(turns):
                await asyncio.sleep(0)
            if turns > 6:
                await asyncio.sleep(0.03)
            task.cancel()
            outcome = (await asyncio.gather(task, return_exceptions=True))[0]
            if not isinstance(outcome, asyncio.CancelledError):
                assert phase == "any"
                outcome.abort()
            assert 0 == standing(client).open
            await asyncio.sleep(0.01)
            async with asyncio.timeout(20):
                for peer in double.peers[before:]:
                    await peer.left.wait()


@pytest.mark.asyncio
async def test_an_address_that_times_out_by_itself_is_unreachable(make_client):
    """The system's time-out is not the channel's connect limit."""

    async def lookup(host, port):
        raise TimeoutError(110, "Connection timed out")

    found = await fault(make_client(lookup=lookup), ask(None, host="slow.example", port=9))
    assert Kind.UPSTREAM_UNREACHABLE is found.kind
