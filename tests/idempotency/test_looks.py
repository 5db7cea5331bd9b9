"""Looks of one worker: together, however many wait."""

import asyncio
import contextlib

import pytest

from idempotency.test_store import change, claim, write
from trivium.idempotency.looks import LEAST_S, MOST_S, Looks, pause_until
from trivium.idempotency.model import RUNNING, LookRequest, Place
from trivium.storage.errors import StorageDown


class Counting:
    """A database that counts its transactions, or is away."""

    def __init__(self, db):
        self.db, self.reads, self.is_away = db, 0, False

    @contextlib.asynccontextmanager
    async def read(self):
        self.reads += 1
        if self.is_away:
            raise StorageDown("gone")
        async with self.db.read() as conn:
            yield conn


@pytest.mark.asyncio
async def test_a_hundred_cost_one_transaction(database):
    """And each is told of its own."""
    for n in range(3):
        await claim(database, place=Place(3, f"d{n}"))
    await write(database, change(RUNNING, (0, b"head"), place=Place(3, "d1"), size=1))
    db = Counting(database)
    looks = Looks(db)
    asked = [LookRequest(Place(3, f"d{n}"), 0, 0) for n in range(100)]
    found = await asyncio.gather(*(looks.look(one) for one in asked))
    assert 1 == db.reads
    assert [[], [(0, b"head")], []] == [one.pieces for one in found[:3]]
    assert {None} == set(found[3:])


@pytest.mark.asyncio
async def test_everybody_hears_that_the_database_is_away(database):
    """And the next look is one again."""
    db = Counting(database)
    db.is_away = True
    looks = Looks(db)
    asked = LookRequest(Place(3, "d1"), 0, 0)
    found = await asyncio.gather(looks.look(asked), looks.look(asked), return_exceptions=True)
    assert [StorageDown] * 2 == [type(one) for one in found]
    db.is_away = False
    assert await looks.look(asked) is None


def test_whoever_waits_longest_looks_at_the_same_moments():
    """At which all those do that wait for less: their looks become one."""
    for now in (0.0, 17.3, 1000.49):
        end = now + pause_until(now, MOST_S)
        assert 0 < end - now <= MOST_S
        pause = LEAST_S
        while pause < MOST_S:
            assert end / pause == pytest.approx(round(end / pause))
            pause *= 2
