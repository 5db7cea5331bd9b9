"""Budgets that are given in the middle of their period count what was spent in it before."""

import asyncio
import time
from types import SimpleNamespace

import msgspec
import pytest
import pytest_asyncio
from sqlalchemy import select

from ledger.budgets.test_store import DETAIL, budget, row, settled
from ledger.conftest import quote
from ledger.test_pressure import running as background
from trivium.clock import SystemClock
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.identity.service import Identity
from trivium.identity.teams.model import TeamRole
from trivium.identity.teams.service import Teams
from trivium.ledger import allowance, ledger_sync
from trivium.ledger.budgets import store as counting
from trivium.ledger.recalls import store as recalling
from trivium.ledger.recalls.store import recall
from trivium.ledger.refusals import BudgetRefusal
from trivium.ledger.store import turn
from trivium.settings.budget import CounterId
from trivium.storage.errors import StorageDown
from trivium.storage.schema.budgets import budget_spans

pytestmark = pytest.mark.asyncio
DAY = int(time.time()) // 86_400 * 86_400
running = background


@pytest_asyncio.fixture
async def company(database):
    """A team in a team in an organisation, the lower with a wallet; who pays, by what a key is for:
    ``(payer, key)``.
    """
    teams, identity = Teams(database, SystemClock()), Identity(database, SystemClock())
    acme = await teams.create("acme")
    lab = await teams.create("lab", acme.id)
    unit = await teams.create("unit", lab.id, has_wallet=True)
    ada = await identity.create_user("ada", "ada@example.org")
    bot = await teams.create_service(unit.id, "bot")
    await teams.put_member(lab.id, ada.id, TeamRole.MEMBER)
    own, _ = await identity.create_key("ada")
    of_lab, _ = await identity.create_key("ada", team="acme/lab")
    of_unit, _ = await identity.create_key(bot.name)
    return {
        "own": (ada.id, own.id),
        "lab": (acme.id, of_lab.id),
        "unit": (unit.id, of_unit.id),
        "ids": (acme.id, lab.id, unit.id, ada.id, bot.id),
    }


def spent_by(company, name, cost, of, at=DAY):
    """A settlement that no budget counted."""
    user_id, key_id = company[of]
    detail = DETAIL.replace('"key":5', f'"key":{key_id}')
    return settled(name, cost, user_id=user_id, at=at, detail=detail)


async def take(worker, name, of, limit):
    """A hold of ten for a key that somebody pays for without a balance."""
    payer_id, key_id = of
    who = SimpleNamespace(
        payer_id=payer_id, key_id=key_id, user_id=payer_id, team_id=0, unlimited=True, group=""
    )
    asked = name, who, quote(10), (limit,)
    return worker.ledger.hold(*asked) or await worker.ledger.lease(*asked)


async def test_every_scope_finds_what_its_keys_spent(database, company):
    """Whoever paid; in the period; and no other key's."""
    async with database.write() as conn:
        before = [
            spent_by(company, "r1", 1, "own"),
            spent_by(company, "r2", 20, "lab"),
            spent_by(company, "r3", 300, "unit"),
            spent_by(company, "r4", 4_000, "unit", DAY - 1),
        ]
        await turn(conn, "w", before, {})
    acme, lab, unit, ada, bot = company["ids"]
    expected = {
        f"team:{acme}": (320, 4_320),
        f"team:{lab}": (320, 4_320),
        f"team:{unit}": (300, 4_300),
        f"member:{lab}:{ada}": (20, 20),
        f"member:{unit}:{bot}": (300, 4_300),
        f"member:{unit}:{ada}": (0, 0),
        f"key:{company['own'][1]}": (1, 1),
        f"key:{company['unit'][1]}": (300, 4_300),
        "grant:7": (0, 0),
    }
    for scope, spent in expected.items():
        found = []
        for counter in (CounterId(scope, "day", DAY), CounterId(scope, "total", 0)):
            await recall(database, counter, DAY + 5, 0)
            found.append((await row(database, counter))[0])
        assert spent == tuple(found), scope


@pytest.mark.parametrize("tag", ["a", 'a"b', "a\\b", "7%_é", "a','b"])
async def test_what_names_its_scope_is_found_by_it(database, company, tag):
    """Scopes that no keys make up: in the account that pays, however they are written there."""
    payer, key = company["own"]
    counted = msgspec.json.encode([[f"tag:{tag}", "day", 0]]).decode()
    other = msgspec.json.encode([[f"tag:{tag}x", "day", 0], ["tag:7xxé", "day", 0]]).decode()
    for name, cost, of in (("r1", 7, counted), ("r2", 90, other)):
        named = DETAIL.replace("}}", f'}},"budgets":{of}}}').replace(":5", f":{key}")
        async with database.write() as conn:
            await turn(conn, "w", [settled(name, cost, user_id=payer, detail=named)], {})
    counter = CounterId(f"tag:{tag}", "total", 0)
    await recall(database, counter, 5, payer)
    assert (7, 0) == await row(database, counter)


@pytest.mark.parametrize("newest", [0, 2, 100_000])
async def test_what_is_booked_meanwhile_counts_once(database, company, monkeypatch, newest):
    """However much of it is read before the counter is locked; a second worker counts nothing
    again, another moment of giving does.
    """
    monkeypatch.setattr(recalling, "NEWEST", newest)
    counter = CounterId(f"key:{company['own'][1]}", "day", DAY)
    rows = [spent_by(company, f"r{number}", 10**number, "own") for number in range(4)]
    async with database.write() as conn:
        await turn(conn, "w", rows[:3], {})
    await recall(database, counter, DAY + 5, 0)
    counted = settled("r9", 50_000, counter, user_id=rows[0].user_id, detail=rows[0].detail)
    async with database.write() as conn:
        await turn(conn, "w", [counted], {})
    await recall(database, counter, DAY + 5, 0)
    assert (50_111, 0) == await row(database, counter)
    async with database.write() as conn:
        await turn(conn, "w", rows[3:], {})
    await recall(database, counter, DAY + 9, 0)
    assert (51_111, 0) == await row(database, counter)


async def test_a_window_begins_with_what_was_spent_before_it(database, company):
    """Each step by its own time."""
    now = int(time.time())
    counter = CounterId(f"key:{company['own'][1]}", "5h", 0)
    async with database.write() as conn:
        old = spent_by(company, "r0", 100, "own", now - 6 * 3600)
        later = spent_by(company, "r2", 5, "own", now - 3 * 3600)
        await turn(conn, "w", [old, later, spent_by(company, "r1", 8, "own", now - 60)], {})
    await recall(database, counter, now, 0)
    async with database.read() as conn:
        spans = (await conn.execute(select(budget_spans).order_by(budget_spans.c.starts_at))).all()
    assert (13, 0) == await row(database, counter)
    assert [5, 8] == [each.nanos for each in spans]


@pytest.mark.parametrize("soft", [False, True])
async def test_workers_count_it_with_the_first_request(database, company, running, soft):
    """Which waits for that, and is refused by what was spent before; nothing is counted twice."""
    (payer, key), now = company["lab"], int(time.time())
    detail = DETAIL.replace('"key":5', f'"key":{key}')
    async with database.write() as conn:
        await turn(conn, "w", [settled("r0", 60, user_id=payer, detail=detail)], {})
    limit = budget(100, f"key:{key}", since=now, soft=soft)
    done = 0
    async with running("one", "two") as workers, asyncio.timeout(30):
        for number in range(6):
            each = workers[number % 2]
            try:
                hold = await take(each, f"r1{number}", company["lab"], limit)
            except Fault as fault:
                assert isinstance(fault, BudgetRefusal)  # noqa: PT017 - of several
            else:
                each.ledger.settle(hold, Usage(output=10))
                done += 1
        counter = CounterId(f"key:{key}", "total", 0)
        # nobody waits for a soft budget: workers that end now would leave the counting to others
        while (
            await row(database, counter) is None
            or (await row(database, counter))[0] < 60 + 10 * done
        ):
            await asyncio.sleep(0.05)
    assert (6 if soft else 4) == done
    assert (60 + 10 * done, 0) == await row(database, counter)


async def test_a_budget_that_cannot_be_counted_lets_nobody_in(
    database, company, running, monkeypatch
):
    """They are told so, and those who have other budgets feel nothing of it."""

    async def frozen(*asked):
        await asyncio.sleep(60)

    monkeypatch.setattr(recalling, "recall", frozen)
    monkeypatch.setattr(allowance, "PATIENCE_S", 0.3)
    of = company["lab"]
    async with running("one") as (one,), asyncio.timeout(30):
        new = budget(100, f"key:{of[1]}", since=int(time.time()))
        waiting = asyncio.create_task(take(one, "r1", of, new))
        hold = await take(one, "r2", of, budget(100, "key:77"))
        assert not waiting.done()
        one.ledger.settle(hold, None)
        with pytest.raises(Fault, match="is being counted; try again") as no:
            await waiting
        assert 503 == no.value.status


@pytest.mark.parametrize("error", [StorageDown("away"), RuntimeError("a mistake")])
async def test_what_failed_is_counted_again(database, company, running, monkeypatch, error):
    """After a pause, whatever it was: requests that came meanwhile wait for it."""
    tries = []

    async def failing(*asked):
        tries.append(asked)
        if len(tries) == 1:
            raise error
        await recall(*asked)

    monkeypatch.setattr(recalling, "recall", failing)
    monkeypatch.setattr(ledger_sync, "PAUSE_S", 0.05)
    of = company["lab"]
    async with running("one") as (one,), asyncio.timeout(30):
        new = budget(100, f"key:{of[1]}", since=int(time.time()))
        one.ledger.settle(await take(one, "r1", of, new), None)
    assert 2 == len(tries)


async def test_a_tag_over_all_keys_goes_on(database, company):
    """From what is in its counter: no index finds the requests before."""
    payer, key = company["own"]
    named = DETAIL.replace("}}", '},"budgets":[["all/tag:a","day",0]]}').replace(":5", f":{key}")
    counter = CounterId("all/tag:a", "day", DAY)
    async with database.write() as conn:
        await turn(conn, "w", [settled("r1", 7, user_id=payer, detail=named)], {})
        await counting.let_go(conn, [counter], 0, 5, DAY)
    await recall(database, counter, DAY + 7, 1)
    await recall(database, counter, DAY + 6, 1)
    assert (5, 0) == await row(database, counter)
    async with database.write() as conn:
        assert DAY + 7 == (await counting.locked(conn, [counter]))[counter].since
