"""The room for bodies: of all callers together, of each, and given back."""

import asyncio
import contextlib

import msgspec
import pytest

from edge.wires import EchoHost, serving, wire
from gateway import Gateway, error_of
from scripted_upstream import Double, Send, sized
from trivium.edge.body_memory import STEP_BYTES, UNCOUNTED_BYTES, BodyMemory, MemoryShare
from trivium.edge.limits import ServerLimits
from trivium.faults import Fault, Kind
from trivium.identity.model import Caller
from trivium.settings.limits import RateLimits

MIB = 1_048_576
CHAT = "/v1/chat/completions"
SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
OK = sized(
    b'{"object":"chat.completion","choices":[]}', headers=b"Content-Type: application/json\r\n"
)


def caller(user_id, key_id=1):
    return Caller(
        key_id=key_id, user_id=user_id, payer_id=user_id, unlimited=False, disabled=False, expires_at=1e18,
        models=frozenset(), prefixes=(),
    )  # fmt: skip


def share(kept, user_id, *, large=False):
    return MemoryShare(kept, caller(user_id), large=large)


def test_a_small_body_is_not_counted():
    """Ordinary requests cost nothing."""
    kept = BodyMemory(MIB)
    one = share(kept, 1)
    one.cover(UNCOUNTED_BYTES)
    assert 0 == kept.taken
    one.cover(UNCOUNTED_BYTES + 1)
    assert STEP_BYTES == kept.taken
    one.close()
    one.close()
    assert 0 == kept.taken


def test_one_user_has_half_of_the_room_and_another_still_finds_some():
    """Beyond half of it a user that has a quarter gets no more, others do."""
    kept = BodyMemory(64 * STEP_BYTES)
    mine = [share(kept, 1) for _ in range(64)]

    def fill(shares, most):
        for one in shares[:most]:
            one.cover(UNCOUNTED_BYTES + STEP_BYTES)
        for one in shares[most:]:
            with pytest.raises(Fault) as refused:
                one.cover(UNCOUNTED_BYTES + STEP_BYTES)
            assert (Kind.UPSTREAM_BUSY, 2.0) == (refused.value.kind, refused.value.retry_after)

    others = [[share(kept, user) for _ in range(40)] for user in (2, 3, 4)]
    fill(mine, 32)
    fill(others[0], 16)
    fill(others[1], 16)
    fill(others[2], 0)
    assert 64 * STEP_BYTES == kept.taken
    mine[0].close()
    mine[1].close()
    fill(others[2], 2)


def test_large_bodies_that_come_in_are_counted_for_their_key_and_user():
    """Until they are whole, or given up."""
    kept = BodyMemory()
    shares = [MemoryShare(kept, caller(5, key), large=True) for key in (7, 7, 8)]
    assert {5: 3, -7: 2, -8: 1} == kept.coming
    shares[0].came()
    shares[0].came()
    assert {5: 2, -7: 1, -8: 1} == kept.coming
    for one in shares:
        one.close()
    assert {} == kept.coming


def post(size, path=b"/b", body=b""):
    return b"POST %b HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b" % (path, size, body)


@pytest.mark.asyncio
async def test_a_body_without_room_is_refused_while_it_comes_and_its_room_given_back():
    """503, with a time to come again; whatever becomes of a body, nothing stays counted."""
    host = EchoHost(ServerLimits(linger_s=0.2))
    host.kept = BodyMemory(4 * MIB)
    host.hold = []
    async with serving(host) as port, contextlib.AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(wire(port)) for _ in range(4)]
        await lines[0].send(post(MIB, body=b"a" * MIB))
        await lines[1].send(post(2 * MIB, body=b"a" * (MIB // 2)))
        async with asyncio.timeout(20):
            while host.kept.taken < 1.5 * MIB - UNCOUNTED_BYTES * 2:
                await asyncio.sleep(0.01)
        await lines[2].send(post(MIB, body=b"a" * (MIB - 1)))
        status, headers, _ = await lines[2].answer()
        assert (503, b"2") == (status, headers[b"retry-after"])
        await lines[1].close()
        async with asyncio.timeout(20):
            while host.kept.taken > MIB:
                await asyncio.sleep(0.01)
        host.hold[0].answer(200, b"")
        await lines[0].answer()
        assert 0 == host.kept.taken
        # a head that is known, and a body in one read
        host.hold = None
        for size in (100_000, 100_000, 100_000):
            await lines[3].send(post(size, body=b"a" * size))
            assert 200 == (await lines[3].answer())[0]
        assert 0 == host.kept.taken
    assert {} == host.kept.coming


@pytest.mark.asyncio
async def test_the_room_of_a_stream_is_given_back_when_its_answer_begins():
    """It may take minutes, and nobody will read the body again."""
    script = [Send(SSE + b'data: {"object":"chat.completion.chunk","choices":[]}\n\n'), 3.0]
    said = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "a" * 200_000}]}
    async with Double([script]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line = await gateway.wire()
        await line.send(gateway.head(CHAT, msgspec.json.encode(said)))
        await line.answer(head_only=True)
        assert 0 == gateway.listener.kept.taken
        await line.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("path", [CHAT, "/v1/messages", "/v1beta/models/m:generateContent"])
async def test_a_full_gateway_says_so_in_the_callers_dialect(path):
    """With a status and a time that SDKs repeat by."""
    async with Double([[Send(OK)]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        gateway.listener.kept.bytes_max = 400_000
        line = await gateway.wire()
        await line.send(gateway.head(path, b"a" * 300_000))
        status, headers, body = await line.answer()
        assert (503, b"2") == (status, headers[b"retry-after"])
        assert error_of(body)["message"].startswith("The gateway keeps as much of")
        assert [] == vendor.requests
        await line.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("whose", ["limits", "user_limits"])
async def test_a_caller_at_its_limit_is_refused_before_its_body_is_taken_in(whose):
    """Large bodies that are coming count as requests that run; nothing of another is read."""
    who = {whose: RateLimits(concurrency=2)}
    async with (
        Double([[Send(OK)]] * 3) as vendor,
        Gateway.to(("openai", vendor), who=who) as gateway,
    ):
        lines = [await gateway.wire() for _ in range(3)]
        head = gateway.head(CHAT, b"x" * 100_000)[:-100_000]
        for line in lines[:2]:
            await line.send(head + b"{")
        async with asyncio.timeout(20):
            while gateway.listener.kept.coming.get(3) != 2:
                await asyncio.sleep(0.01)
        await lines[2].send(head)
        status, headers, body = await lines[2].answer()
        assert (429, "rate_limit_exceeded") == (status, error_of(body)["code"])
        assert b"retry-after" in headers
        # a small one is not looked at ahead: it runs, and nothing else does yet
        small = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
        assert 200 == (await gateway.post(CHAT, small))[0]
        for line in lines:
            await line.close()
        async with asyncio.timeout(20):
            while gateway.listener.kept.coming:
                await asyncio.sleep(0.01)
