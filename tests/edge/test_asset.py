"""Generated files by their signed addresses: who may read them, how, and what they may do."""

import asyncio
from urllib.parse import urlsplit

import pytest
from structlog.testing import capture_logs

from assets.stores import folder_objects
from assets.test_service import made
from edge.wires import Sheet, asked
from gateway import Gateway, error_of
from scripted_upstream import Double
from trivium.assets.model import MissingAssetError
from trivium.edge import asset as module
from trivium.edge.asset import serve
from trivium.storage.errors import StorageDown

DATA = bytes(range(256)) * 8


@pytest.fixture
def assets(database, tmp_path, clock):
    """Files in a folder of this test's own."""
    return made(database, folder_objects(tmp_path), clock)


async def kept(assets, data=DATA, content_type="image/png", lifetime_s=60):
    """A file and its address, without the origin."""
    asset = await assets.put(
        data, user_id=3, kind="image", content_type=content_type, lifetime_s=lifetime_s
    )
    parts = urlsplit(assets.address(asset))
    return asset, f"{parts.path}?{parts.query}"


async def got(assets, address, *headers, method="GET"):
    """One answer, without any key: status, headers, body."""
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        gateway.services.assets = assets
        line = await gateway.wire()
        try:
            await line.send(gateway.head(address, b"", *headers, method=method, key=False))
            return await line.answer(head_only=method == "HEAD")
        finally:
            await line.close()


@pytest.mark.asyncio
async def test_whoever_has_the_address_reads_the_file(assets):
    """Whole, with its length and type, and nothing a browser could make of it."""
    asset, address = await kept(assets)
    status, headers, body = await got(assets, address)
    assert (200, DATA) == (status, body)
    assert {
        b"content-type": b"image/png",
        b"content-length": b"2048",
        b"accept-ranges": b"bytes",
        b"etag": b'"%b"' % asset.id.encode(),
        b"content-disposition": b'inline; filename="%b.png"' % asset.id.encode(),
        b"x-content-type-options": b"nosniff",
        b"content-security-policy": b"default-src 'none'; sandbox",
        b"referrer-policy": b"no-referrer",
    }.items() <= headers.items()


@pytest.mark.asyncio
@pytest.mark.parametrize("content_type", ["image/svg+xml", "text/html", "application/octet-stream"])
async def test_what_a_browser_might_run_is_only_saved(assets, content_type):
    """Never shown in place."""
    asset, address = await kept(assets, content_type=content_type)
    _, headers, _ = await got(assets, address)
    assert b'attachment; filename="%b"' % asset.id.encode() == headers[b"content-disposition"]


@pytest.mark.asyncio
async def test_head_tells_the_length_and_sends_nothing(assets):
    """Of the whole and of a part."""
    _, address = await kept(assets)
    status, headers, body = await got(assets, address, method="HEAD")
    assert (200, b"2048", b"") == (status, headers[b"content-length"], body)
    status, headers, _ = await got(assets, address, "Range: bytes=0-9", method="HEAD")
    assert (206, b"10") == (status, headers[b"content-length"])


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("asked_for", "place", "part"),
    [
        ("bytes=0-0", b"bytes 0-0/2048", DATA[:1]),
        ("bytes=2000-", b"bytes 2000-2047/2048", DATA[2000:]),
        ("bytes=-5", b"bytes 2043-2047/2048", DATA[-5:]),
    ],
)
async def test_a_part_is_sent_as_one(assets, asked_for, place, part):
    """206 with its place."""
    _, address = await kept(assets)
    status, headers, body = await got(assets, address, f"Range: {asked_for}")
    assert (206, place, part) == (status, headers[b"content-range"], body)


@pytest.mark.asyncio
async def test_a_part_outside_is_told_in_json(assets):
    """416 with the length there is."""
    _, address = await kept(assets)
    status, headers, body = await got(assets, address, "Range: bytes=2048-")
    assert (416, b"bytes */2048") == (status, headers[b"content-range"])
    assert ("invalid_request_error", "range") == (error_of(body)["type"], error_of(body)["param"])


@pytest.mark.asyncio
async def test_conditions_are_kept(assets):
    """Nothing is sent twice to whoever has it; a part of another file is never mixed in."""
    asset, address = await kept(assets)
    tag = f'"{asset.id}"'
    for held in (tag, f'"other", W/{tag}', "*"):
        status, headers, _ = await got(assets, address, f"If-None-Match: {held}")
        assert (304, tag.encode()) == (status, headers[b"etag"])
    assert 200 == (await got(assets, address, 'If-None-Match: "another"'))[0]
    both = ("Range: bytes=2048-", f"If-None-Match: {tag}")
    assert 304 == (await got(assets, address, *both))[0]
    part = ("Range: bytes=0-9", f"If-Range: {tag}")
    assert 206 == (await got(assets, address, *part))[0]
    assert 200 == (await got(assets, address, part[0], 'If-Range: "another"'))[0]


@pytest.mark.asyncio
@pytest.mark.parametrize("change", [("sig=", "sig=A"), ("exp=", "exp=1"), ("?", "?x"), ("?", "/?")])
async def test_a_forged_address_is_refused_in_json(assets, change):
    """Whatever was changed."""
    _, address = await kept(assets)
    status, headers, body = await got(assets, address.replace(*change))
    assert status == (404 if change[1] == "/?" else 403)
    assert b"application/json" == headers[b"content-type"]
    assert error_of(body)["type"] in ("permission_error", "not_found_error")


@pytest.mark.asyncio
async def test_an_address_that_is_over_is_refused(assets, clock):
    """With the reason."""
    _, address = await kept(assets)
    clock.advance(60)
    status, _, body = await got(assets, address)
    assert (403, "This address has expired.") == (status, error_of(body)["message"])


@pytest.mark.asyncio
async def test_a_deleted_file_is_not_found(assets):
    """Though its address would still be good."""
    asset, address = await kept(assets)
    await assets.delete(asset.id)
    assert 404 == (await got(assets, address))[0]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/assets", 404),
        ("GET", "/assets/", 404),
        ("GET", "/assets/../trivium.db", 404),
        ("GET", "/assets/%2e%2e/%2e%2e/etc/passwd", 404),
        ("GET", "/assets/" + "a" * 39 + "?exp=9&sig=A", 404),
        ("GET", "/assets/" + "a" * 40, 403),
        ("POST", "/assets/" + "a" * 40, 405),
        ("DELETE", "/assets/" + "a" * 40, 405),
    ],
)
async def test_there_is_no_list_and_no_way_out(assets, method, path, status):
    """Ids alone, GET and HEAD alone."""
    await kept(assets)
    assert status == (await got(assets, path, method=method))[0]


@pytest.mark.asyncio
async def test_an_empty_file_is_whole(assets):
    """Without asking the store."""
    _, address = await kept(assets, b"")
    status, headers, body = await got(assets, address)
    assert (200, b"0", b"") == (status, headers[b"content-length"], body)


class Shelf:
    """Files that cannot be looked up, or not be read."""

    def __init__(self, *, found=None):
        self.found = found

    def check(self, *_):
        return module.SignatureCheck.GOOD

    async def find(self, _):
        if isinstance(self.found, Exception):
            raise self.found
        if isinstance(self.found, asyncio.Event):
            await self.found.wait()
        return self.found

    async def read(self, *_):
        raise MissingAssetError("gone")
        yield b""


@pytest.mark.asyncio
async def test_a_file_that_cannot_be_read_is_told_in_json(assets):
    """With no header that speaks of the file."""
    asset, _ = await kept(assets)
    sheet = Sheet()
    await serve(asked(sheet, method="GET"), asset.id, Shelf(found=asset))
    assert sheet.sent.startswith(b"HTTP/1.1 404")
    assert b"content-disposition" not in sheet.sent


@pytest.mark.asyncio
async def test_without_the_database_it_is_our_fault(assets):
    """503, to be tried again."""
    asset, _ = await kept(assets)
    sheet = Sheet()
    await serve(asked(sheet, method="GET"), asset.id, Shelf(found=StorageDown("away")))
    assert sheet.sent.startswith(b"HTTP/1.1 503")


@pytest.mark.asyncio
async def test_what_nobody_foresaw_is_answered_all_the_same(assets):
    """Else the caller, whose connection is busy with this, would wait until it gives up."""
    asset, _ = await kept(assets)
    sheet = Sheet()
    with capture_logs() as logs:
        await serve(asked(sheet, method="GET"), asset.id, Shelf(found=LookupError("a bug")))
    assert sheet.sent.startswith(b"HTTP/1.1 500")
    assert ["file_crashed"] == [line["event"] for line in logs]


@pytest.mark.asyncio
async def test_a_file_that_is_on_its_way_when_time_is_up_is_refused(assets):
    """As every other answer that has not begun."""
    asset, _ = await kept(assets)
    sheet = Sheet()
    task = asyncio.ensure_future(
        serve(asked(sheet, method="GET"), asset.id, Shelf(found=asyncio.Event()))
    )
    await asyncio.sleep(0)
    task.cancel()
    await task
    assert sheet.sent.startswith(b"HTTP/1.1 503")
