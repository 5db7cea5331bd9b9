"""Two attempts at once: one answer, one bill, and the other is hung up on."""

import asyncio

import msgspec
import pytest
from structlog.testing import capture_logs

from gateway import Gateway
from scripted_upstream import Double, Reset, Send, Stall, Until, Wait, chunked, let_go, sized
from trivium.faults import Fault, Kind
from trivium.pipeline.hedging import race
from trivium.pipeline.structs import AffinityState
from trivium.routing.channel_health import HealthKey
from trivium.settings.model import RoutingSettings
from trivium.wire import peek
from trivium.wire.operation import Operation

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
CHAT = "/v1/chat/completions"
HELLO = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


def answer(text):
    return (
        b'{"id":"x","object":"chat.completion","model":"up","choices":[{"index":0,"message":'
        b'{"role":"assistant","content":"%b"},"finish_reason":"stop"}],'
        b'"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}' % text
    )


def frames(text):
    chunk = b'data: {"id":"x","object":"chat.completion.chunk","model":"up","choices":[%b]%b}\n\n'
    delta = b'{"index":0,"delta":{"content":"%b"},"finish_reason":%b}'
    usage = b',"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}'
    return [
        chunk % (delta % (text, b"null"), b""),
        chunk % (delta % (b"", b'"stop"'), b""),
        chunk % (b"", usage),
        b"data: [DONE]\n\n",
    ]


def ok(text):
    return [Send(sized(answer(text), headers=JSON))]


SLOW = [Stall()]
BROKEN = [Send(sized(b'{"error":{"message":"no"}}', status=b"500 Broken", headers=JSON))]


def hedged(*vendors, after_s=0.05, **more):
    return Gateway.to(*(("openai", v) for v in vendors), model={"hedge_s": after_s}, **more)


def settled(gateway):
    return [usage.output for _, usage in gateway.services.ledger.settled]


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True])
async def test_a_second_channel_answers_for_one_that_does_not_begin(stream):
    """The first is hung up on; the caller gets one answer and pays it once."""
    good = [Send(chunked(*frames(b"two"), headers=SSE))] if stream else ok(b"two")
    async with Double([SLOW]) as one, Double([good]) as two, hedged(one, two) as gateway:
        with capture_logs() as logs:
            status, headers, body = await gateway.post(CHAT, HELLO | {"stream": stream})
        assert (200, b"openai-1", b"2") == (
            status, headers[b"trivium-channel"], headers[b"trivium-attempts"],
        )  # fmt: skip
        assert b"openai-0;outrun, openai-1;answered" == headers[b"trivium-route"]
        assert (1, 0) == (body.count(b"two"), body.count(b"one"))
        await let_go(one)
        await asyncio.sleep(0.02)
        assert [2] == settled(gateway)
        (record,) = gateway.records
        assert ("openai-1", 2, 200) == (record.channel, record.attempts, record.status)
        (told,) = [line for line in logs if line["event"] == "attempt_outrun"]
        assert ("openai-0", "openai-1") == (told["channel"], told["by"])
        assert {} == gateway.services.health.open()


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True])
async def test_the_first_may_still_win(stream):
    """Whoever has the first meaningful bytes: a comment is none."""
    go = asyncio.Event()
    if stream:
        whole = chunked(b": hello\n\n", *frames(b"one"), headers=SSE)
        cut = whole.index(b"data:") - 8
        slow = [Send(whole[:cut]), Until(go), Send(whole[cut:])]
        second = [Send(chunked(b": hi\n\n", headers=SSE)[:-5]), Stall()]
    else:
        slow, second = [Until(go), *ok(b"one")], SLOW
    async with Double([slow]) as one, Double([second]) as two, hedged(one, two) as gateway:
        asked = asyncio.ensure_future(gateway.post(CHAT, HELLO | {"stream": stream}))
        while not two.requests:
            await asyncio.sleep(0.01)
        go.set()
        status, headers, body = await asked
        assert (200, b"openai-0", 1) == (
            status, headers[b"trivium-channel"], body.count(b"one"),
        )  # fmt: skip
        await let_go(two)
        assert [2] == settled(gateway)


@pytest.mark.asyncio
async def test_a_quick_first_is_left_alone():
    """Nobody else is asked."""
    async with (
        Double([ok(b"one")]) as one,
        Double([ok(b"two")]) as two,
        hedged(one, two, after_s=5) as g,
    ):
        status, headers, _ = await g.post(CHAT, HELLO)
        assert (200, b"1", 0) == (status, headers[b"trivium-attempts"], len(two.requests))


@pytest.mark.asyncio
@pytest.mark.parametrize("first_fails", [True, False])
async def test_when_one_of_two_fails_the_other_is_waited_for(first_fails):
    """In either order."""
    bad, good = [Wait(0.1), *BROKEN], [Wait(0.3), *ok(b"yes")]
    scripts = (bad, good) if first_fails else ([Wait(0.3), *ok(b"yes")], BROKEN)
    async with Double([scripts[0]]) as one, Double([scripts[1]]) as two, hedged(one, two) as g:
        status, headers, body = await g.post(CHAT, HELLO)
        assert (200, b"yes" in body) == (status, True)
        assert f"openai-{int(first_fails)}".encode() == headers[b"trivium-channel"]
        assert (1, 1) == (len(one.requests), len(two.requests))
        assert 1 == len(g.services.ledger.settled)


@pytest.mark.asyncio
async def test_when_both_fail_the_plan_goes_on():
    """Out of the same budget."""
    bad = [Wait(0.1), *BROKEN]
    async with (
        Double([bad]) as one,
        Double([bad]) as two,
        Double([ok(b"three")]) as three,
        hedged(one, two, three) as gateway,
    ):
        status, headers, _ = await gateway.post(CHAT, HELLO)
        assert (200, b"openai-2", b"3") == (
            status, headers[b"trivium-channel"], headers[b"trivium-attempts"],
        )  # fmt: skip
    async with (
        Double([bad]) as one,
        Double([bad]) as two,
        Double([ok(b"three")]) as three,
        hedged(one, two, three, budget=RoutingSettings(attempts_max=2)) as gateway,
    ):
        status, _, _ = await gateway.post(CHAT, HELLO)
        assert (502, 0) == (status, len(three.requests))
        assert 1 == len(gateway.services.ledger.settled)


@pytest.mark.asyncio
async def test_a_failure_before_its_time_is_followed_as_any():
    """By the next channel at once."""
    async with (
        Double([BROKEN]) as one,
        Double([ok(b"two")]) as two,
        hedged(one, two, after_s=5) as gateway,
    ):
        status, headers, _ = await gateway.post(CHAT, HELLO)
        assert (200, b"openai-0;failed=upstream_broke, openai-1;answered") == (
            status, headers[b"trivium-route"],
        )  # fmt: skip


@pytest.mark.asyncio
async def test_a_budget_of_one_attempt_is_not_hedged():
    """And neither is a plan of one channel."""
    slow = [Wait(0.15), *ok(b"one")]
    async with Double([slow]) as one, Double([ok(b"two")]) as two:
        async with hedged(one, two, budget=RoutingSettings(attempts_max=1)) as gateway:
            assert 200 == (await gateway.post(CHAT, HELLO))[0]
        async with hedged(one) as gateway:
            assert 200 == (await gateway.post(CHAT, HELLO))[0]
        assert 0 == len(two.requests)


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True])
async def test_a_caller_who_leaves_ends_both(stream):
    """Within a second, and one bill."""
    async with Double([SLOW]) as one, Double([SLOW]) as two, hedged(one, two) as gateway:
        line = await gateway.wire()
        await line.send(gateway.head(CHAT, msgspec.json.encode(HELLO | {"stream": stream})))
        while not two.requests:
            await asyncio.sleep(0.01)
        await line.close()
        await let_go(one)
        await let_go(two)
        await asyncio.sleep(0.05)
        assert 1 == len(gateway.services.ledger.settled)
        (record,) = gateway.records
        assert (499, "caller_left") == (record.status, record.fault)


@pytest.mark.asyncio
async def test_a_winner_that_breaks_ends_the_stream_legally():
    """Nobody is asked again once it has begun."""
    begun = chunked(*frames(b"two"), headers=SSE)
    cut = begun.index(b'"stop"')
    async with (
        Double([SLOW]) as one,
        Double([[Send(begun[:cut]), Reset()]]) as two,
        Double([ok(b"three")]) as three,
        hedged(one, two, three, rules=RoutingSettings(failures=1)) as gateway,
    ):
        status, _, body = await gateway.post(CHAT, HELLO | {"stream": True})
        assert (200, True, 0) == (
            status, b"[DONE]" not in body, len(three.requests),
        )  # fmt: skip
        assert b'"error"' in body
        assert [HealthKey("openai-1", 0, "m")] == list(gateway.services.health.open())
        await let_go(one)


@pytest.mark.asyncio
async def test_a_probe_that_is_outrun_leaves_room_for_another():
    """It said nothing of its channel."""
    async with (
        Double([SLOW]) as one,
        Double([ok(b"two")]) as two,
        hedged(one, two, rules=RoutingSettings(failures=1, cooldown_s=0.01)) as gateway,
    ):
        key = HealthKey("openai-0", 0, "m")
        gateway.services.health.failed(key, Fault(Kind.UPSTREAM_BROKE, "x"))
        await asyncio.sleep(0.02)
        assert 200 == (await gateway.post(CHAT, HELLO))[0]
        assert (1, 1) == (len(one.requests), len(two.requests))
        assert gateway.services.health.askable(key)


class Of:
    """As much of a context as the rule reads."""

    def __init__(self, operation, finishes=False):
        self.operation = operation
        self.model = type("Model", (), {"hedge_s": 1.0})
        self.services = type("Services", (), {"finishes": finishes})


class Whether:
    """As much of the facts."""

    def __init__(self, stream):
        self.stream = stream


@pytest.mark.parametrize(
    ("operation", "body", "is_hedged"),
    [
        (Operation.CHAT, b"{}", True),
        (Operation.CHAT, b'{"store":false}', True),
        (Operation.CHAT, b'{"store":null}', True),
        (Operation.CHAT, b'{"store":true}', False),
        (Operation.MESSAGES, b"{}", True),
        (Operation.MESSAGES, b'{"mcp_servers":[]}', True),
        (Operation.MESSAGES, b'{"mcp_servers":[{"url":"https://x"}]}', False),
        (Operation.MESSAGES, b'{"container":"c"}', False),
        (Operation.RESPONSES, b'{"store":false}', False),
        (Operation.RESPONSES, b'{"background":true}', False),
        (Operation.GENERATE, b"{}", True),
        (Operation.EMBEDDINGS, b"{}", True),
        (Operation.MESSAGES_COUNT, b"{}", False),
        (Operation.MODERATIONS, b"{}", False),
        (Operation.VIDEOS, b"{}", False),
    ],
)
def test_what_leaves_something_behind_is_never_sent_twice(operation, body, is_hedged):
    """The written rule, row by row."""
    assert is_hedged == (race(Of(operation), peek.members(body), Whether(False)) is not None)


def test_an_answer_that_is_waited_for_after_its_caller_is_one_attempt():
    """A stream is not waited for."""
    members = peek.members(b"{}")
    assert race(Of(Operation.CHAT, finishes=True), members, Whether(False)) is None
    assert race(Of(Operation.CHAT, finishes=True), members, Whether(True)) is not None


@pytest.mark.asyncio
async def test_state_that_one_channel_alone_can_read_is_not_sent_to_two(monkeypatch):
    """What a sticky conversation carries."""

    async def recalled(context, plan):
        context.affinity = AffinityState()
        return plan

    monkeypatch.setattr("trivium.wire.state_refs.is_plain", lambda *_: False)
    monkeypatch.setattr("trivium.wire.state_refs.any_in", lambda *_: True)
    monkeypatch.setattr("trivium.pipeline.affinity.recall", recalled)
    slow = [Wait(0.15), *ok(b"one")]
    async with Double([slow]) as one, Double([ok(b"two")]) as two, hedged(one, two) as gateway:
        assert 200 == (await gateway.post(CHAT, HELLO))[0]
        assert 0 == len(two.requests)
