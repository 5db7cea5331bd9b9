"""Whole answers whose caller has left: cancelled, or waited for and booked."""

import asyncio

import pytest

from gateway import Gateway, encoded
from scripted_upstream import Close, Double, Send, Stall, Until, Wait, let_go, sized

CHAT = "/v1/chat/completions"
HELLO = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
ANSWER = sized(
    b'{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":'
    b'{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,'
    b'"completion_tokens":9,"total_tokens":16}}',
    headers=b"Content-Type: application/json\r\n",
)


async def leave(gateway, vendor, body=HELLO, *headers):
    """Ask and hang up once the vendor has the request."""
    line = await gateway.wire()
    await line.send(gateway.head(CHAT, encoded(body), *headers))
    while not vendor.requests:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.03)
    await line.close()
    await asyncio.sleep(0.03)


async def record_of(gateway):
    for _ in range(200):
        if gateway.records:
            return gateway.records[0]
        await asyncio.sleep(0.01)
    raise AssertionError("no record was written")


@pytest.mark.asyncio
async def test_an_abandoned_answer_is_booked_as_reported():
    """Trap 154: the vendor finishes, the ledger has its count, the record says who left."""
    go = asyncio.Event()
    async with (
        Double([[Until(go), Send(ANSWER)]]) as vendor,
        Gateway.to(("openai", vendor)) as gateway,
    ):
        gateway.services.finishes = True
        await leave(gateway, vendor)
        assert ([], 1) == (gateway.records, len(gateway.services.abandoned))
        go.set()
        record = await record_of(gateway)
        assert (499, "caller_left") == (record.status, record.fault)
        ((_, usage),) = gateway.services.ledger.settled
        assert (7, 9, False) == (usage.fresh, usage.output, usage.estimated)
        assert set() == gateway.services.abandoned


@pytest.mark.asyncio
async def test_a_stream_is_cancelled_all_the_same():
    """What was delivered of it is known."""
    async with (
        Double(
            [[Send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"), Stall()]]
        ) as vendor,
        Gateway.to(("openai", vendor)) as gateway,
    ):
        gateway.services.finishes = True
        await leave(gateway, vendor, HELLO | {"stream": True})
        await let_go(vendor)


@pytest.mark.asyncio
async def test_a_failure_after_the_caller_left_is_not_tried_elsewhere():
    """Nobody waits for another answer, and it would be paid for."""
    go = asyncio.Event()
    async with (
        Double([[Until(go), Close()]]) as first,
        Double([[Send(ANSWER)]]) as second,
        Gateway.to(("openai", first), ("openai", second)) as gateway,
    ):
        gateway.services.finishes = True
        await leave(gateway, first)
        go.set()
        record = await record_of(gateway)
        assert "caller_left" == record.fault
        assert [] == second.requests


@pytest.mark.asyncio
async def test_the_end_of_the_worker_waits_for_it_and_then_no_longer():
    """Draining gives it the same time as those whose callers stayed; then it is settled as left."""
    async with Double([[Wait(30)]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        gateway.services.finishes = True
        await leave(gateway, vendor)
        began = asyncio.get_running_loop().time()
        await gateway.listener.drain(0.2)
        assert asyncio.get_running_loop().time() - began >= 0.2
        record = await record_of(gateway)
        assert "caller_left" == record.fault
        assert 1 == len(gateway.services.ledger.settled)
        assert set() == gateway.services.abandoned
