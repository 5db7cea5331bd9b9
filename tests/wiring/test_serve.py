"""Everything put together in this process: what an outage leaves, and starts that fail."""

import asyncio
import contextlib
import os
import signal

import msgspec
import pytest
from sqlalchemy import text

from end_to_end.running import ANSWER, settings
from scripted_upstream import Double, Send, sized
from trivium.edge import openapi
from trivium.providers.images import Defaults, table
from trivium.settings.errors import SettingsError
from trivium.settings.load import load_with_source
from trivium.settings.model import Settings
from trivium.storage.database import Database
from trivium.wiring.serve import defaults, serve
from wiring.serving import Nobody, refused, serving, sqlite

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
PAGES = ("/healthz", "/readyz", "/openapi.json")


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
async def test_a_channel_that_cannot_be_ends_the_start(tmp_path):
    """A mistake in the file is told before anybody can connect."""
    own = settings(Nobody()).replace('provider = "openai"', 'provider = "opanai"')
    error, said = await refused(tmp_path, own)
    assert isinstance(error, SettingsError)
    assert [] == said


@pytest.mark.asyncio
async def test_a_certificate_that_is_not_there_ends_the_start(tmp_path):
    """Before the port is open, naming the settings and the file."""
    server = f'tls_certificate = "{tmp_path}/none.pem"\ntls_key = "{tmp_path}/none.pem"'
    error, said = await refused(tmp_path, settings(Nobody(), server=server))
    assert isinstance(error, SettingsError)
    assert f"server.tls_key: cannot read '{tmp_path}/none.pem'" in str(error)
    assert [] == said


@contextlib.asynccontextmanager
async def frozen_database():
    """A port where something accepts and says nothing."""
    lines = []
    server = await asyncio.start_server(lambda *line: lines.append(line), "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], lines
    finally:
        server.close()
        for _, writer in lines:
            writer.transport.abort()
        await server.wait_closed()


@pytest.mark.asyncio
async def test_a_start_that_waits_for_the_database_can_be_called_off(tmp_path):
    """SIGTERM ends it at once and well: nobody has to be killed."""
    path = tmp_path / "trivium.toml"
    async with frozen_database() as (port, lines):
        url = f"postgresql://u@127.0.0.1:{port}/db?sslmode=disable"
        text_ = settings(Nobody())
        path.write_text(text_.replace("[records]", f'[storage]\nurl = "{url}"\n[records]'))
        loaded = load_with_source(path, {}).settings
        said, served = [], []
        task = asyncio.ensure_future(
            serve(loaded, config_path=path, ready=said.append, serving=served.append)
        )
        while not lines:
            await asyncio.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)
        assert 0 == await asyncio.wait_for(task, 5)
        assert (1, []) == (len(said), served)


@pytest.mark.asyncio
async def test_it_says_that_it_serves_when_it_does(tmp_path):
    """A supervisor relieves nobody before that."""
    served = []
    async with serving(tmp_path, settings(Nobody()), served=served.append) as gateway:
        await gateway.get("/v1/models")  # waits for the same
        assert [gateway.origins] == served


def test_what_is_not_said_is_as_shipped():
    """Each for itself."""
    shipped = table().defaults
    assert Defaults(shipped.legacy, shipped.gpt) == defaults(Settings())
    given = msgspec.convert({"images": {"gpt_model": "house-pictures"}}, Settings)
    assert Defaults(shipped.legacy, "house-pictures") == defaults(given)
