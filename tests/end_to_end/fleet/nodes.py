"""Two nodes of two workers each: one PostgreSQL, one Valkey, settings as for several machines."""

import asyncio
import contextlib
import os
import subprocess
import time

import warm
from end_to_end.running import START_S, TRIVIUM, VENDOR_KEY, Running
from ports import free_port

SETTLE_S = 2.5
"""From a node's readiness to the next restart: whatever checks it has noticed by then."""
SETTINGS = """
[server]
listen = "127.0.0.1:{port}"
workers = 2
trusted_proxies = ["127.0.0.0/8"]
[storage]
url = "{database}"
[shared]
url = "{shared}"
[logs]
format = "json"
[[channels]]
name = "main"
provider = "openai"
api_key = "{key}"
base_url = "http://127.0.0.1:{vendor}/v1"
[[models]]
name = "m"
price = {{ input = "1", output = "2" }}
[[models.bindings]]
channel = "main"
[[models]]
name = "ears"
free = true
[[models.bindings]]
channel = "main"
model = "whisper-1"
"""


class Node(Running):
    """One `trivium serve` that can be restarted on the same port."""

    def __init__(self, folder, own):
        super().__init__(folder, None, "")
        self.address = own
        self.starts = 0

    @property
    def port(self):
        return int(self.address.rpartition(":")[2])

    def start(self):
        """Begin; it does not serve yet."""
        self.starts += 1
        with (self.folder / "serve.log").open("ab") as log:
            self.process = warm.popen(
                [TRIVIUM, "serve"], cwd=self.folder, env=environment(), stderr=log,
                stdout=subprocess.DEVNULL,
            )  # fmt: skip

    async def is_ready(self):
        """Wait until it says so."""
        deadline = time.monotonic() + START_S
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                if 200 == (await self.send(self.get("/readyz", "Connection: close")))[0]:
                    return
            assert self.process.poll() is None, self.log[-2000:]
            assert time.monotonic() < deadline, self.log[-2000:]
            await asyncio.sleep(0.1)

    async def restart(self):
        """As an upgrade does it: stop it, wait for its end, start it, wait until it is ready."""
        self.process.terminate()
        assert 0 == await self.ended()
        self.start()
        await self.is_ready()
        await asyncio.sleep(SETTLE_S)


def environment():
    """What both nodes are started with."""
    return os.environ | {"TRIVIUM_SECRET": "rolling-" + "0123456789abcdef" * 4}


def command(folder, *argv):
    """One `trivium` command; what it printed."""
    done = warm.run(
        [TRIVIUM, *argv], check=False, cwd=folder, env=environment(), capture_output=True, text=True
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout


@contextlib.asynccontextmanager
async def two_nodes(folder, vendor, database, shared, settings=SETTINGS):
    """Both, ready, with a key of theirs."""
    nodes = []
    for name in ("one", "two"):
        own = folder / name
        own.mkdir()
        node = Node(own, f"127.0.0.1:{free_port()}")
        (own / "trivium.toml").write_text(
            settings.format(
                port=node.port, database=database, shared=shared, key=VENDOR_KEY, vendor=vendor
            )
        )
        nodes.append(node)
    command(nodes[0].folder, "migrate")
    command(nodes[0].folder, "user", "create", "ada", "--email", "ada@example.org", "--unlimited")
    key = command(nodes[0].folder, "key", "create", "--user", "ada").strip()
    try:
        for node in nodes:
            node.key = key
            node.start()
        for node in nodes:
            await node.is_ready()
        yield nodes
    finally:
        for node in nodes:
            if node.process is not None:
                node.process.terminate()
        try:
            codes = [await node.ended() for node in nodes if node.process is not None]
        finally:
            for node in nodes:
                if node.process is not None:
                    node.process.kill()
                    node.process.wait()
    assert [0, 0] == codes
