"""Rows that are written together are the same as rows that are written one by one."""

from types import SimpleNamespace

import pytest
from sqlalchemy import select

from trivium.storage import bulk_insert
from trivium.storage.bulk_insert import upsert
from trivium.storage.errors import Conflict
from trivium.storage.schema.logins import tries
from trivium.storage.schema.requests import traces


def row(number, value=b"x"):
    return (1, f"t{number}", 10, value)


async def put(database, rows):
    async with database.write() as conn:
        await bulk_insert.insert_new(conn, traces, ("user_id", "id"), rows)


async def stored(database):
    async with database.read() as conn:
        found = await conn.execute(select(traces.c.id, traces.c.value))
        return {row.id: row.value for row in found}


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 9])
@pytest.mark.asyncio
async def test_any_number_of_rows_arrives(database, monkeypatch, count):
    """Whole statements and a rest."""
    monkeypatch.setattr(bulk_insert, "TOGETHER", 3)
    await put(database, [row(n) for n in range(count)])
    assert {f"t{n}" for n in range(count)} == set(await stored(database))


@pytest.mark.asyncio
async def test_what_is_there_stays(database, monkeypatch):
    """In a statement of many as in one of one."""
    monkeypatch.setattr(bulk_insert, "TOGETHER", 2)
    await put(database, [row(1, b"first")])
    await put(database, [row(n, b"again") for n in (1, 2, 3)])
    assert {"t1": b"first", "t2": b"again", "t3": b"again"} == await stored(database)


@pytest.mark.asyncio
async def test_parameters_stay_within_the_engines_limit(database, monkeypatch):
    """However many columns a table has."""
    monkeypatch.setattr(bulk_insert, "PARAMETERS_MAX", 8)
    await put(database, [row(n) for n in range(7)])
    assert 7 == len(await stored(database))


@pytest.mark.asyncio
async def test_a_value_that_all_rows_have_is_not_bound(database, monkeypatch):
    """It is a part of the statement, where texts are quoted."""
    monkeypatch.setattr(bulk_insert, "TOGETHER", 2)
    fixed = (("id", "it's"), ("created_at", 7))
    assert ("user_id", "value") == bulk_insert.names(traces, fixed)
    async with database.write() as conn:
        key = ("user_id", "id")
        await bulk_insert.insert_new(conn, traces, key, [(n, b"x") for n in (1, 2, 3)], fixed)
        await bulk_insert.insert_new(conn, traces, key, [(n, b"again") for n in (3, 4)], fixed)
    async with database.read() as conn:
        found = await conn.execute(select(traces).order_by(traces.c.user_id))
        rows = [tuple(row) for row in found]
    assert [(n, "it's", 7, b"again" if n == 4 else b"x") for n in (1, 2, 3, 4)] == rows


@pytest.mark.asyncio
async def test_without_a_key_what_is_there_is_a_conflict(database, monkeypatch):
    """In a statement of many as in one of one, and nothing of it is stored."""
    monkeypatch.setattr(bulk_insert, "TOGETHER", 2)
    columns = tuple(traces.c.keys())

    async def append(*numbers):
        async with database.write() as conn:
            await bulk_insert.insert(conn, traces, columns, [row(n) for n in numbers])

    await append(1, 2, 3)
    for numbers in ((4, 3), (4, 5, 3)):
        with pytest.raises(Conflict):
            await append(*numbers)
    assert {"t1", "t2", "t3"} == set(await stored(database))


@pytest.mark.asyncio
@pytest.mark.asyncio
async def test_a_row_that_is_there_is_changed(database):
    """On both engines, with the same words."""
    row = {"subject": b"s", "count": 1, "since": 0, "until": 0, "forget_at": 0}
    async with database.write() as conn:
        for count in (1, 2):
            put = upsert(conn, tries).values(row | {"count": count})
            changed = {"count": put.excluded.count}
            await conn.execute(put.on_conflict_do_update(index_elements=["subject"], set_=changed))
        assert [(2,)] == (await conn.execute(select(tries.c["count"]))).all()


def test_a_third_engine_is_refused():
    """It is not taken for PostgreSQL."""
    with pytest.raises(KeyError, match="mysql"):
        upsert(SimpleNamespace(dialect=SimpleNamespace(name="mysql")), tries)
