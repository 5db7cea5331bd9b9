"""Statements: what can be asked for, and the names in them."""

import msgspec
import pytest

from ledger.spending.test_store import DAY_S, book, detail, people, settled
from trivium.ledger.errors import LedgerError
from trivium.ledger.spending.model import Dimension, SpendScope
from trivium.ledger.spending.service import BY_MAX, DAYS_MAX, SpendStatements, dimensions

OF = Dimension


@pytest.mark.asyncio
async def test_rows_have_names(database, clock):
    """Of users, of teams and of keys that are there; who is gone has none."""
    ada, eve = await people(database, clock)
    now = int(clock.now())
    await book(
        database, [settled(ada, n, now, detail(user=eve, team=404, key=n)) for n in range(1, 4)]
    )
    scope = SpendScope(since=now // DAY_S, until=now // DAY_S)
    found = await SpendStatements(database).statement(
        scope, (OF.PAYER, OF.USER, OF.TEAM, OF.KEY), 2
    )
    assert [(ada, eve, 404, 3), (ada, eve, 404, 2)] == [row.values for row in found.rows]
    assert (False, 6) == (found.is_whole, found.total.nanos)
    assert ("ada", "eve", "", "") == tuple(
        found.name(each, value) for each, value in zip(found.by, found.rows[0].values, strict=True)
    )
    assert (await SpendStatements(database).statement(scope, (OF.KEY,), 3)).is_whole


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("changes", "said"),
    [({"since": 2, "until": 1}, "after its last"), ({"since": 0, "until": DAYS_MAX}, "at most")],
)
async def test_days_are_checked(database, changes, said):
    """Backwards, and more than anybody reads."""
    scope = msgspec.structs.replace(SpendScope(since=0, until=0), **changes)
    with pytest.raises(LedgerError, match=said):
        await SpendStatements(database).statement(scope, (OF.DAY,))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("team,teem", "'teem' nothing can be summed up; there are day, payer"),
        ("", "'' nothing"),
        ("team,team", "once"),
        (",".join(each.value for each in list(Dimension)[: BY_MAX + 1]), "at most 4"),
    ],
)
def test_dimensions_that_there_are_not_are_named(words, said):
    """With those that there are."""
    with pytest.raises(LedgerError, match=said):
        dimensions(words)


def test_dimensions_keep_their_order():
    """Of columns."""
    assert (OF.TAG, OF.TEAM) == dimensions("tag, team")


@pytest.mark.asyncio
async def test_sums_without_names(database, clock):
    """By what is asked for, and of those alone whose ids are given."""
    ada, eve = await people(database, clock)
    now = int(clock.now())
    batch = [settled((ada, eve)[n % 2], n, now, detail(key=n % 3)) for n in range(1, 7)]
    await book(database, batch, repeated=False)
    spending, scope = SpendStatements(database), SpendScope(since=0, until=10**6)
    found = await spending.rows(scope, (Dimension.USER,))
    assert {ada: 12, eve: 9} == {row.values[0]: row.sums.nanos for row in found}
    assert 1 == len(await spending.rows(scope, (Dimension.USER,), 1))
    assert {2: 7, 0: 9} == await spending.spent_by(scope, Dimension.KEY, [2, 0, 77])
    assert {} == await spending.spent_by(scope, Dimension.USER, [])
