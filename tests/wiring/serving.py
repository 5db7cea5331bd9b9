"""A whole gateway in this process, put together by the wiring."""

import asyncio
import contextlib
import os
import signal

from edge.wires import Wire
from end_to_end.running import CHAT, prepare
from trivium.clock import SystemClock
from trivium.identity.service import Identity
from trivium.settings.load import load_with_source
from trivium.storage import migrate
from trivium.storage.database import Database
from trivium.wiring.serve import serve


class Nobody:
    """A vendor at a port to be replaced."""

    port = 9


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
async def serving(folder, text, *, url=None, served=lambda _: None):
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
    task = asyncio.ensure_future(
        serve(loaded, config_path=path, ready=listening.set_result, serving=served)
    )
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


async def refused(folder, own):
    """What `serve` raises, and whether it said that it listened."""
    path = folder / "trivium.toml"
    path.write_text(own)
    said = []
    loaded = load_with_source(path, {}).settings
    try:
        await serve(loaded, config_path=path, ready=said.append)
    except Exception as error:
        return error, said
    raise AssertionError("it served")
