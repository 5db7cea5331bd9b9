"""Files named by URL come to channels that take bytes only, where the operator allows it."""

import base64

import msgspec
import pytest

from gateway import Gateway, error_of
from scripted_upstream import Double, Send, sized
from trivium.settings.section import FetchSettings
from trivium.upstream.url_fetch import UrlFetcher

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"
WEBP = b"RIFF\x0c\0\0\0WEBPVP8 " + b"pixels"
GENERATED = [
    Send(
        sized(
            b'{"candidates":[{"content":{"role":"model","parts":[{"text":"A cat."}]},'
            b'"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,'
            b'"candidatesTokenCount":2,"totalTokenCount":3}}',
            headers=b"Content-Type: application/json\r\n",
        )
    )
]
REACH = FetchSettings(
    bytes_max=1000, timeout_s=2, redirects_max=1, kept_bytes_max=9999, kept_s=60, files_max=2,
    networks=("127.0.0.0/8",),
)  # fmt: skip


def picture(body=PNG, kind=b"image/png", status=b"200 OK"):
    return [Send(sized(body, status=status, headers=b"Content-Type: " + kind + b"\r\n"))]


def asked(*urls):
    parts = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return {
        "model": "m",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "What?"}, *parts]}],
    }


async def chat(gateway, *urls):
    return await gateway.post("/v1/chat/completions", asked(*urls))


class Open:
    """A gateway before a generate upstream, with the door open."""

    def __init__(self, vendor, **changes):
        self._gateway = Gateway.to(("gemini", vendor))
        self._reach = msgspec.structs.replace(REACH, **changes)

    async def __aenter__(self):
        gateway = await self._gateway.__aenter__()
        self._foreign = UrlFetcher(self._reach, tls=lambda: None)
        gateway.services.url_fetcher = self._foreign
        return gateway

    async def __aexit__(self, *exc):
        await self._foreign.close()
        await self._gateway.__aexit__(*exc)


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", [b"image/webp", b"image/jpeg"])
async def test_a_picture_by_url_goes_out_as_bytes(kind):
    """Trap 42: never a request without it, and never a guess at its type: a server may be wrong
    about it, the picture's first bytes are not.
    """
    async with (
        Double([picture(WEBP, kind=kind)]) as server,
        Double([GENERATED]) as vendor,
        Open(vendor) as gateway,
    ):
        status, headers, body = await chat(gateway, f"http://127.0.0.1:{server.port}/cat")
        assert (200, "A cat.") == (
            status,
            msgspec.json.decode(body)["choices"][0]["message"]["content"],
        )
        assert b"trivium-dropped" not in headers
        sent = msgspec.json.decode(vendor.requests[0].body)
        assert {
            "inlineData": {"mimeType": "image/webp", "data": base64.b64encode(WEBP).decode()}
        } == sent["contents"][0]["parts"][1]


@pytest.mark.asyncio
async def test_every_turn_sends_the_same_bytes():
    """A server that changes its picture in the middle of a conversation breaks no cache."""
    async with (
        Double([picture(PNG + b"1"), picture(PNG + b"2")]) as server,
        Double([GENERATED]) as vendor,
        Open(vendor) as gateway,
    ):
        url = f"http://127.0.0.1:{server.port}/cat"
        for _ in range(2):
            assert 200 == (await chat(gateway, url))[0]
        assert vendor.requests[0].body == vendor.requests[1].body


@pytest.mark.asyncio
async def test_without_leave_it_is_refused_by_name():
    """Nobody is called: neither the stranger nor the vendor."""
    async with (
        Double([picture()]) as server,
        Double([GENERATED]) as vendor,
        Gateway.to(("gemini", vendor)) as gateway,
    ):
        status, _, body = await chat(gateway, f"http://127.0.0.1:{server.port}/cat")
        assert 400 == status
        assert "URL" in error_of(body)["message"]
        assert ([], []) == (server.requests, vendor.requests)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("script", "why"),
    [
        (picture(status=b"404 Not Found"), "answered 404"),
        (picture(b"<html>", b"text/html"), "is text/html, and no image"),
        (picture(b"???", b"application/octet-stream"), "is of no known type, and no image"),
        (picture(b"x" * 2000), "larger than 1000 bytes"),
    ],
)
async def test_a_file_that_is_not_to_be_had_is_a_400_with_the_reason(script, why):
    """The vendor is not called, and the next one would be asked in vain."""
    async with (
        Double([script]) as server,
        Double([GENERATED]) as vendor,
        Open(vendor) as gateway,
    ):
        status, _, body = await chat(gateway, f"http://127.0.0.1:{server.port}/cat")
        error = error_of(body)
        assert (400, "messages") == (status, error["param"])
        assert why in error["message"]
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_neighbours_of_the_gateway_are_not_read_out_to_callers():
    """Trap 188."""
    async with (
        Double([picture()]) as server,
        Double([GENERATED]) as vendor,
        Open(vendor, networks=()) as gateway,
    ):
        for host in ("127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"):
            status, _, body = await chat(gateway, f"http://{host}:{server.port}/cat")
            assert (400, "invalid_value") == (status, error_of(body)["code"])
        assert (0, []) == (server.connections, vendor.requests)


@pytest.mark.asyncio
async def test_a_request_names_so_many_files():
    """More are refused before any is fetched."""
    async with (
        Double([picture()]) as server,
        Double([GENERATED]) as vendor,
        Open(vendor) as gateway,
    ):
        urls = [f"http://127.0.0.1:{server.port}/{n}" for n in range(3)]
        status, _, body = await chat(gateway, *urls)
        assert 400 == status
        assert "3 files are named by URL; 2 are fetched at most." == error_of(body)["message"]
        assert [] == server.requests


@pytest.mark.asyncio
async def test_a_rehearsal_says_what_would_be_fetched_and_fetches_nothing():
    """``POST /api/explain`` calls nobody."""
    async with Double([picture()]) as server, Double() as vendor, Open(vendor) as gateway:
        url = f"http://127.0.0.1:{server.port}/cat.png"
        status, _, body = await gateway.post("/api/explain", {"body": asked(url)})
        told = msgspec.json.decode(body)
        assert (200, None, [url]) == (status, told["refused"], told["steps"][0]["fetched"])
        assert [] == server.requests
