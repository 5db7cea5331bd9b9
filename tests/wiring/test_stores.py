"""The database away, and one that cannot be used."""

import asyncio

import msgspec
import pytest
from sqlalchemy import text

from edge.wires import Wire
from end_to_end.running import ANSWER, settings
from scripted_upstream import Double, Send, sized
from trivium.storage.database import Database
from trivium.storage.errors import StorageDown
from wiring.serving import Nobody, refused, serving

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
PAGES = ("/healthz", "/readyz", "/openapi.json")


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
            told = msgspec.json.decode(body)
            # nothing was leased yet: whoever has a limited balance would wait in vain
            assert 503 == status or told["parts"]["ledger"]
            assert False is told["parts"]["database"]
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


@pytest.mark.asyncio
async def test_a_database_that_cannot_be_used_closes_the_port_again(tmp_path):
    """The port was open; nothing is left behind, and the error is the storage's."""
    own = settings(Nobody()) + f'[storage]\nurl = "sqlite:///{tmp_path}/no/folder/x.db"\n'
    error, said = await refused(tmp_path, own)
    assert isinstance(error, StorageDown)
    ((origin,),) = said
    with pytest.raises(ConnectionError):
        await Wire.to(int(origin.rpartition(":")[2]))
