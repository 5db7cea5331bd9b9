"""The least a Python gateway can cost: what any of them pays, without the gateway.

    bench/bench.py --case chat:json --header "Authorization: Bearer sk-any" \
        --start "floor=9184=python bench/floor.py 9184 sk-any"

The same event loop and parser as Trivium on both sides, one coroutine a request, a key looked up by
its digest, four windows counted, the model's name spliced in, usage read from the answer, and two
lines appended to a file. No database, limits that refuse nobody, no time-outs, no failures, no
routing, no bill: do not serve anybody with it. Whatever it costs more than nginx is the language's
and the event loop's part; whatever Trivium costs more than it is ours.
"""

import asyncio
import itertools
import os
import sys
import tempfile
import time
from hashlib import sha256

import httptools
import msgspec
import uvloop

UPSTREAM = ("127.0.0.1", 9100)
MODEL = msgspec.Raw(b'"bench-model"')
HEAD = b"HTTP/1.1 200 OK\r\nx-request-id: %b\r\nrequest-id: %b\r\n"


class Tokens(msgspec.Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Answer(msgspec.Struct):
    usage: Tokens | None = None


members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
name = msgspec.json.Decoder(str).decode
answer = msgspec.json.Decoder(Answer).decode
encode = msgspec.json.Encoder().encode


class Upstream(asyncio.Protocol):
    def __init__(self, gateway):
        self.gateway = gateway

    def connection_made(self, transport):
        self.write = transport.write

    def ask(self, caller, request):
        self.caller = caller
        self.parser = httptools.HttpResponseParser(self)
        self.headers = {}
        self.parts = []
        self.whole = False
        self.write(request)

    def data_received(self, data):
        self.parser.feed_data(data)
        body = b"".join(self.parts)
        if self.stream:
            if body:
                self.caller.write(b"%x\r\n%b\r\n" % (len(body), body))
            self.parts.clear()
        if self.whole:
            self.gateway.idle.append(self)
            self.caller.answered.set_result(None if self.stream else body)

    def on_header(self, key, value):
        self.headers[key.lower()] = value

    def on_headers_complete(self):
        self.stream = self.headers[b"content-type"].startswith(b"text/event-stream")
        if self.stream:
            self.caller.write(
                HEAD % (self.caller.request_id, self.caller.request_id)
                + b"Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            )

    def on_body(self, body):
        self.parts.append(body)

    def on_message_complete(self):
        self.whole = True


class Caller(asyncio.Protocol):
    def __init__(self, gateway):
        self.gateway = gateway

    def connection_made(self, transport):
        self.write = transport.write
        self.parser = httptools.HttpRequestParser(self)

    def data_received(self, data):
        self.parser.feed_data(data)

    def on_message_begin(self):
        self.headers = {}
        self.parts = []

    def on_url(self, url):
        self.url = url

    def on_header(self, key, value):
        self.headers[key.lower()] = value

    def on_body(self, body):
        self.parts.append(body)

    def on_message_complete(self):
        self.task = self.gateway.loop.create_task(self.gateway.handle(self))


class Gateway:
    def __init__(self, key, journal):
        self.loop = asyncio.get_running_loop()
        self.callers = {sha256(key).digest(): 1}
        self.windows = [{} for _ in range(4)]
        self.idle = []
        self.ids = itertools.count()
        self.journal = journal
        self.records = []

    async def handle(self, caller):
        began = time.monotonic()
        user = self.callers[sha256(caller.headers[b"authorization"][7:]).digest()]
        minute = int(began // 60)
        for window in self.windows:
            window[user, minute] = window.get((user, minute), 0) + 1
        asked = members(b"".join(caller.parts))
        model = name(asked["model"])
        asked["model"] = MODEL
        body = encode(asked)
        caller.request_id = request_id = b"req_%08x" % next(self.ids)
        os.write(self.journal, b'["h","%b",%d,%d]\n' % (request_id, user, len(body)))
        caller.answered = self.loop.create_future()
        upstream = self.idle.pop() if self.idle else await self.connected()
        upstream.ask(
            caller,
            b"POST %b HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer sk-vendor\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
            % (caller.url, len(body), body),
        )
        said = await caller.answered
        usage = None if said is None else answer(said).usage
        cost = 0 if usage is None else 1250 * usage.prompt_tokens + 10_000 * usage.completion_tokens
        os.write(self.journal, b'["s","%b",%d,%d]\n' % (request_id, user, cost))
        if said is None:
            caller.write(b"0\r\n\r\n")
        else:
            caller.write(
                HEAD % (request_id, request_id)
                + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
                % (len(said), said)
            )
        self.records.append((request_id, user, model, time.monotonic() - began))
        if len(self.records) > 1000:
            self.records.clear()

    async def connected(self):
        _, upstream = await self.loop.create_connection(lambda: Upstream(self), *UPSTREAM)
        return upstream


async def main(port, key):
    with tempfile.TemporaryFile() as journal:
        gateway = Gateway(key.encode(), journal.fileno())
        server = await gateway.loop.create_server(lambda: Caller(gateway), "127.0.0.1", int(port))
        await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main(*sys.argv[1:]))
