"""Tunnels: what a proxy is asked, how its reply may be cut, and what is refused."""

import asyncio
import socket

import pytest
from structlog.testing import capture_logs
from tests.scripted_upstream import Close, Double, Recorder, Send, sized
from tests.upstream.conftest import ask

from trivium.faults import Fault, Kind
from trivium.upstream import proxy


class Tunnel:
    """A proxy that keeps its word: HTTP CONNECT or SOCKS5 to one port, whatever the name."""

    def __init__(self, target, *, reply=b"HTTP/1.1 200 OK\r\n\r\n", cut=None, account=None):
        self.target = target
        self.reply = reply
        self.cut = cut
        self.account = account
        self.asked = []
        self._tasks = set()

    async def __aenter__(self):
        self.server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc):
        self.server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader, writer):
        self._tasks.add(asyncio.current_task())
        try:
            first = await reader.readexactly(1)
            await (self._socks if first == b"\x05" else self._http)(first, reader, writer)
            there, onward = await asyncio.open_connection("127.0.0.1", self.target)
            try:
                await asyncio.gather(pump(reader, onward), pump(there, writer))
            finally:
                onward.transport.abort()
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()

    async def _http(self, first, reader, writer):
        self.asked.append(first + await reader.readuntil(b"\r\n\r\n"))
        size = self.cut or len(self.reply)
        for at in range(0, len(self.reply), size):
            writer.write(self.reply[at : at + size])
            await writer.drain()
            await asyncio.sleep(0.001 if self.cut else 0)
        if b" 2" not in self.reply[:14]:
            raise ConnectionResetError

    async def _socks(self, first, reader, writer):
        methods = await reader.readexactly((await reader.readexactly(1))[0])
        if self.account:
            assert 2 in methods
            writer.write(b"\x05\x02")
            await reader.readexactly(1)
            user = await reader.readexactly((await reader.readexactly(1))[0])
            password = await reader.readexactly((await reader.readexactly(1))[0])
            good = (user, password) == self.account
            writer.write(b"\x01\x00" if good else b"\x01\x01")
        else:
            writer.write(b"\x05\x00")
        assert b"\x05\x01\x00\x03" == await reader.readexactly(4)
        name = await reader.readexactly((await reader.readexactly(1))[0])
        self.asked.append((name, int.from_bytes(await reader.readexactly(2), "big")))
        writer.write(b"\x05\x00\x00\x01" + bytes(6))


async def pump(reader, writer):
    """Bytes from one side to the other."""
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.transport.abort()


async def through(client, double, address, **asked):
    """One call through a proxy."""
    sink = Recorder()
    await client.open(ask(double, proxy=address, **asked), sink)
    return await sink.end()


@pytest.mark.parametrize("cut", [None, 1])
@pytest.mark.asyncio
async def test_an_http_proxy_is_asked_for_a_tunnel(client, cut):
    """By name, for plain upstreams too; its reply may come in pieces and hold headers."""
    reply = b"HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n"
    async with (
        Double([[Send(sized(b"{}"))]]) as double,
        Tunnel(double.port, reply=reply, cut=cut) as tunnel,
    ):
        address = f"http://us%40er:pa%3Ass@127.0.0.1:{tunnel.port}"
        for _ in range(2):
            sink = await through(client, double, address, host="vendor.example", port=8443)
            assert b"{}" == sink.body
        (asked,) = tunnel.asked
        assert asked.startswith(
            b"CONNECT vendor.example:8443 HTTP/1.1\r\nHost: vendor.example:8443\r\n"
        )
        assert b"Proxy-Authorization: Basic dXNAZXI6cGE6c3M=\r\n" in asked
        assert ask(double).payload == double.requests[0].raw


@pytest.mark.asyncio
async def test_tls_runs_inside_the_tunnel(make_client, authority):
    """The certificate is checked against the vendor's name, not the proxy's."""
    client = make_client(ca_file=str(authority.ca_file))
    context = authority.server("vendor.example")
    for scheme in ("http", "socks5"):
        async with (
            Double([[Send(sized(b"{}"))]], tls=context) as double,
            Tunnel(double.port) as tunnel,
        ):
            address = f"{scheme}://127.0.0.1:{tunnel.port}"
            sink = await through(client, double, address, scheme="https", host="vendor.example")
            assert b"{}" == sink.body
            with pytest.raises(Fault) as refused:
                await through(client, double, address, scheme="https", host="other.example")
            assert Kind.UPSTREAM_UNREACHABLE is refused.value.kind


@pytest.mark.parametrize("account", [None, (b"user", b"pass")])
@pytest.mark.asyncio
async def test_a_socks_proxy_resolves_the_name(client, account):
    """With an account if it wants one."""
    async with (
        Double([[Send(sized(b"{}"))]]) as double,
        Tunnel(double.port, account=account) as tunnel,
    ):
        who = "user:pass@" if account else ""
        address = f"socks5://{who}127.0.0.1:{tunnel.port}"
        sink = await through(client, double, address, host="vendor.example", port=8443)
        assert b"{}" == sink.body
        assert [(b"vendor.example", 8443)] == tunnel.asked


@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 502 Bad Gateway\r\n\r\n",
        b"garbage\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\nsurplus",
        b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 4000,
        b"",
    ],
    ids=["407", "502", "garbage", "surplus", "endless", "nothing"],
)
@pytest.mark.asyncio
async def test_a_refusing_http_proxy_is_unreachable(client, standing, reply):
    """The caller reads neither the proxy's address nor its account."""
    script = [Send(reply), Close()] if reply else [Close()]
    async with Double([script]) as double:
        address = f"http://user:secret@127.0.0.1:{double.port}"
        with pytest.raises(Fault) as refused, capture_logs() as logged:
            await through(client, double, address, host="vendor.example")
        assert Kind.UPSTREAM_UNREACHABLE is refused.value.kind
        assert "The upstream could not be reached." == refused.value.message
        assert 0 == standing(client).open
        async with asyncio.timeout(20):
            await double.peers[0].left.wait()
    assert ["proxy"] == [each["step"] for each in logged]
    assert "secret" not in str(logged)


@pytest.mark.parametrize(
    "greeting", [b"\x05\xff", b"\x04\x00", b"\x05\x00\x05\x05\x00\x01" + bytes(6), b""]
)
@pytest.mark.asyncio
async def test_a_refusing_socks_proxy_is_unreachable(client, standing, greeting):
    """Whether it refuses the method, the connection, or to speak SOCKS5."""
    async with Double(greeting=[Send(greeting), Close()]) as double:
        with pytest.raises(Fault) as refused:
            await through(client, double, f"socks5://127.0.0.1:{double.port}", host="v.example")
        assert Kind.UPSTREAM_UNREACHABLE is refused.value.kind
        assert 0 == standing(client).open


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://h:3128", ("h", 3128)),
        ("http://u:p@[::1]:3128", ("::1", 3128)),
        ("http://h", ("h", 80)),
        ("socks5://h", ("h", 1080)),
    ],
)
def test_a_proxys_address_is_read(url, address):
    """With the scheme's port when none is given."""
    assert address == proxy.address(proxy.parse(url))


@pytest.mark.parametrize("url", ["https://h:1", "ftp://h", "h:3128", "http://", "http://h:99999"])
def test_an_address_that_is_none_is_refused(url):
    """With what would be right, and without what was given: it may hold a password."""
    with pytest.raises(ValueError):
        proxy.parse(url)


@pytest.mark.asyncio
async def test_ipv6_is_bracketed_in_the_tunnels_authority():
    """Where the colon before the port would otherwise be one of many."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        theirs.send(b"HTTP/1.1 200 OK\r\n\r\n")
        await proxy.connect_tunnel(ours, proxy.parse("http://h:1"), "::1", 443)
        assert b"CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n\r\n" == theirs.recv(999)
