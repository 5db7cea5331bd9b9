"""A further round of an answer is held for like a request, or not asked for."""

import msgspec
import pytest

from gateway import Gateway
from pipeline.test_continuation import ASKED, FOUND, PAUSED, SEARCH, message, speaks, streamed, text
from pipeline.test_continuation import whole as script
from pipeline.test_fallbacks import Books
from scripted_upstream import Double
from trivium.conversation.usage import Usage
from trivium.ledger.cost import cost

PRICE = {"free": False, "price": {"input": "1", "output": "1"}}
"""A thousand nano-dollars a token."""
DONE = message(text("Found."), stop="end_turn")


class Account(Books):
    """Has so much beyond its first holds."""

    def __init__(self, left):
        super().__init__()
        self.left = left

    def extend(self, hold, more_nanos):
        """As far as it goes."""
        if more_nanos > self.left:
            return None
        self.left -= more_nanos
        return super().extend(hold, more_nanos)

    def settle(self, hold, usage, end="", channel=""):
        """Keep both."""
        del end
        self.settled.append((hold, usage))
        return 0


async def asked(scripts, left, body=ASKED):
    """(headers, body) of the answer, number of requests upstream, (hold, usage) settled, what is
    left.
    """
    async with (
        Double(scripts) as vendor,
        Gateway.to(("anthropic", vendor), model=PRICE) as gateway,
    ):
        speaks(gateway, "messages")
        account = gateway.services.ledger = Account(left)
        status, headers, got = await gateway.post("/v1/chat/completions", body)
        assert 200 == status, got
        (settled,) = account.settled
        return headers, got, len(vendor.requests), settled, account.left


@pytest.mark.asyncio
async def test_what_a_round_may_cost_is_held_before_it_is_asked_for():
    """The hold covers what both rounds come to."""
    headers, got, sent, (hold, usage), left = await asked([script(PAUSED), script(DONE)], 10**9)
    assert 2 == sent
    assert b"Looking. Found." in got
    assert b"answer.finish" not in headers.get(b"trivium-dropped", b"")
    assert 0 < 10**9 - left == hold.amount_nanos - hold.quote.amount_nanos
    assert 0 < cost(hold.quote.tariff, usage)[0] <= hold.amount_nanos


@pytest.mark.asyncio
async def test_a_round_that_the_account_cannot_cover_is_not_asked_for():
    """What there is is the answer, told as paused and paid for."""
    headers, got, sent, (hold, usage), _ = await asked([script(PAUSED), script(DONE)], 0)
    choice = msgspec.json.decode(got)["choices"][0]
    assert (1, "Looking. ") == (sent, choice["message"]["content"])
    assert b"answer.finish" in headers[b"trivium-dropped"]
    assert hold.amount_nanos == hold.quote.amount_nanos
    assert Usage(fresh=20, cache_read=5, output=30) == usage


@pytest.mark.asyncio
async def test_a_stream_ends_where_the_money_does():
    """Legally, with one end."""
    rounds = [
        streamed(text("Looking. "), SEARCH, FOUND, stop="pause_turn", used=30),
        streamed(text("Found."), stop="end_turn"),
    ]
    asking = ASKED | {"stream": True}
    _, got, sent, _, _ = await asked(rounds, 0, asking)
    assert (1, 1, 1) == (sent, got.count(b"[DONE]"), got.count(b'"finish_reason":"content_filter"'))
    _, got, sent, _, _ = await asked(rounds, 10**9, asking)
    assert (2, 1, 1) == (sent, got.count(b"[DONE]"), got.count(b'"finish_reason":"stop"'))
