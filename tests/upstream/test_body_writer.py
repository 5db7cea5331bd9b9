"""Request bodies in pieces: back-pressure, early answers, a second attempt, and no byte too few."""

import asyncio

import pytest

from scripted_upstream import Close, Double, Recorder, Send, Stall, sized
from trivium.faults import Fault, Kind
from trivium.upstream.request import Request
from upstream.conftest import ask, limits

HEAD = b"POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"


class Pieces:
    """A body that counts how often it was read, and how far."""

    content_type = b"a/b"

    def __init__(self, *parts, size=None, gate=None, fault=None):
        self.parts = parts
        self.size = sum(map(len, parts)) if size is None else size
        self.gate = gate
        self.fault = fault
        self.begun = 0
        self.given = 0
        self.left = asyncio.Event()

    async def pieces(self):
        self.begun += 1
        try:
            for part in self.parts:
                self.given += len(part)
                yield part
            if self.gate is not None:
                await self.gate.wait()
            if self.fault is not None:
                raise self.fault
        finally:
            self.left.set()


def upload(double, body, **changes):
    request = ask(double, payload=HEAD % body.size, **changes)
    return Request(origin=request.origin, payload=request.payload, limits=request.limits, body=body)


@pytest.mark.asyncio
async def test_a_body_in_pieces_arrives_whole_and_the_connection_serves_again(make_client):
    """Head and pieces in order; then another request on the same connection."""
    client = make_client()
    async with Double([[Send(sized(b"ok"))]]) as double:
        for _ in range(2):
            body = Pieces(b"one", b"two" * 100_000, b"three")
            sink = Recorder()
            await client.open(upload(double, body), sink)
            await sink.end()
            assert b"ok" == sink.body
        assert [b"onetwo", b"three"] == [
            double.requests[1].body[:6],
            double.requests[1].body[-5:],
        ]
        assert body.size == len(double.requests[1].body)
        assert 1 == double.connections


@pytest.mark.asyncio
async def test_a_vendor_that_reads_slowly_is_written_to_slowly(make_client):
    """What waits in memory is a connection's buffer, not the file."""
    client = make_client()
    read = asyncio.Event()
    async with Double([[Send(sized(b"ok"))]]) as double:
        double.before_reading = read
        body = Pieces(*[b"x" * 262_144] * 200)
        sink = Recorder()
        await client.open(upload(double, body), sink)
        await asyncio.sleep(0.2)
        assert body.given < body.size / 2
        read.set()
        await sink.end()
        assert body.given == body.size == len(double.requests[0].body)


@pytest.mark.asyncio
async def test_a_refusal_in_the_middle_of_an_upload_is_heard_and_the_connection_given_up(
    make_client,
):
    """The rest of the form must not be taken for the next request."""
    client = make_client()
    async with Double([[Send(sized(b"no", status=b"413 Too Large"))]]) as double:
        double.read_bodies = False
        body = Pieces(b"x" * 1000, size=2000, gate=asyncio.Event())
        sink = Recorder()
        await client.open(upload(double, body), sink)
        await sink.end()
        assert 413 == sink.status
        async with asyncio.timeout(20):
            await body.left.wait()
            await double.peers[0].left.wait()


@pytest.mark.asyncio
async def test_a_caller_that_leaves_stops_the_upload(make_client):
    """Nothing is read from the spool any more, and the vendor sees the connection end."""
    client = make_client()
    async with Double([[Stall()]]) as double:
        body = Pieces(b"x" * 1000, size=2000, gate=asyncio.Event())
        call = await client.open(upload(double, body), Recorder())
        await asyncio.sleep(0.05)
        call.abort()
        async with asyncio.timeout(20):
            await body.left.wait()
            await double.peers[0].left.wait()


@pytest.mark.asyncio
async def test_a_dead_connection_is_replaced_and_the_body_sent_from_its_start(make_client):
    """A reused connection may have died while it lay idle: the upload is whole on the fresh one."""
    client = make_client()
    async with Double([[Send(sized(b"one"))], [Close()], [Send(sized(b"two"))]]) as double:
        sink = Recorder()
        await client.open(ask(double), sink)
        await sink.end()
        body = Pieces(b"x" * 1000)
        sink = Recorder()
        await client.open(upload(double, body), sink)
        await sink.end()
        assert b"two" == sink.body
        assert 2 == body.begun
        assert b"x" * 1000 == double.requests[-1].body


FAULTS = {
    "told": (Pieces, {"size": 10, "fault": Fault(Kind.INTERNAL, "gone")}, "gone"),
    "crashed": (Pieces, {"size": 10, "fault": RuntimeError("secret")}, "could not read back"),
    "too short": (Pieces, {"size": 10}, "could not read back"),
    "too long": (Pieces, {"size": 1}, "could not read back"),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", FAULTS)
async def test_a_body_that_cannot_be_read_ends_the_call(make_client, name):
    """At once, with a fault of our own, and never with a request that is not what it says."""
    client = make_client()
    make, how, why = FAULTS[name]
    async with Double([[Stall()]]) as double:
        sink = Recorder()
        await client.open(upload(double, make(b"123", **how)), sink)
        await sink.end()
        assert Kind.INTERNAL is sink.fault.kind
        assert why in sink.fault.message
        async with asyncio.timeout(20):
            await double.peers[0].left.wait()


@pytest.mark.asyncio
async def test_the_wait_for_the_first_byte_begins_when_the_upload_has_left(make_client):
    """A long upload is not taken for a slow vendor."""
    client = make_client()

    class Slow(Pieces):
        async def pieces(self):
            for part in self.parts:
                await asyncio.sleep(0.15)
                yield part

    async with Double([[Send(sized(b"ok"))]]) as double:
        sink = Recorder()
        body = Slow(*[b"x"] * 8)
        await client.open(upload(double, body, limits=limits(first_byte=0.6)), sink)
        await sink.end()
        assert b"ok" == sink.body
