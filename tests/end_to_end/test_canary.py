"""Planted secrets never come out again: not in answers, not in logs, not in the database."""

import contextlib

import pytest

from end_to_end.running import ANSWER, VENDOR_KEY, running
from scripted_upstream import Close, Double, Reset, Send, Wait, chunked, sized
from trivium.identity import keys

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
KEY = VENDOR_KEY.encode()
STRANGER = keys.issue(lambda n: b"\x07" * n)
HOST = b"10.11.12.13"
ECHO = b'{"error":{"message":"Incorrect API key provided: %b at https://%b/v1?key=%b (Authorization: Bearer %b)","type":"x","code":"y"}}' % (
    KEY, HOST, KEY, KEY,
)  # fmt: skip
FRAME = (
    b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n'
)
HEADERS = JSON + b"x-goog-api-key: %b\r\nauthorization: Bearer %b\r\nset-cookie: s=%b\r\nlocation: https://%b/?key=%b\r\nserver: %b\r\n" % (
    KEY, KEY, KEY, HOST, KEY, HOST,
)  # fmt: skip
BEGUN = chunked(FRAME, headers=SSE)[:-5]
PROMPT = "the-planted-prompt"
"""Not logged and not stored either: prompts are off the record unless somebody opts in."""
SAID = [{"role": "user", "content": PROMPT}]


def piece(data):
    """One chunk."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def refused(status, body=ECHO, headers=HEADERS):
    return [Send(sized(body, status=status, headers=headers))]


VENDOR = {
    "credential refused": refused(b"401 Unauthorized"),
    "forbidden": refused(b"403 Forbidden"),
    "bad request": refused(b"400 Bad Request"),
    "not found": refused(b"404 Not Found"),
    "rate limited": refused(b"429 Too Many Requests"),
    "broken": refused(b"500 Internal Server Error"),
    "a page": refused(b"502 Bad Gateway", b"<html>%b %b</html>" % (KEY, HOST), b""),
    "redirected": refused(b"302 Found"),
    "an error as success": refused(b"200 OK"),
    "no json": refused(b"200 OK", b"%b %b" % (KEY, HOST)),
    "an answer with headers": refused(b"200 OK", ANSWER),
    "cut short": [Send(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n" + ECHO), Close()],
    "no http": [Send(KEY + b" " + HOST + b"\r\n\r\n"), Close()],
    "reset": [Reset()],
}
STREAMS = {
    "an error first": [Send(chunked(b"data: " + ECHO + b"\n\n", headers=SSE))],
    "an error in the middle": [
        Send(BEGUN),
        Wait(0.1),
        Send(piece(b"data: " + ECHO + b"\n\n") + b"0\r\n\r\n"),
    ],
    "cut short": [Send(BEGUN), Close()],
}


def callers(key):
    """Requests that fail before any vendor is asked, with a key wherever one can be."""
    bearer = f"Authorization: Bearer {key}"
    forms = (bearer, f"x-api-key: {key}", f"x-goog-api-key: {key}", f"Cookie: key={key}")
    for first in (
        f"GET /nowhere?key={key}", f"GET /v1/chat/completions?key={key}", f"GET /healthz?key={key}",
        f"DELETE /v1/models?key={key}", f"POST /v1/messages?key={key}&beta=true",
        f"POST /v1beta/models/m:predict?key={key}", f"GET /v1beta/models/none?key={key}",
        f"OPTIONS /v1/models?key={key}",
    ):  # fmt: skip
        for form in forms:
            yield f"{first} HTTP/1.1\r\nHost: x\r\n{form}\r\nContent-Length: 0\r\n\r\n".encode()
    yield f"GET /?key={key} HTTP/1.1\r\nHost: {key}@x\r\n{bearer}\r\n\r\n".encode()
    yield f"GET /?key={key} HTTP/9.9\r\nHost: x\r\n{bearer}\r\n\r\n".encode()
    yield f"GET /?key={key} HTTP/1.1\r\nHost: x\r\n{bearer}\r\nA: {'a' * 70_000}\r\n\r\n".encode()
    yield f"{key} /?key={key} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    body = f'{{"model":"m","messages":[],"api_key":"{key}"'
    for text in (body, body + "}"):
        yield (
            f"POST /v1/chat/completions?key={key} HTTP/1.1\r\nHost: x\r\n{bearer}\r\n"
            f"Content-Length: {len(text)}\r\n\r\n{text}"
        ).encode()


async def everything(gateway, raw):
    """All bytes that come back on a connection of its own."""
    line = await gateway.wire()
    try:
        await line.send(raw.replace(b"Host:", b"Connection: close\r\nHost:", 1))
        with contextlib.suppress(ConnectionError):
            return await line.reader.read()
    finally:
        await line.close()
    return b""


@pytest.mark.asyncio
async def test_no_planted_secret_comes_out(tmp_path):
    """Whatever fails: the vendor's credential, callers' keys and the vendor's address stay in."""
    scripts = [*VENDOR.values(), *STREAMS.values()]
    came_back = {}
    # a refused credential is asked about again at once: each of its refusals is looked at
    server = '[logs]\nlevel = "debug"\n[routing]\ncooldown_s = 0.0001\nrecheck_s = 0.0001\n'
    async with Double(scripts) as vendor, running(tmp_path, vendor, rest=server) as gateway:
        for name in VENDOR:
            came_back[name] = await everything(gateway, gateway.chat(messages=SAID))
        for name in STREAMS:
            came_back[f"stream: {name}"] = await everything(
                gateway, gateway.chat(stream=True, messages=SAID)
            )
        assert len(scripts) == len(vendor.requests)
        for key in (gateway.key, STRANGER):
            for raw in callers(key):
                came_back[raw[:200]] = await everything(gateway, raw)
        asked = b"".join(seen.raw for seen in vendor.requests)
        secrets = [KEY, HOST, gateway.key.encode(), STRANGER.encode()]
        address = f"127.0.0.1:{vendor.port}".encode()
    kept = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {"serve.log", "trivium.db"} <= set(kept)
    assert b"draining" in kept["serve.log"]
    assert PROMPT.encode() in asked
    del kept["trivium.toml"]
    for name, text in (came_back | kept).items():
        assert text or name in ("reset", "trivium.db-shm", "trivium.db-wal"), name
        for secret in [*secrets, address, PROMPT.encode()]:
            assert secret not in text, (name, text)
    assert KEY in asked
    assert gateway.key.encode() not in asked
