"""What a worker keeps: memory at rest, for each connection and each request under way, after load.

usage: memory.py [--prompts N] [--at-once N] [--kib N]

Starts a gateway of one worker on SQLite, and a vendor that answers at once, or when it is told to.
Prints how much is resident after each step, and what a step added for each of what it added: idle
connections, requests under way of a model with a price (a hold, a call, what came so far), prompts
of 400 KiB that were answered, in the vendor's own shape and translated, three times over.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
from keys import fill, processor_s, resident_mib, started

SETTINGS = """[server]
listen = "127.0.0.1:{port}"
[storage]
url = "{url}"
[[channels]]
name = "vendor"
provider = "openai"
api_key = "none"
base_url = "http://127.0.0.1:{vendor}/v1"
[[models]]
name = "m"
price = {{ input = "1", output = "2" }}
[[models.bindings]]
channel = "vendor"
shape = "chat"
"""
ANSWER = msgspec.json.encode(
    {
        "id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{
            "index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Hello."},
        }],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
    }
)  # fmt: skip
SENTENCE = "The quick brown fox jumps over the lazy dog, and says so \\u201ctwice\\u201d.\\n"


class Vendor:
    """Answers every request, once it may."""

    def __init__(self) -> None:
        self.may = asyncio.Event()
        self.may.set()
        self.waiting = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer what comes on one connection."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
                await reader.readexactly(length)
                self.waiting += 1
                await self.may.wait()
                self.waiting -= 1
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                    % len(ANSWER) + ANSWER
                )  # fmt: skip
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()
        except asyncio.CancelledError:  # at the end
            return


class Wire:
    """A caller's connection."""

    def __init__(self, port: int, key: str) -> None:
        self._port, self._key = port, key

    async def open(self) -> None:
        """Connect."""
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def ask(self, path: str, body: bytes) -> None:
        """Send a request, and read its answer, which must be good."""
        self.writer.write(
            f"POST {path} HTTP/1.1\r\nHost: b\r\nAuthorization: Bearer {self._key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        await self.writer.drain()
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        said = await self.reader.readexactly(length)
        if not head.startswith(b"http/1.1 200"):
            raise SystemExit(f"the gateway answered {head[:20]!r} {said[:300]!r}")


def prompt(kib: int, n: int) -> bytes:
    """A chat request as large as that, which no other request is like."""
    text = f"{n} " + SENTENCE * (kib * 1024 // len(SENTENCE))
    message = {"role": "user", "content": text}
    return msgspec.json.encode({"model": "m", "max_tokens": 64, "messages": [message]})


class Scale:
    """Prints what is resident, and what was added since the last time."""

    def __init__(self, pid: int) -> None:
        self._pid, self._last, self._cpu = pid, resident_mib(pid), processor_s(pid)

    def read(self, name: str, count: int = 0) -> None:
        """``count``: of what was added."""
        now, cpu = resident_mib(self._pid), processor_s(self._pid)
        each = f"{(now - self._last) * 1024 / count:8.1f} KiB each" if count else ""
        print(f"  {name:58s} {now:7.1f} MiB {each:18s} {cpu - self._cpu:6.2f} s of CPU", flush=True)
        self._last, self._cpu = now, cpu


async def at_once(
    wires: list[Wire], ask: Callable[[Wire, int], Awaitable[None]], count: int
) -> None:
    """Ask so many times, on all of these connections."""
    numbers = iter(range(count))

    async def one_by_one(wire: Wire) -> None:
        for number in numbers:
            await ask(wire, number)

    await asyncio.gather(*map(one_by_one, wires))


async def measured(
    port: int, pid: int, key: str, vendor: Vendor, given: argparse.Namespace
) -> None:
    """All steps."""
    await asyncio.sleep(8)  # the pages are imported by then
    scale = Scale(pid)
    scale.read("idle")
    wires = [Wire(port, key) for _ in range(given.connections)]
    small = prompt(1, 0)
    await wires[0].open()
    await wires[0].ask("/v1/chat/completions", small)
    scale.read("a first request")
    for wire in wires[1:]:
        await wire.open()
        await wire.ask("/v1/chat/completions", small)
    await asyncio.sleep(2)
    scale.read(
        f"{len(wires) - 1} more connections that have asked once and are idle", len(wires) - 1
    )
    vendor.may.clear()
    asking = [asyncio.create_task(w.ask("/v1/chat/completions", small)) for w in wires]
    while vendor.waiting < len(wires):  # noqa: ASYNC110 - once, and nobody waits for the figure
        await asyncio.sleep(0.05)
    await asyncio.sleep(2)
    scale.read(f"{len(wires)} requests under way on them", len(wires))
    vendor.may.set()
    await asyncio.gather(*asking)
    for wire in wires[given.at_once :]:
        wire.writer.close()
    del wires[given.at_once :]
    await asyncio.sleep(3)
    scale.read("all answered, connections closed")
    for turn in range(3):
        for name, path in (
            ("its own shape", "/v1/chat/completions"),
            ("translated", "/v1/messages"),
        ):
            await at_once(
                wires,
                lambda wire, n, path=path: wire.ask(path, prompt(given.kib, n)),
                given.prompts,
            )
            scale.read(f"{given.prompts} prompts of {given.kib} KiB, {name}, turn {turn + 1}")
    await asyncio.sleep(20)
    scale.read("20 s later")


async def run(port: int, pid: int, key: str, given: argparse.Namespace) -> None:
    """With a vendor beside it."""
    vendor = Vendor()
    server = await asyncio.start_server(vendor.serve, "127.0.0.1", port + 1, backlog=2048)
    async with server:
        await measured(port, pid, key, vendor, given)


def main() -> None:
    """Start, load, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--prompts", type=int, default=200)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--kib", type=int, default=400)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--port", type=int, default=18_490)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        url = f"sqlite:///{folder}/trivium.db"
        [key] = asyncio.run(fill(url, 0, 1, each=False))
        text = SETTINGS.format(port=given.port, vendor=given.port + 1, url=url)
        (folder / "trivium.toml").write_text(text)
        began = time.monotonic()
        with started(folder, given.port) as (pid, _):
            asyncio.run(run(given.port, pid, key, given))
        print(f"  {time.monotonic() - began:.0f} s in all")


if __name__ == "__main__":
    main()
