"""Tries are counted once for all workers, before their outcome is known."""

import asyncio

import pytest
from sqlalchemy import text

from trivium.identity.accounts import throttle
from trivium.identity.accounts.errors import AccountRefusal
from trivium.identity.accounts.throttle_policy import PER_ACCOUNT


@pytest.fixture
def count(database, clock):
    """Counts one try in a transaction of its own."""

    async def once(*subjects):
        async with database.write() as conn:
            return await throttle.count(conn, int(clock.now()), *subjects)

    return once


@pytest.mark.asyncio
async def test_many_at_once_are_many(count):
    """Twenty guesses in one moment are five guesses and fifteen refusals."""
    subject = throttle.of_user(7)
    outcomes = await asyncio.gather(*(count(subject) for _ in range(20)))
    assert 5 == outcomes.count(None)
    assert {AccountRefusal.TOO_MANY_TRIES} == {error.why for error in outcomes if error}
    assert {PER_ACCOUNT.pause_s} == {error.retry_after_s for error in outcomes if error}


@pytest.mark.asyncio
async def test_two_subjects_in_either_order_do_not_wait_for_each_other(count):
    """Locks are taken in one order."""
    a, b = throttle.of_user(1), throttle.of_address("192.0.2.1")
    outcomes = await asyncio.gather(*(count(*((a, b) if i % 2 else (b, a))) for i in range(10)))
    assert 5 == outcomes.count(None)


@pytest.mark.asyncio
async def test_what_one_limit_refuses_the_other_does_not_count(count):
    """An address is not used up by an account that is closed anyway."""
    ours, there = throttle.of_user(1), throttle.of_address("192.0.2.1")
    for _ in range(40):
        await count(ours, there)
    assert await count(throttle.of_user(2), there) is None


@pytest.mark.asyncio
async def test_an_unknown_address_is_not_counted(count):
    """Nobody knows whose it would be."""
    assert throttle.of_address("") is None
    assert throttle.of_sender("") is None
    assert await count(None, None) is None


@pytest.mark.asyncio
async def test_time_forgives(count, seconds):
    """A window after the last pause nothing is left of it."""
    subject = throttle.of_factor(1)
    for _ in range(6):
        await count(subject)
    assert await count(subject) is not None
    seconds(30 + 900)
    assert [None] * 5 == [await count(subject) for _ in range(5)]


@pytest.mark.asyncio
async def test_forgetting_begins_anew(count, database):
    """Whoever is counted has shown to be the owner."""
    subject = throttle.of_user(1)
    for _ in range(6):
        await count(subject)
    async with database.write() as conn:
        await throttle.forget(conn, subject)
    assert await count(subject) is None


@pytest.mark.asyncio
async def test_forgiving_takes_one_back(count, database):
    """A login that went well is no failure from its address."""
    subject = throttle.of_address("192.0.2.1")
    for _ in range(100):
        assert await count(subject) is None
        async with database.write() as conn:
            await throttle.forgive(conn, subject)
    async with database.write() as conn:
        await throttle.forgive(conn, None)


@pytest.mark.asyncio
async def test_the_table_names_nobody(count, database):
    """Neither names nor addresses that were tried can be read from it."""
    await count(throttle.of_typed("ada@example.com"), throttle.of_mailbox("ada@example.com"))
    async with database.read() as conn:
        rows = (await conn.execute(text("SELECT * FROM tries"))).all()
    assert 2 == len(rows)
    assert "ada" not in str(rows)


@pytest.mark.asyncio
async def test_a_network_of_ipv6_counts_as_one_address(count):
    """Whoever has one of them has all the others."""
    for of in (throttle.of_address, throttle.of_sender, throttle.of_challenges):
        outcomes = [await count(of(f"2001:db8::{n:x}")) for n in range(1, 130)]
        assert any(outcomes)
        assert outcomes[-1].why is AccountRefusal.TOO_MANY_TRIES
        assert await count(of("2001:db8:0:1::1")) is None
