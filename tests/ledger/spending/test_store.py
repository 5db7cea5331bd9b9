"""Sums of usage: what every way of booking adds, and that it is what the entries come to."""

from types import SimpleNamespace

import pytest
from sqlalchemy import text

from ledger.conftest import Worker, quote
from trivium.conversation.usage import Usage
from trivium.identity.service import Identity
from trivium.ledger import store as ledger
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind, Settlement
from trivium.ledger.spending import store
from trivium.ledger.spending.model import BookedUsage, Dimension, SpendScope, SpendSums
from trivium.ledger.spending.service import SpendStatements
from trivium.wire.attribution import NOBODY, Attributed

pytestmark = pytest.mark.asyncio
DAY_S = 86_400
OF = Dimension
EVER = SpendScope(since=0, until=10**6)
ENTRIES = (
    "SELECT user_id, created_at / 86400, SUM(-amount_nanos), COUNT(*) FROM entries "
    "WHERE kind = 'usage' GROUP BY 1, 2 ORDER BY 1, 2"
)
KEPT = "SELECT payer_id, day, SUM(nanos), SUM(requests) FROM spend_days GROUP BY 1, 2 ORDER BY 1, 2"


def detail(model="m", key=1, channel="main", **more):
    """A bill as the ledger writes one."""
    members = "".join(f',"{name}":{value}' for name, value in more.items())
    usage = '{"fresh":3,"cache_read":1,"output":2}'
    return f'{{"model":"{model}","key":{key},"channel":"{channel}"{members},"usage":{usage}}}'


def settled(user_id, number, at, bill="", who=NOBODY, note=""):
    return Settlement(f"req_{number}", user_id, number, at, note, bill, (), who)


async def people(database, clock):
    identity, entries = Identity(database, clock), Entries(database, clock)
    made = [await identity.create_user(name, f"{name}@example.com") for name in ("ada", "eve")]
    for user in made:
        await entries.book(user.id, EntryKind.TOP_UP, 10**9)
    return [user.id for user in made]


async def book(database, batch, *, repeated=True):
    async with database.write() as conn:
        await ledger.turn(conn, "worker", batch, {}, repeated=repeated)


async def grouped(database, *by, scope=EVER, limit=100):
    async with database.read() as conn:
        whole = await store.total(conn, scope)
        rows = await store.grouped(conn, scope, by, limit, whole)
    return {row.values: row.sums.nanos for row in rows}, whole.nanos


async def test_sums_are_those_of_the_entries(database, clock):
    """However they are booked, in whatever order, and also where a batch comes again."""
    ada, eve = await people(database, clock)
    now = int(clock.now())
    for first in range(1, 60, 20):
        batch = [
            settled((ada, eve)[n % 2], n, now - n % 3 * DAY_S, detail(model=f"m{n % 4}"))
            for n in range(first, first + 20)
        ]
        await book(database, batch, repeated=False)
        await book(database, batch)
    await Entries(database, clock).book(eve, EntryKind.USAGE, -7, request_id="video")
    await Entries(database, clock).book(eve, EntryKind.USAGE, -7, request_id="video")
    async with database.read() as conn:
        wanted = [tuple(map(int, row)) for row in await conn.execute(text(ENTRIES))]
        assert wanted == [tuple(map(int, row)) for row in await conn.execute(text(KEPT))]
    assert 6 == len(wanted)


async def test_a_bill_says_who_asked_and_what_answered(database, clock):
    """Where a team pays, the asker and the team are in it; tokens are counted."""
    ada, eve = await people(database, clock)
    now = int(clock.now())
    await book(
        database,
        [
            settled(ada, 5, now, detail(user=eve, team=9)),
            settled(ada, 7, now, detail(model="n", channel="b")),
            settled(ada, 11, now, "no bill"),
        ],
    )
    by_user, whole = await grouped(database, OF.USER, OF.TEAM)
    assert ({(eve, 9): 5, (ada, 0): 18}, 23) == (by_user, whole)
    by_model, _ = await grouped(database, OF.MODEL, OF.CHANNEL)
    assert {("m", "main"): 5, ("n", "b"): 7, ("", ""): 11} == by_model
    async with database.read() as conn:
        assert SpendSums(23, 3, 8, 4) == await store.total(conn, EVER)


async def test_what_callers_say_is_summed_up_by_it(database, clock):
    """With a row for whatever nobody said anything of; a tag has all that was said with it."""
    ada, eve = await people(database, clock)
    now = int(clock.now())
    await book(
        database,
        [
            settled(ada, 1, now, detail(), Attributed("x", "s1", ("a", "b"))),
            settled(ada, 2, now, detail(), Attributed("x", "s2", ("a",))),
            settled(eve, 4, now, detail(model="n"), Attributed("x", "", ())),
            settled(eve, 8, now, detail(model="n")),
        ],
    )
    assert ({("x",): 7, ("",): 8}, 15) == await grouped(database, OF.END_USER)
    assert ({("a", "m"): 3, ("b", "m"): 1, ("", "n"): 12}, 15) == await grouped(
        database, OF.TAG, OF.MODEL
    )
    by_tags, _ = await grouped(database, OF.TAGS)
    assert {('["a","b"]',): 1, ('["a"]',): 2, ("[]",): 12} == by_tags
    by_session, _ = await grouped(database, OF.END_USER, OF.SESSION, OF.PAYER)
    assert {("x", "s1", ada): 1, ("x", "s2", ada): 2, ("x", "", eve): 4, ("", "", eve): 8} == (
        by_session
    )


async def test_an_interrupted_request_that_is_completed_is_one_request(database, clock):
    """Its second entry has the rest of the money and is no second request."""
    ada, _ = await people(database, clock)
    now = int(clock.now())
    said = Attributed("x")
    await book(database, [settled(ada, 3, now, detail(), said, note="interrupted")])
    whole = Settlement("req_3", ada, 10, now, "", detail(), (), said)
    await book(database, [whole])
    await book(database, [whole])
    async with database.read() as conn:
        assert (10, 1) == (await store.total(conn, EVER))[:2]
    assert {("x",): 10} == (await grouped(database, OF.END_USER))[0]


async def test_a_statement_is_of_some_days_some_teams_or_some_user(database, clock):
    """Each bound leaves out what lies beyond it, also of what callers say."""
    ada, eve = await people(database, clock)
    now = int(clock.now())
    today = now // DAY_S
    said = Attributed("x")
    await book(
        database,
        [
            settled(ada, 1, now - DAY_S, detail(team=3, user=eve), said),
            settled(ada, 2, now, detail(team=4, user=ada), said),
            settled(eve, 4, now, detail(), said),
            settled(eve, 8, now, detail()),
        ],
    )
    for scope, nanos, spoken in (
        (SpendScope(since=today, until=today), 14, 6),
        (SpendScope(since=0, until=today - 1), 1, 1),
        (SpendScope(since=0, until=today, team_ids=(3, 4)), 3, 3),
        (SpendScope(since=0, until=today, team_ids=()), 0, 0),
        (SpendScope(since=0, until=today, user_id=eve), 13, 5),
        (SpendScope(since=0, until=today, payer_id=ada), 3, 3),
    ):
        found, whole = await grouped(database, OF.END_USER, scope=scope)
        assert nanos == whole == sum(found.values())
        assert spoken == found.get(("x",), 0)


async def test_more_rows_than_asked_for_are_the_most_expensive(database, clock):
    """Of what is said and of what is not."""
    ada, _ = await people(database, clock)
    now = int(clock.now())
    batch = [settled(ada, n, now, detail(model=f"m{n}"), Attributed(f"u{n}")) for n in range(1, 9)]
    await book(database, batch)
    assert {("m8",): 8, ("m7",): 7} == (await grouped(database, OF.MODEL, limit=2))[0]
    assert {("u8",): 8, ("u7",): 7} == (await grouped(database, OF.END_USER, limit=2))[0]


@pytest.mark.parametrize("by", [(OF.END_USER, OF.SESSION), (OF.TAG, OF.MODEL), (OF.END_USER,)])
async def test_what_says_nothing_of_the_dimensions_is_one_row(database, clock, by):
    """Also where callers said something else, and where there are more rows than are asked for."""
    ada, _ = await people(database, clock)
    now = int(clock.now())
    other = Attributed("", "", ("t",)) if OF.TAG not in by else Attributed("u", "s")
    batch = [
        settled(ada, n, now, detail(), Attributed(f"u{n}", "s", (f"t{n}",))) for n in range(20, 25)
    ]
    batch += [settled(ada, 6, now, detail(), other), settled(ada, 7, now, detail())]
    await book(database, batch)
    found, whole = await grouped(database, *by, limit=5)
    assert all(values[0] for values in found)
    found, whole = await grouped(database, *by, limit=6)
    assert 13 == next(nanos for values, nanos in found.items() if not values[0])
    assert whole == sum(found.values())


@pytest.mark.parametrize("nanos", [2**52 - 200, 2**52, 2**53 + 1, 2**60 + 1])
async def test_large_sums_are_exact(database, clock, nanos):
    """Whether or not they fit into the doubles that some are added up in."""
    ada, _ = await people(database, clock)
    now = int(clock.now())
    said = Attributed("x", "s", ("a", "b"))
    await book(
        database,
        [
            settled(ada, nanos, now, detail(), said),
            settled(ada, 1, now - DAY_S, detail(model="n"), said),
            settled(ada, 3, now, detail(model="n")),
        ],
    )
    assert ({("x",): nanos + 1, ("",): 3}, nanos + 4) == await grouped(database, OF.END_USER)
    by_tag, _ = await grouped(database, OF.TAG, OF.SESSION)
    assert {("a", "s"): nanos + 1, ("b", "s"): nanos + 1, ("", ""): 3} == by_tag
    by_model, _ = await grouped(database, OF.MODEL)
    assert {("m",): nanos, ("n",): 4} == by_model


async def test_absurd_counts_of_a_vendor_do_not_stop_the_books(database, clock):
    """Tokens are cut at a bound that sums of them stay far below what a column takes."""
    ada, _ = await people(database, clock)
    bill = f'{{"model":"m","usage":{{"fresh":{10**30},"output":1}}}}'
    await book(database, [settled(ada, 1, int(clock.now()), bill)])
    async with database.read() as conn:
        assert SpendSums(1, 1, 10**12, 1) == await store.total(conn, EVER)


async def test_what_was_last_said_long_ago_is_forgotten(database, clock):
    """The sums by day stay; whatever was said again since stays as well."""
    ada, _ = await people(database, clock)
    now = int(clock.now())
    old = now - 500 * DAY_S
    await book(
        database,
        [
            settled(ada, 1, old, detail(), Attributed("gone", "", ("t",))),
            settled(ada, 2, old, detail(), Attributed("stays")),
        ],
    )
    await book(database, [settled(ada, 4, now, detail(), Attributed("stays"))])
    async with database.write() as conn:
        assert 1 == await store.delete_attributed(conn, (now - 400 * DAY_S) * 1000, 10)
        assert 0 == await store.delete_attributed(conn, (now - 400 * DAY_S) * 1000, 10)
        assert 0 == await conn.scalar(text("SELECT COUNT(*) FROM attribution_tags"))
    assert ({("stays",): 6, ("",): 1}, 7) == await grouped(database, OF.END_USER)


@pytest.mark.parametrize("policy", ["free", "hold"])
async def test_a_killed_worker_takes_nothing_with_it(database, account, tmp_path, policy):
    """Its successor books what the journal has, once, for whom it was; sums and entries agree."""
    ada, said = await account(1000), Attributed("x", "s", ("a",))
    dead = Worker(database, tmp_path, "dead", interrupted=policy)
    member = SimpleNamespace(
        payer_id=ada, user_id=77, team_id=9, key_id=5, unlimited=True, group=""
    )

    def ask(name, amount):
        return dead.ledger.hold(name, member, quote(amount), (), said)

    dead.ledger.settle(ask("r1", 10), Usage(output=4), "", "main")
    await dead.turns.flush()
    dead.ledger.settle(ask("r2", 10), Usage(output=5), "", "main")
    ask("r3", 30)
    dead.die()
    heir = Worker(database, tmp_path, "heir")
    await heir.turns.recover()
    await heir.turns.recover()
    late = 30 if policy == "hold" else 0
    found, whole = await grouped(database, OF.END_USER, OF.TAG, OF.CHANNEL, OF.USER)
    wanted = {("x", "a", "main", 77): 9, ("x", "a", "", 77): late}
    assert (wanted, 9 + late) == (found, whole)
    assert [] == await SpendStatements(database).verify()
    heir.die()


async def test_sums_that_were_changed_are_found(database, clock):
    """By whoever proves the books."""
    ada, _ = await people(database, clock)
    await book(database, [settled(ada, 3, int(clock.now()), detail())])
    async with database.write() as conn:
        await conn.execute(text("UPDATE spend_days SET nanos = nanos + 1"))
    [found] = await SpendStatements(database).verify()
    assert (ada, 3, 4) == (found.payer_id, found.entered_nanos, found.summed_nanos)


@pytest.mark.parametrize(
    "by", [(OF.TEAM, OF.MODEL), (OF.END_USER, OF.MODEL), (OF.TAG, OF.USER), (OF.KEY, OF.DAY)]
)
async def test_no_statement_reads_records_or_entries(database, by):
    """Whatever a plan would be, the tables of single requests are not in it."""
    async with database.read() as conn:
        queries = [store.main_query]
        if any(each in store.SAID for each in by):
            queries = [store.said_query, store.rest_query]
        for query in queries:
            made = str(query(EVER, by).compile(dialect=conn.dialect))
            assert " records" not in made
            assert " entries" not in made


async def test_days_are_all_of_it(database, clock):
    """What they come to is the total; also where sums are more than doubles have exactly."""
    user = await Identity(database, clock).create_user("ada", "ada@example.com")
    scope = SpendScope(since=0, until=4)
    async with database.read() as conn:
        assert [] == await store.by_day(conn, scope)
        assert SpendSums() == await store.total(conn, scope)
    odd = store.DOUBLES_BELOW + 1
    for nanos in (7, odd):
        async with database.write() as conn:
            await store.add(
                conn, [BookedUsage(user.id, day * DAY_S, nanos, "", None) for day in (1, 3)]
            )
        async with database.read() as conn:
            days = await store.by_day(conn, scope)
            assert {1, 3} == {row.values[0] for row in days}
            total = SpendSums()
            for row in days:
                total = total.plus(row.sums)
            assert total == await store.total(conn, scope)
    assert 2 * (7 + odd) == total.nanos
