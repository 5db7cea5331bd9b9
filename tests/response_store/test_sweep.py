"""The store stays within its days and bytes."""

import asyncio

import pytest

from response_store.test_store import names, row, saved
from trivium.response_store import sweep as module
from trivium.response_store.sweep import ResponseSweeper
from trivium.settings.model import ResponsesSettings
from trivium.storage.errors import StorageDown


async def at_once(_):
    """No pause."""


@pytest.mark.asyncio
async def test_what_has_expired_goes(database, clock):
    """Batch after batch; what has not stays."""
    now = int(clock.now())
    await saved(database, [row(f"resp_{n}", expires=now - n) for n in range(5)])
    await saved(database, [row("resp_later", expires=now + 1)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BATCH", 2)
        assert await ResponseSweeper(database, ResponsesSettings(), clock, at_once).round()
    assert [False, True] == await names(database, "resp_0", "resp_later", now=0)


@pytest.mark.asyncio
@pytest.mark.parametrize("batch", [1, 200])
async def test_who_keeps_too_much_is_cut_back(database, clock, monkeypatch, batch):
    """In one round, however much came since the last."""
    monkeypatch.setattr(module, "BATCH", batch)
    later = int(clock.now()) + 100
    rows = [row(f"resp_{n}", created=n, expires=later, size=1000) for n in range(5)]
    await saved(database, rows)
    sweeper = ResponseSweeper(database, ResponsesSettings(user_bytes_max=2048), clock, at_once)
    assert await sweeper.round()
    assert [False, False, False, True, True] == await names(database, *(r["id"] for r in rows))


@pytest.mark.asyncio
async def test_two_nodes_take_no_more_than_one(database, clock):
    """The second counts what the first has left."""
    later = int(clock.now()) + 100
    rows = [row(f"resp_{n}", created=n, expires=later, size=1000) for n in range(6)]
    await saved(database, rows)
    nodes = [
        ResponseSweeper(database, ResponsesSettings(user_bytes_max=3072), clock, at_once)
        for _ in range(2)
    ]
    assert [True, True] == await asyncio.gather(*(node.round() for node in nodes))
    assert 3 == sum(await names(database, *(r["id"] for r in rows)))


@pytest.mark.asyncio
async def test_a_round_ends_with_its_budget(database, clock, monkeypatch):
    """The next one goes on."""
    monkeypatch.setattr(module, "BATCH", 1)
    monkeypatch.setattr(module, "SECONDS_MAX", 0.0)
    await saved(database, [row(f"resp_{n}", expires=1) for n in range(3)])
    assert not await ResponseSweeper(database, ResponsesSettings(), clock, at_once).round()
    assert 2 == sum(await names(database, "resp_0", "resp_1", "resp_2", now=0))


class Enough(BaseException):
    """Ends an endless loop."""


@pytest.mark.asyncio
async def test_a_database_that_is_away_ends_a_round_not_the_sweeping(clock):
    """The next round tries again."""
    pauses = []

    class Away:
        async def now(self):
            raise StorageDown("away")

    async def sleep(seconds):
        pauses.append(seconds)
        if len(pauses) == 3:
            raise Enough

    with pytest.raises(Enough):
        await ResponseSweeper(Away(), ResponsesSettings(), clock, sleep).run()
    assert [ResponseSweeper.every_s] * 3 == pauses
