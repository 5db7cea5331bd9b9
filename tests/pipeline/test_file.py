"""Files of our own go out whole or in part, no faster than they are read, and never short unseen."""

import asyncio

import pytest

from edge.wires import Sheet, asked
from trivium.assets.model import Asset, MissingAssetError
from trivium.faults import Fault, Kind
from trivium.pipeline.file import find, part, send, tag
from trivium.storage.errors import StorageDown
from trivium.wire.ranges import ByteRange

DATA = bytes(range(256)) * 8
ASSET = Asset(
    id="a" * 40, user_id=3, kind="image", content_type="image/png", size_bytes=len(DATA),
    created_at=0, expires_at=60,
)  # fmt: skip


class Shelf:
    """Files that do as they are told."""

    def __init__(self, *pieces, error=None):
        self.pieces = pieces
        self.error = error
        self.given = 0

    async def find(self, asset_id):
        if self.error is not None:
            raise self.error
        return ASSET if asset_id == ASSET.id else None

    async def read(self, asset, start, end):
        del asset, start, end
        for piece in self.pieces:
            self.given += 1
            yield piece
        if self.error is not None:
            raise self.error


async def sent(shelf, span=None, *, asset=ASSET, method="GET"):
    """The sheet an answer was written on."""
    sheet = Sheet()
    exchange = asked(sheet, method=method)
    await send(exchange, asset, span, shelf, [(b"x-own", b"1")])
    assert exchange.flow is None
    return sheet


@pytest.mark.asyncio
async def test_a_file_has_its_type_length_tag_and_whatever_headers_it_is_given():
    """In one answer that is sized and not chunked."""
    sheet = await sent(Shelf(DATA[:1000], DATA[1000:]))
    head, _, body = sheet.sent.partition(b"\r\n\r\n")
    assert DATA == body
    assert {
        b"HTTP/1.1 200 OK", b"content-type: image/png", b"content-length: 2048",
        b"accept-ranges: bytes", b"etag: " + tag(ASSET), b"x-own: 1",
    } <= set(head.split(b"\r\n"))  # fmt: skip
    assert b"content-range" not in head


@pytest.mark.asyncio
async def test_a_part_says_where_it_lies():
    """206."""
    sheet = await sent(Shelf(DATA[5:10]), ByteRange(5, 10))
    assert sheet.sent.startswith(b"HTTP/1.1 206")
    assert b"content-range: bytes 5-9/2048\r\n" in sheet.sent
    assert sheet.sent.endswith(b"\r\n\r\n" + DATA[5:10])


@pytest.mark.asyncio
@pytest.mark.parametrize(("method", "size"), [("HEAD", 2048), ("GET", 0)])
async def test_nothing_is_read_where_nothing_is_to_be_sent(method, size):
    """The head alone is wanted, or the file is empty."""
    shelf = Shelf(error=MissingAssetError("gone"))
    asset = Asset(
        id=ASSET.id, user_id=3, kind="image", content_type="image/png", size_bytes=size,
        created_at=0, expires_at=60,
    )  # fmt: skip
    sheet = await sent(shelf, asset=asset, method=method)
    assert sheet.sent.startswith(b"HTTP/1.1 200")
    assert sheet.sent.endswith(b"\r\n\r\n")
    assert b"content-length: %d\r\n" % size in sheet.sent


@pytest.mark.asyncio
async def test_a_slow_reader_is_waited_for():
    """No more is taken from the store than the caller has room for."""
    sheet = Sheet()
    exchange = asked(sheet, method="GET")
    exchange.congested = True
    shelf = Shelf(DATA[:1024], DATA[1024:])
    task = asyncio.ensure_future(send(exchange, ASSET, None, shelf))
    await asyncio.sleep(0.02)
    assert 1 == shelf.given
    exchange.flow.resume()
    exchange.flow.pause()
    exchange.flow.resume()
    await task
    assert sheet.sent.endswith(DATA)
    assert sheet.closed is False


@pytest.mark.asyncio
async def test_nobody_can_end_a_file_with_words():
    """Whoever interrupts must cancel; what was sent is cut then."""
    exchange = asked(Sheet(), method="GET")
    exchange.congested = True
    task = asyncio.ensure_future(send(exchange, ASSET, None, Shelf(DATA)))
    await asyncio.sleep(0.02)
    assert not exchange.flow.interrupt(Fault(Kind.STOPPING, "x"))
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert exchange.flow is None


@pytest.mark.asyncio
@pytest.mark.parametrize("error", [None, MissingAssetError("gone")])
async def test_a_file_that_is_not_there_is_told_before_the_first_byte(error):
    """So that it can still be an answer in JSON, with no header that speaks of the file."""
    sheet = Sheet()
    exchange = asked(sheet, method="GET")
    with pytest.raises(Fault) as told:
        await send(exchange, ASSET, ByteRange(0, 9), Shelf(error=error), [(b"x-own", b"1")])
    assert Kind.NOT_FOUND is told.value.kind
    assert (b"", []) == (sheet.sent, exchange.extra)


@pytest.mark.asyncio
@pytest.mark.parametrize("error", [None, MissingAssetError("gone")])
async def test_a_file_that_is_short_is_broken_off(error):
    """A caller must not take it for whole."""
    sheet = await sent(Shelf(DATA[:9], error=error))
    assert sheet.is_cut


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({b"range": b"bytes=5-9"}, ByteRange(5, 10)),
        ({b"range": b"bytes=5-9", b"if-range": tag(ASSET)}, ByteRange(5, 10)),
        ({b"range": b"bytes=5-9", b"if-range": b'"another"'}, None),
        ({b"range": b"lines=5-9"}, None),
    ],
)
def test_a_range_is_read(headers, expected):
    """A part of another file is never mixed in."""
    assert expected == part(asked(headers=headers), ASSET)


def test_a_range_outside_is_a_416_with_the_size_there_is():
    """As the RFC has it."""
    exchange = asked(headers={b"range": b"bytes=2048-"})
    with pytest.raises(Fault) as told:
        part(exchange, ASSET)
    assert (416, "range") == (told.value.status, told.value.param)
    assert [(b"content-range", b"bytes */2048")] == exchange.extra


@pytest.mark.asyncio
async def test_a_file_is_looked_up_or_it_is_our_fault_that_it_was_not():
    """``None``: there is none; 503 while nobody can say."""
    assert ASSET is await find(Shelf(), ASSET.id)
    assert None is await find(Shelf(), "other")
    with pytest.raises(Fault) as told:
        await find(Shelf(error=StorageDown("away")), ASSET.id)
    assert 503 == told.value.status
