"""The life of a request over real sockets: what the vendor is asked, what the caller gets."""

import asyncio
import contextlib
import gc

import msgspec
import pytest

from gateway import VENDOR_KEY, Gateway, encoded, error_of
from scripted_upstream import Close, Double, Reset, Send, chunked, sized
from trivium.pipeline.handle import Phase

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
async def test_a_body_travels_byte_for_byte_when_nothing_must_change():
    """Odd white space, unknown members and the order of members reach the vendor untouched."""
    raw = b'{ "messages":[ {"role":"user","content":"\\u0048i \xe2\x80\xa8"} ],\n "model" : "m", "x_new":{"a":1.50} }'
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        status, headers, body = await gateway.post(CHAT, raw)
        assert (200, ANSWER) == (status, body)
        assert raw == vendor.requests[0].body
        assert b"POST /v1/chat/completions HTTP/1.1" == vendor.requests[0].line
        assert b"openai-0" == headers[b"trivium-channel"]
        assert b"1" == headers[b"trivium-attempts"]
        assert headers[b"x-request-id"] == headers[b"request-id"]


MESSAGE = b'{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Ho"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":2}}'


@pytest.mark.asyncio
@pytest.mark.parametrize(("vendor", "answer"), [("openai", ANSWER), ("anthropic", MESSAGE)])
async def test_a_byte_order_mark_before_an_answer_is_passed_over(vendor, answer):
    """In the caller's own shape and in another: no client reads JSON behind one."""
    marked = [Send(sized(b"\xef\xbb\xbf" + answer, headers=JSON))]
    async with Double([marked]) as upstream, Gateway.to((vendor, upstream)) as gateway:
        status, _, body = await gateway.post(CHAT, HELLO | {"max_tokens": 5})
        assert 200 == status
        assert "Ho" == msgspec.json.decode(body)["choices"][0]["message"]["content"]


@pytest.mark.asyncio
async def test_only_the_model_is_replaced_by_the_channels_own_name():
    """Every other member keeps its bytes."""
    raw = b'{"model":"m","messages":[{"role":"user","content":"\\u0048i"}],"temperature":0.70}'
    async with (
        Double([OK]) as vendor,
        Gateway.to(("openai", vendor), upstream_model="gpt-x-2026") as gateway,
    ):
        assert 200 == (await gateway.post(CHAT, raw))[0]
        assert raw.replace(b'"m"', b'"gpt-x-2026"', 1) == vendor.requests[0].body


@pytest.mark.asyncio
async def test_the_vendor_sees_its_own_credential_and_never_the_callers():
    """In whatever form the gateway's key was presented."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        forms = [
            (f"Authorization: Bearer {gateway.key}", ""),
            (f"x-api-key: {gateway.key}", ""),
            (f"x-goog-api-key: {gateway.key}", ""),
            ("x-nothing: 1", f"?key={gateway.key}"),
        ]
        for header, query in forms:
            raw = gateway.head(CHAT + query, encoded(HELLO), header, key=False)
            assert 200 == (await gateway.send(raw))[0]
        for seen in vendor.requests:
            assert gateway.key.encode() not in seen.raw
            assert f"Bearer {VENDOR_KEY}".encode() in seen.raw


@pytest.mark.asyncio
async def test_usage_is_recorded_and_settled_once():
    """The record, the ledger and the caller speak of one usage."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        await gateway.post(CHAT, HELLO)
        (record,) = gateway.records
        assert (200, "", "m", "openai-0", 1) == (
            record.status, record.fault, record.model, record.channel, record.attempts,
        )  # fmt: skip
        assert (5, 4, 2) == (record.usage.fresh, record.usage.cache_read, record.usage.output)
        assert (7, 3, "chat", len(encoded(HELLO))) == (
            record.key_id, record.user_id, record.operation, record.bytes_in,
        )  # fmt: skip
        assert 0 < record.first_byte_ms <= record.total_ms
        assert [(record.request_id, record.usage)] == gateway.services.ledger.settled


@pytest.mark.asyncio
async def test_another_channel_is_tried_when_the_first_breaks():
    """The caller gets the answer and is told how many attempts it took."""
    async with (
        Double([BROKEN]) as first,
        Double([OK]) as second,
        Gateway.to(("openai", first), ("openai", second), upstream_model="own") as gateway,
    ):
        status, headers, body = await gateway.post(CHAT, HELLO)
        assert (200, ANSWER) == (status, body)
        assert (b"openai-1", b"2") == (headers[b"trivium-channel"], headers[b"trivium-attempts"])
        assert first.requests[0].body == second.requests[0].body
        assert 1 == len(gateway.services.ledger.settled)
        assert 2 == gateway.records[0].attempts


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "breaking",
    [[Reset()], [Close()], [Send(b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\nshort"), Close()],
     [Send(b"\x00\x01\x02")], refusal(b"401 Unauthorized", b"{}"), refusal(b"429 Slow", b"{}"),
     refusal(b"503 Busy", b"<html>busy</html>", b"Content-Type: text/html\r\n"),
     [Send(sized(b"<html>200</html>"))], [Send(sized(b'{"error":{"message":"no"}}'))]],
    ids=["reset", "close", "truncated", "garbage", "credential", "rate", "html", "html200", "error200"],
)  # fmt: skip
async def test_whatever_is_the_vendors_fault_moves_on_to_the_next_channel(breaking):
    """Also an error or a page that comes with status 200."""
    async with (
        Double([breaking]) as first,
        Double([OK]) as second,
        Gateway.to(("openai", first), ("openai", second)) as gateway,
    ):
        assert (200, ANSWER) == (await gateway.post(CHAT, HELLO))[::2]


@pytest.mark.asyncio
async def test_the_callers_own_mistake_is_not_tried_elsewhere():
    """A vendor's 400 comes back as a 400 naming the member, after one attempt."""
    bad = b'{"error":{"message":"Invalid value for temperature.","type":"invalid_request_error","param":"temperature","code":"invalid_value"}}'
    async with (
        Double([refusal(b"400 Bad Request", bad)]) as first,
        Double([OK]) as second,
        Gateway.to(("openai", first), ("openai", second)) as gateway,
    ):
        status, _, body = await gateway.post(CHAT, HELLO)
        assert (400, "temperature") == (status, error_of(body)["param"])
        assert [] == second.requests
        assert "upstream_rejected" == gateway.records[0].fault


@pytest.mark.asyncio
async def test_the_vendors_address_and_credential_are_not_shown():
    """An error body is mapped, never echoed."""
    leak = b'{"error":{"message":"Incorrect key sk-vendor-0123456789abcdef at api.vendor.example","code":"invalid_api_key"}}'
    async with (
        Double([refusal(b"401 Unauthorized", leak)]) as vendor,
        Gateway.to(("openai", vendor)) as gateway,
    ):
        status, headers, body = await gateway.post(CHAT, HELLO)
        assert (502, b"false") == (status, headers[b"x-should-retry"])
        for secret in (b"sk-vendor", b"vendor.example", b"127.0.0.1"):
            assert secret not in body


@pytest.mark.asyncio
async def test_a_channel_nobody_listens_on_is_a_502_without_its_address():
    """Connection refused."""
    async with Double([OK]) as vendor:
        pass
    async with Gateway.to(("openai", vendor)) as gateway:
        status, _, body = await gateway.post(CHAT, HELLO)
        assert 502 == status
        assert str(vendor.port).encode() not in body


@pytest.mark.asyncio
async def test_headers_for_the_vendor_travel_under_their_neutral_names_too():
    """`vendor-version` is `anthropic-version`; betas of several lines arrive; nothing else does."""
    answer = b'{"id":"m1","type":"message","role":"assistant","content":[],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":1}}'
    body = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "x"}]}
    async with (
        Double([[Send(sized(answer, headers=JSON))]]) as vendor,
        Gateway.to(("anthropic", vendor)) as gateway,
    ):
        status, _, got = await gateway.post(
            "/v1/messages?beta=true", body,
            "vendor-version: 2026-10-21", "anthropic-beta: a,b", "anthropic-beta: c",
            "x-secret: 1", "cookie: 2",
        )  # fmt: skip
        assert (200, answer) == (status, got)
        headers = vendor.requests[0].headers
        names = [name.lower() for name, _ in headers]
        assert b"2026-10-21" == dict(headers)[b"anthropic-version"]
        assert [b"a,b", b"c"] == [v for n, v in headers if n == b"anthropic-beta"]
        assert not {b"x-secret", b"cookie", b"authorization"} & set(names)
        assert b"/v1/messages" == vendor.requests[0].line.split()[1]


@pytest.mark.asyncio
async def test_a_reused_connection_that_died_costs_the_caller_nothing():
    """The vendor closes an idle connection; the next request goes out on a fresh one."""
    async with (
        Double([[*OK], [Reset()], OK]) as vendor,
        Gateway.to(("openai", vendor)) as gateway,
    ):
        assert 200 == (await gateway.post(CHAT, HELLO))[0]
        status, headers, _ = await gateway.post(CHAT, HELLO)
        assert (200, b"1") == (status, headers[b"trivium-attempts"])
        assert 2 == vendor.connections


@pytest.mark.asyncio
async def test_an_answer_that_is_too_large_is_given_up():
    """`upstream.answer_bytes_max` is a limit on what is held in memory."""
    async with (
        Double([[Send(chunked(*[b"x" * 60_000] * 20))]]) as vendor,
        Gateway.to(("openai", vendor)) as gateway,
    ):
        assert 502 == (await gateway.post(CHAT, HELLO))[0]


LARGE = HELLO | {"messages": [{"role": "user", "content": "Hi " * 120_000}], "max_tokens": 5}
EVENTS = [Send(chunked(b"data: [DONE]\n\n", headers=SSE))]
REFUSED = refusal(b"400 Bad Request", b'{"error":{"message":"no"}}')
CYCLES = {
    "whole": ([("openai", OK)], HELLO, 200),
    "stream": ([("openai", EVENTS)], HELLO | {"stream": True}, 200),
    "large": ([("openai", OK)], LARGE, 200),
    "translated": ([("anthropic", [Send(sized(MESSAGE, headers=JSON))])], HELLO, 200),
    "large, translated": ([("anthropic", [Send(sized(MESSAGE, headers=JSON))])], LARGE, 200),
    "failing over": ([("openai", BROKEN), ("openai", OK)], HELLO, 200),
    "refused by the vendor": ([("openai", REFUSED)], HELLO, 400),
    "refused by us": ([("openai", OK)], HELLO | {"model": "unknown"}, 404),
    "failed": ([("openai", BROKEN)], HELLO, 502),
}
"""Ways a request can go: its vendors and their answers, what it asks, the status it gets (or 503,
once its only channel rests)."""


@pytest.mark.asyncio
@pytest.mark.parametrize("way", CYCLES)
async def test_a_request_leaves_nothing_to_the_garbage_collector(way):
    """Cycles between call and sink cost a fifth of the processor under load, once; what they hold
    of large bodies stays until they are collected."""
    vendors, asked, status = CYCLES[way]
    expected = (status, 503) if way == "failed" else (status,)
    async with contextlib.AsyncExitStack() as stack:
        doubles = [
            (name, await stack.enter_async_context(Double([answer]))) for name, answer in vendors
        ]
        gateway = await stack.enter_async_context(Gateway.to(*doubles))
        line = await gateway.wire()
        raw = gateway.head(CHAT, encoded(asked))

        async def some(times: int) -> None:
            for _ in range(times):
                await line.send(raw)
                assert (await line.answer())[0] in expected

        await some(3)
        gc.freeze()  # what there is already is not gone through
        gc.disable()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            await some(4)
            gc.collect()
            left = {f"{type(o).__module__} {type(o).__name__}" for o in gc.garbage}
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()
            await line.close()
        assert [] == sorted(kind for kind in left if kind.startswith("trivium"))


class Doing(Phase):
    """Gives all that wait to a function."""

    __slots__ = ("do",)

    def __init__(self, loop, do):
        super().__init__(loop)
        self.do = do

    def run(self):
        waiting, self._waiting = self._waiting, []
        self.do(waiting)


@pytest.mark.asyncio
async def test_what_one_turn_brings_is_done_together_in_the_next():
    """In order, once, however many there are."""
    done = []
    phase = Doing(asyncio.get_running_loop(), done.append)
    for number in range(5):
        phase.add(number)
    assert [] == done
    await asyncio.sleep(0)
    assert [[0, 1, 2, 3, 4]] == done
    await asyncio.sleep(0)
    assert [[0, 1, 2, 3, 4]] == done


@pytest.mark.asyncio
async def test_what_is_added_meanwhile_is_done_a_turn_later():
    """A phase that feeds itself leaves the loop its turns."""
    done = []

    def do(numbers):
        done.extend(numbers)
        for number in numbers:
            if number < 3:
                phase.add(number + 1)

    phase = Doing(asyncio.get_running_loop(), do)
    phase.add(1)
    for expected in ([1], [1, 2], [1, 2, 3], [1, 2, 3]):
        await asyncio.sleep(0)
        assert expected == done


class Asked:
    """A client that tells what it is asked to do, in order."""

    def __init__(self, client):
        self.client = client
        self.told = []

    def written(self, request):
        self.told.append("written")
        return self.client.written(request)

    def open_now(self, request, sink):
        self.told.append("sent")
        return self.client.open_now(request, sink)

    async def open(self, request, sink):
        self.told.append("opened")
        return await self.client.open(request, sink)


def signed(key_id="AKID"):
    parts = {"key_id": key_id, "secret": "s", "region": "us-east-1"}
    return {"api_key": None, "credential": parts}


@pytest.mark.asyncio
async def test_all_of_one_turn_are_signed_before_any_is_sent():
    """A socket that is written to between two signatures wakes the vendor each time."""
    async with (
        Double([OK]) as vendor,
        Gateway.to(("bedrock-openai", vendor), channel=signed()) as gateway,
    ):
        lines = [await gateway.wire() for _ in range(3)]
        asked = gateway.services.client = Asked(gateway.services.client)
        for _ in range(2):  # the first time there is no connection yet
            asked.told.clear()
            for line in lines:
                line.writer.write(gateway.head(CHAT, encoded(HELLO)))
            assert [200] * 3 == [(await line.answer())[0] for line in lines]
        assert ["written"] * 3 + ["sent"] * 3 == asked.told
        assert all(b"authorization" in dict(one.headers) for one in vendor.requests)
        for line in lines:
            await line.close()


@pytest.mark.asyncio
async def test_a_request_that_cannot_be_signed_goes_to_the_next_channel():
    """The first has been tried, and is told of; nothing is sent to it."""
    async with Double([OK]) as vendor, Double([OK]) as other:
        channels = ("bedrock-openai", vendor), ("openai", other)
        async with Gateway.to(*channels, channel=signed(key_id="no key")) as gateway:
            status, headers, _ = await gateway.post(CHAT, HELLO)
            found = status, headers[b"trivium-channel"], headers[b"trivium-attempts"]
            assert (200, b"openai-1", b"2") == found
    assert (0, 1) == (len(vendor.requests), len(other.requests))
