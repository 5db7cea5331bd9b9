"""What fails around a gateway, one thing at a time, and what of it is felt.

``pytest tests/end_to_end/test_outages.py -m "" --faults docs/operate/faults.md`` writes the page.
"""

from pathlib import Path

import pytest

from end_to_end import machines, outages
from end_to_end.door import Postgres
from end_to_end.outages import HEADS, Row, lost

BEGIN = "<!-- faults: written by tests/end_to_end/test_outages.py; do not edit -->"
END = "<!-- end of faults -->"
DAY_S = 86_400


@pytest.fixture
def postgres(postgresql_server, tmp_path, request):
    """A database of this test's own."""
    name = f"outage_{abs(hash(request.node.name)) % 10**9}"
    made = Postgres(postgresql_server, tmp_path, name)
    yield made
    made.drop()


@pytest.fixture
def told(request):
    """Takes a finished row; written down where that is asked for."""

    async def tell(row, seen, url):
        row.lost = await lost(url, seen.served + 4)  # three to begin with, one when it was well
        for head, cell in zip(HEADS, row.cells(), strict=True):
            assert cell, f"{row.fault}: no {head}: {row}"
        if where := request.config.getoption("--faults"):
            write(where, row)
        return row

    return tell


def write(where, row):
    """Put a row in the place of the one of that fault."""
    page = Path(where).read_text()
    head, _, rest = page.partition(BEGIN)
    table, _, tail = rest.partition(END)
    lines = [line for line in table.strip().splitlines() if line.startswith("| ")][2:]
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in lines}
    cells = [cell.replace("|", "/").replace("\n", " ") for cell in row.cells()]
    rows[row.fault] = f"| {' | '.join(cells)} |"
    ordered = [rows[name] for name in FAULTS if name in rows]
    top = [f"| {' | '.join(HEADS.values())} |", "|" + " --- |" * len(HEADS)]
    body = "\n".join([*top, *ordered])
    Path(where).write_text(f"{head}{BEGIN}\n\n{body}\n\n{END}{tail}")


FAULTS = {
    "PostgreSQL away for 3 s": "test_database_away_for_seconds",
    "PostgreSQL away for 20 s": "test_database_away_for_twenty_seconds",
    "PostgreSQL away for 5 min": "test_database_away_for_minutes",
    "PostgreSQL restarted (`pg_ctl stop`, 2 s, `start`)": "test_database_restarted",
    "Valkey killed": "test_valkey",
    "Valkey frozen": "test_valkey",
    "Valkey slow": "test_valkey",
    "disk of the journal full (1 MiB)": "test_journal_full",
    "a node killed, of two": "test_node_killed",
    "the clock jumps by +5 min, and back": "test_clock_jumps",
    "the clock jumps by -5 min, and back": "test_clock_jumps",
    "the clock jumps by +2 d, and back": "test_clock_jumps",
    "the clock jumps by -2 d, and back": "test_clock_jumps",
    "a vendor answers 401 once": "test_one_refusal",
    "name servers do not answer": "test_names_gone",
}
"""Every fault of the page and the test that makes it."""


@pytest.mark.asyncio
@pytest.mark.postgres
@pytest.mark.slow
async def test_database_away_for_seconds(tmp_path, postgres, told):
    """A prepaid caller goes on from the lease."""
    row = Row("PostgreSQL away for 3 s")
    row, seen, url = await outages.database_away(tmp_path, postgres, row, 3)
    await told(row, seen, url)
    assert {200} == set(seen.statuses)
    assert set(seen.ready) <= {"200 ok", "200 degraded"}
    assert {200} == set(seen.health)


@pytest.mark.asyncio
@pytest.mark.postgres
@pytest.mark.slow
async def test_database_away_for_twenty_seconds(tmp_path, postgres, told):
    """The same, for longer than anybody waits."""
    row = Row("PostgreSQL away for 20 s")
    row, seen, url = await outages.database_away(tmp_path, postgres, row, 20)
    await told(row, seen, url)
    assert {200} == set(seen.statuses)
    assert "503 unavailable" not in seen.ready


@pytest.mark.asyncio
@pytest.mark.postgres
@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_database_away_for_minutes(tmp_path, postgres, told):
    """As long as the leases are made for, by default."""
    row = Row("PostgreSQL away for 5 min")
    row, seen, url = await outages.database_away(tmp_path, postgres, row, 300, warm_s=10.0)
    await told(row, seen, url)
    assert {200} == set(seen.statuses)


@pytest.mark.asyncio
@pytest.mark.postgres
@pytest.mark.slow
async def test_database_restarted(tmp_path, postgres, told):
    """Every connection of every pool is dead at once."""
    row = Row("PostgreSQL restarted (`pg_ctl stop`, 2 s, `start`)")
    row, seen, url = await machines.database_restarted(tmp_path, postgres, row)
    await told(row, seen, url)
    assert {200} == set(seen.statuses)


@pytest.mark.parametrize(
    ("how", "name"), [("kill", "killed"), ("freeze", "frozen"), ("slow", "slow")]
)
@pytest.mark.asyncio
@pytest.mark.slow
async def test_valkey(tmp_path, valkey, told, how, name):
    """Each worker counts for itself meanwhile."""
    row = Row(f"Valkey {name}")
    row, seen, url = await outages.valkey_fault(tmp_path, valkey, row, how, 3)
    await told(row, seen, url)
    assert {200} == set(seen.statuses)
    assert set(seen.ready) <= {"200 ok", "200 degraded"}


@pytest.mark.asyncio
@pytest.mark.postgres
@pytest.mark.slow
async def test_journal_full(tmp_path, postgres, told):
    """Nothing that costs is begun, and the load balancer hears of it."""
    row = Row("disk of the journal full (1 MiB)")
    row, seen, url = await machines.journal_full(tmp_path, postgres, row, 3)
    await told(row, seen, url)
    assert {200, 500} >= set(seen.statuses)
    assert "503 unavailable" in seen.ready


@pytest.mark.asyncio
@pytest.mark.postgres
@pytest.mark.slow
async def test_node_killed(tmp_path, postgres, told):
    """Who was on it tries again; nothing that was answered is forgotten."""
    row, seen, url = await outages.node_killed(tmp_path, postgres, Row("a node killed, of two"))
    row = await told(row, seen, url)
    assert row.lost.startswith("nothing")


@pytest.mark.parametrize(
    ("seconds", "name"),
    [(300, "+5 min"), (-300, "-5 min"), (2 * DAY_S, "+2 d"), (-2 * DAY_S, "-2 d")],
)
@pytest.mark.asyncio
@pytest.mark.postgres
@pytest.mark.slow
async def test_clock_jumps(tmp_path, postgres, told, seconds, name):
    """Nothing waits by the time of day, and nothing is over for good because of it."""
    library = machines.faketime()
    if library is None:
        pytest.skip("libfaketime is not installed (Debian: apt-get install libfaketime)")
    row = Row(f"the clock jumps by {name}, and back")
    row, seen = await machines.clock_jumps(tmp_path, postgres.url, row, seconds, library)
    await told(row, seen, postgres.direct)
    assert {200} == set(seen.statuses)
    assert set(seen.ready) <= {"200 ok", "200 degraded"}
    assert seen.metrics["trivium_clock_doubted"]


@pytest.mark.asyncio
@pytest.mark.parametrize("seconds", [2 * DAY_S, -2 * DAY_S])
async def test_a_clock_that_jumps_by_days_is_felt_by_nobody(tmp_path, seconds):
    """The same with a file as database, and without libfaketime."""
    row, url = Row("the clock jumps"), f"sqlite:///{tmp_path / 'trivium.db'}"
    row, seen = await machines.clock_jumps(tmp_path, url, row, seconds, lasts_s=1)
    assert (await lost(url, seen.served + 4)).startswith("nothing")
    assert {200} == set(seen.statuses)
    assert seen.metrics["trivium_clock_doubted"]


@pytest.mark.asyncio
async def test_one_refusal(tmp_path, told):
    """The model is back after seconds."""
    row, seen, url = await outages.one_refusal(tmp_path, Row("a vendor answers 401 once"))
    await told(row, seen, url)
    assert float(row.lasts.split()[0]) < 15
    assert seen.statuses[200]


@pytest.mark.asyncio
@pytest.mark.slow
async def test_names_gone(tmp_path, told):
    """The addresses that were found last still hold."""
    row, seen, url = await outages.names_gone(tmp_path, Row("name servers do not answer"), 4)
    await told(row, seen, url)
    assert {200} == set(seen.statuses)
