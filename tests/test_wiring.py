"""Everything put together in this process: ports, TLS, pages, what an outage leaves, and the end."""

import asyncio
import contextlib
import gc
import logging
import os
import signal
import socket
import ssl

import msgspec
import pytest
import structlog
from sqlalchemy import text

from doubles import Double, Send, sized
from edge.wires import Wire
from stories.running import ANSWER, CHAT, prepare, settings
from trivium import wiring
from trivium.clock import SystemClock
from trivium.edge import openapi
from trivium.identity.service import Identity
from trivium.settings.errors import SettingsError
from trivium.settings.load import load_with_source
from trivium.settings.model import Server, Upstream
from trivium.storage import migrate
from trivium.storage.database import Database
from trivium.storage.errors import StorageDown
from upstream.conftest import Authority

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
PAGES = ("/healthz", "/readyz", "/openapi.json")


class Nobody:
    """A vendor at a port to be replaced."""

    port = 9


@pytest.fixture(autouse=True)
def put_back():
    """The collector, the logs and the signals as they were."""
    root = logging.getLogger()
    before = root.handlers[:], root.level, gc.get_threshold()
    yield
    root.handlers[:], level, threshold = before
    root.setLevel(level)
    structlog.reset_defaults()
    gc.unfreeze()
    gc.set_threshold(*threshold)


class Served:
    """A gateway in this process."""

    def __init__(self, origins, key, path):
        self.origins = origins
        self.key = key
        self.path = path

    def port(self, number=0):
        return int(self.origins[number].rpartition(":")[2])

    async def get(self, path, *, number=0, tls=None, host="127.0.0.1"):
        """One GET with the key: status, headers, body."""
        return await self.send(f"GET {path} HTTP/1.1", b"", number=number, tls=tls, host=host)

    async def chat(self, *, number=0, tls=None, host="127.0.0.1"):
        """One chat request."""
        body = b'{"model":"m","messages":[{"role":"user","content":"Hi"}]}'
        return await self.send(f"POST {CHAT} HTTP/1.1", body, number=number, tls=tls, host=host)

    async def send(self, first, body, *, number, tls, host):
        line = Wire(*await asyncio.open_connection(host, self.port(number), ssl=tls))
        head = [first, "Host: x", f"Authorization: Bearer {self.key}"]
        head += [f"Content-Length: {len(body)}", "", ""]
        try:
            await line.send("\r\n".join(head).encode() + body)
            return await line.answer()
        finally:
            await line.close()


@contextlib.asynccontextmanager
async def serving(folder, text, *, url=None):
    """Serve these settings until the end of the block, then end with SIGTERM."""
    text = text.replace("[records]", f'[storage]\nurl = "{url or sqlite(folder)}"\n[records]')
    if url is None:
        key = await prepare(folder, text)
    else:
        (folder / "trivium.toml").write_text(text)
        key = await somebody(url)
    path = folder / "trivium.toml"
    listening = asyncio.get_running_loop().create_future()
    loaded = load_with_source(path, {}).settings
    task = asyncio.ensure_future(wiring.serve(loaded, config_path=path, ready=listening.set_result))
    await asyncio.wait([task, listening], return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        task.result()
    try:
        yield Served(listening.result(), key, path)
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        assert 0 == await asyncio.wait_for(task, 10)


def sqlite(folder):
    return f"sqlite:///{folder / 'trivium.db'}"


async def somebody(url):
    """A user's key on a server's database."""
    db = Database(url)
    await migrate.upgrade(db)
    people = Identity(db, SystemClock())
    await people.create_user("ada", "ada@example.org")
    _, key = await people.create_key("ada")
    await db.close()
    return key


@pytest.mark.asyncio
async def test_one_port_serves_models_and_pages(tmp_path):
    """And remembers what it served, in the database, before it ends."""
    async with Double([OK]) as vendor:
        async with serving(tmp_path, settings(vendor)) as gateway:
            status, headers, body = await gateway.chat()
            assert (200, ANSWER, b"main") == (status, body, headers[b"trivium-channel"])
            assert [200] * 3 == [(await gateway.get(path))[0] for path in PAGES]
            assert openapi.document(None) == (await gateway.get("/openapi.json"))[2]
        db = Database(sqlite(tmp_path))
        async with db.read() as conn:
            rows = (await conn.execute(text("SELECT request_id, status FROM records"))).all()
        await db.close()
        assert [(headers[b"x-request-id"].decode(), 200)] == [tuple(row) for row in rows]


@pytest.mark.asyncio
async def test_pages_may_have_a_port_of_their_own(tmp_path):
    """Models are refused there; the relay's port keeps its health for whoever balances load."""
    async with (
        Double([OK]) as vendor,
        serving(
            tmp_path, settings(vendor, server=f'admin_listen = "127.0.0.1:{free_port()}"')
        ) as gateway,
    ):
        assert 2 == len(gateway.origins)
        for number in (0, 1):
            assert [200] * 3 == [(await gateway.get(path, number=number))[0] for path in PAGES]
        assert (200, 200) == ((await gateway.chat())[0], (await gateway.get("/v1/models"))[0])
        for answer in (await gateway.chat(number=1), await gateway.get("/v1/models", number=1)):
            status, headers, body = answer
            assert (404, "unknown_url") == (status, msgspec.json.decode(body)["error"]["code"])
            assert headers[b"x-request-id"] == headers[b"request-id"]
        assert 1 == len(vendor.requests)


@pytest.mark.asyncio
async def test_the_port_speaks_tls_when_it_has_a_certificate(tmp_path):
    """HTTP/1.1 by ALPN, nothing older than TLS 1.2, and plain HTTP is no answer to anything."""
    authority = Authority(tmp_path)
    authority.server("127.0.0.1")
    pem = tmp_path / "127.0.0.1.pem"
    own = settings(Nobody(), server=f'tls_certificate = "{pem}"\ntls_key = "{pem}"')
    trusting = ssl.create_default_context(cafile=authority.ca_file)
    trusting.set_alpn_protocols(["h2", "http/1.1"])
    async with (
        Double([OK]) as vendor,
        serving(tmp_path, own.replace(":9/", f":{vendor.port}/")) as gateway,
    ):
        assert gateway.origins[0].startswith("https://127.0.0.1:")
        status, _, body = await gateway.chat(tls=trusting)
        assert (200, ANSWER) == (status, body)
        assert 200 == (await gateway.get("/healthz", tls=trusting))[0]
        _, writer = await asyncio.open_connection("127.0.0.1", gateway.port(), ssl=trusting)
        found = writer.get_extra_info("ssl_object")
        assert "http/1.1" == found.selected_alpn_protocol()
        assert found.version() in ("TLSv1.2", "TLSv1.3")
        writer.close()
        with contextlib.suppress(ssl.SSLError, ConnectionError):
            await writer.wait_closed()
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await gateway.get("/healthz")


def free_port():
    """A port nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def has_ipv6():
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET6) as probe:
        probe.bind(("::1", 0))
        return True
    return False


@pytest.mark.asyncio
@pytest.mark.skipif(not has_ipv6(), reason="no IPv6 on this machine")
async def test_it_listens_on_ipv6(tmp_path):
    """With the address in brackets, as it is written in the settings and in a URL."""
    async with Double([OK]) as vendor:
        own = settings(vendor).replace('listen = "127.0.0.1:0"', 'listen = "[::1]:0"')
        async with serving(tmp_path, own) as gateway:
            assert gateway.origins[0].startswith("http://[::1]:")
            status, _, body = await gateway.chat(host="::1")
            assert (200, ANSWER) == (status, body)


@pytest.mark.asyncio
@pytest.mark.postgres
async def test_an_outage_of_the_database_is_told_and_survived(tmp_path, postgresql_server):
    """Callers are served from memory, `/readyz` names what is away, and nothing is lost after."""
    away = tmp_path / "socket"
    postgresql_server.psql("CREATE DATABASE outage;")
    url = postgresql_server.get_uri(database="outage")
    folder = url.partition("host=")[2].partition("&")[0]
    away.symlink_to(folder)
    url = f"postgresql://postgres@localhost/outage?host={away}"  # a host is asked for, and not used
    try:
        async with Double([OK]) as vendor, serving(tmp_path, settings(vendor), url=url) as gateway:
            assert 200 == (await gateway.get("/readyz"))[0]
            away.unlink()
            postgresql_server.psql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'outage';"
            )
            status, _, body = await gateway.get("/readyz")
            assert (503, False) == (status, msgspec.json.decode(body)["parts"]["database"])
            assert [200] * 5 == [(await gateway.chat())[0] for _ in range(5)]
            assert 200 == (await gateway.get("/healthz"))[0]
            away.symlink_to(folder)
            while 200 != (await gateway.get("/readyz"))[0]:
                await asyncio.sleep(0.05)
        db = Database(url)
        async with db.read() as conn:
            assert 5 == (await conn.execute(text("SELECT count(*) FROM records"))).scalar_one()
        await db.close()
    finally:
        postgresql_server.psql("DROP DATABASE outage WITH (FORCE);")


async def refused(folder, own):
    """What `serve` raises, and whether it said that it listened."""
    path = folder / "trivium.toml"
    path.write_text(own)
    said = []
    loaded = load_with_source(path, {}).settings
    try:
        await wiring.serve(loaded, config_path=path, ready=said.append)
    except Exception as error:
        return error, said
    raise AssertionError("it served")


@pytest.mark.asyncio
async def test_a_certificate_that_is_not_there_ends_the_start(tmp_path):
    """Before the port is open, naming the file."""
    server = f'tls_certificate = "{tmp_path}/none.pem"\ntls_key = "{tmp_path}/none.pem"'
    error, said = await refused(tmp_path, settings(Nobody(), server=server))
    assert isinstance(error, FileNotFoundError)
    assert [] == said


@pytest.mark.asyncio
async def test_a_channel_that_cannot_be_ends_the_start(tmp_path):
    """A mistake in the file is told before anybody can connect."""
    own = settings(Nobody()).replace('provider = "openai"', 'provider = "opanai"')
    error, said = await refused(tmp_path, own)
    assert isinstance(error, SettingsError)
    assert [] == said


@pytest.mark.asyncio
async def test_a_database_that_cannot_be_used_closes_the_port_again(tmp_path):
    """The port was open; nothing is left behind, and the error is the storage's."""
    own = settings(Nobody()) + f'[storage]\nurl = "sqlite:///{tmp_path}/no/folder/x.db"\n'
    error, said = await refused(tmp_path, own)
    assert isinstance(error, StorageDown)
    ((origin,),) = said
    with pytest.raises(ConnectionError):
        await Wire.to(int(origin.rpartition(":")[2]))


def test_every_limit_of_the_settings_reaches_its_part():
    """None is forgotten on the way."""
    server = Server(
        header_bytes_max=1, headers_max=2, body_bytes_max=3, header_timeout_s=4, body_timeout_s=5,
        keepalive_s=6, pipeline_max=7, write_high_bytes=8, connections_max=9, half_closed="answer",
    )  # fmt: skip
    edge = wiring._edge_limits(server)
    assert edge.half_closed_cancels is False
    for name in ("header_bytes_max", "headers_max", "body_bytes_max", "header_timeout_s",
                 "body_timeout_s", "keepalive_s", "pipeline_max", "write_high_bytes",
                 "connections_max"):  # fmt: skip
        assert getattr(server, name) == getattr(edge, name)
    upstream = Upstream(keepalive_s=1, connections_max=2, wait_s=3, header_bytes_max=4)
    pool = wiring._pool_limits(upstream)
    assert (1, 2, 3, 4) == (
        pool.keepalive_s, pool.connections_max, pool.wait_s, pool.header_bytes_max,
    )  # fmt: skip
