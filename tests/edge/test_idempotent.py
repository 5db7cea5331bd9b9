"""Which requests a key counts for, and how the copies of one come together."""

import asyncio
import contextlib
import shutil
import sqlite3
from types import SimpleNamespace

import msgspec
import pytest
import pytest_asyncio
from sqlalchemy import text

from edge.wires import Sheet, asked
from idempotency.test_key import ADA
from idempotency.test_writer import VAULT
from trivium.clock import FixedClock, SystemClock
from trivium.edge import idempotent
from trivium.edge.recorded_exchange import RecordedExchange
from trivium.edge.routes import resolve
from trivium.faults import Fault, Kind
from trivium.idempotency import claims
from trivium.idempotency.refusals import PATIENCE, PAUSE_S
from trivium.idempotency.service import KeptAnswers
from trivium.settings.model import IdempotencySettings
from trivium.storage.database import Database
from trivium.storage.errors import StorageError

CHAT = b"/v1/chat/completions"


_SYSTEM = SystemClock()


def request(body=b"{}", key=b"k-1", target=CHAT, **changes):
    """A request with a key, and where its answer goes."""
    sheet = Sheet()
    exchange = asked(sheet, target=target, headers={idempotent.HEADER: key}, **changes)
    exchange.target = resolve("POST", target, b"")
    exchange.caller, exchange.body = ADA, body
    return sheet, exchange


def services(db, clock=_SYSTEM):
    answers = KeptAnswers(db, VAULT, "w1", IdempotencySettings(), clock)
    return SimpleNamespace(kept_answers=answers, abandoned=set())


@pytest.mark.parametrize(
    ("target", "taken"),
    [
        (CHAT, True),
        (b"/v1/messages", True),
        (b"/v1/embeddings", True),
        (b"/v1/videos", True),
        (b"/v1/images/generations", True),
        (b"/v1/images/edits", True),
        (b"/v1/messages/count_tokens", False),
        (b"/api/explain", False),
    ],
)
@pytest.mark.asyncio
async def test_it_counts_for_what_costs_something(database, target, taken):
    """And where answers are kept at all; nor a second time."""
    _, exchange = request(target=target)
    found = services(database)
    assert taken == idempotent.takes(exchange, found)
    found.kept_answers = None
    assert not idempotent.takes(exchange, found)
    assert not idempotent.takes(exchange, None)


@pytest.mark.asyncio
async def test_copies_are_dispatched_once(database):
    """Each is answered; the request itself has the body, and the first one's id."""
    found, seen = services(database), []

    def dispatch(exchange):
        assert not idempotent.takes(exchange, found)
        seen.append((type(exchange), exchange.request_id, exchange.body))
        exchange.answer(200, b"body")

    copies = [request(request_id=f"req_{n}") for n in range(5)]
    await asyncio.gather(*(idempotent.serve(one, found, dispatch) for _, one in copies))
    assert [(RecordedExchange, "req_0", b"{}")] == seen
    for sheet, exchange in copies:
        assert (True, b"") == (sheet.sent.endswith(b"\r\n\r\nbody"), exchange.body)
        assert b"x-request-id: req_0\r\n" in sheet.sent
    assert 4 == sum(b"idempotent-replay" in sheet.sent for sheet, _ in copies)
    await asyncio.sleep(0)
    assert set() == found.abandoned


@pytest.mark.asyncio
async def test_another_body_is_refused_while_the_first_runs(database):
    """As it is afterwards; and a key that is none."""
    found, ran = services(database), []
    _, first = request()
    running = asyncio.ensure_future(idempotent.serve(first, found, ran.append))
    async with asyncio.timeout(20):
        while not ran:
            await asyncio.sleep(0.01)
    sheet, other = request(body=b"[]")
    await idempotent.serve(other, found, ran.append)
    assert sheet.sent.startswith(b"HTTP/1.1 422 ")
    sheet, bad = request(key=b"a" * 256)
    await idempotent.serve(bad, found, ran.append)
    assert (True, 1) == (sheet.sent.startswith(b"HTTP/1.1 400 "), len(ran))
    ran[0].answer(200, b"body")
    await running


@pytest.mark.asyncio
async def test_a_caller_who_leaves_does_not_end_it(database):
    """A drain waits for it; its answer is there for the next one."""
    found, ran = services(database), []
    _, first = request()
    first.task = running = asyncio.ensure_future(idempotent.serve(first, found, ran.append))
    async with asyncio.timeout(20):
        while not ran:
            await asyncio.sleep(0.01)
    first.leave()
    await running
    assert (1, False) == (len(found.abandoned), ran[0].gone)
    ran[0].answer(200, b"body")
    sheet, again = request(request_id="req_2")
    await idempotent.serve(again, found, ran.append)
    assert (True, 1) == (sheet.sent.endswith(b"body"), len(ran))


@pytest.mark.asyncio
async def test_what_an_application_was_given_shares_nothing(database):
    """An access token acts for its user under a consent: the same key is another's, and kept."""
    found, seen = services(database), []

    def dispatch(exchange):
        seen.append(exchange.caller.grant_id)
        exchange.answer(200, b"of %d" % exchange.caller.grant_id)

    for grant_id in (0, 7, 7, 8, 0):
        sheet, exchange = request(target=b"/v1/images/generations")
        exchange.caller = msgspec.structs.replace(ADA, grant_id=grant_id)
        await idempotent.serve(exchange, found, dispatch)
        assert sheet.sent.endswith(b"of %d" % grant_id)
    assert [0, 7, 8] == seen


@pytest.mark.asyncio
async def test_whoever_is_refused_writes_little(database):
    """A row a second; what was answered before is answered, and who is let in again is."""
    clock = FixedClock()
    found, seen = services(database, clock), []
    poor = Fault(Kind.BALANCE_TOO_LOW, "The balance is too low.")
    answers = []

    def dispatch(exchange):
        seen.append(exchange.request_id)
        if answers:
            exchange.answer(200, answers[-1])
        else:
            exchange.fail(poor)

    async def ask(key):
        sheet, exchange = request(key=key)
        await idempotent.serve(exchange, found, dispatch)
        return sheet.sent

    answers.append(b"paid")
    assert (await ask(b"paid")).endswith(b"paid")
    await found.kept_answers.writer.close()
    answers.clear()
    for n in range(PATIENCE):
        assert b"The balance is too low." in await ask(b"new-%d" % n)
    assert 1 + PATIENCE == len(seen)
    for n in range(20):
        sent = await ask(b"newer-%d" % n)
        assert b"refused again and again" in sent
        assert b"\r\nretry-after: 1\r\n" in sent
    assert 1 + PATIENCE == len(seen)
    assert (await ask(b"paid")).endswith(b"paid")
    clock.advance(PAUSE_S)
    for n in range(5):
        await ask(b"newest-%d" % n)
    assert 2 + PATIENCE == len(seen)
    clock.advance(PAUSE_S)
    answers.append(b"let in")
    for n in range(5):
        assert (await ask(b"again-%d" % n)).endswith(b"let in")


@pytest_asyncio.fixture
async def small(tmp_path, sqlite_template):
    """A database file of its own."""
    shutil.copy(sqlite_template, tmp_path / "a.db")
    db = Database(f"sqlite:///{tmp_path / 'a.db'}")
    yield db
    await db.close()


@pytest.mark.asyncio
async def test_a_locked_file_is_told(small, tmp_path, monkeypatch):
    """Soon, and without a call; once it is free the same key is answered."""
    monkeypatch.setattr(claims, "TURN_S", 0.3)
    found, seen = services(small), []

    def dispatch(exchange):
        seen.append(exchange.request_id)
        exchange.answer(200, b"body")

    other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    sheet, exchange = request()
    async with asyncio.timeout(10):
        await idempotent.serve(exchange, found, dispatch)
    assert sheet.sent.startswith(b"HTTP/1.1 503 ")
    assert b"The database is away" in sheet.sent
    assert [] == seen
    other.execute("ROLLBACK")
    other.close()
    sheet, exchange = request()
    await idempotent.serve(exchange, found, dispatch)
    assert sheet.sent.endswith(b"body")


@pytest.mark.asyncio
async def test_a_full_disk_is_told(small):
    """A new key is refused, a running one answered whole; what could not be kept is made anew."""
    found, seen = services(small), []
    bodies = [b"x" * 300_000]

    def dispatch(exchange):
        seen.append(exchange.request_id)
        exchange.answer(200, bodies[0])

    async def fill(pages):
        async with small.write() as conn:
            size = await conn.scalar(text("PRAGMA page_count"))
            await conn.execute(text(f"PRAGMA max_page_count = {size + pages}"))

    await fill(8)
    sheet, exchange = request()
    async with asyncio.timeout(10):
        await idempotent.serve(exchange, found, dispatch)
    assert sheet.sent.endswith(bodies[0])
    async with asyncio.timeout(20):
        await found.kept_answers.close()
    async with small.write() as conn:
        await conn.execute(text("CREATE TABLE filling (data BLOB)"))
    with contextlib.suppress(StorageError):
        for size in (16_000, 4_000, 1_000) * 20:
            async with small.write() as conn:
                await conn.execute(text(f"INSERT INTO filling VALUES (zeroblob({size}))"))
    found = services(small)
    told = []
    for n in range(40):
        sheet, exchange = request(key=b"new-%d" % n)
        async with asyncio.timeout(10):
            await idempotent.serve(exchange, found, dispatch)
        told.append(sheet.sent.split(b" ", 2)[1])
        if told[-1] == b"503":
            break
    assert b"503" == told[-1]
    assert b"The database is away" in sheet.sent
    assert len(seen) == 1 + told.count(b"200")
    async with asyncio.timeout(20):
        await found.kept_answers.close()
