"""Workers replaced one by one under load: nobody loses a request."""

import asyncio
import contextlib
import signal
from pathlib import Path

import pytest

from edge.wires import Wire
from end_to_end.running import ANSWER, running
from end_to_end.test_chaos import CHUNKS, SSE
from ports import free_port
from scripted_upstream import Double, Send, Wait, chunked, sized

JSON = b"Content-Type: application/json\r\n"
OK = [Send(sized(ANSWER, headers=JSON))]
FRAMES = chunked(*CHUNKS, headers=SSE)
CUTS = [FRAMES[i : i + 40] for i in range(0, len(FRAMES), 40)]
STREAM = [step for cut in CUTS for step in (Send(cut), Wait(0.05))]


class Vendor(Double):
    """Streams take seconds, whole answers none."""

    async def _do(self, step, peer, reader, writer):
        if step is not None:
            await super()._do(step, peer, reader, writer)
            return
        streamed = b'"stream":true' in self.requests[-1].body
        for one in STREAM if streamed else OK:
            await super()._do(one, peer, reader, writer)


class Load:
    """Callers of three kinds until told to stop; what each got."""

    def __init__(self, gateway, port):
        self.gateway = gateway
        self.port = port
        self.stop = asyncio.Event()
        self.whole = self.streams = self.fresh = 0
        self.lost = []

    @contextlib.asynccontextmanager
    async def running(self):
        tasks = [asyncio.ensure_future(self._keeping(0.002)) for _ in range(6)]
        tasks += [asyncio.ensure_future(self._keeping(0.3)) for _ in range(6)]
        tasks += [asyncio.ensure_future(self._fresh()) for _ in range(4)]
        tasks += [asyncio.ensure_future(self._streaming()) for _ in range(6)]
        tasks += [asyncio.ensure_future(self._checking())]
        try:
            yield
        finally:
            self.stop.set()
            await asyncio.gather(*tasks)

    async def _keeping(self, pause_s):
        """One connection for many requests, until it is told that it closes."""
        line, answered, idle_s = None, 0.0, 0.0
        clock = asyncio.get_running_loop().time
        while not self.stop.is_set():
            try:
                idle_s = clock() - answered if line else 0.0
                line = line or await Wire.to(self.port)
                await line.send(self.gateway.chat())
                status, headers, body = await line.answer()
                assert (200, ANSWER) == (status, body)
                self.whole += 1
                answered = clock()
                if headers.get(b"connection") == b"close":
                    await line.close()
                    line = None
            except Exception as error:
                self.lost.append(("keeping", pause_s, idle_s, repr(error)))
                if line is not None:
                    await line.close()
                line = None
            await asyncio.sleep(pause_s)
        if line is not None:
            await line.close()

    async def _fresh(self):
        """A connection for each request."""
        while not self.stop.is_set():
            try:
                status, _, body = await self.gateway.send(self.gateway.chat(), self.port)
                assert (200, ANSWER) == (status, body)
                self.fresh += 1
            except Exception as error:
                self.lost.append(("fresh", repr(error)))
            await asyncio.sleep(0.005)

    async def _checking(self):
        """Whatever stands in front asks on a connection that it keeps: the node stays ready."""
        line = None
        while not self.stop.is_set():
            try:
                line = line or await Wire.to(self.port)
                await line.send(self.gateway.get("/readyz"))
                status, headers, _ = await line.answer()
                assert 200 == status
                if headers.get(b"connection") == b"close":
                    await line.close()
                    line = None
            except Exception as error:
                self.lost.append(("check", repr(error)))
                line = None
            await asyncio.sleep(0.05)
        if line is not None:
            await line.close()

    async def _streaming(self):
        """Streams that are longer than a worker takes to be replaced."""
        while not self.stop.is_set():
            try:
                raw = self.gateway.chat(stream=True)
                status, _, body = await self.gateway.send(raw, self.port)
                assert status == 200
                assert body.endswith(b"data: [DONE]\n\n")
                assert b'"error"' not in body
                self.streams += 1
            except Exception as error:
                self.lost.append(("stream", repr(error)))


def pids(gateway):
    """Which workers there are, as the supervisor's children."""
    pid = gateway.process.pid
    return set(Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


async def noted(gateway, text, limit_s=30.0):
    async with asyncio.timeout(limit_s):
        while text not in gateway.log:
            await asyncio.sleep(0.05)


@pytest.mark.asyncio
async def test_no_request_is_lost_while_all_workers_are_replaced(tmp_path, valkey):
    """Kept connections, fresh ones and long streams; twice over, and with new settings."""
    port = free_port()
    more = {
        "rest": f'[shared]\nurl = "{valkey.url}"\n[logs]\nformat = "json"\n',
        "server": "workers = 2\n",
    }
    flag = ("--listen", f"127.0.0.1:{port}")
    async with Vendor([[None]]) as vendor, running(tmp_path, vendor, *flag, **more) as gateway:
        load = Load(gateway, port)
        before = pids(gateway)
        assert 2 == len(before)
        async with load.running():
            await asyncio.sleep(0.5)
            path = tmp_path / "trivium.toml"
            path.write_text(path.read_text().replace("workers = 2", "workers = 2\ndrain_s = 25"))
            gateway.process.send_signal(signal.SIGUSR2)
            await noted(gateway, "all workers have been replaced")
            after = pids(gateway)
            assert (2, set()) == (len(after), before & after)
        assert [] == load.lost[:5], f"{len(load.lost)} lost"
        assert min(load.whole, load.fresh, load.streams) > 5
        drains = [line["limit_s"] for line in gateway.events if line["event"] == "draining"]
        assert [30.0, 30.0] == drains
        assert [0, 0] == [e["ended"] for e in gateway.events if e["event"] == "drained"]
        gateway.process.terminate()
        await gateway.ended()
        drains = [line["limit_s"] for line in gateway.events if line["event"] == "draining"]
        assert [30.0, 30.0, 25.0, 25.0] == drains
