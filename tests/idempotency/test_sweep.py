"""Kept answers stay within their day, number and bytes."""

import pytest

from idempotency.test_store import age, count, kept, read
from trivium.idempotency import sweep as module
from trivium.idempotency.model import DONE, DROPPED, Place
from trivium.idempotency.sweep import AnswerSweeper
from trivium.settings.model import IdempotencySettings
from trivium.storage.schema.idempotency import kept_answers


async def at_once(_):
    """No pause."""


@pytest.mark.asyncio
async def test_what_is_over_goes_batch_after_batch(database, clock, monkeypatch):
    """And what is not stays."""
    monkeypatch.setattr(module, "BATCH", 2)
    await kept(database, 5)
    sweeper = AnswerSweeper(database, IdempotencySettings(), clock, at_once)
    assert await sweeper.round(1)
    assert 5 == await count(database, kept_answers)
    assert await sweeper.round(2**40)
    assert 0 == await count(database, kept_answers)


@pytest.mark.parametrize("batch", [1, 200])
@pytest.mark.asyncio
async def test_who_keeps_too_much_is_cut_back(database, clock, monkeypatch, batch):
    """In one round, however much came since the last."""
    monkeypatch.setattr(module, "BATCH", batch)
    await kept(database, 5, size=2000)
    limits = IdempotencySettings(user_keys_max=4, user_bytes_max=4096)
    assert await AnswerSweeper(database, limits, clock, at_once).round(1)
    found = [await read(database, place=Place(3, f"d{n}")) for n in range(5)]
    assert [None, DROPPED, DROPPED, DONE, DONE] == [one and one.state for one in found]


@pytest.mark.asyncio
async def test_a_round_ends_with_its_budget(database, clock, monkeypatch):
    """The next one goes on."""
    monkeypatch.setattr(module, "BATCH", 1)
    monkeypatch.setattr(module, "SECONDS_MAX", 0.0)
    await kept(database, 2)
    await age(database, 0)
    sweeper = AnswerSweeper(database, IdempotencySettings(), clock, at_once)
    assert not await sweeper.round(2**40)
    assert 1 == await count(database, kept_answers)
