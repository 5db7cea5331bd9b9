"""Statements: what was spent within some days, by whatever one wants to know."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import msgspec

from trivium.ledger.errors import LedgerError
from trivium.ledger.spending.model import Dimension, SpendRow, SpendScope, SpendSums
from trivium.ledger.spending.rollups.model import RollupWindow
from trivium.storage.late import LateModule
from trivium.storage.summing import expect_many_rows

if TYPE_CHECKING:
    from trivium.ledger.spending import store
    from trivium.ledger.spending.rollups import store as rollups
    from trivium.storage.database import Connection, Database
else:
    store = LateModule("trivium.ledger.spending.store")
    rollups = LateModule("trivium.ledger.spending.rollups.store")

BY_MAX: Final = 4
"""Dimensions of one statement."""
ROWS_MAX: Final = 100_000
DAYS_MAX: Final = 3_700
"""Ten years."""
VERIFY_S: Final = 600.0
"""Adding up every entry."""
LIMIT_S: Final = 30.0
"""One statement."""
_USERS: Final = (Dimension.PAYER, Dimension.TEAM, Dimension.USER)
_WORDS: Final = ", ".join(each.value for each in Dimension)


class SpendStatement(msgspec.Struct, frozen=True, kw_only=True):
    """Sums by some dimensions, within the days and of whom they were asked for."""

    scope: SpendScope
    by: tuple[Dimension, ...]
    rows: tuple[SpendRow, ...]
    """The most expensive first."""
    total: SpendSums
    """Of everything, each request once, also where rows count some under several tags."""
    is_whole: bool
    """Whether there are no more rows than these."""
    users: dict[int, str]
    """Names of users and teams in the rows."""
    keys: dict[int, str]

    def name(self, dimension: Dimension, value: int | str) -> str:
        """What people call a value of a row; empty for none, and for whoever is gone."""
        if dimension in _USERS:
            return self.users.get(int(value), "")
        return self.keys.get(int(value), "") if dimension is Dimension.KEY else str(value)


class SpendDifference(msgspec.Struct, frozen=True, kw_only=True):
    """A day of an account whose sums are wrong."""

    payer_id: int
    at: int
    """Its first second since the epoch."""
    entered_nanos: int
    """What its entries add up to."""
    summed_nanos: int


class SpendStatements:
    """What was spent, as sums of usage entries. Storage faults pass through as they are."""

    def __init__(self, db: "Database") -> None:
        self._db = db

    @asynccontextmanager
    async def _summing(self) -> AsyncIterator["Connection"]:
        async with self._db.read(LIMIT_S) as conn:
            await expect_many_rows(conn)
            yield conn

    async def verify(self) -> list[SpendDifference]:
        """Days whose sums are not what the entries add up to: empty when all is well."""
        async with self._db.read(VERIFY_S) as conn:
            return [
                SpendDifference(
                    payer_id=int(row.payer_id),
                    at=int(row.at),
                    entered_nanos=int(row.entered),
                    summed_nanos=int(row.summed),
                )
                for row in await rollups.differing_days(conn)
            ]

    async def verify_windows(self) -> list[tuple[RollupWindow, int, int]]:
        """Windows of sums that are not what their days add up to, and both numbers; empty when all
        is well.
        """
        async with self._db.read(VERIFY_S) as conn:
            return await rollups.differing(conn)

    async def rows(
        self, scope: SpendScope, by: Sequence[Dimension], limit: int = ROWS_MAX
    ) -> list[SpendRow]:
        """The sums of a statement alone, without names."""
        async with self._summing() as conn:
            return await store.grouped(conn, scope, by, max(1, min(limit, ROWS_MAX)))

    async def spent_by(
        self, scope: SpendScope, by: Dimension, values: Sequence[int]
    ) -> dict[int, int]:
        """What those of these ids spent, in nano-dollars. ``by``: what they are ids of."""
        async with self._summing() as conn:
            return await store.spent_by(conn, scope, by, values)

    async def statement(
        self, scope: SpendScope, by: Sequence[Dimension], limit: int = ROWS_MAX
    ) -> SpendStatement:
        """Sum up. Raises ``LedgerError`` for days that are none, or too many."""
        _check(scope)
        async with self._summing() as conn:
            total = await store.total(conn, scope)
            return await _stated(conn, scope, by, limit, total)

    async def with_days(
        self, scope: SpendScope, by: Sequence[Dimension], limit: int = ROWS_MAX
    ) -> tuple[SpendStatement, list[SpendRow]]:
        """A statement, and what each of its days came to, which costs no more than its total does.

        Raises as ``statement``.
        """
        _check(scope)
        async with self._summing() as conn:
            days = await store.exactly(conn, scope, (Dimension.DAY,), DAYS_MAX)
            total = SpendSums()
            for row in days:
                total = total.plus(row.sums)
            return await _stated(conn, scope, by, limit, total), days


def _check(scope: SpendScope) -> None:
    if scope.since > scope.until:
        raise LedgerError("the first day of a statement is after its last")
    if scope.until - scope.since >= DAYS_MAX:
        raise LedgerError(f"a statement is of at most {DAYS_MAX} days")


async def _stated(
    conn: "Connection", scope: SpendScope, by: Sequence[Dimension], limit: int, total: SpendSums
) -> SpendStatement:
    limit = max(1, min(limit, ROWS_MAX))
    rows = await store.grouped(conn, scope, by, limit + 1, total)
    kept = rows[:limit]

    def ids(wanted: Sequence[Dimension]) -> list[int]:
        places = [place for place, each in enumerate(by) if each in wanted]
        return [int(row.values[place]) for place in places for row in kept]

    users, keys = await store.names_of(conn, ids(_USERS), ids((Dimension.KEY,)))
    return SpendStatement(
        scope=scope,
        by=tuple(by),
        rows=tuple(kept),
        total=total,
        is_whole=len(rows) <= limit,
        users=users,
        keys=keys,
    )


def dimensions(words: str) -> tuple[Dimension, ...]:
    """The dimensions of ``team,model``. Raises ``LedgerError`` naming one that there is not."""
    found = []
    for word in words.split(","):
        try:
            found.append(Dimension(word.strip()))
        except ValueError:
            raise LedgerError(
                f"by {word.strip()[:40]!r} nothing can be summed up; there are {_WORDS}"
            ) from None
    if len(set(found)) < len(found):
        raise LedgerError("each dimension once")
    if len(found) > BY_MAX:
        raise LedgerError(f"at most {BY_MAX} dimensions at once")
    return tuple(found)
