"""Leases in SQL, of accounts and of budgets alike: granted, wanted back, ended."""

import pytest
from sqlalchemy import insert, select

from trivium.ledger.leases import store
from trivium.ledger.leases.store import ACCOUNTS, BUDGETS, Lease
from trivium.ledger.model import LeaseRequest, LeaseState
from trivium.storage.schema.budgets import budget_counters

ASKED = LeaseRequest(keep=0, need=7, ahead=0, awaited=(7,))


async def leased_of(conn, kind, account):
    """Something that is leased of: an account, or a counter."""
    if kind is ACCOUNTS:
        return await account(100)
    row = {"scope": "key:1", "period": "day", "starts_at": 0, "spent_nanos": 0}
    made = insert(budget_counters).values(row).returning(budget_counters.c.id)
    return int((await conn.execute(made)).scalar_one())


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", store.KINDS, ids=["accounts", "budgets"])
async def test_a_lease_is_called_answered_and_ended(database, account, kind):
    """The other worker is marked once, answers with its next lease, and is not marked again."""
    of = await account(100) if kind is ACCOUNTS else None
    async with database.write() as conn:
        if kind is BUDGETS:
            of = await leased_of(conn, kind, account)
        asked = {of: ASKED}
        for worker in ("a", "b"):
            await store.set_leases(conn, kind, worker, {}, {of: LeaseState(7, 50)}, asked)
        assert {of: Lease(7, 0, 0)} == await store.leases_of(conn, kind, "a", [of])
        short = await store.called(conn, kind, "b", [of], asked, {of: LeaseState(0, 0)})
        assert (7, False, 1) == (short[of].others, short[of].is_final, short[of].round)
        assert [of] == await store.wanted(conn, kind, "a")
        own = await store.leases_of(conn, kind, "a", [of])
        answer = {of: LeaseRequest(keep=3, need=3, ahead=0, yields=True)}
        await store.set_leases(conn, kind, "a", own, {of: LeaseState(3, 50)}, answer)
        assert [] == await store.wanted(conn, kind, "a")
        again = {of: LeaseRequest(keep=0, need=7, ahead=0, awaited=(7,), round=1)}
        final = await store.called(conn, kind, "b", [of], again, {of: LeaseState(0, 0)})
        assert (3, True) == (final[of].others, final[of].is_final)
        assert [of] == list(await store.ended(conn, kind, "a", -1))
        assert [] == list(await store.ended(conn, kind, "a", 60))  # it lives
        await store.delete_leases(conn, kind, "a", [of])
        assert {} == await store.leases_of(conn, kind, "a", [of])


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", store.KINDS, ids=["accounts", "budgets"])
async def test_only_what_is_old_is_renewed_and_only_the_silent_are_found(database, account, kind):
    """A lease that a turn has just set is not written again; a worker whose oldest is too old is."""
    of = await account(100) if kind is ACCOUNTS else None
    at = kind.table.c.renewed_at
    async with database.write() as conn:
        if kind is BUDGETS:
            of = await leased_of(conn, kind, account)
        for worker, age in (("new", 5), ("old", 50), ("silent", 500)):
            await store.set_leases(conn, kind, worker, {}, {of: LeaseState(7, 50)}, {of: ASKED})
            aged = kind.table.update().where(kind.table.c.worker == worker)
            await conn.execute(aged.values(renewed_at=at - age))
        before = dict((await conn.execute(select(kind.table.c.worker, at))).all())
        for worker in ("new", "old"):
            await store.renew(conn, worker, 20)
        after = dict((await conn.execute(select(kind.table.c.worker, at))).all())
        assert before["new"] == after["new"]
        assert before["old"] + 50 <= after["old"] <= before["old"] + 60
        assert before["silent"] == after["silent"]
        assert ["silent"] == await store.silent_workers(conn, 100)
        assert [] == await store.silent_workers(conn, 1000)


def test_a_lease_that_was_swept_is_not_relied_on():
    """What a worker would keep is at most what its row still has; who is called gets none ahead."""
    keeping = LeaseRequest(keep=9, need=9, ahead=40)
    assert 9 < store.stands(keeping, Lease(9, 0, 0), 100).leased
    assert 9 == store.stands(keeping, Lease(9, 2, 1), 100).leased
    assert 5 == store.stands(keeping, Lease(0, 0, 0), 5).leased
    assert store.stands(keeping, Lease(9, 2, 1), 100).is_wanted
