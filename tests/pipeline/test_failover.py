"""Attempts over real sockets: who is asked how often, and what the caller is told."""

import asyncio

import msgspec
import pytest
from structlog.testing import capture_logs

from gateway import Gateway, error_of
from scripted_upstream import Double, Reset, Send, Stall, Wait, chunked, sized
from trivium.settings.entries import Timeouts
from trivium.settings.model import RoutingSettings
from waiting import stopwatch

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
CHAT = "/v1/chat/completions"
HELLO = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
ANSWER = (
    b'{"id":"x","object":"chat.completion","model":"up","choices":[{"index":0,"message":'
    b'{"role":"assistant","content":"Yes."},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}'
)
OK = [Send(sized(ANSWER, headers=JSON))]


def refusal(status: bytes, *headers: bytes, body: bytes = b'{"error":{"message":"no"}}'):
    return [Send(sized(body, status=status, headers=JSON + b"".join(headers)))]


BROKEN = refusal(b"500 Broken")
REVOKED = refusal(b"401 Unauthorized")


@pytest.mark.asyncio
async def test_a_repeat_is_made_where_the_operator_wants_one():
    """After a pause; the caller sees the answer alone."""
    async with (
        Double([BROKEN, OK]) as vendor,
        Gateway.to(
            ("openai", vendor), budget=RoutingSettings(repeats=1, repeat_pause_s=0.05)
        ) as gateway,
    ):
        status, headers, body = await gateway.post(CHAT, HELLO)
        assert (200, ANSWER, b"2") == (status, body, headers[b"trivium-attempts"])
        assert 1 == len(gateway.services.ledger.settled)


@pytest.mark.asyncio
async def test_unless_told_otherwise_a_channel_is_asked_once():
    """The caller's own SDK repeats."""
    async with Double([BROKEN, OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        assert 502 == (await gateway.post(CHAT, HELLO))[0]
        assert 1 == len(vendor.requests)


@pytest.mark.asyncio
async def test_a_budget_of_attempts_ends_a_long_plan():
    """However many channels are left."""
    async with (
        Double([BROKEN]) as first,
        Double([BROKEN]) as second,
        Double([OK]) as third,
        Gateway.to(
            ("openai", first),
            ("openai", second),
            ("openai", third),
            budget=RoutingSettings(attempts_max=2),
        ) as gateway,
    ):
        assert 502 == (await gateway.post(CHAT, HELLO))[0]
        assert [1, 1, 0] == [len(one.requests) for one in (first, second, third)]


@pytest.mark.asyncio
@pytest.mark.parametrize("slow", [[Wait(0.3), *BROKEN], [Wait(0.3), Reset()], [Stall()]])
async def test_what_failed_slowly_is_not_tried_again_by_anybody(slow):
    """Neither elsewhere nor by the caller's SDK: it would be paid for twice."""
    async with (
        Double([slow]) as first,
        Double([OK]) as second,
        Gateway.to(
            ("openai", first), ("openai", second),
            budget=RoutingSettings(slow_s=0.2), timeouts=Timeouts(first_byte=0.5),
        ) as gateway,
    ):  # fmt: skip
        status, headers, _ = await gateway.post(CHAT, HELLO)
        assert status in (502, 504)
        assert b"false" == headers[b"x-should-retry"]
        assert [] == second.requests


@pytest.mark.asyncio
async def test_a_quick_time_out_goes_on_to_another_channel():
    """Within the window."""
    async with (
        Double([[Stall()]]) as first,
        Double([OK]) as second,
        Gateway.to(
            ("openai", first), ("openai", second), timeouts=Timeouts(first_byte=0.3)
        ) as gateway,
    ):
        assert (200, ANSWER) == (await gateway.post(CHAT, HELLO))[::2]


@pytest.mark.asyncio
async def test_a_failing_channel_is_left_alone_and_probed_when_it_has_rested():
    """Three failures, then nobody asks; after the cooldown one request finds it well again."""
    rules = RoutingSettings(failures=3, cooldown_s=0.4)
    script = [BROKEN, BROKEN, BROKEN, OK]
    async with (
        Double(script) as first,
        Double([OK]) as second,
        Gateway.to(("openai", first), ("openai", second), rules=rules) as gateway,
    ):
        with capture_logs() as lines:
            for _ in range(9):
                assert 200 == (await gateway.post(CHAT, HELLO))[0]
            assert 3 == len(first.requests)
            await asyncio.sleep(0.5)
            _, headers, _ = await gateway.post(CHAT, HELLO)
            assert b"openai-0" == headers[b"trivium-channel"]
        told = [line["event"] for line in lines if line["event"].startswith("upstream_")]
        assert ["upstream_resting", "upstream_back"] == told


@pytest.mark.asyncio
async def test_a_herd_meets_a_recovering_channel_as_one_probe():
    """Fifty at once: one is let through, the others are served elsewhere."""
    rules = RoutingSettings(failures=1, cooldown_s=0.2)
    answered = asyncio.Event()
    async with (
        Double([BROKEN, [Wait(0.3), *OK]]) as first,
        Double([OK]) as second,
        Gateway.to(("openai", first), ("openai", second), rules=rules) as gateway,
    ):
        await gateway.post(CHAT, HELLO)
        await asyncio.sleep(0.25)
        got = await asyncio.gather(*(gateway.post(CHAT, HELLO) for _ in range(50)))
        answered.set()
        assert {200} == {status for status, _, _ in got}
        assert 2 == len(first.requests)


@pytest.mark.asyncio
async def test_a_vendors_own_time_is_kept():
    """Asked again neither by us nor, before that time, by the caller."""
    limited = refusal(b"429 Slow down", b"Retry-After: 20\r\n")
    async with Double([limited]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        status, headers, _ = await gateway.post(CHAT, HELLO)
        assert (429, b"20") == (status, headers[b"retry-after"])
        status, headers, body = await gateway.post(CHAT, HELLO)
        assert (429, "rate_limit_exceeded") == (status, error_of(body)["code"])
        assert 18 <= int(headers[b"retry-after"]) <= 20
        assert 1 == len(vendor.requests)


@pytest.mark.asyncio
async def test_a_single_channel_is_asked_however_ill_we_think_of_it():
    """Our guess must not be what takes it down."""
    rules = RoutingSettings(failures=1, cooldown_s=60)
    async with (
        Double([BROKEN, OK]) as vendor,
        Gateway.to(("openai", vendor), rules=rules) as gateway,
    ):
        assert [502, 200] == [(await gateway.post(CHAT, HELLO))[0] for _ in range(2)]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "mistake",
    [refusal(b"400 Bad", body=b'{"error":{"message":"bad","type":"invalid_request_error"}}'),
     refusal(b"413 Large"), refusal(b"422 Bad")],
)  # fmt: skip
async def test_callers_mistakes_leave_a_channel_well(mistake):
    """Twenty of them."""
    async with (
        Double([*[mistake] * 20, OK]) as vendor,
        Gateway.to(("openai", vendor), rules=RoutingSettings(failures=2)) as gateway,
    ):
        for _ in range(20):
            assert 400 <= (await gateway.post(CHAT, HELLO))[0] < 500
        assert {} == gateway.services.health.open()
        assert 200 == (await gateway.post(CHAT, HELLO))[0]


@pytest.mark.asyncio
async def test_callers_that_leave_leave_a_channel_well():
    """Whatever they were waiting for."""
    async with (
        Double([[Stall()]]) as vendor,
        Gateway.to(("openai", vendor), rules=RoutingSettings(failures=2)) as gateway,
    ):
        for n in range(5):
            line = await gateway.wire()
            await line.send(gateway.head(CHAT, msgspec.json.encode(HELLO)))
            while len(vendor.requests) <= n:
                await asyncio.sleep(0.01)
            await line.close()
        await asyncio.sleep(0.1)
        assert 5 == len(gateway.records)
        assert {} == gateway.services.health.open()


@pytest.mark.asyncio
async def test_a_count_that_fails_says_nothing_of_the_model():
    """Vendors that cannot count answer all the same."""
    path = "/v1/messages/count_tokens"
    async with (
        Double([refusal(b"404 Not Found")]) as vendor,
        Gateway.to(("anthropic", vendor), rules=RoutingSettings(failures=1)) as gateway,
    ):
        for _ in range(3):
            await gateway.post(path, HELLO)
        assert {} == gateway.services.health.open()


@pytest.mark.asyncio
async def test_a_stream_that_breaks_counts_against_its_channel():
    """Its caller got an answer that is none."""
    broken = [Send(chunked(b'data: {"choices":[]}\n\n', headers=SSE)[:-5]), Wait(0.02), Reset()]
    async with (
        Double([broken]) as vendor,
        Gateway.to(("openai", vendor), rules=RoutingSettings(failures=1)) as gateway,
    ):
        await gateway.post(CHAT, HELLO | {"stream": True})
        assert ["openai-0"] == [key.channel for key in gateway.services.health.open()]


@pytest.mark.asyncio
async def test_another_key_of_the_channel_takes_over_from_a_refused_one():
    """In the same request; the refused one is told of once and never used again."""
    async with (
        Double([REVOKED, OK]) as vendor,
        Gateway.to(("openai", vendor), keys=("sk-one", "sk-two")) as gateway,
    ):
        with capture_logs() as lines:
            got = [(await gateway.post(CHAT, HELLO))[0] for _ in range(5)]
        assert [200] * 5 == got
        keys = [dict(seen.headers)[b"authorization"] for seen in vendor.requests]
        assert [b"Bearer sk-one"] + [b"Bearer sk-two"] * 5 == keys
        told = [line for line in lines if line["event"] == "credential_disabled"]
        assert [("openai-0", 1, "all")] == [
            (line["channel"], line["credential"], line["model"]) for line in told
        ]
        assert "sk-one" not in str(lines)


@pytest.mark.asyncio
async def test_keys_of_a_channel_take_turns():
    """Each carries its share."""
    async with (
        Double([OK]) as vendor,
        Gateway.to(("openai", vendor), keys=("sk-one", "sk-two")) as gateway,
    ):
        for _ in range(4):
            await gateway.post(CHAT, HELLO)
        keys = [dict(seen.headers)[b"authorization"] for seen in vendor.requests]
        assert [b"Bearer sk-one", b"Bearer sk-two"] * 2 == keys


@pytest.mark.asyncio
async def test_a_slow_channel_of_three_does_not_hold_up_the_others():
    """It is given up once, and then left alone."""
    async with (
        Double([[Stall()]]) as slow,
        Double([OK]) as second,
        Double([OK]) as third,
        Gateway.to(
            ("openai", slow), ("openai", second), ("openai", third),
            timeouts=Timeouts(first_byte=0.3), rules=RoutingSettings(failures=1),
        ) as gateway,
    ):  # fmt: skip
        await gateway.post(CHAT, HELLO)
        async with stopwatch() as took:
            for _ in range(20):
                assert 200 == (await gateway.post(CHAT, HELLO))[0]
            assert took() < 1.0
        assert 1 == len(slow.requests)


@pytest.mark.asyncio
async def test_calls_wait_for_a_channel_that_takes_one_at_a_time():
    """Up to the length of its queue; who finds that full goes elsewhere."""
    async with (
        Double([[Wait(0.05), *OK]]) as first,
        Double([OK]) as second,
        Gateway.to(
            ("openai", first), ("openai", second),
            channel={"max_concurrency": 1, "queue_max": 3},
        ) as gateway,
    ):  # fmt: skip
        got = await asyncio.gather(*(gateway.post(CHAT, HELLO) for _ in range(8)))
        assert [200] * 8 == [status for status, _, _ in got]
        assert (4, 4) == (len(first.requests), len(second.requests))
        assert 1 == first.connections
        assert (0, 0) == gateway.services.channel_queue.standing("openai-0")
        assert {} == gateway.services.health.open()
