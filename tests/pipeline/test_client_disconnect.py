"""A caller leaves: the vendor is cancelled, unless nothing but its count is to come."""

import asyncio
import json
import time

import pytest

from end_to_end.estimating import Books
from gateway import Gateway, encoded
from scripted_upstream import Close, Double, Send, Stall, Until, let_go
from waiting import stopwatch

CHAT = "/v1/chat/completions"
HELLO = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": True}
PRICED = {"free": False, "price": {"input": "1", "output": "2"}}
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
TOLD = {"prompt_tokens": 9, "completion_tokens": 44, "total_tokens": 53}


def chunk(*choices, **more):
    """A frame, as a chunk of the body."""
    rows = [{"index": at, "delta": delta, "finish_reason": why} for at, delta, why in choices]
    data = b"data: %b\n\n" % json.dumps({"id": "c1", "choices": rows, **more}).encode()
    return b"%x\r\n%b\r\n" % (len(data), data)


WORDS = chunk((0, {"content": "twelve chars"}, None))
FINISH = chunk((0, {}, "stop"))
OTHER = chunk((1, {"content": "more"}, None))
USAGE = chunk(usage=TOLD)
DONE = b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"


async def left(script, gone, *, body=HELLO, **more):
    """A caller leaves when the script waits for ``gone``; the gateway's one record, its books, and
    how long that took: by the clock, and without what the machine gave to something else.
    """
    async with (
        Double([script]) as vendor,
        Gateway.to(("openai", vendor), model=PRICED, **more) as gateway,
    ):
        books = gateway.services.ledger = Books()
        line = await gateway.wire()
        await line.send(gateway.head(CHAT, encoded(body)))
        await line.reader.readuntil(b"twelve chars")
        await asyncio.sleep(0.05)
        await line.close()
        await asyncio.sleep(0.05)
        gone.set()
        began = time.monotonic()
        async with stopwatch() as fair:
            while not gateway.records:
                await asyncio.sleep(0.01)
            took = (time.monotonic() - began, fair())
        await let_go(vendor) if isinstance(script[-1], Stall) else None
        (booked,) = books.settled
        return gateway.records[0], booked, took


@pytest.mark.asyncio
@pytest.mark.parametrize("strategy", ["weight", "latency"])
async def test_the_count_behind_the_finish_is_waited_for(strategy):
    """With a task and without one; the record says that the caller left."""
    gone = asyncio.Event()
    script = [Send(HEAD + WORDS + FINISH), Until(gone), Send(USAGE + DONE)]
    record, (usage, end), _ = await left(script, gone, strategy=strategy)
    assert (9, 44, False, "caller_left") == (usage.fresh, usage.output, usage.estimated, end)
    assert ("caller_left", usage) == (record.fault, record.usage)


@pytest.mark.asyncio
async def test_a_count_that_does_not_come_is_waited_for_two_seconds():
    """Then the vendor is let go, and what was delivered is the bill."""
    gone = asyncio.Event()
    script = [Send(HEAD + WORDS + FINISH), Until(gone), Stall()]
    _, (usage, end), (took, _) = await left(script, gone)
    assert (3, True, "caller_left") == (usage.output, usage.estimated, end)
    assert 1.5 < took


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("sent", "body"),
    [
        (WORDS, HELLO),
        # another answer goes on
        (WORDS + FINISH + OTHER, HELLO | {"n": 2}),
        # the count is known
        (WORDS + FINISH + USAGE, HELLO),
    ],
    ids=["before the finish", "of two answers", "counted"],
)
async def test_everything_else_is_cancelled_at_once(sent, body):
    """Within a second."""
    gone = asyncio.Event()
    _, (usage, end), (_, took) = await left([Send(HEAD + sent), Stall()], gone, body=body)
    assert ("caller_left", USAGE not in sent) == (end, usage.estimated)
    assert usage.output in ((44,) if USAGE in sent else (3, 4))
    assert took < 1.0


@pytest.mark.asyncio
async def test_a_vendor_that_dies_while_its_count_is_waited_for():
    """The wait is over, and what was delivered is the bill."""
    gone = asyncio.Event()
    script = [Send(HEAD + WORDS + FINISH), Until(gone), Close()]
    _, (usage, end), (_, took) = await left(script, gone)
    assert (3, True) == (usage.output, usage.estimated)
    assert end in ("caller_left", "upstream_broke")
    assert took < 1.5
