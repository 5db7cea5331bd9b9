"""The pages plane: health, readiness and the description, on the relay's port or one of its own."""

import asyncio
import contextlib

import msgspec
import pytest
from starlette.responses import JSONResponse
from starlette.routing import Route

from gateway import Gateway, error_of
from scripted_upstream import Double
from trivium.admission.addresses import networks
from trivium.edge import openapi, pages
from trivium.edge.readiness import Readiness


class Parts:
    """What readiness asks."""

    def __init__(self):
        self.needed = {"accepting": True, "journal": True}
        self.wanted = {"database": True, "keys": True}

    async def __call__(self):
        return Readiness(needed=dict(self.needed), wanted=dict(self.wanted))


@contextlib.asynccontextmanager
async def served(metrics=None, metrics_token="", **more):
    """A gateway with the pages plane; gives the parts to play with."""
    parts = Parts()
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor), **more) as gateway:
        gateway.listener.serve_pages(
            pages.build(
                public_url="https://gateway.example",
                readiness=parts,
                metrics=metrics,
                metrics_token=metrics_token,
            )
        )
        gateway.vendor = vendor
        yield gateway, parts


@pytest.mark.asyncio
async def test_health_says_that_the_process_runs():
    """Without a key: whoever probes has none."""
    async with served() as (gateway, parts):
        parts.needed["journal"] = False
        status, headers, body = await gateway.get("/healthz", key=False)
        assert (200, {"status": "ok"}) == (status, msgspec.json.decode(body))
        assert headers[b"x-request-id"] == headers[b"request-id"]


@pytest.mark.asyncio
async def test_readiness_names_what_is_missing():
    """503 without what every priced call needs; 200 without the rest, which is told apart."""
    async with served() as (gateway, parts):
        status, _, body = await gateway.get("/readyz", key=False)
        whole = {**parts.needed, **parts.wanted}
        assert (200, {"status": "ok", "parts": whole}) == (status, msgspec.json.decode(body))
        for kind, is_status, said in (
            (parts.needed, 503, "unavailable"),
            (parts.wanted, 200, "degraded"),
        ):
            for name in kind:
                kind[name] = False
                status, headers, body = await gateway.get("/readyz", key=False)
                told = msgspec.json.decode(body)
                assert (is_status, said) == (status, told["status"])
                assert whole | {name: False} == told["parts"]
                assert headers[b"x-request-id"] == headers[b"request-id"]
                kind[name] = True


@pytest.mark.asyncio
async def test_the_description_is_served_as_it_is_written():
    """With the origin the outside sees."""
    async with served() as (gateway, _):
        status, headers, body = await gateway.get("/openapi.json", key=False)
        assert (200, b"application/json") == (status, headers[b"content-type"])
        assert openapi.document("https://gateway.example") == body
        assert [{"url": "https://gateway.example"}] == msgspec.json.decode(body)["servers"]


@pytest.mark.asyncio
@pytest.mark.parametrize("token", ["", "s3cret"])
async def test_numbers_are_shown_to_whoever_has_their_token(token):
    """A key of the gateway is none; without a token the port alone decides."""
    async with served(lambda: "trivium_workers 1\n", token) as (gateway, _):
        for line, right in (
            ("Authorization: Bearer s3cret", True), ("Authorization: bearer s3cret ", True),
            (f"Authorization: Bearer {gateway.key}", False), ("Authorization: s3cret", False),
            ("Authorization: Basic s3cret", False), ("Authorization: Bearer é", False),
            ("X-Api-Key: s3cret", False),
        ):  # fmt: skip
            status, headers, body = await gateway.get("/metrics", line, key=False)
            if right or not token:
                assert (200, b"trivium_workers 1\n") == (status, body)
                assert b"text/plain; version=0.0.4; charset=utf-8" == headers[b"content-type"]
            else:
                assert (401, b"Bearer") == (status, headers[b"www-authenticate"])
                assert "authentication_error" == error_of(body)["type"]


@pytest.mark.asyncio
async def test_numbers_that_nobody_wants_are_not_there():
    """Nor on a port that has no pages."""
    async with served() as (gateway, _):
        status, _, body = await gateway.get("/metrics", key=False)
        assert (404, "Metrics are not switched on here.") == (status, error_of(body)["message"])
    async with served(lambda: "x", people=False) as (gateway, _):
        status, _, body = await gateway.get("/metrics", key=False)
        assert (404, "Pages are served on another port.") == (status, error_of(body)["message"])


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/openapi.json"])
async def test_a_page_may_be_probed_by_head(path):
    """The head of what GET answers, and the connection goes on."""
    async with served() as (gateway, _):
        line = await gateway.wire()
        for _ in range(2):
            await line.send(gateway.head(path, method="HEAD", key=False))
            status, headers, _ = await line.answer(head_only=True)
            _, _, body = await gateway.get(path, key=False)
            assert (200, b"%d" % len(body)) == (status, headers[b"content-length"])
        await line.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/openapi.json"])
async def test_a_page_takes_no_other_method(path, method):
    """In JSON, with the methods it takes."""
    async with served() as (gateway, _):
        status, headers, body = await gateway.send(gateway.head(path, b"{}", method=method))
        assert (405, b"GET, HEAD, OPTIONS") == (status, headers[b"allow"])
        assert "method_not_allowed" == error_of(body)["code"]


@pytest.mark.asyncio
async def test_a_page_that_comes_before_the_plane_is_imported_waits():
    """Nobody is refused for being early."""
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        asking = asyncio.ensure_future(gateway.get("/healthz", key=False))
        await asyncio.sleep(0.05)
        assert not asking.done()
        gateway.listener.serve_pages(pages.build(public_url=None, readiness=Parts()))
        assert 200 == (await asking)[0]


@pytest.mark.asyncio
async def test_a_page_that_breaks_is_a_500_without_its_text():
    """And the connection and the gateway go on."""

    async def broken():
        raise LookupError("password=hunter2")

    async with Double([[]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        gateway.listener.serve_pages(pages.build(public_url=None, readiness=broken))
        status, headers, body = await gateway.get("/readyz", key=False)
        assert (500, "internal_error") == (status, error_of(body)["code"])
        assert headers[b"x-request-id"].decode() == msgspec.json.decode(body)["request_id"]
        assert b"hunter2" not in body
        assert 200 == (await gateway.get("/healthz", key=False))[0]


@pytest.mark.asyncio
async def test_a_page_that_runs_out_of_time_is_a_503():
    """At the end of a drain, as any other answer; a prober that has left is forgotten."""

    async def stuck():
        await asyncio.Event().wait()

    async with Double([[]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        gateway.listener.serve_pages(pages.build(public_url=None, readiness=stuck))
        line, gone = await gateway.wire(), await gateway.wire()
        for each in (line, gone):
            await each.send(gateway.head("/readyz", method="GET", key=False))
        await asyncio.sleep(0.05)
        assert 2 == len(gateway.listener.connections)
        await gone.close()
        await asyncio.sleep(0.05)
        assert 1 == await gateway.listener.drain(0.05)
        status, headers, body = await line.answer()
        assert (503, b"close", "service_unavailable") == (
            status, headers[b"connection"], error_of(body)["code"],
        )  # fmt: skip
        await line.close()


@pytest.mark.asyncio
async def test_a_port_of_its_own_has_the_pages_and_no_models():
    """Not even with a good key; the vendor is not asked."""
    async with served(pages_only=True) as (gateway, _):
        for path in ("/", "/healthz", "/readyz", "/openapi.json"):
            assert 200 == (await gateway.get(path, key=False))[0]
        for path, method in (
            ("/v1/models", "GET"), ("/v1beta/models/m", "GET"), ("/v1/chat/completions", "POST"),
            ("/v1/messages", "POST"), ("/v1beta/models/m:generateContent", "POST"),
        ):  # fmt: skip
            status, _, body = await gateway.send(gateway.head(path, b"{}", method=method))
            assert (404, "Models are not served on this port.") == (
                status,
                error_of(body)["message"],
            )
        assert [] == gateway.vendor.requests


async def asked(request):
    """What an application learns of whoever asks."""
    where = request.client.host if request.client else None
    return JSONResponse([request.url.scheme, where, len(await request.body())])


@contextlib.asynccontextmanager
async def visited(**more):
    """A gateway with a page for people."""
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor), **more) as gateway:
        page = Route("/account", asked, methods=["GET", "POST"])
        gateway.listener.serve_pages(pages.build(public_url=None, readiness=Parts(), routes=[page]))
        yield gateway


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("trusted", "headers", "learned"),
    [
        ([], [], ["http", "127.0.0.1"]),
        ([], ["X-Forwarded-For: 203.0.113.9", "X-Forwarded-Proto: https"], ["http", "127.0.0.1"]),
        (["127.0.0.0/8"], [], ["http", "127.0.0.1"]),
        (
            ["127.0.0.0/8"],
            ["X-Forwarded-For: 203.0.113.9", "X-Forwarded-Proto: https"],
            ["https", "203.0.113.9"],
        ),
        (["127.0.0.0/8"], ["X-Forwarded-For: nonsense"], ["http", None]),
    ],
)
async def test_a_page_learns_who_asks_and_how(trusted, headers, learned):
    """From the connection, or from a proxy that the operator trusts."""
    async with visited(trusted_proxies=networks(trusted)) as gateway:
        raw = gateway.head("/account", b"", *headers, method="GET", key=False)
        _, _, body = await gateway.send(raw)
        assert [*learned, 0] == msgspec.json.decode(body)


@pytest.mark.asyncio
async def test_a_form_is_bounded_before_it_is_read():
    """Far below what a relayed request may hold, with its length told or not."""
    async with visited() as gateway:
        small = gateway.head("/account", b"x" * 1000, key=False)
        assert 200 == (await gateway.send(small))[0]
        pieces = "Transfer-Encoding: chunked", b"80000\r\n%b\r\n" % (b"x" * 524_288)
        for told, sent in (
            ("Content-Length: 1048577", b""),
            (pieces[0], pieces[1] * 2 + b"1\r\nx"),
        ):
            head = f"POST /account HTTP/1.1\r\nHost: gateway\r\n{told}\r\n\r\n"
            status, headers, body = await gateway.send(head.encode() + sent)
            assert (413, "request_too_large", b"close") == (
                status, error_of(body)["type"], headers[b"connection"],
            )  # fmt: skip


@pytest.mark.asyncio
async def test_a_form_in_pieces_is_read_whole():
    """Clients that stream send them so, and proxies that were spoken to in HTTP/2."""
    async with visited() as gateway:
        head = b"POST /account HTTP/1.1\r\nHost: gateway\r\nTransfer-Encoding: chunked\r\n\r\n"
        for size in (10, 1_048_576):
            sent = b"%x\r\n%b\r\n0\r\n\r\n" % (size, b"x" * size)
            status, _, body = await gateway.send(head + sent)
            assert (200, size) == (status, msgspec.json.decode(body)[-1])


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/api/oauth2/token", "/api/oauth2/revoke"])
@pytest.mark.parametrize("told", ["Content-Length: 1048577", "Transfer-Encoding: chunked"])
async def test_an_oauth_client_reads_an_error_that_is_a_string(path, told):
    """Also where the edge itself refuses: libraries show it, or break on anything else."""
    async with visited() as gateway:
        head = f"POST {path} HTTP/1.1\r\nHost: gateway\r\n{told}\r\n\r\n".encode()
        chunk = b"100001\r\n" + b"x" * 1_048_577
        status, _, body = await gateway.send(head + (chunk if "chunked" in told else b""))
        said = "The request body exceeds 1048576 bytes."
        assert 413 == status
        assert {"error": "invalid_request", "error_description": said} == msgspec.json.decode(body)


@pytest.mark.asyncio
async def test_where_pages_have_a_port_of_their_own_no_other_serves_them():
    """But health and the description, which every port has."""
    async with visited(people=False) as gateway:
        status, _, body = await gateway.get("/account", key=False)
        assert (404, "Pages are served on another port.") == (status, error_of(body)["message"])
        assert 200 == (await gateway.get("/healthz", key=False))[0]


@pytest.mark.asyncio
@pytest.mark.parametrize(("people", "status"), [(True, 303), (False, 200)])
async def test_whoever_types_the_bare_address_is_led_to_their_pages(people, status):
    """Programs that probe it get the answer they always got."""
    async with visited(people=people) as gateway:
        raw = gateway.head("/", b"", "Accept: text/html,*/*;q=0.8", method="GET", key=False)
        found, headers, _ = await gateway.send(raw)
        assert (status, b"/account" if people else None) == (found, headers.get(b"location"))
        assert 200 == (await gateway.get("/", key=False))[0]
