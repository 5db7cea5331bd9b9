"""Short calls whose whole answer is wanted."""

import asyncio

import pytest

from trivium.faults import Fault, Kind
from trivium.upstream import buffered_call


@pytest.mark.asyncio
async def test_an_upstreams_endless_answer_is_given_up_at_once(monkeypatch):
    """Nothing of it is held on to, and its end is not waited for."""
    monkeypatch.setattr(buffered_call, "ANSWER_BYTES_MAX", 10)
    one = buffered_call.BufferedCall(asyncio.get_running_loop().create_future())
    one.data(b"x" * 10)
    assert not one.outcome.done()
    one.data(b"x")
    assert [] == one.parts
    with pytest.raises(Fault) as caught:
        await one.outcome
    assert Kind.UPSTREAM_BROKE is caught.value.kind
    one.done(b"x")  # what was on its way


class Client:
    """Answers at once with what it is told."""

    def __init__(self, *steps):
        self.steps = steps
        self.aborted = 0

    async def open(self, request, sink):
        for step in self.steps:
            step(sink)
        return self

    def abort(self):
        self.aborted += 1


@pytest.mark.asyncio
async def test_a_whole_answer_is_kept_with_its_status():
    """In the order it came; the connection is let go."""
    client = Client(
        lambda sink: sink.head(201, [(b"a", b"b")]),
        lambda sink: sink.data(b"one "),
        lambda sink: sink.done(b"two"),
    )
    one = buffered_call.BufferedCall(asyncio.get_running_loop().create_future())
    await buffered_call.run(client, None, one)
    assert (201, [(b"a", b"b")], b"one two") == (one.status, one.headers, b"".join(one.parts))
    assert 1 == client.aborted


@pytest.mark.asyncio
async def test_a_break_is_told():
    """As the fault it is."""
    client = Client(lambda sink: sink.broke(Fault(Kind.UPSTREAM_TIMEOUT, "late")))
    one = buffered_call.BufferedCall(asyncio.get_running_loop().create_future())
    with pytest.raises(Fault, match="late"):
        await buffered_call.run(client, None, one)
    assert 1 == client.aborted
