"""Anybody's requests over the API: found by each filter, in pages that are bounded, explained."""

import pytest

from trivium.conversation.usage import Usage
from trivium.ledger.model import EntryKind
from trivium.observe import store
from trivium.observe.history.search import service as search
from trivium.observe.record import Record

PATH = "/api/admin/requests"

pytestmark = pytest.mark.asyncio


def record(number, **more):
    """A request that was answered at a second of its own."""
    given = {
        "request_id": f"req_{number}",
        "at": 1000.0 + number,
        "user_id": 1,
        "key_id": 4,
        "operation": "chat",
        "model": "m",
        "channel": "main",
        "status": 200,
        "total_ms": 12.4,
    }
    return Record(**given | more)


async def recorded(script, *records):
    """They are stored."""
    database = script.console.database
    async with database.write() as conn:
        flag = int if database.is_sqlite else bool
        await store.insert(conn, [store.row_of(record, flag) for record in records])


async def found(script, query=""):
    """Ids, and where the next page begins."""
    data = await script.done("GET", f"{PATH}?{query}")
    return [one["id"].removeprefix("req_") for one in data["requests"]], data["before"]


async def test_each_filter_finds_its_own(script):
    """Alone, and together with a user or key, whose index is used then."""
    team = await script.console.teams.create("acme", None, script.root.id)
    service = await script.console.teams.create_service(team.id, "nightly")
    key, _ = await script.console.identity.create_key(service.name, team=team.name)
    await recorded(
        script,
        record(1),
        record(2, user_id=7, model="big", asked_model="huge"),
        record(3, key_id=key.id, channel="spare"),
        record(4, status=502, fault="upstream_broke", user_id=7),
    )
    for query, wanted in {
        "": "4321",
        "user=7": "42",
        f"key={key.id}": "3",
        f"team={team.id}": "3",
        "team=9999": "",
        "model=big": "2",
        "channel=spare": "3",
        "status=502": "4",
        "fault=upstream_broke": "4",
        "failed=true": "4",
        "failed=false": "321",
        "failed=false&status=502": "",
        "failed=false&status=200": "321",
        "from=1002&to=1004": "32",
        "from=1970-01-01T00:16:43Z": "43",
        "to=1970-01-01": "",
        "user=7&failed=false": "2",
        f"key={key.id}&user=7": "",
    }.items():
        assert (list(wanted), None) == await found(script, query), query


async def test_pages_go_back_without_a_gap(script):
    """Each request once, also where several came in one millisecond."""
    await recorded(script, *(record(n, at=1000.0 + n // 3) for n in range(7)))
    seen, before = [], None
    while True:
        ids, before = await found(script, "limit=2" + (f"&before={before}" if before else ""))
        seen += ids
        if before is None:
            break
    assert list("6543210") == seen


async def test_a_page_looks_at_no_more_than_it_may(script, monkeypatch):
    """Of many that do not fit: few or none are answered, and where to go on."""
    monkeypatch.setattr(search, "SCAN", 3)
    fits = (0, 5)
    await recorded(script, *(record(n, status=201 if n in fits else 200) for n in range(8)))
    pages, before = [], None
    while True:
        ids, before = await found(script, "status=201" + (f"&before={before}" if before else ""))
        pages.append(ids)
        if before is None:
            break
    assert [["5"], [], ["0"]] == pages


async def test_one_is_explained(script):
    """The attempts that failed with their reasons, what it said of itself, and what it cost."""
    failed = (("main", "upstream_rate_limited"), ("spare", "timeout"))
    usage = Usage(fresh=10, output=5)
    more = {"failed": failed, "attempts": 3, "tags": ("a",), "session": "s", "usage": usage}
    await recorded(script, record(1, **more))
    entries = script.console.entries
    await entries.book(script.ada.id, EntryKind.USAGE, -5_000_000, request_id="req_1")
    one = await script.done("GET", f"{PATH}/req_1")
    assert [
        {"channel": "main", "why": "upstream_rate_limited"},
        {"channel": "spare", "why": "timeout"},
    ] == one["failed"]
    assert (3, ["a"], "s", "0.005", 10, 5) == (
        one["attempts"], one["tags"], one["session"], one["cost"], one["input_tokens"],
        one["output_tokens"],
    )  # fmt: skip
    assert 404 == (await script.refused("GET", f"{PATH}/req_2"))[0]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("status=99", "status: must be 100 to 599"),
        ("status=x", "status: must be an HTTP status"),
        ("failed=yes", "failed: must be true or false"),
        ("from=yesterday", "from: must be seconds since the epoch"),
        ("from=20&to=10", "to: must be after `from`"),
        ("before=x", "before: must be `before` of the page before"),
        ("before=-1.a", "before: must be `before` of the page before"),
        ("model=", "model: must be 1 to 200 printable characters"),
        ("model=a%00b", "model: must be 1 to 200 printable characters"),
        ("user=ada", "user: must be the id of a user"),
    ],
)
async def test_what_is_wrong_is_named(script, query, said):
    """400, with the parameter and what would be right."""
    status, message = await script.refused("GET", f"{PATH}?{query}")
    assert (400, True) == (status, message.startswith(said)), message
