"""Leases of one worker, without a database: what is asked, told and freed."""

import pytest

from ledger.conftest import payer, quote
from trivium.ledger.lease_keeper import LeaseKeeper
from trivium.ledger.model import Hold, LeaseState, Settlement
from trivium.settings.budget import Budget, CounterId, Period


@pytest.fixture
def keeper(clock):
    return LeaseKeeper(clock)


def test_what_is_not_leased_is_not_trusted(keeper):
    """Until a first turn has said so."""
    assert not keeper.holds_leases()
    keeper.trusted_until = 1e18
    assert keeper.holds_leases()
    assert set() == keeper.leased()


def test_others_that_want_it_make_a_turn(keeper):
    """An account that is called is looked at, and so is the worker's clock of turns."""
    keeper.yield_([7, CounterId("key:5", "day", 0)])
    assert keeper.asked.is_set()
    assert {7, CounterId("key:5", "day", 0)} == keeper.touched()
    assert set() == keeper.touched()
    assert not keeper.asked.is_set()


def test_who_waits_for_one_account_has_no_other_renewed(keeper):
    """What only changed since the last flush waits for the next; each is told once."""
    keeper.touch([7, 8])
    keeper.hurry(9)
    assert keeper.asked.is_set()
    assert {9} == keeper.urgent()
    assert not keeper.asked.is_set()
    assert set() == keeper.urgent()
    keeper.hurry(8)
    assert {7, 8} == keeper.touched()
    assert not keeper.asked.is_set()
    assert set() == keeper.touched() | keeper.urgent()


def test_a_settlement_that_is_booked_leaves_the_queue(keeper):
    """In the order of settling, and is no longer asked for."""
    for number in range(3):
        keeper._queue.append(Settlement(f"r{number}", 7, 5, 1, "", ""))
    assert ["r0", "r1"] == [each.request_id for each in keeper.batch(2)]
    keeper.confirm(keeper.batch(2), {})
    assert ["r2"] == [each.request_id for each in keeper.batch(9)]
    assert 1 == keeper.waiting


@pytest.mark.asyncio
async def test_people_are_told_what_was_crossed(keeper):
    """Of the budget that the counter has, once a turn that says so."""
    told = []
    keeper.crossed = lambda budget, per_cent: told.append((budget.scope, per_cent))
    budget = Budget(amount_nanos=100, period=Period.DAY, scope="key:5")
    counter = CounterId("key:5", "day", 0)
    keeper._account(counter).budget = budget
    keeper.confirm([], {counter: LeaseState(0, 20, crossed=80)})
    keeper.confirm([], {counter: LeaseState(0, 20)})
    assert [("key:5", 80)] == told


def test_a_refusal_says_what_is_too_little(keeper):
    """The balance, or the budget by its name."""
    hold = Hold("r", payer(1).payer_id, 5, quote(5))
    assert "balance is too low" in str(keeper.refusal(hold, None))
    budget = Budget(amount_nanos=1, period=Period.DAY, scope="key:5", whose="the team acme")
    assert "the team acme" in str(keeper.refusal(hold, budget))
