"""The tables of the catalogue: one entry a name, one change a revision."""

import pytest
from sqlalchemy import insert

from trivium.storage.errors import Conflict
from trivium.storage.schema.catalogue import (
    catalogue_changes,
    catalogue_entries,
    catalogue_revision,
)

ENTRY = {
    "kind": "group",
    "name": "g",
    "version": 1,
    "document": '"1"',
    "marks": "[]",
    "updated_ms": 1,
}
CHANGE = {
    "revision": 1, "mark": "m", "at_ms": 1, "actor": "", "address": "", "agent": "", "reason": ""
}  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("table", "row", "other"),
    [
        (catalogue_entries, ENTRY, ENTRY | {"version": 2}),
        (catalogue_changes, CHANGE, CHANGE | {"mark": "n"}),
        (
            catalogue_revision,
            {"id": 1, "value": 1, "mark": "m"},
            {"id": 2, "value": 2, "mark": "n"},
        ),
    ],
    ids=["entries", "changes", "revision"],
)
async def test_a_second_row_of_the_same_is_refused(database, table, row, other):
    """By the database itself, on both engines."""
    async with database.write() as conn:
        await conn.execute(insert(table).values(row))
    with pytest.raises(Conflict):
        async with database.write() as conn:
            await conn.execute(insert(table).values(other))
