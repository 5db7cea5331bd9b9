"""Vendors that fail at random in every way there is, and a crowd that asks a gateway of them.

Both are as light as they can be, so that the gateway has the machine to itself.
"""

import asyncio
import contextlib
import random
import socket
import struct
import time
from collections import Counter

import msgspec

from edge.wires import Wire
from end_to_end.test_chaos import CHAT, CHUNKS, SAID, WHOLE, failing, good, is_legal
from scripted.test_breaking import ended
from scripted_upstream import Close, Send, Stall, chunked

MESSAGES = "/v1/messages"
IDLE_S = 30.0
KINDS = ("json", "stream", "translated")


class _Line(asyncio.Protocol):
    """One connection to a vendor."""

    def __init__(self, vendor):
        self._vendor = vendor
        self._held = b""
        self._busy = False

    def connection_made(self, transport):
        self._transport = transport
        self._vendor.lines.add(transport)

    def connection_lost(self, exc):
        self._vendor.lines.discard(self._transport)

    def data_received(self, data):
        self._held += data
        head, found, body = self._held.partition(b"\r\n\r\n")
        if not found:
            return
        low = head.lower()
        at = low.index(b"content-length:") + 15
        size = int(low[at:].split(b"\r\n", 1)[0])
        if len(body) < size:
            return
        self._held = body[size:]
        self._play(self._vendor.script(b'"stream":true' in body[:size]))

    def _play(self, steps):
        for number, step in enumerate(steps):
            name = type(step).__name__
            if self._transport.is_closing():
                return
            if name == "Send":
                self._transport.write(step.data)
            elif name == "Wait":
                loop = asyncio.get_running_loop()
                loop.call_later(step.seconds, self._play, steps[number + 1 :])
                return
            elif name == "Close":
                self._transport.close()
            elif name == "Reset":
                sock = self._transport.get_extra_info("socket")
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self._transport.abort()
            elif name == "Stall":
                return


class Vendor:
    """Answers a chat; fails so many times in a hundred."""

    def __init__(self, share, seed):
        self.share = share
        self.asked = Counter()
        self.lines = set()
        self._chance = random.Random(seed)

    def script(self, stream):
        """What to do about one request."""
        if self._chance.random() >= self.share:
            self.asked["good"] += 1
            return GOOD[stream]
        self.asked["bad"] += 1
        odd = self._chance.randrange(16)
        if odd == 0:
            return (Stall(),)
        if odd == 1 and stream:
            return (Send(GARBLED), Close())
        return failing(stream, self._chance)

    async def __aenter__(self):
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Line(self), "127.0.0.1", 0, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc):
        self._server.close()
        for line in list(self.lines):
            line.abort()


GOOD = {stream: (Send(good(stream)),) for stream in (True, False)}
_SSE = b"Content-Type: text/event-stream\r\n"
GARBLED = chunked(CHUNKS[0], b"data: \x00\xff{{\n\n", *CHUNKS[1:], headers=_SSE)


class Crowd:
    """Requests at a steady rate, whoever is late; what became of each."""

    def __init__(self, gateway, rate, seconds, seed=1):
        self._gateway = gateway
        self._total = int(rate * seconds)
        self._gap = 1 / rate
        self._chance = random.Random(seed)
        self._idle = []
        self.found = Counter()
        """(kind, outcome): ``whole``, ``broken`` after the vendor had begun, ``empty`` where only
        heartbeats came before the error, ``refused``, ``wrong``."""
        self.wrong = []
        self.refused = Counter()
        """Why, in the gateway's words."""
        self.took = []
        self.rate = 0.0
        """Requests a second that were really sent."""

    async def run(self):
        began = time.monotonic()
        tasks = []
        for number in range(self._total):
            ahead = began + number * self._gap - time.monotonic()
            if ahead > 0:
                await asyncio.sleep(ahead)
            elif number % 16 == 0:
                await asyncio.sleep(0)
            tasks.append(asyncio.ensure_future(self._one(KINDS[number % len(KINDS)])))
        self.rate = self._total / (time.monotonic() - began)
        await asyncio.gather(*tasks)
        for _, line in self._idle:
            await line.close()

    async def _one(self, kind):
        path = MESSAGES if kind == "translated" else CHAT
        body = {"model": "m", "messages": SAID, "stream": kind != "json"}
        if kind == "translated":
            body["max_tokens"] = 16
        raw = self._request(path, msgspec.json.encode(body))
        began = time.monotonic()
        line = await self._line()
        try:
            await line.send(raw)
            status, headers, got = await line.answer()
        except Exception as error:
            self.found[kind, "wrong"] += 1
            self.wrong.append((kind, repr(error)))
            with contextlib.suppress(OSError):
                await line.close()
            return
        self.took.append(time.monotonic() - began)
        if headers.get(b"connection") == b"close":
            await line.close()
        else:
            self._idle.append((time.monotonic(), line))
        outcome = verdict(kind, status, got)
        if outcome == "broken" and not of_vendor(got):
            outcome = "empty"
        self.found[kind, outcome] += 1
        if outcome == "wrong":
            self.wrong.append((kind, status, got))
        elif outcome in ("refused", "empty"):
            route = headers.get(b"trivium-route", b"").decode()
            self.refused[f"{status} {got.decode('latin-1')[-300:]} {route}"[:500]] += 1

    async def _line(self):
        """A connection that is not about to be closed as idle, as any pool takes care."""
        while self._idle:
            since, line = self._idle.pop()
            if time.monotonic() - since < IDLE_S:
                return line
            await line.close()
        return await Wire.to(self._gateway.port)

    def _request(self, path, body):
        lines = [
            f"POST {path} HTTP/1.1", "Host: gateway", f"Authorization: Bearer {self._gateway.key}",
            f"Content-Length: {len(body)}",
        ]  # fmt: skip
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    def count(self, outcome):
        return sum(n for (_, found), n in self.found.items() if found == outcome)

    def percentile(self, share):
        return sorted(self.took)[int(len(self.took) * share)]


def of_vendor(body):
    """Whether a stream that broke off holds anything but heartbeats and the error."""
    frames = (frame.strip() for frame in body.split(b"\n\n"))
    ours = (b":", b"event: ping", b"event: error", b'data: {"error"')
    return any(frame and not frame.startswith(ours) for frame in frames)


def verdict(kind, status, body):
    """What a caller of this kind got."""
    try:
        if status != 200:
            return "refused" if msgspec.json.decode(body)["error"]["message"] else "wrong"
        if kind == "json":
            return "whole" if body == WHOLE else "wrong"
        if kind == "translated":
            how = ended("messages", body)
            said = b"".join(
                body.split(b'"text":"')[n][:2] for n in range(1, body.count(b'"text":"') + 1)
            )
            if how == "well":
                return "whole" if b"Ye" in said and b"s." in said else "wrong"
            return "broken"
        if b"\x00\xff" in body:
            return "broken"  # relayed as it came; the client's own parser refuses it
        if not is_legal(True, status, body):
            return "wrong"
    except (AssertionError, KeyError, msgspec.DecodeError, ValueError):
        return "wrong"
    return "broken" if b'"error"' in body else "whole"
