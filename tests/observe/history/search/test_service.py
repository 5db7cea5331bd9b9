"""Everybody's requests: found by whatever is asked for, page by page, at a bounded cost."""

import itertools

import pytest

from trivium.conversation.usage import Usage
from trivium.identity.service import Identity
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.observe import store as records
from trivium.observe.history.search import service
from trivium.observe.history.search.model import RequestFilter
from trivium.observe.history.search.service import AllRequests
from trivium.observe.record import Record

pytestmark = pytest.mark.asyncio


def record(number, **more):
    """A record of its number, one a second."""
    given = {
        "request_id": f"req_{number}",
        "at": 1000.0 + number,
        "key_id": number % 4,
        "user_id": number % 3,
        "model": ("fast", "wise")[number % 2],
        "channel": ("one", "two", "three")[number % 3],
        "status": (200, 429, 502, 200)[number % 4],
        "fault": ("", "rate_limited", "upstream_broke", "caller_left")[number % 4],
        "total_ms": 12.0,
    }
    return Record(**{**given, **more})


async def stored(database, *made):
    async with database.write() as conn:
        flag = int if database.is_sqlite else bool
        await records.insert(conn, [records.row_of(each, flag) for each in made])


async def ids(requests, wanted, size=7):
    """The numbers of all that is found, over all pages."""
    found, before = [], None
    while True:
        page = await requests.page(wanted, before, size)
        assert len(page.requests) <= size
        found += [int(each.request_id.removeprefix("req_")) for each in page.requests]
        before = page.before
        if before is None:
            return found


FILTERS = {
    "all": (RequestFilter(), lambda n: True),
    "one": (RequestFilter(request_id="req_11"), lambda n: n == 11),
    "user": (RequestFilter(user_id=2), lambda n: n % 3 == 2),
    "key": (RequestFilter(key_id=1), lambda n: n % 4 == 1),
    "model": (RequestFilter(model="wise"), lambda n: n % 2),
    "channel": (RequestFilter(channel="two"), lambda n: n % 3 == 1),
    "status": (RequestFilter(status=(500, 599)), lambda n: n % 4 == 2),
    "fault": (RequestFilter(fault="rate_limited"), lambda n: n % 4 == 1),
    "failed": (RequestFilter(failed=True), lambda n: n % 4),
    "since": (RequestFilter(since_ms=1_050_000), lambda n: n >= 50),
    "until": (RequestFilter(until_ms=1_050_000), lambda n: n < 50),
    "all of it": (
        RequestFilter(user_id=1, key_id=1, model="wise", channel="two", status=(400, 499)),
        lambda n: n % 12 == 1,
    ),
    "nothing": (RequestFilter(user_id=2, channel="one"), lambda n: False),
}


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("scan", [10, 20_000])
async def test_what_fits_is_found_once_and_nothing_else(database, monkeypatch, name, scan):
    """Newest first, without a gap, however few records a page may look at."""
    monkeypatch.setattr(service, "SCAN", scan)
    await stored(database, *(record(n) for n in range(100)))
    wanted, fits = FILTERS[name]
    assert [n for n in reversed(range(100)) if fits(n)] == await ids(AllRequests(database), wanted)


async def test_a_page_says_how_far_it_has_looked(database, monkeypatch):
    """Where it could not be filled by looking at so many records."""
    monkeypatch.setattr(service, "SCAN", 20)
    await stored(database, *(record(n) for n in range(100)))
    found = await AllRequests(database).page(RequestFilter(user_id=2, channel="one"))
    assert ((), 1_041_000) == (found.requests, found.looked_to_ms)
    assert "1041000.req_41" == found.before


@pytest.mark.parametrize("keys", [2, 60])
async def test_a_team_is_found_by_its_keys(database, clock, keys):
    """Few by their own index, many by looking."""
    identity = Identity(database, clock)
    user = await identity.create_user("ada", "ada@example.com")
    made = [(await identity.create_key("ada", f"k{n}"))[0] for n in range(keys)]
    async with database.write() as conn:
        await conn.exec_driver_sql(f"UPDATE keys SET team_id = 9 WHERE id <> {made[0].id}")
    await stored(database, *(record(n, key_id=made[n % keys].id) for n in range(2 * keys)))
    wanted = RequestFilter(team_id=9)
    requests = AllRequests(database)
    expected = [n for n in reversed(range(2 * keys)) if n % keys]
    assert expected == await ids(requests, wanted)
    both = RequestFilter(team_id=9, model="wise")
    assert [n for n in expected if n % 2] == await ids(requests, both)
    assert [] == await ids(requests, RequestFilter(team_id=8))
    assert ({user.id: "ada"}, {made[1].id: "k1"}) == await requests.names([user.id], [made[1].id])


async def test_one_request_with_all_that_its_record_holds(database, clock):
    """Whoever's it is, with what it cost."""
    ada = await Identity(database, clock).create_user("ada", "ada@example.com")
    usage = Usage(fresh=10, output=7)
    made = record(1, user_id=ada.id, usage=usage, end_user="e", session="s", tags=("a", "b"))
    await stored(database, made, record(2))
    entries = Entries(database, clock)
    await entries.book(ada.id, EntryKind.USAGE, -5, request_id="req_1")
    requests = AllRequests(database)
    found = await requests.one("req_1")
    assert (ada.id, "e", "s", ("a", "b"), 5, 10) == (
        found.user_id,
        found.end_user,
        found.session,
        found.tags,
        found.cost_nanos,
        found.input_tokens,
    )
    assert ("", (), None) == (
        (other := await requests.one("req_2")).session,
        other.tags,
        other.cost_nanos,
    )
    assert await requests.one("req_3") is None
    assert await requests.one("req\0001") is None


async def test_an_export_goes_through_all_pages(database, monkeypatch):
    """A page in memory at a time, and no further than it may."""
    monkeypatch.setattr(service, "PAGE_MAX", 7)
    await stored(database, *(record(n) for n in range(50)))
    requests = AllRequests(database)

    async def exported(most):
        return [each.request_id async for each in requests.all(RequestFilter(), most)]

    everything = [f"req_{n}" for n in reversed(range(50))]
    assert everything == await exported(1_000)
    assert everything[:20] == await exported(20)
    assert [] == await exported(0)


async def test_several_of_one_millisecond_are_found_once(database):
    """The order goes on by their ids."""
    await stored(database, *(record(n, at=1000.0 + n // 5) for n in range(30)))
    found = await ids(AllRequests(database), RequestFilter(), 4)
    assert (sorted(found), 30) == (list(range(30)), len(set(found)))
    assert list(itertools.accumulate(sorted({n // 5 for n in found}), max)) == list(range(6))
