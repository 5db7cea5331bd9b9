"""What somebody sees who types an address of the gateway into a browser."""

import pytest

from gateway import Gateway
from scripted_upstream import Double

CHAT = "/v1/chat/completions"


async def page_of_nothing(scope, receive, send):
    """What people are shown where nothing is."""
    head = [(b"content-type", b"text/html; charset=utf-8")]
    await send({"type": "http.response.start", "status": 404, "headers": head})
    await send({"type": "http.response.body", "body": scope["path"].encode()})


BROWSER = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("method", "path", "accept", "people", "is_page"),
    [
        ("GET", "/docs", BROWSER, True, True),
        ("GET", "/v1/files", BROWSER, True, True),
        ("GET", "/docs", "Accept: */*", True, False),
        ("POST", "/docs", BROWSER, True, False),
        ("GET", "/docs", BROWSER, False, False),
        ("GET", "/v1beta/files", BROWSER, True, False),
        ("GET", CHAT, BROWSER, True, False),
    ],
)
async def test_somebody_who_mistypes_an_address_gets_a_page(method, path, accept, people, is_page):
    """Where pages are served and a browser asks; clients of a shape get its own words."""
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor), people=people) as gateway:
        gateway.listener.serve_pages(page_of_nothing)
        got, headers, _ = await gateway.send(gateway.head(path, b"", accept, method=method))
        kind = b"text/html; charset=utf-8" if is_page else b"application/json"
        assert (405 if path == CHAT else 404, kind) == (got, headers[b"content-type"])


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("accept", "people", "status", "to"),
    [
        (BROWSER, True, 303, b"/account"),
        (BROWSER, False, 200, None),
        ("Accept: */*", True, 200, None),
    ],
)
async def test_people_who_type_the_bare_address_are_led_to_their_pages(accept, people, status, to):
    """Programs that probe it learn what this is."""
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor), people=people) as gateway:
        got, headers, _ = await gateway.get("/", accept, key=False)
        assert (status, to) == (got, headers.get(b"location"))
