"""A vendor that counts what it served, and a mixed load on a gateway that is killed meanwhile.

Every request has a number of its own, and the vendor reports that many input tokens; a token costs a
nano-dollar. So an entry's amount says which request it books. Numbers lie apart: who leaves between
the vendor's report and the end pays an estimate of the output on top of it.
"""

import asyncio
import contextlib
import random
import re

import msgspec

from edge.wires import wire

FIRST = 10_000_000
"""Numbers begin here: far above anything an estimate comes to."""
APART = 100
"""More than an estimate of the output comes to."""
KINDS = ("json", "json", "stream", "stream", "slow", "broken", "refused", "left")

_BODY = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_ASKED = re.compile(rb"number (\d+) (\w+)")


def _sse(*objects):
    return b"".join(b"data: %b\n\n" % msgspec.json.encode(each) for each in objects)


def _delta(text, **more):
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": more.pop("end", None)}
    return {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [choice],
        **more,
    }


class Vendor:
    """Answers by what it is asked for, and remembers every number it was asked."""

    def __init__(self):
        self.asked = {}
        """Kind by number."""
        self._tasks = set()

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, backlog=256)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc):
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader, writer):
        task = asyncio.current_task()
        self._tasks.add(task)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                body = await reader.readexactly(int(_BODY.search(head)[1]))
                number, kind = _ASKED.search(body).groups()
                self.asked[int(number)] = kind.decode()
                await self._answer(writer, int(number), kind.decode())
        self._tasks.discard(task)
        with contextlib.suppress(OSError, RuntimeError):
            writer.transport.abort()

    async def _answer(self, writer, number, kind):
        usage = {"prompt_tokens": number, "completion_tokens": 0, "total_tokens": number}
        if kind == "refused":
            body = b'{"error":{"message":"no","type":"server_error"}}'
            writer.write(
                b"HTTP/1.1 500 No\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
                % (len(body), body)
            )
            return
        if kind == "json":
            body = msgspec.json.encode({
                "id": "c", "object": "chat.completion", "created": 1, "model": "m", "usage": usage,
                "choices": [{"index": 0, "message": {"role": "assistant", "content": f"Ho {number}"}, "finish_reason": "stop"}],
            })  # fmt: skip
            writer.write(
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
                % (len(body), body)
            )
            return
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
        )
        for _ in range(3):
            writer.write(_sse(_delta(f"text {number} ")))
            await writer.drain()
            await asyncio.sleep(0.05 if kind in ("slow", "left") else 0.002)
        if kind == "broken":
            raise ConnectionResetError
        end = {**_delta("", end="stop"), "choices": []}
        writer.write(_sse(_delta("", end="stop"), {**end, "usage": usage}) + b"data: [DONE]\n\n")
        await writer.drain()
        raise ConnectionResetError


class Load:
    """Requests of every kind, until it is told to stop; what came back whole is remembered."""

    def __init__(self, seed):
        self.whole = set()
        """Numbers whose answer arrived to its last byte."""
        self.ids = {}
        """Number by the id of its request, of all whose answer came."""
        self.mixed = []
        """Numbers whose answer was another's, and that."""
        self._random = random.Random(seed)
        self._next = FIRST

    async def run(self, gateway, seconds, lines=6):
        """Ask on several connections for so long, or until the gateway is gone."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await asyncio.gather(*(self._line(gateway) for _ in range(lines)))

    async def _line(self, gateway):
        while gateway.process.poll() is None:
            with contextlib.suppress(OSError, EOFError, ValueError, asyncio.IncompleteReadError):
                async with wire(gateway.port) as line:
                    while True:
                        await self._one(gateway, line)
            await asyncio.sleep(0.01)

    async def _one(self, gateway, line):
        number, kind = self._next, self._random.choice(KINDS)
        self._next += APART
        said = [{"role": "user", "content": f"number {number} {kind} "}]
        stream = kind not in ("json", "refused")
        await line.send(gateway.chat(messages=said, stream=stream, max_tokens=2 * FIRST))
        if kind == "left":
            await asyncio.sleep(self._random.uniform(0.0, 0.1))
            raise EOFError
        status, headers, body = await line.answer()
        self.ids[headers[b"x-request-id"].decode()] = number
        if status == 200 and b" %d" % number not in body:
            self.mixed.append((number, body))
        if status == 200 and (not stream or b"[DONE]" in body) and b'"error"' not in body:
            self.whole.add(number)
