"""A plan that PostgreSQL may choose, for tests of statements that it must not change the sense of."""

from sqlalchemy import text

OTHERS = ("hashjoin", "mergejoin", "hashagg", "material", "sort", "memoize")


async def row_by_row(conn):
    """For this transaction, plan a subquery to run again for each row, as statistics may have it.

    One with a limit that skips locked rows then finds other rows each time.
    """
    if conn.dialect.name == "postgresql":
        for name in OTHERS:
            await conn.execute(text(f"SET LOCAL enable_{name} = off"))
