"""`trivium serve` in a process of its own, talked to on raw sockets.

async with Double([...]) as vendor, running(folder, vendor) as gateway:
    status, headers, body = await gateway.send(gateway.chat())
"""

import asyncio
import contextlib
import re
import subprocess
import tempfile
import time
from pathlib import Path

import msgspec

import warm
from edge.wires import Wire
from trivium.clock import SystemClock
from trivium.identity.service import Identity
from trivium.storage import migrate
from trivium.storage.database import Database
from warm import TRIVIUM

VENDOR_KEY = "sk-vendor-0123456789abcdef"
LISTENS = re.compile(r"trivium is listening on (\S+(?:, \S+)*) \(pid \d+\)")
START_S = 60.0
STOP_S = 60.0

CHAT = "/v1/chat/completions"
ANSWER = b'{"id":"c1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Ho"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}'


def settings(vendor, *, server="", rest="", models=("m",)):
    """A settings file's text: these models, free, on one OpenAI-like vendor."""
    channel = f'provider = "openai"\napi_key = "{VENDOR_KEY}"\n'
    for name, brief in (("drain_notice_s", 0), ("drain_idle_s", 1)):
        server += "" if name in server else f"\n{name} = {brief}"
    parts = [
        f'[server]\nlisten = "127.0.0.1:0"\n{server}\n[records]\nflush_s = 0.1\n{rest}\n',
        f'[[channels]]\nname = "main"\n{channel}base_url = "http://127.0.0.1:{vendor.port}/v1"\n',
    ]
    parts += [
        f'[[models]]\nname = "{name}"\nfree = true\n[[models.bindings]]\nchannel = "main"\n'
        for name in models
    ]
    return "\n".join(parts)


class Running:
    """The process, where it listens, and a key of it."""

    def __init__(self, folder, process, key):
        self.folder = folder
        self.process = process
        self.key = key

    @property
    def log(self):
        """What it has said on standard error so far."""
        return (self.folder / "serve.log").read_text()

    @property
    def origins(self):
        """Where it listens, in the order of the settings; empty until it does."""
        found = LISTENS.search(self.log)
        return found[1].split(", ") if found else []

    @property
    def port(self):
        return int(self.origins[0].rpartition(":")[2])

    @property
    def events(self):
        """Its log lines in JSON."""
        lines = self.log.splitlines()
        return [msgspec.json.decode(line) for line in lines if line.startswith("{")]

    async def said(self, event, count=1, limit_s=60.0):
        """Wait for a log line of this name; the last of them."""
        deadline = time.monotonic() + limit_s
        while True:
            found = [line for line in self.events if line["event"] == event]
            if len(found) >= count:
                return found[count - 1]
            assert time.monotonic() < deadline, f"no {event} in:\n{self.log}"
            await asyncio.sleep(0.02)

    def chat(self, *headers, model="m", key=None, **members):
        """The bytes of a chat request."""
        body = msgspec.json.encode(
            {"model": model, "messages": [{"role": "user", "content": "Hi"}], **members}
        )
        lines = [
            f"POST {CHAT} HTTP/1.1", "Host: gateway", f"Authorization: Bearer {key or self.key}",
            f"Content-Length: {len(body)}", *headers,
        ]  # fmt: skip
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    def get(self, path, *headers):
        """The bytes of a GET without a key."""
        return "\r\n".join([f"GET {path} HTTP/1.1", "Host: gateway", *headers, "", ""]).encode()

    async def wire(self, port=None):
        """A raw connection; the caller closes it."""
        return await Wire.to(port or self.port)

    async def send(self, raw, port=None):
        """Any bytes on a connection of their own, one answer."""
        line = await self.wire(port)
        try:
            await line.send(raw)
            return await line.answer()
        finally:
            await line.close()

    async def answers(self, status, raw):
        """Whether any bytes, on a connection of their own, are answered with a status."""
        return status == (await self.send(raw))[0]

    async def ended(self, limit_s=STOP_S):
        """The exit code, waiting for it."""
        deadline = time.monotonic() + limit_s
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"still running:\n{self.log}"
            await asyncio.sleep(0.02)
        return self.process.returncode


@contextlib.asynccontextmanager
async def database(folder):
    """The gateway's database, opened beside it."""
    db = Database(f"sqlite:///{folder / 'trivium.db'}")
    try:
        yield db
    finally:
        await db.close()


@contextlib.asynccontextmanager
async def identity(folder):
    """Users and keys, as the command line changes them."""
    async with database(folder) as db:
        yield Identity(db, SystemClock())


_BLANK = []
"""A migrated database's bytes, made once: from nothing it takes an eighth of a second."""


async def blank(folder):
    """Put a migrated, empty database there unless there is one."""
    if not _BLANK:
        with tempfile.TemporaryDirectory() as scratch:
            async with database(Path(scratch)) as db:
                await migrate.ensure(db)
            _BLANK.append((Path(scratch) / "trivium.db").read_bytes())
    if not (folder / "trivium.db").exists():
        (folder / "trivium.db").write_bytes(_BLANK[0])


async def prepare(folder, text):
    """Write the settings and make a user with a key; the key."""
    (folder / "trivium.toml").write_text(text)
    await blank(folder)
    async with database(folder) as db:
        await migrate.ensure(db)
        people = Identity(db, SystemClock())
        await people.create_user("ada", "ada@example.org")
        _, key = await people.create_key("ada")
    return key


def start(folder, key, *argv, fresh=False):
    """Start it; it does not listen yet. ``fresh``: from nothing, as its users do."""
    popen = subprocess.Popen if fresh else warm.popen
    with (folder / "serve.log").open("wb") as log:
        process = popen(
            [TRIVIUM, "serve", *argv], cwd=folder, stdout=subprocess.DEVNULL, stderr=log
        )
    return Running(folder, process, key)


async def listening(gateway):
    """Wait until it listens."""
    deadline = time.monotonic() + START_S
    while not gateway.origins:
        assert gateway.process.poll() is None, gateway.log
        assert time.monotonic() < deadline, f"not listening in time:\n{gateway.log}"
        await asyncio.sleep(0.01)


@contextlib.asynccontextmanager
async def running(folder, vendor, *argv, fresh=False, **more):
    """A running gateway in front of a vendor; keywords as ``settings`` takes them."""
    key = await prepare(folder, settings(vendor, **more))
    gateway = start(folder, key, *argv, fresh=fresh)
    try:
        await listening(gateway)
        yield gateway
    finally:
        gateway.process.terminate()
        try:
            await gateway.ended()
        finally:
            gateway.process.kill()
            gateway.process.wait()
