"""The gateway at a glance, for administrators alone."""

import pytest
import pytest_asyncio

from console.visiting import Seen, console_over, user_of, visiting
from trivium.console.gateway import GatewayState, InFlight
from trivium.identity.model import UserRole
from trivium.ledger import store as ledger
from trivium.ledger.model import EntryKind, Settlement
from trivium.observe.record import Record
from trivium.observe.recorder import Recorder
from trivium.settings.model import RecordsSettings
from trivium.wire.attribution import NOBODY

DAY = 86_400
RUNNING = GatewayState(in_flight=lambda: InFlight(requests=7, workers=4))


def record(number, at, **more):
    given = {
        "model": "gpt",
        "channel": "main",
        "status": 200,
        "attempts": 1,
        "first_byte_ms": 300.0,
    }
    return Record(f"req_{number}", at, **{**given, **more})


async def recorded(console, *made):
    recorder = Recorder(console.database, RecordsSettings())
    for each in made:
        recorder.add(each)
    assert await recorder.flush()


@pytest_asyncio.fixture
async def boss(database, clock):
    """An administrator's browser over a gateway on which something happened."""
    console = console_over(database, clock, gateway=RUNNING)
    async with visiting(database, console) as visitor:
        visitor.ada = await user_of(console, "ada")
        key, _ = await console.identity.create_key("ada", "Notebook")
        of_ada = {"user_id": visitor.ada.id, "key_id": key.id}
        now = clock.now()
        await recorded(
            console,
            *(record(n, now - 60 * n, **of_ada) for n in range(8)),
            record(8, now - 60, status=502, fault="upstream_broke", first_byte_ms=None, **of_ada),
            record(9, now - 60, status=499, fault="caller_left", **of_ada),
            record(10, now - 20 * DAY, model="old", **of_ada),
            record(11, now - 60, status=401, fault="key_unknown", model="", channel=""),
        )
        await console.entries.book(visitor.ada.id, EntryKind.TOP_UP, 10**10)
        usage = '"usage":{"fresh":900,"output":100}'
        bill = f'{{"model":"gpt","key":{key.id},"channel":"main",{usage}}}'
        settled = Settlement("req_1", visitor.ada.id, 2_500_000_000, int(now), "", bill, (), NOBODY)
        async with database.write() as conn:
            await ledger.turn(conn, "worker", [settled], {}, repeated=False)
        visitor.eve = await user_of(console, "eve", UserRole.ADMIN)
        await visitor.log_in(visitor.eve)
        yield visitor


@pytest.mark.asyncio
async def test_the_last_day_at_a_glance(boss):
    """How much, how much runs, what failed and why, how soon answers began, what was billed."""
    seen = Seen((await boss.get("/admin")).text)
    for said in ("11", "in 4 workers of this node", "18.2%", "upstream broke", "caller left"):
        assert said in seen.text, said
    words = seen.words
    assert "7" == words[words.index("In flight") + 1]
    assert "$2.50" == words[words.index("Billed") + 1]
    assert 3 == sum(name == "svg" and attrs.get("role") == "img" for name, attrs in seen.elements)
    assert "old" not in words


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("?period=hour", "11"),
        ("?period=week", "11"),
        ("?period=month", "12"),
        ("?since=2026-08-30&until=2026-09-02", "1"),
        ("?since=2026-09-21", "11"),
        ("?period=never&since=no", "11"),
        ("?since=0001-01-01&until=9999-12-31", "12"),
    ],
)
async def test_periods_are_chosen(boss, query, count):
    """By name or from one day to another; what is none is the last day."""
    answer = await boss.get(f"/admin{query}")
    words = Seen(answer.text).words
    places = [n for n, word in enumerate(words) if word == "Requests"]
    assert (200, True) == (answer.status_code, count in [words[n + 1] for n in places])


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("view", "name", "said"),
    [
        ("model", "gpt", " ms"),
        ("channel", "main", "$2.50"),
        ("user", "ada", "$2.50"),
        ("key", "Notebook", "$2.50"),
        ("team", "none", "$2.50"),
        ("tag", "none", "$2.50"),
        ("nonsense", "gpt", "$2.50"),
    ],
)
async def test_sums_by_whom_and_what(boss, view, name, said):
    """Each with its requests, failures and what was billed."""
    answer = await boss.get(f"/admin?by={view}")
    words = Seen(answer.text).words
    there = words[words.index("By whom and what") :]
    assert name in there
    assert any(said in word for word in there)


@pytest.mark.asyncio
async def test_rows_lead_to_their_requests(boss):
    """Of a user, a key and a model."""
    text = (await boss.get("/admin?by=user")).text
    within = "/admin/requests?from=2026-09-20T15%3A00&amp;to=2026-09-21T15%3A00"
    assert f"{within}&amp;user=%23{boss.ada.id}" in text
    assert f"{within}&amp;model=gpt" in (await boss.get("/admin")).text
    assert f"{within}&amp;fault=upstream_broke" in text


@pytest.mark.asyncio
async def test_a_fresh_gateway_says_what_to_do(database, clock):
    """Instead of empty charts."""
    console = console_over(database, clock)
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console, "eve", UserRole.ADMIN))
        words = Seen((await visitor.get("/admin")).text).text
        assert "Nothing has been asked yet" in words
        assert 3 == words.count("to do")
        await console.identity.create_key("eve", "first")
        assert 2 == Seen((await visitor.get("/admin")).text).text.count("to do")
        await recorded(console, record(1, clock.now() - 3 * DAY))
        assert "No requests in this period" in (await visitor.get("/admin")).text


@pytest.mark.asyncio
async def test_only_administrators_see_it(boss):
    """Nor does anybody who is not logged in."""
    console = boss.console
    async with visiting(console.database, console) as visitor:
        assert 303 == (await visitor.get("/admin")).status_code
        await visitor.log_in(boss.ada)
        assert 403 == (await visitor.get("/admin")).status_code
        assert 'href="/admin"' not in (await visitor.get("/account")).text
