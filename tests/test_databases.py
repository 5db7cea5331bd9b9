"""What databases of tests share does what each of them would."""

import pytest
from sqlalchemy import text

from databases import Psql
from trivium.storage.database import Database

CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"


@pytest.mark.postgres
@pytest.mark.asyncio
async def test_a_psql_outlives_its_connection_and_tells_what_is_wrong(postgresql_url):
    """Some tests end every connection that there is."""
    psql = Psql(postgresql_url)
    database = Database(postgresql_url)
    try:
        psql.run("CREATE TABLE made_here (number integer);")
        async with database.write() as conn:
            await conn.execute(text(CUT))
        psql.run("INSERT INTO made_here VALUES (7);")
        async with database.read() as conn:
            assert 7 == await conn.scalar(text("SELECT number FROM made_here"))
        with pytest.raises(RuntimeError, match="made_there"):
            psql.run("INSERT INTO made_there VALUES (7);")
        psql.run("DROP TABLE made_here;")
    finally:
        psql.close()
        await database.close()


@pytest.mark.asyncio
async def test_a_statement_is_compiled_once_for_all_databases_of_a_kind(tmp_path):
    """And answered by its own."""
    statement = text("SELECT file FROM pragma_database_list WHERE :one = 1")
    seen = []
    for name in ("first", "second"):
        database = Database(f"sqlite:///{tmp_path / name}.db")
        async with database.write() as conn:
            found = await conn.execute(statement, {"one": 1})
            seen.append((found.context.compiled, found.scalar()))
        await database.close()
    assert seen[0][0] is seen[1][0]
    assert ["first", "second"] == [found.rpartition("/")[2].partition(".")[0] for _, found in seen]
