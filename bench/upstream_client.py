"""CPU cost of the upstream client: a small JSON exchange, and 100 chunks that arrive in one read.

    python bench/upstream_client.py [--calls 20000] [--loop uvloop|asyncio] [--profile]

The server is a process of its own; the figure is this process's user and system time a call, so
it holds the system calls and the loop's part as well as the client's. Calls run one after the
other (``parallel 1``) and 64 at a time, where the loop's own cost is shared.
"""

import argparse
import asyncio
import cProfile
import multiprocessing
import os
import pstats
import resource
import socket
import threading

import uvloop

from trivium.routing.model import TimeLimits
from trivium.settings.model import UpstreamSettings
from trivium.upstream import tls
from trivium.upstream.pool import PooledClient
from trivium.upstream.request import Origin, Request
from trivium.upstream.resolve import Resolver

JSON = b'{"id":"x","choices":[{"message":{"role":"assistant","content":"' + b"a" * 300 + b'"}}]}'
HEAD = (
    b"HTTP/1.1 200 OK\r\nDate: Mon, 01 Jan 2026 00:00:00 GMT\r\nContent-Type: application/json\r\n"
    b"x-request-id: req_1\r\nServer: bench\r\n"
)
EVENT = b'data: {"id":"x","choices":[{"delta":{"content":"word "}}]}\n\n'
ANSWERS = {
    b"/json": HEAD + b"Content-Length: %d\r\n\r\n" % len(JSON) + JSON,
    b"/flow": HEAD
    + b"Transfer-Encoding: chunked\r\n\r\n"
    + (b"%x\r\n" % len(EVENT) + EVENT + b"\r\n") * 100
    + b"0\r\n\r\n",
}
LIMITS = TimeLimits(connect=5, first_byte=5, idle=5, total=30)


def serve(listener: socket.socket) -> None:
    def answer(peer: socket.socket) -> None:
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while data := peer.recv(65536):
            peer.sendall(ANSWERS[data.split(b" ", 2)[1]])

    while True:
        peer, _ = listener.accept()
        threading.Thread(target=answer, args=(peer,), daemon=True).start()


class Sink:
    def __init__(self, runner):
        self.runner = runner

    def head(self, status, headers):
        pass

    def data(self, data):
        pass

    def done(self, rest=b""):  # noqa: ARG002 - the sink's signature
        self.runner.next(self)

    def broke(self, fault):
        raise fault


class Runner:
    def __init__(self, client, request, calls):
        self.client = client
        self.request = request
        self.left = calls
        self.running = 0
        self.finished = asyncio.get_running_loop().create_future()

    async def run(self, parallel):
        for _ in range(parallel):
            self.running += 1
            self.left -= 1
            await self.client.open(self.request, Sink(self))
        await self.finished

    def next(self, sink):
        if self.left > 0:
            self.left -= 1
            assert self.client.open_now(self.request, sink) is not None
            return
        self.running -= 1
        if not self.running:
            self.finished.set_result(None)


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def floor(port, path, calls):
    """The same bytes through a bare protocol that only counts them: what the loop itself costs."""
    loop = asyncio.get_running_loop()
    whole = len(ANSWERS[path])
    finished = loop.create_future()
    payload = b"POST " + path + b" HTTP/1.1\r\n\r\n"

    class Bare(asyncio.Protocol):
        def connection_made(self, transport):
            self.transport = transport
            self.left = calls
            self.seen = 0
            transport.write(payload)

        def data_received(self, data):
            self.seen += len(data)
            if self.seen == whole:
                self.seen = 0
                self.left -= 1
                if self.left:
                    self.transport.write(payload)
                else:
                    finished.set_result(None)

    before = cpu()
    transport, _ = await loop.create_connection(Bare, "127.0.0.1", port)
    await finished
    transport.close()
    return (cpu() - before) / calls * 1e6


async def main(port, options):
    loop = asyncio.get_running_loop()
    client = PooledClient(
        UpstreamSettings(keepalive_s=20, connections_max=100, wait_s=5, header_bytes_max=65536),
        resolver=Resolver(30, loop.time),
        tls=lambda: tls.context(None),
        now=loop.time,
    )
    for path in ANSWERS:
        bare = await floor(port, path, options.calls)
        for parallel in (1, 64):
            request = Request(
                origin=Origin("http", "127.0.0.1", port),
                payload=b"POST " + path + b" HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}",
                limits=LIMITS,
            )
            await Runner(client, request, 500).run(parallel)
            before = cpu()
            await Runner(client, request, options.calls).run(parallel)
            used = (cpu() - before) / options.calls * 1e6
            print(
                f"{path.decode():6} parallel {parallel:3}  {used:6.1f} us a call"
                f"   (bare protocol, parallel 1: {bare:.1f})"
            )
    await client.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--loop", choices=["uvloop", "asyncio"], default="uvloop")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    server = multiprocessing.get_context("fork").Process(
        target=serve, args=(listener,), daemon=True
    )
    server.start()
    port = listener.getsockname()[1]
    listener.close()
    print(f"{options.loop}, {os.cpu_count()} cores")
    profile = cProfile.Profile()
    if options.profile:
        profile.enable()
    if options.loop == "uvloop":
        uvloop.run(main(port, options))
    else:
        asyncio.run(main(port, options))
    if options.profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)
    server.terminate()
