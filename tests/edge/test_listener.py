"""One worker's listening side: the choke point, answers of its own, its ticker."""

import asyncio
import email.utils

import msgspec
import pytest

from gateway import Gateway, error_of
from scripted_upstream import Double, Send, sized
from trivium.clock import SystemClock
from trivium.edge.connection import CallerConnection
from trivium.edge.cors import Cors
from trivium.edge.limits import ServerLimits
from trivium.edge.listener import Listener
from trivium.wire.operation import Shape

MESSAGES = [{"role": "user", "content": "Hi"}]
CHAT = "/v1/chat/completions"
HELLO = {"model": "m", "messages": MESSAGES}
JSON = b"Content-Type: application/json\r\n"
OK = [Send(sized(b'{"object":"chat.completion","choices":[]}', headers=JSON))]
SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

# --- answers of its own ---------------------------------------------------------------------------


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("method", "path", "status", "allow"),
    [
        ("GET", CHAT, 405, b"POST, OPTIONS"),
        ("DELETE", "/v1/messages", 405, b"POST, OPTIONS"),
        ("POST", "/v1/models", 405, b"GET, HEAD, OPTIONS"),
        ("PUT", "/v1beta/models/m:generateContent", 405, b"POST, OPTIONS"),
        ("POST", "/", 405, b"GET, HEAD, OPTIONS"),
        ("POST", "/v1beta/models/m:predict", 404, None),
        ("POST", "/upload/v1beta/files", 404, None),
        ("GET", "/v1/files", 404, None),
        ("POST", "/v1/messages/batches", 404, None),
        ("GET", "/favicon.png", 404, None),
        ("PROPFIND", "/v1/models", 405, b"GET, HEAD, OPTIONS"),
    ],
)
async def test_an_address_that_cannot_be_used_is_told_in_json(method, path, status, allow):
    """With the methods that can be, a request id, and no page for a browser."""
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        got, headers, body = await gateway.send(gateway.head(path, b"{}", method=method))
        assert (status, allow) == (got, headers.get(b"allow"))
        assert b"application/json" == headers[b"content-type"]
        told = msgspec.json.decode(body)
        assert headers[b"x-request-id"] == headers[b"request-id"] == told["request_id"].encode()
        is_google = "v1beta" in path
        assert (got if is_google else {404: "unknown_url", 405: "method_not_allowed"}[got]) == (
            told["error"]["code"]
        )
        assert [] == vendor.requests


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/v1/responses", "/v1/realtime?model=m"])
@pytest.mark.parametrize("key", [True, False])
async def test_a_websocket_client_learns_to_post(path, key):
    """Codex tries one first: it repeats after any other refusal, and posts at once after this."""
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        raw = gateway.head(
            path, b"", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", method="GET", key=key,
        )  # fmt: skip
        line = await gateway.wire()
        await line.send(raw)
        head, _, body = (await asyncio.wait_for(line.reader.read(), 20)).partition(b"\r\n\r\n")
        status, *lines = head.lower().split(b"\r\n")
        assert status.startswith(b"http/1.1 426 ")
        assert {b"upgrade: http/1.1", b"connection: upgrade", b"connection: close"} <= set(lines)
        assert "upgrade_required" == error_of(body)["code"]
        await line.close()


@pytest.mark.asyncio
async def test_without_an_offer_the_method_is_what_is_wrong():
    """A GET is not taken for a WebSocket."""
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        status, headers, _ = await gateway.get("/v1/responses")
        assert (405, b"POST, OPTIONS") == (status, headers[b"allow"])


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "allow"),
    [
        (CHAT, b"POST, OPTIONS"),
        ("/v1beta/models/m:generateContent", b"POST, OPTIONS"),
        ("/v1/models", b"GET, HEAD, OPTIONS"),
        ("/nowhere", b"OPTIONS"),
        ("/api/oauth2/authorize", b"GET, POST, OPTIONS"),
        ("/api/oauth2/token", b"POST, OPTIONS"),
        ("/api/oauth2/userinfo", b"GET, HEAD, OPTIONS"),
        ("/api/oauth_apps", b"POST, OPTIONS"),
        ("/api/explain", b"POST, OPTIONS"),
        ("/api/admin/keys/7", b"DELETE, GET, HEAD, PATCH, OPTIONS"),
        ("/.well-known/oauth-authorization-server", b"GET, HEAD, OPTIONS"),
        ("/v1/videos/v/content", b"GET, HEAD, OPTIONS"),
        ("/v1/responses/r", b"GET, HEAD, DELETE, OPTIONS"),
        ("/account/keys", None),
        ("*", b"OPTIONS"),
    ],
)
async def test_options_tells_the_methods_without_a_key(path, allow):
    """A browser's preflight carries none."""
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        status, headers, _ = await gateway.send(gateway.head(path, method="OPTIONS", key=False))
        assert (204, allow) == (status, headers.get(b"allow"))
        assert headers[b"x-request-id"] == headers[b"request-id"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("method", "path", "line"),
    [
        ("OPTIONS", CHAT, "Content-Length: 70000"),
        ("OPTIONS", "/nowhere", "Transfer-Encoding: chunked"),
        ("GET", "/", "Content-Length: 100000000"),
        ("GET", "/assets/" + "a" * 40, "Content-Length: 100000000"),
    ],
)
async def test_who_has_no_key_cannot_have_a_body_kept(method, path, line):
    """Else anybody could fill the memory: what is answered to everybody needs no body."""
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        host = f"{method} {path} HTTP/1.1\r\nHost: x\r\n{line}\r\n\r\n"
        status, headers, body = await gateway.send(host.encode())
        assert (413, b"close") == (status, headers[b"connection"])
        assert "No body is taken here." in error_of(body)["message"]


@pytest.mark.asyncio
async def test_a_small_body_that_nobody_needs_does_no_harm():
    """Some clients send one with whatever they ask."""
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        for method, path, expected in (("OPTIONS", CHAT, 204), ("GET", "/", 200)):
            small = gateway.head(path, b"{}", method=method, key=False)
            assert expected == (await gateway.send(small))[0]


@pytest.mark.asyncio
async def test_a_browser_sdk_gets_through_its_preflight_and_reads_every_answer():
    """Errors carry the CORS lines too, or a script would see only that something failed."""
    origin = "Origin: https://app.example"
    asked = "authorization,content-type,x-stainless-lang,x-stainless-retry-count"
    async with (
        Double([OK]) as vendor,
        Gateway.to(("openai", vendor), cors=("https://app.example",)) as gateway,
    ):
        preflight = gateway.head(
            CHAT, b"", origin, "Access-Control-Request-Method: POST",
            f"Access-Control-Request-Headers: {asked}", method="OPTIONS", key=False,
        )  # fmt: skip
        status, headers, _ = await gateway.send(preflight)
        assert (204, asked.encode()) == (status, headers[b"access-control-allow-headers"])
        answers = [
            await gateway.post(CHAT, HELLO, origin),
            await gateway.post(CHAT, b"{", origin),
            await gateway.get(CHAT, origin),
            await gateway.get("/v1/models", origin, key=False),
            await gateway.get("/nowhere", origin),
        ]
        assert [200, 400, 405, 401, 404] == [status for status, _, _ in answers]
        for _, headers, _ in answers:
            assert b"https://app.example" == headers[b"access-control-allow-origin"]
            assert b"x-request-id" in headers[b"access-control-expose-headers"]
        assert b"access-control-allow-origin" not in (await gateway.post(CHAT, HELLO))[1]
        foreign = await gateway.post(CHAT, HELLO, "Origin: https://evil.example")
        assert b"access-control-allow-origin" not in foreign[1]


@pytest.mark.asyncio
async def test_every_answer_has_a_request_id_of_its_own():
    """Good, refused, malformed, too large; and a date."""
    requests = [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /v1/messages HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n",
        b"OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x00\xa5garbage",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 70_000,
        b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n",
    ]
    seen = []
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        for raw in requests:
            status, headers, body = await gateway.send(raw)
            seen.append((status, headers[b"x-request-id"]))
            assert headers[b"x-request-id"] == headers[b"request-id"]
            assert email.utils.parsedate_to_datetime(headers[b"date"].decode())
            if status >= 400:
                assert headers[b"x-request-id"].decode() == msgspec.json.decode(body)["request_id"]
        status, headers, _ = await gateway.post(CHAT, HELLO)
        seen.append((status, headers[b"x-request-id"]))
    assert [200, 404, 405, 401, 204, 400, 400, 431, 401, 200] == [status for status, _ in seen]
    assert len(seen) == len({number for _, number in seen})


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "shape"),
    [(CHAT, Shape.CHAT), ("/v1beta/models/m:generateContent", Shape.GENERATE)],
)
async def test_a_body_over_the_limit_is_told_in_the_shapes_own_dialect(path, shape):
    """Sized, and chunked, where only the count tells."""
    async with (
        Double([[]]) as vendor,
        Gateway.to(("openai", vendor), limits=ServerLimits(body_bytes_max=1000)) as gateway,
    ):
        chunked = gateway.head(path).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
        for raw in (gateway.head(path, b"a" * 1001), chunked + b"3e9\r\n" + b"a" * 1001):
            status, _, body = await gateway.send(raw)
            code = 413 if shape is Shape.GENERATE else "request_too_large"
            assert (413, code) == (status, error_of(body)["code"])


# --- the ticker -----------------------------------------------------------------------------------


class Broken:
    """A connection in which everything fails."""

    peer = "x"
    busy = True

    def __init__(self, listener):
        self.listener = listener
        self.crashed = []

    def fail(self, *_):
        raise LookupError("a bug")

    ready = tick = drain = interrupt = close = cut = fail

    def crash(self, error):
        self.crashed.append(str(error))
        self.listener.connections.discard(self)


@pytest.mark.asyncio
async def test_time_limits_are_kept_after_a_tick_has_failed():
    """One bad connection must not make every other immortal."""
    async with (
        Double([[]]) as vendor,
        Gateway.to(("openai", vendor), limits=ServerLimits(keepalive_s=0.3)) as gateway,
    ):
        line = await gateway.wire()
        await asyncio.sleep(0.05)
        broken = Broken(gateway.listener)
        gateway.listener.connections.add(broken)
        assert b"" == await asyncio.wait_for(line.reader.read(), 20)
        assert ["a bug"] == broken.crashed
        await line.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("step", ["open", "tick", "drain", "close"])
async def test_what_one_connection_raises_ends_that_one_alone(monkeypatch, step):
    """Whatever is done by all connections in a row is done by the others as well."""
    listener = Listener(limits=ServerLimits(), clock=SystemClock(), cors=Cors(()))
    done = []

    class Sound(Broken):
        def fail(self, *_):
            done.append(self)
            listener.connections.discard(self)

        ready = tick = drain = interrupt = close = cut = fail

    broken = [Broken(listener) for _ in range(3)]
    sound = [Sound(listener) for _ in range(3)]
    for name in ("ready", "tick", "drain", "interrupt", "close", "cut"):
        monkeypatch.setattr(
            CallerConnection, name, lambda one, *args, name=name: getattr(one, name)(*args)
        )
    listener.connections.update(broken + sound)
    if step == "open":
        listener.open(None, lambda _: None)
    elif step == "tick":
        await asyncio.sleep(0.3)
    elif step == "drain":
        await listener.drain(0.05)
    listener.close()
    assert set(sound) == set(done)
    assert [["a bug"]] * 3 == [one.crashed for one in broken]
    assert set() == listener.connections
