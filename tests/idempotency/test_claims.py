"""Claims of one worker: together, and each told how it went."""

import asyncio
import contextlib

import pytest

from trivium.idempotency.claims import Claims
from trivium.idempotency.model import ClaimRequest, ClaimVerdict, Place
from trivium.storage.errors import StorageDown


class Counting:
    """A database that counts its transactions, or is away."""

    def __init__(self, db):
        self.db, self.writes, self.is_away = db, 0, False

    @contextlib.asynccontextmanager
    async def write(self, limit_s):
        self.writes += 1
        if self.is_away:
            raise StorageDown("gone")
        async with self.db.write(limit_s) as conn:
            yield conn


@pytest.mark.asyncio
async def test_what_waits_goes_into_one_transaction(database):
    """However many come in one turn of the loop, and in whichever order."""
    db = Counting(database)
    claims = Claims(db, "w1", 3600)
    asked = [ClaimRequest(Place(3, f"d{n % 20:02}"), "b", f"req_{n}") for n in range(40, 0, -1)]
    found = await asyncio.gather(*(claims.claim(one) for one in asked))
    verdicts = [one.verdict for one in found]
    assert (1, 20, 20) == (
        db.writes, verdicts.count(ClaimVerdict.MINE), verdicts.count(ClaimVerdict.RUNNING),
    )  # fmt: skip


@pytest.mark.asyncio
async def test_everybody_hears_that_the_database_is_away(database):
    """And the next ones are asked for again."""
    db = Counting(database)
    db.is_away = True
    claims = Claims(db, "w1", 3600)
    asked = [ClaimRequest(Place(3, f"d{n}"), "b", f"req_{n}") for n in range(3)]
    found = await asyncio.gather(*(claims.claim(one) for one in asked), return_exceptions=True)
    assert [StorageDown] * 3 == [type(one) for one in found]
    db.is_away = False
    assert ClaimVerdict.MINE is (await claims.claim(asked[0])).verdict


@pytest.mark.asyncio
async def test_one_who_left_holds_up_nobody(database):
    """Its claim is made all the same."""
    claims = Claims(database, "w1", 3600)
    left = asyncio.ensure_future(claims.claim(ClaimRequest(Place(3, "d1"), "b", "req_1")))
    stays = asyncio.ensure_future(claims.claim(ClaimRequest(Place(3, "d2"), "b", "req_2")))
    await asyncio.sleep(0)
    left.cancel()
    assert ClaimVerdict.MINE is (await stays).verdict
