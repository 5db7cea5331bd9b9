"""A lease is counted down in memory, and sized to what is asked for and what there is."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.ledger.allowance import AHEAD_HOLDS, IDLE_S, Allowance, granted
from trivium.ledger.model import Hold, LeaseRequest, LeaseState, Waiting


def allowance(leased=100, pool=1000):
    """An account with a lease."""
    made = Allowance(1, 0.0)
    made.learn(LeaseState(leased, pool), 0, 0.0)
    return made


def test_a_lease_is_counted_down():
    """By what is held, then by what it cost; the rest is free again."""
    account = allowance(100)
    assert account.take(60)
    assert not account.take(41)
    assert account.take(40)
    account.give_back(60, 10)
    assert 50 == account.free
    account.give_back(40, 70)  # the cost was above the hold
    assert 20 == account.free
    account.learn(LeaseState(20, 920), 80, 0.0)
    assert (20, 0, 0) == (account.free, account.held, account.spent)


def test_a_cost_above_every_lease_leaves_nothing_free():
    """The account is below zero here until the next turn."""
    account = allowance(10)
    assert account.take(10)
    account.give_back(10, 25)
    assert -15 == account.free
    assert not account.take(1)


@pytest.mark.parametrize(
    ("wanted", "pool", "lease"),
    [
        (LeaseRequest(0, 10, 0), 100, 10),
        (LeaseRequest(0, 10, 40), 1000, 50),
        (LeaseRequest(0, 10, 40), 100, 10 + 90 // 4),
        (LeaseRequest(0, 10, 40), 10, 10),
        (LeaseRequest(0, 10, 40), 7, 7),
        (LeaseRequest(0, 10, 40), 0, 0),
        (LeaseRequest(0, 10, 40), -5, 0),
        (LeaseRequest(8, 10, 40), 7, 8),
        (LeaseRequest(30, 10, 0), 100, 30),
    ],
)
def test_a_lease_shrinks_to_exact_holds_as_the_balance_runs_low(wanted, pool, lease):
    """The need first, a share of the rest ahead of it, never below what is relied on."""
    assert lease == granted(wanted, pool)


def test_demand_is_leased_ahead():
    """Some requests like the last at once, then seconds of what was asked for."""
    account = allowance(0, pool=10**9)
    assert LeaseRequest(0, 0, 0) == account.wanted(0, 0.1)
    account.learn(LeaseState(10**6, 10**9), 0, 0.0)
    assert account.take(10)
    assert AHEAD_HOLDS * 10 == account.wanted(0, 0.2).ahead
    account.learn(LeaseState(10**6, 10**9), 0, 0.0)
    for _ in range(1000):
        assert account.take(10)
    assert 3 * 10_000 == account.wanted(0, 1.2).ahead


def test_demand_fades():
    """What is not asked for any more is not leased ahead for ever."""
    account = allowance(10**9, pool=10**9)
    for _ in range(100):
        account.take(1000)
        account.give_back(1000, 0)
    now, aheads = 1.0, []
    while now < IDLE_S:
        aheads.append(account.wanted(0, now).ahead)
        now += 1.0
    assert sorted(aheads, reverse=True) == aheads
    assert aheads[0] > 2 * aheads[-1]
    assert 0 == account.wanted(0, now + IDLE_S).ahead


def test_an_idle_account_gives_its_lease_back():
    """Here at once, in the database with the turn; what is held stays."""
    account = allowance(1000)
    account.take(30)
    account.wanted(0, 0.5)
    wanted = account.wanted(0, IDLE_S + 1)
    assert (30, 30, 0) == (wanted.keep, wanted.need, wanted.ahead)
    assert (30, 0) == (account.leased, account.free)


def test_what_is_awaited_is_needed():
    """But not by a request that has gone away meanwhile."""
    loop = asyncio.new_event_loop()
    account = allowance(0)
    for amount in (5, 7):
        hold = Hold(request_id=f"r{amount}", user_id=1, amount_nanos=amount)
        account.waiting.append(Waiting(hold, loop.create_future()))
    account.waiting[0].granted.cancel()
    assert 7 == account.wanted(0, 0.1).need
    loop.close()


amounts = st.integers(0, 10**6)


@given(amounts, amounts, amounts, amounts, st.integers(-(10**6), 10**7), amounts)
def test_a_wish_covers_what_is_relied_on(leased, held, spent, batch, pool, ahead):
    """What is free here before a turn is covered by the least the turn can leave."""
    account = allowance(leased, pool)
    account.held, account.spent, account._last = held, spent, ahead
    booked = min(batch, spent)
    wanted = account.wanted(booked, 1.0)
    free = account.free
    lease = granted(wanted, pool - booked)
    assert lease >= wanted.keep >= 0
    account.learn(LeaseState(lease, pool - booked), booked, 0.0)
    assert account.free >= free


@given(amounts, amounts, amounts, st.integers(-(10**6), 10**7))
def test_a_lease_grows_only_within_the_pool(keep, need, ahead, pool):
    """Beyond what is kept, nothing is granted that the account has not."""
    lease = granted(LeaseRequest(keep, need, ahead), pool)
    assert lease <= max(keep, pool, 0)
    assert lease <= max(keep, need + ahead)
