"""What PostgreSQL reads for a statement: sums alone, however many requests there were."""

import importlib.util
from pathlib import Path

import pytest

from trivium.storage.database import Database

BENCH = Path(__file__).resolve().parents[3] / "bench" / "statement.py"


def bench():
    spec = importlib.util.spec_from_file_location("bench_statement", BENCH)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


async def read_for_each_pair(url, rows):
    """The plans that read single requests, and what the sums come to by the first pair."""
    filling, database = bench(), Database(url)
    try:
        await filling.fill(database, rows)
        told = {by: await filling.plan(database, by) for by in filling.pairs()}
        assert all("Scan" in each for each in told.values())
        return {by for by, each in told.items() if any(mark in each for mark in filling.READ)}
    finally:
        await database.close()


@pytest.mark.asyncio
@pytest.mark.postgres
async def test_no_pair_of_dimensions_reads_single_requests(postgresql_server, psql):
    """Of thousands; the bench and the slow test have a million."""
    psql.close()  # who is connected to a template keeps others from copying it
    postgresql_server.psql("CREATE DATABASE few TEMPLATE migrated;")
    url = postgresql_server.get_uri(database="few")
    assert set() == await read_for_each_pair(url, 5_000)


@pytest.mark.asyncio
@pytest.mark.postgres
@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_nor_does_one_over_a_million(postgresql_server, psql):
    """Where a plan would be another one if it depended on the number of records."""
    psql.close()
    postgresql_server.psql("CREATE DATABASE many TEMPLATE migrated;")
    url = postgresql_server.get_uri(database="many")
    assert set() == await read_for_each_pair(url, 1_000_000)
