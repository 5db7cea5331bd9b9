"""A model that does not answer may be replaced by those that its operator names."""

import time

import pytest

from gateway import Gateway
from pipeline.test_failover import ANSWER, BROKEN, CHAT, HELLO, OK, refusal
from scripted_upstream import Double
from trivium.clock import SystemClock
from trivium.ledger.model import Hold
from trivium.ledger.quote import Pricing
from trivium.settings.model import RoutingSettings


@pytest.mark.asyncio
async def test_a_slot_of_a_model_that_stands_in_is_given_back():
    """After its answer, and after its failure."""
    async with (
        Double([BROKEN]) as first,
        Double([OK, BROKEN, OK]) as second,
        Gateway.to(
            ("openai", first),
            ("openai", second),
            fallback="spare",
            stand_in={"max_concurrency": 1},
            rules=RoutingSettings(failures=99),
        ) as gateway,
    ):
        got = [(await gateway.post(CHAT, HELLO))[0] for _ in range(3)]
        assert [200, 502, 200] == got


@pytest.mark.asyncio
async def test_a_model_that_stands_in_keeps_to_its_own_limits():
    """Beyond them it does not answer, and the caller is told what became of the first."""
    async with (
        Double([BROKEN]) as first,
        Double([OK]) as second,
        Gateway.to(
            ("openai", first),
            ("openai", second),
            fallback="spare",
            stand_in={"requests_per_minute": 2},
        ) as gateway,
    ):
        got = [(await gateway.post(CHAT, HELLO))[0] for _ in range(3)]
        if time.time() % 60 > 1:  # a clock minute is what counts
            assert ([200, 200, 502], 2) == (got, len(second.requests))
        assert 3 == len(gateway.services.ledger.settled)


@pytest.mark.asyncio
async def test_a_callers_mistake_does_not_fall_back_to_another_model():
    """It would be one there too."""
    mistake = refusal(b"400 Bad", body=b'{"error":{"message":"bad"}}')
    async with (
        Double([mistake]) as first,
        Double([OK]) as second,
        Gateway.to(("openai", first), ("openai", second), fallback="spare") as gateway,
    ):
        assert 400 == (await gateway.post(CHAT, HELLO))[0]
        assert [] == second.requests


@pytest.mark.asyncio
async def test_a_fallback_that_the_key_may_not_use_is_not_used():
    """Nobody gets by failure what he may not ask for."""
    async with (
        Double([BROKEN]) as first,
        Double([OK]) as second,
        Gateway.to(
            ("openai", first), ("openai", second), fallback="spare", models=frozenset({"m"})
        ) as gateway,
    ):
        assert 502 == (await gateway.post(CHAT, HELLO))[0]
        assert [] == second.requests


@pytest.mark.asyncio
async def test_a_model_that_was_asked_for_answers_under_its_own_name():
    """No header where nobody stood in."""
    async with (
        Double([OK]) as first,
        Double([OK]) as second,
        Gateway.to(("openai", first), ("openai", second), fallback="spare") as gateway,
    ):
        _, headers, _ = await gateway.post(CHAT, HELLO)
        assert b"trivium-model" not in headers
        assert [] == second.requests


@pytest.mark.asyncio
async def test_a_declared_model_stands_in_when_the_first_has_nothing_left():
    """Told in a header, and recorded as what it was."""
    async with (
        Double([BROKEN]) as first,
        Double([OK]) as second,
        Gateway.to(("openai", first), ("openai", second), fallback="spare") as gateway,
    ):
        status, headers, body = await gateway.post(CHAT, HELLO)
        assert (200, ANSWER, b"spare") == (status, body, headers[b"trivium-model"])
        assert [("spare", "m")] == [(one.model, one.asked_model) for one in gateway.records]
        assert b'"spare-own"' in second.requests[0].body


@pytest.mark.asyncio
async def test_a_request_that_nobody_answered_is_recorded_as_what_was_asked_for():
    """Under the model that failed too, nobody would look for it; the channel is the last tried."""
    async with (
        Double([BROKEN]) as first,
        Double([BROKEN]) as second,
        Gateway.to(("openai", first), ("openai", second), fallback="spare") as gateway,
    ):
        status, headers, _ = await gateway.post(CHAT, HELLO)
        assert (502, False) == (status, b"trivium-model" in headers)
        (record,) = gateway.records
        assert ("m", "", "openai-1", 2) == (
            record.model, record.asked_model, record.channel, record.attempts,
        )  # fmt: skip


class Books(Pricing):
    """Prices as the real ledger does, and remembers what was held and settled."""

    def __init__(self):
        super().__init__(SystemClock())
        self.settled = []

    def hold(self, request_id, caller, quote, budgets=(), who=None):
        return Hold(
            request_id=request_id, user_id=caller.user_id, amount_nanos=quote.amount_nanos,
            quote=quote,
        )  # fmt: skip

    def settle(self, hold, usage, end="", channel=""):
        del end
        tariff = hold.quote.tariff
        self.settled.append(
            (hold.amount_nanos, tariff and tariff.tiers[0].label, usage is not None)
        )
        self.last = hold.quote
        return 0


def priced(dollars):
    return {"free": False, "price": {"input": dollars, "output": dollars}}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("own", "other", "fails", "label"),
    [
        pytest.param(priced("1"), priced("9"), False, '"m"', id="the first answers"),
        pytest.param(priced("1"), priced("9"), True, '"spare"', id="the other answers"),
        pytest.param(priced("9"), priced("1"), True, '"spare"', id="a cheaper one answers"),
        pytest.param({}, priced("9"), True, '"spare"', id="of a free one"),
        pytest.param({}, priced("9"), False, None, id="a free one answers"),
        pytest.param(priced("9"), {}, True, None, id="a free one stands in"),
    ],
)
async def test_whoever_answers_is_paid_at_its_own_price(own, other, fails, label):
    """The dearest is held, whichever it is; that is no reason to charge by it."""
    async with (
        Double([BROKEN if fails else OK]) as first,
        Double([OK]) as second,
        Gateway.to(
            ("openai", first), ("openai", second), fallback="spare", model=own, stand_in=other
        ) as gateway,
    ):
        books = gateway.services.ledger = Books()
        assert 200 == (await gateway.post(CHAT, HELLO))[0]
        ((amount, charged, used),) = books.settled
        assert 8_192 * 9_000 < amount < 10_000 * 9_000
        if label is None:
            assert not used
            # killed, it would have cost nothing either, under the name of the free one
            free = "spare" if fails else "m"
            assert (0, True) == (books.last.own_nanos, free == books.last.tariff.model)
        else:
            assert (True, True) == (used, label in charged)


@pytest.mark.asyncio
async def test_a_model_without_a_price_for_it_does_not_stand_in():
    """It would be refused itself; the one asked for need not be."""
    async with (
        Double([OK]) as first,
        Double([OK]) as second,
        Gateway.to(
            ("openai", first), ("openai", second), fallback="spare", model=priced("1"),
            stand_in={"free": False, "price": {"input": "1"}},
        ) as gateway,
    ):  # fmt: skip
        gateway.services.ledger = Books()
        assert 200 == (await gateway.post(CHAT, HELLO))[0]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("provider", "script", "calls"),
    [
        pytest.param("anthropic", OK, 0, id="we know that it does not"),
        pytest.param("openai", refusal(b"400 Bad"), 1, id="its vendor says so"),
    ],
)
async def test_what_a_model_that_stands_in_does_not_take_is_not_the_callers_mistake(
    provider, script, calls
):
    """The model that was asked for takes it, so its failure is told, which may be tried again."""
    async with (
        Double([BROKEN]) as first,
        Double([script]) as second,
        Gateway.to(("openai", first), (provider, second), fallback="spare") as gateway,
    ):
        status, _, _ = await gateway.post(CHAT, {**HELLO, "n": 3})
        assert (502, calls) == (status, len(second.requests))
