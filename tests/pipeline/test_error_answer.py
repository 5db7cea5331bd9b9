"""How a request ends that has no answer, or nobody to hear it."""

import asyncio

import msgspec
import pytest
from structlog.testing import capture_logs

from gateway import VENDOR_KEY, Gateway, encoded, error_of
from scripted_upstream import Double, Send, Stall, let_go, sized

CHAT = "/v1/chat/completions"
HELLO = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
ANSWER = b'{"id":"c1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Ho"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":4}},"x_unknown":[1,2]}'
OK = [Send(sized(ANSWER, headers=JSON))]


def refusal(status: bytes, body: bytes, headers: bytes = JSON):
    return [Send(sized(body, status=status, headers=headers))]


BROKEN = refusal(b"500 Internal Server Error", b'{"error":{"message":"boom at 10.1.2.3"}}')


@pytest.mark.asyncio
async def test_when_every_channel_fails_the_last_fault_is_told():
    """With the vendor's delay, since it was the last choice."""
    slow = refusal(b"429 Too Many Requests", b'{"error":{"message":"slow"}}', b"Retry-After: 7\r\n")
    async with (
        Double([BROKEN]) as first,
        Double([slow]) as second,
        Gateway.to(("openai", first), ("openai", second)) as gateway,
    ):
        status, headers, body = await gateway.post(CHAT, HELLO)
        assert (429, b"7") == (status, headers[b"retry-after"])
        assert "rate_limit_exceeded" == error_of(body)["code"]
        assert ("upstream_rate_limited", 2) == (
            gateway.records[0].fault, gateway.records[0].attempts,
        )  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize("phase", ["before the head", "in the body", "in a stream"])
@pytest.mark.parametrize("how", ["close", "reset"])
async def test_the_vendor_is_released_within_a_second_of_the_callers_leaving(phase, how):
    """In every phase, and the request is on record as left."""
    script = {
        "before the head": [Stall()],
        "in the body": [Send(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"), Stall()],
        "in a stream": [
            Send(b"HTTP/1.1 200 OK\r\n%bTransfer-Encoding: chunked\r\n\r\n" % SSE),
            Send(b'10\r\ndata: {"id":1}\n\n\r\n'),
            Stall(),
        ],
    }[phase]
    body = HELLO | {"stream": phase == "in a stream"}
    async with Double([script]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line = await gateway.wire()
        await line.send(gateway.head(CHAT, encoded(body)))
        while not vendor.requests:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        if how == "reset":
            line.writer.transport.abort()
        await line.close()
        await let_go(vendor)
        await asyncio.sleep(0.02)
        (record,) = gateway.records
        assert "caller_left" == record.fault
        assert (200 if phase == "in a stream" else 499) == record.status
        assert 1 == len(gateway.services.ledger.settled)


@pytest.mark.asyncio
async def test_an_unforeseen_error_is_a_500_without_its_text_and_on_record():
    """What nobody planned never reaches a caller in its own words."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        gateway.services.router = None
        status, headers, body = await gateway.post(CHAT, HELLO)
        assert (500, "internal_error") == (status, error_of(body)["code"])
        assert b"NoneType" not in body
        assert "internal" == gateway.records[0].fault
        assert headers[b"x-request-id"].decode() == msgspec.json.decode(body)["request_id"]


@pytest.mark.asyncio
async def test_an_operator_is_told_when_a_vendor_refuses_the_credential_and_only_then():
    """Once that the credential is put aside, and once what became of requests; of a caller's own
    mistake nothing.
    """
    refused = refusal(b"401 Unauthorized", b'{"error":{"message":"no such key"}}')
    async with Double([refused]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        with capture_logs() as lines:
            await gateway.post(CHAT, {"model": "m"})
            for _ in range(10):
                await gateway.post(CHAT, HELLO)
    assert [
        ("credential_disabled", "error", "openai-0", "upstream_credential"),
        ("request_failed", "error", "openai-0", "upstream_credential"),
        ("request_failed", "warning", "", "no_route"),
    ] == [(one["event"], one["log_level"], one["channel"], one["fault"]) for one in lines]
    assert 1 == len(vendor.requests)
    assert VENDOR_KEY not in str(lines)
