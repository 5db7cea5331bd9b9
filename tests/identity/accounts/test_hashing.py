"""Hashes are Argon2id, off the loop, and cost the same whoever it is."""

import asyncio

import pytest
from argon2 import extract_parameters

from trivium.identity.accounts import hashing
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.hashing import COST, NOBODY, Cost, Hasher


@pytest.fixture
def hasher():
    """One that costs little."""
    made = Hasher(Cost(memory_kib=8, passes=1))
    yield made
    made.close()


@pytest.mark.asyncio
async def test_a_password_is_known_again(hasher):
    """And no other one is taken for it."""
    stored = await hasher.hash("a horse, a battery")
    assert stored.startswith("$argon2id$")
    assert await hasher.verify(stored, "a horse, a battery")
    assert not await hasher.verify(stored, "a horse, a batterY")


@pytest.mark.asyncio
async def test_the_same_password_is_salted_anew(hasher):
    """Two users with one password cannot be told from the table."""
    assert await hasher.hash("one") != await hasher.hash("one")


@pytest.mark.asyncio
async def test_nobody_costs_what_somebody_costs(hasher):
    """The hash for unknown users has today's parameters, and no password opens it."""
    found = extract_parameters(NOBODY)
    assert (COST.memory_kib, COST.passes, COST.lanes) == (
        found.memory_cost,
        found.time_cost,
        found.parallelism,
    )
    assert not Hasher().is_outdated(NOBODY)
    before = hasher.runs
    assert not await hasher.verify(None, "anything")
    assert before + 1 == hasher.runs


@pytest.mark.asyncio
async def test_a_hash_at_another_cost_is_outdated(hasher):
    """It is made anew at the next login."""
    stored = await hasher.hash("one")
    assert not hasher.is_outdated(stored)
    assert Hasher().is_outdated(stored)


@pytest.mark.asyncio
async def test_a_damaged_hash_opens_nothing(hasher):
    """Whatever an old table holds."""
    assert not await hasher.verify("not a hash", "not a hash")
    assert not await hasher.verify("$argon2id$v=19$m=8,t=1,p=1$YQ$YQ", "x")


@pytest.mark.asyncio
async def test_the_loop_turns_meanwhile():
    """Relaying does not wait for logins."""
    hasher = Hasher()
    work = asyncio.ensure_future(hasher.hash("a horse, a battery"))
    turns = 0
    while not work.done():
        turns += 1
        await asyncio.sleep(0.001)
    hasher.close()
    assert turns > 3


@pytest.mark.asyncio
async def test_too_many_at_once_are_refused(hasher, monkeypatch):
    """Rather than queued for minutes; those that came first are served, also by who has left."""
    monkeypatch.setattr(hashing, "WAITING_MAX", 3)
    running = [asyncio.ensure_future(hasher.hash("one")) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(AccountError) as caught:
        await hasher.hash("one too many")
    assert AccountRefusal.BUSY is caught.value.why
    running[0].cancel()
    await asyncio.gather(*running, return_exceptions=True)
    await asyncio.sleep(0.05)
    assert await hasher.hash("room again")
