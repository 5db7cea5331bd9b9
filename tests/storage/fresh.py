"""A migrated PostgreSQL database of a test's own."""

import contextlib
import itertools

from trivium.storage import migrate
from trivium.storage.database import Database

_numbers = itertools.count()


@contextlib.asynccontextmanager
async def fresh(server):
    """Its address; it is dropped at the end."""
    name = f"fresh_{next(_numbers)}"
    server.psql(f"CREATE DATABASE {name};")
    url = server.get_uri(database=name)
    try:
        db = Database(url)
        await migrate.upgrade(db)
        await db.close()
        yield url
    finally:
        server.psql(f"DROP DATABASE {name} WITH (FORCE);")
