"""Everybody's requests, for administrators alone."""

import csv
import io
import json

import pytest
import pytest_asyncio

from console.visiting import Seen, console_over, user_of, visiting
from trivium.console.admin import requests
from trivium.console.admin.requests import harmless, moment_ms, statuses
from trivium.identity.model import UserRole
from trivium.ledger.model import EntryKind
from trivium.observe import store
from trivium.observe.record import Record

NOW = 1_790_000_000


def record(number, **more):
    given = {
        "request_id": f"req_{number}",
        "at": NOW - 60.0 * number,
        "user_id": 1,
        "operation": "chat",
        "model": "m",
        "channel": "main",
        "status": 200,
        "attempts": 1,
        "total_ms": 50.0,
    }
    return Record(**{**given, **more})


@pytest_asyncio.fixture
async def boss(database, clock):
    """An administrator's browser over some requests, and ada, who made them."""
    async with visiting(database, console_over(database, clock)) as visitor:
        console = visitor.console
        visitor.ada = await user_of(console, "ada")
        visitor.key, _ = await console.identity.create_key("ada", "Notebook")
        of_ada = {"user_id": visitor.ada.id, "key_id": visitor.key.id}
        made = [
            *(record(n, **of_ada) for n in range(4)),
            record(4, status=429, fault="rate_limited", channel="", **of_ada),
            record(
                5,
                user_id=99,
                model="other",
                status=502,
                fault="upstream_broke",
                attempts=3,
                failed=(("spare", "upstream_timeout"),),
            ),
        ]
        async with database.write() as conn:
            await store.insert(conn, [store.row_of(each, int) for each in made])
        await console.entries.book(visitor.ada.id, EntryKind.USAGE, -5_000_000, request_id="req_0")
        visitor.eve = await user_of(console, "eve", UserRole.ADMIN)
        await visitor.log_in(visitor.eve)
        yield visitor


async def found(boss, query=""):
    """The ids on a page of results."""
    answer = await boss.get(f"/admin/requests{query}")
    elements = Seen(answer.text).elements
    links = [attrs.get("href", "") for name, attrs in elements if name == "a"]
    return [int(link.rpartition("_")[2]) for link in links if "/admin/requests/req_" in link]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", [0, 1, 2, 3, 4, 5]),
        ("?user=ada", [0, 1, 2, 3, 4]),
        ("?user=ADA%40example.com", [0, 1, 2, 3, 4]),
        ("?user=%2399", [5]),
        ("?key=Notebook", [0, 1, 2, 3, 4]),
        ("?model=other", [5]),
        ("?channel=main&user=ada", [0, 1, 2, 3]),
        ("?status=4xx", [4]),
        ("?status=502", [5]),
        ("?fault=upstream+broke", [5]),
        ("?failed=1", [4, 5]),
        ("?id=req_3", [3]),
        ("?from=2026-09-21T14:11", [0, 1, 2]),
        ("?to=2026-09-21T14:11", [3, 4, 5]),
        ("?model=nothing", []),
    ],
)
async def test_requests_are_found(boss, query, wanted):
    """By each of the fields."""
    assert wanted == await found(boss, query)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("?user=nobody", "Nobody has this name"),
        ("?key=nothing", "No key has this name"),
        ("?team=nothing", "There is no team"),
        ("?status=often", "Write a status"),
        ("?from=yesterday", "Write a date"),
    ],
)
async def test_what_cannot_be_meant_is_said_beside_its_field(boss, query, said):
    """And nothing is searched."""
    answer = await boss.get(f"/admin/requests{query}")
    assert (422, True) == (answer.status_code, said in answer.text)
    assert 'aria-invalid="true"' in answer.text
    export = await boss.get(f"/admin/requests.csv{query}")
    assert (303, f"/admin/requests{query}") == (export.status_code, export.headers["location"])


@pytest.mark.asyncio
async def test_pages_follow_each_other_with_the_search_kept(boss, monkeypatch):
    """Until the last."""
    monkeypatch.setattr(requests, "PAGE", 2)
    answer = await boss.get("/admin/requests?user=ada")
    assert "/admin/requests?user=ada&amp;before=" in answer.text
    before = f"{(NOW - 60) * 1000}.req_1"
    assert [2, 3] == await found(boss, f"?user=ada&before={before}")


@pytest.mark.asyncio
async def test_a_page_that_found_too_little_says_how_far_it_looked(boss, monkeypatch):
    """And leads on."""
    monkeypatch.setattr("trivium.observe.history.search.service.SCAN", 2)
    text = (await boss.get("/admin/requests?user=ada&channel=none")).text
    assert "Nothing found so far" in text
    assert "Looked back to" in text
    assert "before=" in text


@pytest.mark.asyncio
async def test_one_request_of_anybody(boss):
    """With who asked, through which channel, and what it cost."""
    words = Seen((await boss.get("/admin/requests/req_0")).text).text
    for said in ("ada", "Notebook", "main", "$0.005", "Attempts"):
        assert said in words
    words = Seen((await boss.get("/admin/requests/req_5")).text).text
    assert "Failed attempts spare: upstream timeout" in words
    assert "none was asked" in (await boss.get("/admin/requests/req_4")).text
    assert 404 == (await boss.get("/admin/requests/req_9")).status_code


@pytest.mark.asyncio
async def test_what_is_found_is_taken_along(boss):
    """As CSV and as JSON by the line, with the search; all of it and nothing else."""
    answer = await boss.get("/admin/requests.csv?user=ada")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [f"req_{n}" for n in range(5)] == [row["request_id"] for row in rows]
    assert ("0.005", "2026-09-21T14:13:20.000Z") == (rows[0]["cost_usd"], rows[0]["time"])
    assert "attachment" in answer.headers["content-disposition"]
    lines = (await boss.get("/admin/requests.jsonl?failed=1")).text.splitlines()
    assert ["req_4", "req_5"] == [json.loads(line)["request_id"] for line in lines]
    assert (3, []) == (json.loads(lines[1])["attempts"], json.loads(lines[1])["tags"])


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["", ".csv", ".jsonl", "/req_0"])
async def test_only_administrators_see_requests_of_others(boss, path):
    """Nor does anybody who is not logged in."""
    console = boss.console
    async with visiting(console.database, console) as visitor:
        assert 303 == (await visitor.get(f"/admin/requests{path}")).status_code
        await visitor.log_in(boss.ada)
        assert 403 == (await visitor.get(f"/admin/requests{path}")).status_code


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("\tx", "'\tx"),
        (["=a", "b"], "'=a, b"),
        (-5, "-5"),
        (None, ""),
        (True, "true"),
        ("plain", "plain"),
    ],
)
def test_no_cell_is_a_formula(value, cell):
    """Texts come from callers; numbers are ours."""
    assert cell == harmless(value)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("429", (429, 429)),
        ("4xx", (400, 499)),
        ("400-499", (400, 499)),
        ("499-400", None),
        ("²00", None),
        ("4x", None),
        ("", None),
    ],
)
def test_what_a_status_means(typed, meant):
    """One, all of a kind, or from one to another."""
    assert meant == statuses(typed)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("2026-11-28", 1_795_824_000_000),
        ("2026-11-28T09:30", 1_795_858_200_000),
        ("2026-11-28T09:30:05Z", 1_795_858_205_000),
        ("28.11.2026", None),
        ("0000-00-00", None),
    ],
)
def test_what_a_moment_means(typed, meant):
    """In UTC."""
    assert meant == moment_ms(typed)
