"""Tells PostgreSQL, for a transaction, that its questions add up many rows.

A prepared statement whose days are parameters is planned for few rows from its sixth run on: sums
over a month were read through an index and sorted on disk, at twice the time. Groups by key and day
do not fit into the 4 MB that a server gives unless it was told more, and compiling so short
questions takes longer than it saves.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from trivium.storage.database import Connection

WORK_MB: Final = 32
"""Memory of each sort, and twice as much of each table of groups."""
_FOR_SUMS: Final = (
    "SELECT set_config('plan_cache_mode', 'force_custom_plan', true), "
    "set_config('jit', 'off', true), set_config('work_mem', "
    "greatest(pg_size_bytes(current_setting('work_mem')) / 1024, "
    f"{WORK_MB * 1024})::text, true)"
)


async def expect_many_rows(conn: "Connection") -> None:
    """Have what follows in this transaction planned for the rows that there are."""
    if conn.dialect.name == "postgresql":
        await conn.exec_driver_sql(_FOR_SUMS)
