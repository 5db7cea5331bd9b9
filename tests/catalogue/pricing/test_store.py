"""Rows of lists, proposals and nights, on both engines."""

import pytest

from catalogue.pricing.world import NIGHT, offered
from trivium.catalogue.pricing import store
from trivium.catalogue.pricing.model import PriceProposal, ProposalState, ProposedLine
from trivium.catalogue.pricing.origin import PriceOrigin, PriceSource
from trivium.ledger.suggestions.model import PriceList, Suggestion

pytestmark = pytest.mark.asyncio


def proposal(model, digest="d"):
    return PriceProposal(
        id=0,
        model=model,
        state=ProposalState.OPEN,
        channel="main",
        origin=PriceOrigin(source=PriceSource.VENDOR, day="2026-11-28", place="main/x"),
        digest=digest,
        suggestion=Suggestion(lists=(PriceList(price={"input": "1"}),)),
        lines=(ProposedLine(kind="input", above=0, now=None, then="1"),),
        is_by_hand=True,
        found_at=NIGHT,
    )


async def test_a_proposal_comes_back_as_it_was_made(database):
    async with database.write() as conn:
        assert 2 == await store.propose(conn, [proposal("b"), proposal("a")])
        assert 0 == await store.propose(conn, [proposal("a", "other")])
        found = await store.page(conn, ProposalState.OPEN, None, 10)
    assert ["a", "b"] == [each.model for each in found]
    made = proposal("b")
    assert {name: getattr(made, name) for name in made.__struct_fields__ if name != "id"} == {
        name: getattr(found[1], name) for name in made.__struct_fields__ if name != "id"
    }


async def test_pages_go_back_in_time(database):
    async with database.write() as conn:
        await store.propose(conn, [proposal(f"m{n}") for n in range(5)])
        first = await store.page(conn, None, None, 3)
        rest = await store.page(conn, None, first[-1].id, 3)
        assert ["m4", "m3", "m2", "m1", "m0"] == [each.model for each in [*first, *rest]]
        assert 5 == await store.open_count(conn)


async def test_only_what_is_open_is_decided(database):
    """Once; then the model may have another."""
    async with database.write() as conn:
        await store.propose(conn, [proposal("a")])
        (found,) = await store.page(conn, None, None, 9)
        decide = [conn, [found.id], ProposalState.DISMISSED, 7, 3]
        assert (1, 0) == (await store.decide(*decide), await store.decide(*decide))
        assert 1 == await store.propose(conn, [proposal("a", "e")])
        assert "e" == (await store.latest(conn))["a"].digest
        (old,) = await store.some(conn, [found.id])
    assert (ProposalState.DISMISSED, 7, 3) == (old.state, old.decided_at, old.decided_by)


async def test_lists_are_kept_by_channel(database):
    """The newest of each."""
    async with database.write() as conn:
        await store.put_lists(conn, {})
        assert None is await store.last_look(conn)
        await store.put_lists(conn, {"a": offered(x=("1", "2")), "b": offered(y=None)})
        await store.put_lists(conn, {"a": offered(z=("3", "4"))})
        await store.drop_lists(conn, {"a"})
        found = store.decoded(await store.all_lists(conn))
        assert NIGHT == await store.last_look(conn)
    assert {"a": offered(z=("3", "4"))} == found


async def test_a_night_is_taken_once(database):
    async with database.write() as conn:
        assert await store.claim(conn, 9, 1_000, 60)
        assert not await store.claim(conn, 9, 1_030, 60)
        assert await store.claim(conn, 9, 1_100, 60)
        await store.finish(conn, 9, 1_110, 4)
        assert not await store.claim(conn, 9, 9_000, 60)
        assert await store.claim(conn, 10, 9_000, 60)
