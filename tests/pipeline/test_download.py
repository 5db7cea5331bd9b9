"""Files on their way through: at once, at the caller's pace, cut when they break off."""

import asyncio

import pytest

from edge.wires import Sheet, asked
from trivium.faults import Fault, Kind
from trivium.pipeline.download import FileDownload, length_of


class Call:
    """A call that remembers what it was told."""

    reused = False

    def __init__(self):
        self.log = []

    def pause(self):
        self.log.append("pause")

    def resume(self):
        self.log.append("resume")

    def abort(self):
        self.log.append("abort")


def refused(status, headers, body):
    return Fault(Kind.NOT_FOUND, f"{status} {headers.get('x-why')} {body.decode()}")


@pytest.fixture
def sheet():
    return Sheet()


@pytest.fixture
def download(sheet):
    async def make():
        return FileDownload(
            asked(sheet),
            asyncio.get_running_loop().create_future(),
            passes=frozenset({b"content-range", b"accept-ranges"}),
            type_of=lambda found: found or b"video/mp4",
            refused=refused,
        )

    return make


@pytest.mark.asyncio
async def test_a_file_goes_out_as_it_comes_with_its_length_and_range(download, sheet):
    """The head with the first bytes; headers that travel do, others do not."""
    sink = await download()
    sink.head(
        206,
        [(b"content-length", b"5"), (b"content-range", b"bytes 0-4/9"), (b"x-secret", b"1")],
    )
    assert b"" == sheet.sent
    sink.data(b"abc")
    head, _, body = sheet.sent.partition(b"\r\n\r\n")
    assert b"HTTP/1.1 206" in head
    assert b"content-length: 5" in head
    assert b"content-type: video/mp4" in head
    assert b"content-range: bytes 0-4/9" in head
    assert b"x-secret" not in head
    assert b"abc" == body
    sink.done(b"de")
    assert sheet.sent.endswith(b"\r\n\r\nabcde")
    assert sheet.closed is False
    assert sink.outcome.done()


@pytest.mark.asyncio
async def test_a_file_of_unknown_length_is_chunked(download, sheet):
    """And ended as such."""
    sink = await download()
    sink.head(200, [(b"content-type", b"image/webp")])
    sink.data(b"abc")
    sink.done()
    assert b"transfer-encoding: chunked" in sheet.sent
    assert sheet.sent.endswith(b"3\r\nabc\r\n0\r\n\r\n")


@pytest.mark.asyncio
async def test_an_empty_file_is_a_file(download, sheet):
    """A head and no byte."""
    sink = await download()
    sink.head(200, [(b"content-length", b"0")])
    sink.done()
    assert sheet.sent.endswith(b"content-length: 0\r\n\r\n")


@pytest.mark.asyncio
async def test_a_file_that_breaks_off_is_cut(download, sheet):
    """The caller must not take a part for the whole."""
    sink = await download()
    sink.head(200, [(b"content-length", b"5")])
    sink.data(b"abc")
    sink.broke(Fault(Kind.UPSTREAM_BROKE, "gone"))
    assert sheet.is_cut
    assert sink.outcome.done()


@pytest.mark.asyncio
async def test_a_break_before_the_first_byte_is_a_fault(download, sheet):
    """Whoever waits may still answer properly."""
    sink = await download()
    sink.head(200, [])
    sink.broke(Fault(Kind.UPSTREAM_BROKE, "gone"))
    with pytest.raises(Fault, match="gone"):
        await sink.outcome
    assert b"" == sheet.sent


@pytest.mark.asyncio
async def test_a_refusal_is_a_fault_of_the_providers_reading(download, sheet):
    """Status, headers and body are given to it."""
    sink = await download()
    sink.head(404, [(b"x-why", b"because")])
    sink.data(b"no ")
    sink.done(b"such")
    with pytest.raises(Fault, match="404 because no such"):
        await sink.outcome
    assert b"" == sheet.sent


@pytest.mark.asyncio
async def test_the_callers_pace_and_departure_reach_the_vendor(download):
    """Paused, resumed, hung up."""
    sink = await download()
    call = Call()
    sink.attach(call)
    sink.pause()
    sink.resume()
    sink.release()
    sink.release()
    assert ["pause", "resume", "abort"] == call.log


@pytest.mark.asyncio
async def test_a_begun_file_can_be_ended_at_once(download, sheet):
    """At a restart it is cut; before its first byte there is nothing to end."""
    sink = await download()
    call = Call()
    sink.attach(call)
    sink.head(200, [])
    assert not sink.interrupt(Fault(Kind.STOPPING, "restart"))
    sink.data(b"abc")
    assert sink.interrupt(Fault(Kind.STOPPING, "restart"))
    assert sheet.is_cut
    assert ["abort"] == call.log


@pytest.mark.parametrize(
    ("headers", "length"),
    [([(b"content-length", b"12")], 12), ([], None), ([(b"content-length", b"x")], None)],
)
def test_the_length_is_what_the_vendor_says(headers, length):
    """Nothing is made up."""
    assert length == length_of(headers)
