"""Requests that are called for without a task: the same answers, records and bills as with one."""

import asyncio
import re

import msgspec
import pytest
from structlog.testing import capture_logs

from gateway import Gateway, encoded, error_of
from scripted_upstream import Close, Double, Reset, Send, Stall, Until, chunked, let_go, sized
from trivium.edge.exchange import Exchange
from trivium.pipeline import handle, send
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import RateLimits

CHAT = "/v1/chat/completions"
HELLO = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
ANSWER = (
    b'{"id":"c1","object":"chat.completion","created":1,"model":"up","choices":[{"index":0,'
    b'"message":{"role":"assistant","content":"Ho"},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}'
)
MESSAGE = (
    b'{"id":"msg_1","type":"message","role":"assistant","model":"up","content":'
    b'[{"type":"text","text":"Ho"}],"stop_reason":"end_turn","stop_sequence":null,'
    b'"usage":{"input_tokens":9,"output_tokens":2}}'
)
EVENTS = [
    b'data: {"id":"c1","choices":[{"index":0,"delta":{"content":"Ho"}}]}\n\n',
    b'data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
    b'data: {"id":"c1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}\n\n',
    b"data: [DONE]\n\n",
]
OK = [Send(sized(ANSWER, headers=JSON))]
TRANSLATED = [Send(sized(MESSAGE, headers=JSON))]
STREAM = [Send(chunked(*EVENTS, headers=SSE))]
CUT = [Send(chunked(*EVENTS, headers=SSE)[:170]), Reset()]


OWN = re.compile(rb'"(id|created|request_id)":("[^"]*"|\d+)')
"""What is another's in every answer."""


def refusal(status: bytes):
    return [Send(sized(b'{"error":{"message":"no"}}', status=status, headers=JSON))]


@pytest.fixture
def ways(monkeypatch):
    """Whether each request's first attempt was begun without a task."""
    taken = []
    send = handle.EagerTask.send

    def counted(self):
        taken.append(self._began is not None)
        send(self)

    monkeypatch.setattr(handle.EagerTask, "send", counted)
    return taken


def told(gateway):
    """What is left of each request, without times and ids."""
    rows = [msgspec.structs.asdict(record) for record in gateway.records]
    for row in rows:
        for name in ("request_id", "at", "first_byte_ms", "total_ms"):
            row[name] = row[name] is not None
    return rows, [usage for _, usage in gateway.services.ledger.settled]


SCRIPTS = {
    "whole": (("openai",), [[OK, OK]], {}),
    "stream": (("openai",), [[STREAM, STREAM]], {"stream": True}),
    "translated": (("anthropic",), [[TRANSLATED, TRANSLATED]], {"max_tokens": 5}),
    "not to be carried": (("anthropic",), [[TRANSLATED]], {"n": 2}),
    "refused": (("openai",), [[refusal(b"400 Bad Request")]], {}),
    "elsewhere": (("openai", "openai"), [[refusal(b"500 Broken")], [OK, OK]], {}),
    "translated elsewhere": (("openai", "anthropic"), [[refusal(b"503 No")], [TRANSLATED]], {}),
    "broken": (("openai",), [[[Close()]]], {}),
    "cut": (("openai",), [[CUT]], {"stream": True}),
    "cut elsewhere": (("openai", "openai"), [[[Reset()]], [STREAM]], {"stream": True}),
    "empty": (("openai",), [[[Send(sized(b"", headers=JSON))]]], {}),
    "error in an answer": (("openai",), [[[Send(sized(b'{"error":{}}', headers=JSON))]]], {}),
    "unknown model": (("openai",), [[OK]], {"model": "x"}),
    "a wrong member": (("openai",), [[OK]], {"n": "two"}),
    "cache key": (("openai",), [[OK]], {"prompt_cache_key": "k"}),
    "wishes": (("openai",), [[OK]], {"trivium": {"only": ["openai-0"]}}),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", SCRIPTS)
async def test_what_is_answered_and_recorded_is_what_a_task_would(name, monkeypatch):
    """Twice each, so that the second finds a connection that is left."""
    providers, scripts, changes = SCRIPTS[name]

    async def results():
        vendors = [Double(script) for script in scripts]
        for vendor in vendors:
            await vendor.__aenter__()
        try:
            pairs = zip(providers, vendors, strict=True)
            async with Gateway.to(*pairs) as gateway:
                answers = []
                for _ in range(2):
                    status, headers, body = await gateway.post(CHAT, HELLO | changes)
                    for name in (b"x-request-id", b"request-id", b"date", b"content-length"):
                        headers.pop(name, None)
                    answers.append((status, headers, OWN.sub(rb'"\1":0', body)))
                await asyncio.sleep(0.02)
                asked = [[one.body for one in vendor.requests] for vendor in vendors]
                return answers, told(gateway), asked
        finally:
            for vendor in vendors:
                await vendor.__aexit__(None, None, None)

    short = await results()
    monkeypatch.setattr(send, "must_wait", lambda _: True)
    long = await results()
    assert long == short


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True])
async def test_on_a_connection_that_is_left_no_task_is_made(stream, ways, monkeypatch):
    """Not for the request, and not for its end."""
    carried = []
    carry = handle.carry
    monkeypatch.setattr(
        handle, "carry", lambda context, work: carried.append(context) or carry(context, work)
    )
    script = STREAM if stream else OK
    async with Double([script] * 3) as vendor, Gateway.to(("openai", vendor)) as gateway:
        for _ in range(3):
            assert 200 == (await gateway.post(CHAT, HELLO | {"stream": stream}))[0]
        assert [True, True, True] == ways
        await asyncio.sleep(0.02)
        assert 1 == len(carried)  # the first, for which a connection was made
        assert 3 == len(gateway.records)


ASIDE = {
    "limits of the channel": {"channel": {"requests_per_minute": 5}},
    "hedging": {"model": {"hedge_s": 1.0}},
    "latency": {"strategy": "latency"},
    "several credentials": {"keys": ("k1", "k2")},
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ASIDE)
async def test_whoever_may_have_to_wait_becomes_a_task_before_anything_is_done(name, ways):
    """One hold, one call, one record each."""
    async with Double([OK, OK]) as vendor, Gateway.to(("openai", vendor), **ASIDE[name]) as gateway:
        for _ in range(2):
            assert 200 == (await gateway.post(CHAT, HELLO))[0]
        assert [False, False] == ways
        await asyncio.sleep(0.02)
        assert [2, 2, 2] == [
            len(gateway.services.ledger.holds),
            len(vendor.requests),
            len(gateway.records),
        ]


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True])
async def test_a_caller_that_leaves_takes_its_call_along(stream, ways):
    """Without a task as with one: on record as left, settled once, the vendor let go."""
    head = b"HTTP/1.1 200 OK\r\n%bTransfer-Encoding: chunked\r\n\r\n" % SSE
    begun = [Send(head), Send(b"%x\r\n%b\r\n" % (len(EVENTS[0]), EVENTS[0])), Stall()]
    script = [OK, begun if stream else [Stall()]]
    async with Double(script) as vendor, Gateway.to(("openai", vendor)) as gateway:
        await gateway.post(CHAT, HELLO)
        line = await gateway.wire()
        await line.send(gateway.head(CHAT, encoded(HELLO | {"stream": stream})))
        while len(vendor.requests) < 2:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        await line.close()
        await let_go(vendor)
        await asyncio.sleep(0.02)
        assert [True, True] == ways
        assert ["", "caller_left"] == [record.fault for record in gateway.records]
        assert 2 == len(gateway.services.ledger.settled)


@pytest.mark.asyncio
async def test_a_caller_that_leaves_pays_for_the_input_that_was_reported(monkeypatch):
    """Without a task as with one: an estimate is for what nobody counted."""
    counted = b'data: {"id":"c1","choices":[],"usage":{"prompt_tokens":901,"completion_tokens":0}}'
    begun = [
        Send(chunked(EVENTS[0], counted + b"\n\n", headers=SSE)[: -len(b"0\r\n\r\n")]),
        Stall(),
    ]

    async def results():
        async with Double([OK, begun]) as vendor, Gateway.to(("openai", vendor)) as gateway:
            await gateway.post(CHAT, HELLO)
            line = await gateway.wire()
            await line.send(gateway.head(CHAT, encoded(HELLO | {"stream": True})))
            await line.answer(head_only=True)
            await asyncio.sleep(0.05)
            await line.close()
            await let_go(vendor)
            await asyncio.sleep(0.02)
            assert ["", "caller_left"] == [record.fault for record in gateway.records]
            assert gateway.records[-1].usage == gateway.services.ledger.settled[-1][1]
            return gateway.records[-1].usage

    used = await results()
    assert 901 == used.fresh
    monkeypatch.setattr(send, "must_wait", lambda _: True)
    assert used == await results()


@pytest.mark.asyncio
async def test_one_that_is_cancelled_before_its_task_begins_is_settled_all_the_same(monkeypatch):
    """A task that never began would take the hold with it."""
    go_on = handle.EagerTask._go_on

    def cancelled(self, work):
        go_on(self, work)
        self.cancel()

    monkeypatch.setattr(handle.EagerTask, "_go_on", cancelled)
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        status, _, body = await gateway.post(CHAT, HELLO)
        assert (503, "service_unavailable") == (status, error_of(body)["code"])
        assert 1 == len(gateway.services.ledger.settled) == len(gateway.records)
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_one_whose_caller_left_before_its_turn_is_nobodys(ways, monkeypatch):
    """Nothing is held, nobody is asked."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        begins = gateway.listener._begins
        add = type(begins).add

        def left(phase, one):
            add(phase, one)
            if phase is begins:
                one[0].leave()

        monkeypatch.setattr(type(begins), "add", left)
        line = await gateway.wire()
        await line.send(gateway.head(CHAT, encoded(HELLO)))
        await asyncio.sleep(0.05)
        await line.close()
        assert [] == ways == gateway.services.ledger.holds == vendor.requests


@pytest.mark.asyncio
async def test_what_nobody_foresaw_after_the_hold_is_a_500_and_settles(monkeypatch):
    """The caller is told, the operator as well, and nothing stays held."""

    def broken(*_):
        raise RuntimeError("no such thing")

    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        monkeypatch.setattr(gateway.services.client, "open_now", broken, raising=False)
        with capture_logs() as logs:
            status, _, body = await gateway.post(CHAT, HELLO)
        assert (500, "internal_error") == (status, error_of(body)["code"])
        assert "request_crashed" in [line["event"] for line in logs]
        assert 1 == len(gateway.services.ledger.holds) == len(gateway.services.ledger.settled)


@pytest.mark.asyncio
async def test_what_nobody_foresaw_before_it_is_told_by_the_long_way(monkeypatch):
    """Once, whatever was tried before."""

    def broken(*_):
        raise RuntimeError("no such thing")

    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        monkeypatch.setattr(send, "composed", broken)
        with capture_logs() as logs:
            assert 500 == (await gateway.post(CHAT, HELLO))[0]
        told = [line["event"] for line in logs]
        assert ["request_crashed", "request_failed"] == told
        assert 1 == len(gateway.records)


@pytest.mark.asyncio
async def test_holds_that_cannot_be_noted_together_are_told_by_the_long_way(ways, monkeypatch):
    """Given back, and asked for again by those who may say why not."""
    async with Double([OK, OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        ledger = gateway.services.ledger
        monkeypatch.setattr(ledger, "flush", lambda: list(ledger.holds[-1:]))
        answers = await asyncio.gather(*(gateway.post(CHAT, HELLO) for _ in range(2)))
        assert [200, 200] == [status for status, _, _ in answers]
        assert ([True, False], 3) == (ways, len(ledger.holds))
        assert [None] == [usage for _, usage in ledger.settled[:1]]
        assert 2 == len(vendor.requests)


@pytest.mark.asyncio
@pytest.mark.parametrize("where", ["settle", "answer"])
async def test_an_answer_that_cannot_be_ended_keeps_no_other_from_its_end(where, monkeypatch):
    """What one turn ends is ended together: one is a 500 or breaks off, the other is answered."""
    both = asyncio.Event()
    script = [[Until(both), *OK], [Until(both), *OK]]
    async with Double(script) as vendor, Gateway.to(("openai", vendor)) as gateway:
        broken = []

        def once(of, name):
            do = getattr(of, name)

            def first(*given, **named):
                if not broken and 500 not in given:
                    broken.append(given)
                    raise RuntimeError("no such thing")
                return do(*given, **named)

            monkeypatch.setattr(of, name, first)

        once(gateway.services.ledger, "settle") if where == "settle" else once(Exchange, "answer")
        lines = [await gateway.wire(), await gateway.wire()]
        with capture_logs() as logs:
            for line in lines:
                await line.send(gateway.head(CHAT, encoded(HELLO)))
            while len(vendor.requests) < 2:
                await asyncio.sleep(0.01)
            both.set()
            answers = await asyncio.gather(*(line.answer() for line in lines))
        assert [200, 500] == sorted(status for status, _, _ in answers)
        assert "request_crashed" in [line["event"] for line in logs]
        await asyncio.sleep(0.02)
        assert 2 == len(gateway.records)
        for line in lines:
            await line.close()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "limited",
    [
        {"who": {"limits": RateLimits(requests=2)}},
        {"who": {"user_limits": RateLimits(requests=2)}},
        {"model": {"requests_per_minute": 2}},
    ],
    ids=str,
)
async def test_limits_that_one_worker_keeps_are_kept_without_a_task(limited, ways):
    """What is over them is refused as ever, in one set of words, and holds nothing."""
    async with Double([OK, OK, OK]) as vendor, Gateway.to(("openai", vendor), **limited) as gateway:
        answers = [await gateway.post(CHAT, HELLO) for _ in range(3)]
        assert [200, 200, 429] == [status for status, _, _ in answers]
        assert ways[-1] is False
        assert all(ways[:-1])
        ledger = gateway.services.ledger
        assert len(ledger.holds) == len(ledger.settled)
        assert len(vendor.requests) == len(answers) - 1
        told = [h.get(b"x-ratelimit-remaining-requests") for _, h, _ in answers]
        assert told in ([None, None, b"0"], [b"1", b"0", b"0"])  # a model's are nobody's to count


@pytest.mark.asyncio
async def test_budgets_are_counted_down_by_what_an_answer_cost(ways):
    """Held at the start, settled at the end."""
    budget = Budget(amount_nanos=10**9, period=Period.DAY)
    who = {"who": {"budgets": (budget,)}}
    async with Double([OK, OK]) as vendor, Gateway.to(("openai", vendor), **who) as gateway:
        for _ in range(2):
            assert 200 == (await gateway.post(CHAT, HELLO))[0]
        assert [True, True] == ways


@pytest.mark.asyncio
async def test_limits_that_all_workers_keep_together_are_asked_for_by_a_task(ways, monkeypatch):
    """Before anything is held."""
    who = {"who": {"limits": RateLimits(requests=5)}}
    monkeypatch.setattr("trivium.admission.service.Admission.admit", lambda *_: None)
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor), **who) as gateway:
        assert 200 == (await gateway.post(CHAT, HELLO))[0]
        assert ([False], 1) == (ways, len(gateway.services.ledger.holds))


@pytest.mark.asyncio
async def test_whoever_has_to_wait_for_a_lease_is_counted_once(ways, monkeypatch):
    """The pass that was taken first is given back as if it had never been."""
    who = {"who": {"limits": RateLimits(requests=2, tokens=10**6, concurrency=1)}}
    async with Double([OK, OK]) as vendor, Gateway.to(("openai", vendor), **who) as gateway:
        hold, asked = gateway.services.ledger.hold, []

        def leased(*given):
            asked.append(given)
            return None if len(asked) == 1 else hold(*given)

        monkeypatch.setattr(gateway.services.ledger, "hold", leased)
        answers = [await gateway.post(CHAT, HELLO) for _ in range(3)]
        assert [200, 200, 429] == [status for status, _, _ in answers]
        assert [False, True, False] == ways
