"""Callers of four kinds, each request with a number of its own, and a vendor that counts them."""

import asyncio
import contextlib
import re
from collections import Counter

import httptools
import msgspec

from edge.wires import Wire
from end_to_end.running import ANSWER, CHAT
from end_to_end.test_chaos import CHUNKS

NUMBER = re.compile(rb"id-(\d+)-")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\n"
GAP_S = 0.12
"""Between two frames of a stream."""
FILE = bytes(range(256)) * 256
FORM = (
    b'--xyz\r\nContent-Disposition: form-data; name="model"\r\n\r\nears\r\n'
    b'--xyz\r\nContent-Disposition: form-data; name="prompt"\r\n\r\nid-%d-\r\n'
    b'--xyz\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n'
    b"Content-Type: audio/wav\r\n\r\n%b\r\n--xyz--\r\n"
)
HEARD = b'{"text":"Ho"}'


class _Asked(asyncio.Protocol):
    """One connection to the vendor."""

    def __init__(self, vendor):
        self._vendor = vendor
        self._parser = httptools.HttpRequestParser(self)
        self._url = b""
        self._body = []

    def connection_made(self, transport):
        self._transport = transport
        self._vendor.lines.add(transport)

    def connection_lost(self, exc):
        self._vendor.lines.discard(self._transport)

    def data_received(self, data):
        self._parser.feed_data(data)

    def on_url(self, url):
        self._url = url

    def on_body(self, body):
        self._body.append(body)

    def on_message_complete(self):
        body = b"".join(self._body)
        self._body = []
        number = int(NUMBER.search(body)[1])
        self._vendor.asked[number] += 1
        if b'"stream":true' in body.replace(b": ", b":"):
            more = b"Transfer-Encoding: chunked\r\n\r\n"
            self._transport.write(HEAD % b"text/event-stream" + more)
            self._frame(0)
            return
        answer = HEARD if b"audio" in self._url else self._vendor.chat_answer(number)
        head = HEAD % b"application/json" + b"Content-Length: %d\r\n\r\n" % len(answer)
        loop = asyncio.get_running_loop()
        loop.call_later(0.01, self._transport.write, head + answer)

    def _frame(self, number):
        piece = CHUNKS[number]
        self._transport.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        if number + 1 == len(CHUNKS):
            self._transport.write(b"0\r\n\r\n")
        else:
            asyncio.get_running_loop().call_later(GAP_S, self._frame, number + 1)


class Vendor:
    """Answers chats and transcriptions; ``asked`` counts what it was asked by number.

    ``chat_answer``: the answer of a chat by its number.
    """

    def __init__(self, chat_answer=lambda number: ANSWER):
        self.chat_answer = chat_answer
        self.asked = Counter()
        self.lines = set()

    async def __aenter__(self):
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Asked(self), "127.0.0.1", 0, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc):
        self._server.close()
        for line in list(self.lines):
            line.abort()
        await self._server.wait_closed()


def is_whole(kind, body):
    """Whether an answer is complete, as its kind ends."""
    if kind == "json":
        return body == ANSWER
    if kind == "upload":
        return body == HEARD
    if kind == "events":
        return body.endswith(b"data: [DONE]\n\n") and b'"error"' not in body
    last = msgspec.json.decode(body)[-1]
    return last["candidates"][0].get("finishReason") == "STOP"


class Load:
    """Callers until told to stop, and what became of each request."""

    def __init__(self, port, key, *, pause_s=0.0):
        self.port = port
        self.key = key
        self.pause_s = pause_s
        self.sent = 0
        self.whole = Counter()
        self.lost = []
        self._stop = asyncio.Event()

    @property
    def answered(self):
        return sum(self.whole.values())

    @contextlib.asynccontextmanager
    async def running(self, crowd):
        """``crowd``: how many callers of each kind. Every second one keeps its connection."""
        tasks = [
            asyncio.ensure_future(self._caller(kind, keeps=bool(number % 2)))
            for kind, count in crowd.items()
            for number in range(count)
        ]
        try:
            yield
        finally:
            self._stop.set()
            await asyncio.wait(tasks)
            for task in tasks:
                task.result()

    def line(self):
        """The sum of it."""
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.whole.items()))
        return f"{self.sent} requests ({kinds}), {len(self.lost)} lost"

    async def _caller(self, kind, *, keeps):
        wire = None
        while not self._stop.is_set():
            self.sent += 1
            number = self.sent
            try:
                wire = wire or await Wire.to(self.port)
                await self._ask(wire, kind, number)
                status, headers, body = await asyncio.wait_for(wire.answer(), 60)
                assert 200 == status, body[:300]
                assert is_whole(kind, body), body[-300:]
                self.whole[kind] += 1
                if headers.get(b"connection", b"").lower() == b"close" or not keeps:
                    await wire.close()
                    wire = None
            except Exception as error:
                self.lost.append((kind, number, keeps, repr(error)))
                if wire is not None:
                    await wire.close()
                wire = None
            await asyncio.sleep(self.pause_s)
        if wire is not None:
            await wire.close()

    async def _ask(self, wire, kind, number):
        path, form = CHAT, b"application/json"
        said = f"id-{number}-"
        if kind == "upload":
            path, form = "/v1/audio/transcriptions", b"multipart/form-data; boundary=xyz"
            body = FORM % (number, FILE)
        elif kind == "array":
            path = "/v1beta/models/m:streamGenerateContent"
            turn = {"role": "user", "parts": [{"text": said}]}
            body = msgspec.json.encode({"contents": [turn]})
        else:
            turn = {"role": "user", "content": said}
            body = msgspec.json.encode(
                {"model": "m", "messages": [turn]} | ({"stream": True} if kind == "events" else {})
            )
        head = (
            b"POST %b HTTP/1.1\r\nHost: gateway.example.com\r\nAuthorization: Bearer %b\r\n"
            b"Content-Type: %b\r\nContent-Length: %d\r\n\r\n"
            % (path.encode(), self.key.encode(), form, len(body))
        )
        if kind == "upload":
            await wire.send(head + body[:20_000])
            await asyncio.sleep(GAP_S)
            await wire.send(body[20_000:])
        else:
            await wire.send(head + body)
