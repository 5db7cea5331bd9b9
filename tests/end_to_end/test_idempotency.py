"""One `Idempotency-Key` is one call upstream, one entry and one answer, whoever repeats it where."""

import asyncio
import contextlib
import shutil
import uuid

import msgspec
import pytest
import pytest_asyncio
from sqlalchemy import func, select

from end_to_end.running import ANSWER, listening, start
from end_to_end.test_money import (
    COST,
    DIALECTS,
    EVENTS,
    JSON,
    OK,
    SAID,
    STREAM,
    asked,
    house,
)
from scripted_upstream import Close, Reset, Send, Stall, Until, sized, until_close
from trivium.clock import SystemClock
from trivium.idempotency.model import RUNNING
from trivium.identity.service import Identity
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.storage.database import Database
from trivium.storage.schema import metadata
from trivium.storage.schema.idempotency import kept_answers

pytestmark = pytest.mark.asyncio(loop_scope="module")
HALF = len(STREAM) // 2
TOLD = b"".join(
    event + b"\n\n" for event in STREAM.split(b"\n\n")[:-1] if b'"choices":[]' not in event
)
"""Of it, what a caller is told that did not ask for the count."""
MUCH = 10**12
IN_FLIGHT = 12
"""Keys that a killed node was at."""
BYTES_MAX = 4096
"""Of an answer that is kept here."""


@pytest.fixture
def key():
    """A header with a key that no other test has."""
    return f"Idempotency-Key: {uuid.uuid4()}"


def keyed(gateway, path, members, key):
    """The bytes of a request with a key."""
    raw = asked(gateway, path, **members)
    return raw.replace(b"\r\n", b"\r\n" + key.encode() + b"\r\n", 1)


class Pair:
    """Two nodes on one database, which all tests of an engine share: to start them takes longer
    than anything else here.
    """

    def __init__(self, books, one, two):
        self.books, self.one, self.two = books, one, two

    def script(self, *script):
        """What the vendor does from now on; nothing that was asked of it before counts."""
        self.books.vendor.script = list(script)
        self.books.vendor.requests.clear()

    @property
    def calls(self):
        """What the vendor was asked since."""
        return len(self.books.vendor.requests)

    async def kept(self):
        """Wait until what was answered is written behind."""
        db = Database(self.books.url)
        query = (
            select(func.count()).select_from(kept_answers).where(kept_answers.c.state == RUNNING)
        )
        try:
            async with asyncio.timeout(60):
                running = 1
                while running:
                    await asyncio.sleep(0.05)
                    async with db.read() as conn:
                        running = await conn.scalar(query)
        finally:
            await db.close()

    async def bill(self, request_id, entries=1):
        """What a request costs altogether, once so many entries of it are booked."""
        found = {}
        async with asyncio.timeout(60):
            while len(found) < entries:
                await asyncio.sleep(0.05)
                _, every = await self.books.books()
                found = {k: e for k, e in every.items() if k.partition(":")[0] == request_id}
        assert entries == len(found)
        return -sum(entry.amount_nanos for entry in found.values())


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
)
def pair_url(request, tmp_path_factory):
    """Address of an empty database, once on each engine."""
    if request.param == "sqlite":
        template = request.getfixturevalue("sqlite_template")
        return sqlite(tmp_path_factory.mktemp("pair"), template)
    url = request.getfixturevalue("postgresql_url")
    tables = ", ".join(name for name in metadata.tables if name != "revision")
    request.getfixturevalue("postgresql_server").psql(
        f"\\c migrated\nTRUNCATE {tables} RESTART IDENTITY CASCADE;UPDATE revision SET value = 0;"
    )
    return url


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def pair(pair_url, tmp_path_factory):
    """Two nodes."""
    async with house(tmp_path_factory.mktemp("nodes"), pair_url, [OK], MUCH) as books:
        file = books.folder / "trivium.toml"
        own = f"[idempotency]\nanswer_bytes_max = {BYTES_MAX}\n[ledger]"
        file.write_text(file.read_text().replace("[ledger]", own))
        async with books.node("one") as one, books.node("two") as two:
            yield Pair(books, one, two)


def sqlite(folder, template):
    """Address of an empty database there."""
    shutil.copy(template, folder / "t.db")
    return f"sqlite:///{folder / 't.db'}"


async def until(line, mark):
    """Read so far on a connection."""
    async with asyncio.timeout(60):
        await line.reader.readuntil(mark)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_a_hundred_copies_on_two_nodes_are_one_call(pair, key, stream):
    """All get the same bytes: those who come at once, and one who comes when all is over."""
    everybody = asyncio.Event()
    if stream:
        whole = sized(STREAM, headers=EVENTS)
        pair.script([Send(whole[:-HALF]), Until(everybody), Send(whole[-HALF:])])
    else:
        pair.script([Until(everybody), *OK])
    one, two = pair.one, pair.two
    raw = one.chat(key, stream=stream)
    tasks = [asyncio.ensure_future((one, two)[n % 2].send(raw)) for n in range(100)]
    await asyncio.sleep(1.0)
    everybody.set()
    found = [await task for task in tasks]
    await pair.kept()
    found += [await one.send(raw), await two.send(raw)]
    assert {(200, TOLD if stream else ANSWER)} == {(s, body) for s, _, body in found}
    replays = [headers.get(b"trivium-idempotent-replay") for _, headers, _ in found]
    assert [b"true"] * 101 == [replay for replay in replays if replay]
    ids = {headers[b"x-request-id"].decode() for _, headers, _ in found}
    assert (1, 1) == (len(ids), pair.calls)
    assert COST == await pair.bill(*ids)


async def test_who_comes_in_the_middle_is_streamed_the_same_events(pair, key):
    """On another node too, from the first event on, before the last has come."""
    rest = asyncio.Event()
    whole = sized(STREAM, headers=EVENTS)
    pair.script([Send(whole[:-HALF]), Until(rest), Send(whole[-HALF:])])
    async with contextlib.AsyncExitStack() as stack:
        lines = []
        for gateway in (pair.one, pair.one, pair.two):
            line = await gateway.wire()
            stack.push_async_callback(line.close)
            await line.send(gateway.chat(key, stream=True))
            await until(line, b'"content":"Ho"')
            lines.append(line)
        assert not rest.is_set()
        rest.set()
        for line in lines:
            await until(line, b"[DONE]")
        assert 1 == pair.calls


async def test_another_body_is_refused_in_every_dialect(pair, key):
    """422 naming the key, and told not to try again; while the first runs as after it."""
    pair.script(OK)
    gateway = pair.one
    first = keyed(gateway, "/v1/chat/completions", {"model": "m", "messages": SAID, "n": 1}, key)
    assert 200 == (await gateway.send(first))[0]
    for again in range(2):
        for name, (path, members) in DIALECTS.items():
            status, headers, body = await gateway.send(keyed(gateway, path, members, key))
            assert (422, b"false") == (status, headers[b"x-should-retry"]), name
            error = msgspec.json.decode(body)["error"]
            assert key.partition(": ")[2] in error["message"], name
            code = 422 if "generate" in name else "idempotency_key_reused"
            assert code == error["code"], name
        if not again:
            await pair.kept()
    assert 1 == pair.calls


@pytest.mark.parametrize(
    "value",
    ["", "a" * 256, "a" * 10_000, "caf\xe9", "one\ttwo"],
    ids=["empty", "long", "10 KB", "not ASCII", "control"],
)
async def test_a_bad_key_names_the_header(pair, value):
    pair.script(OK)
    raw = pair.one.chat().replace(
        b"\r\n", b"\r\nIdempotency-Key: " + value.encode("latin-1") + b"\r\n", 1
    )
    status, _, body = await pair.one.send(raw)
    assert (400, True, 0) == (status, b"Idempotency-Key" in body, pair.calls)


STREAMED_ERROR = b'data: {"error":{"message":"no","type":"server_error"}}\n\n'
FAILURES = {
    "an error": [
        Send(
            sized(
                b'{"error":{"message":"no","type":"server_error"}}',
                status=b"400 Bad Request",
                headers=JSON,
            )
        )
    ],
    "a reset": [Send(sized(STREAM, headers=EVENTS)[:-HALF]), Reset()],
    "an end before its length": [Send(sized(STREAM, headers=EVENTS)[:-HALF]), Close()],
    "an end before its last event": [Send(until_close(STREAM[:-HALF], headers=EVENTS)), Close()],
    "an error in the stream": [Send(sized(STREAM[:-HALF] + STREAMED_ERROR, headers=EVENTS))],
}


@pytest.mark.parametrize("name", FAILURES)
async def test_a_failure_is_not_kept(pair, key, name):
    """The same key is called anew, and the first is not replayed."""
    stream = name != "an error"
    pair.script(FAILURES[name], [Send(sized(STREAM, headers=EVENTS))] if stream else OK)
    raw = pair.one.chat(key, stream=stream)
    _, _, body = await pair.one.send(raw)
    assert b"error" in body
    assert 1 == pair.calls, body  # it was the vendor that failed, not this machine
    await pair.kept()
    status, headers, body = await pair.one.send(raw)
    assert (200, TOLD if stream else ANSWER) == (status, body)
    assert b"trivium-idempotent-replay" not in headers
    assert 2 == pair.calls


async def test_an_answer_that_is_too_large_is_answered_and_not_kept(pair, key):
    """The next one with its key is called anew, and both say so."""
    large = ANSWER.replace(b'"Ho"', b'"%b"' % (b"o" * BYTES_MAX))
    pair.script([Send(sized(large, headers=JSON))])
    ids = set()
    for _ in range(2):
        status, headers, body = await pair.one.send(pair.one.chat(key))
        assert (200, large) == (status, body)
        assert b"not kept" == headers[b"trivium-idempotency"]
        assert b"trivium-idempotent-replay" not in headers
        await pair.kept()
        ids.add(headers[b"x-request-id"].decode())
    assert [COST, COST] == [await pair.bill(each) for each in ids]
    assert 2 == pair.calls


@pytest.mark.slow  # a gateway of its own
async def test_it_can_be_switched_off(tmp_path, sqlite_template, key):
    """The header is passed over, whatever it says."""
    url = sqlite(tmp_path, sqlite_template)
    async with house(tmp_path, url, [OK], MUCH) as books:
        file = tmp_path / "trivium.toml"
        file.write_text(file.read_text().replace("[ledger]", "[idempotency]\nhours = 0\n[ledger]"))
        async with books.node("one") as gateway:
            for each in (key, key, "Idempotency-Key: " + "a" * 300):
                assert 200 == (await gateway.send(gateway.chat(each)))[0]
            assert 3 == len(books.vendor.requests)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_a_caller_who_leaves_finds_its_answer(pair, key, stream):
    """What an SDK does whose time limit is over: it hangs up, and asks again."""
    left = asyncio.Event()
    whole = sized(STREAM, headers=EVENTS) if stream else sized(ANSWER, headers=JSON)
    pair.script([Send(whole[:-HALF]), Until(left), Send(whole[-HALF:])])
    gateway = pair.one
    line = await gateway.wire()
    await line.send(gateway.chat(key, stream=stream))
    async with asyncio.timeout(60):
        while not pair.calls:
            await asyncio.sleep(0.01)
    await line.close()
    await asyncio.sleep(0.3)
    left.set()
    for each in (gateway, pair.two):
        status, headers, body = await each.send(gateway.chat(key, stream=stream))
        assert (200, TOLD if stream else ANSWER) == (status, body)
        assert b"true" == headers[b"trivium-idempotent-replay"]
    assert 1 == pair.calls
    assert COST == await pair.bill(headers[b"x-request-id"].decode())


async def test_whoever_has_nothing_left_is_given_what_it_paid_for(pair, key):
    """A replay costs nothing and asks for no balance; a call anew does."""
    pair.script(OK)
    db = Database(pair.books.url)
    try:
        await paid_for(pair, key, db)
    finally:
        await db.close()


async def paid_for(pair, key, db):
    people = Identity(db, SystemClock())
    made = await people.create_user(f"bob{key[-12:]}", f"{key[-12:]}@example.org")
    _, own = await people.create_key(made.name)
    raw = pair.one.chat(key, key=own, max_tokens=2)
    hold = len(raw.partition(b"\r\n\r\n")[2]) // 2 * 3_000 + 2 * 15_000
    await Entries(db, SystemClock()).book(made.id, EntryKind.TOP_UP, hold)
    async with asyncio.timeout(60):
        while (found := await pair.one.send(raw))[0] == 401:
            await asyncio.sleep(0.1)
    assert (200, ANSWER) == (found[0], found[2])
    await pair.kept()
    assert 429 == (await pair.one.send(pair.one.chat(key=own, max_tokens=2)))[0]
    for gateway in (pair.one, pair.two):
        status, _, body = await gateway.send(raw)
        assert (200, ANSWER) == (status, body)
    # the same key of another user is another
    status, headers, _ = await pair.one.send(pair.one.chat(key, max_tokens=2))
    assert (200, False) == (status, b"trivium-idempotent-replay" in headers)
    # a key that is revoked reads nothing any more
    await people.revoke_key(own)
    async with asyncio.timeout(60):
        while (await pair.one.send(raw))[0] != 401:
            await asyncio.sleep(0.1)


@pytest.mark.parametrize("pair_url", ["sqlite"], indirect=True)  # the other one is a slow test
async def test_a_killed_nodes_requests_are_called_anew_and_billed_once(pair, key):
    """On another node, each under its own first id: a dozen keys were in flight, half of them in
    the middle of a stream; and one that had been answered is not called again. Whoever is told
    what the dead node had stored of a stream is cut off, and finds it begun anew.
    """
    whole = sized(STREAM, headers=EVENTS)
    stuck = [[Stall()], [Send(whole[:-HALF]), Stall()]] * 6
    pair.script(OK, *stuck, *[OK, [Send(whole)]] * 6)
    async with killed(pair.books, key, IN_FLIGHT) as (answered, *raws):
        ids = set()
        for number, raw in enumerate(raws):
            try:
                status, headers, body = await pair.two.send(raw)
            except ValueError:  # no chunk where one was to come
                assert number % 2
                status, headers, body = await pair.two.send(raw)
            assert (200, TOLD if number % 2 else ANSWER) == (status, body)
            assert b"trivium-idempotent-replay" not in headers
            ids.add(headers[b"x-request-id"].decode())
        status, headers, body = await pair.two.send(answered)
        assert (200, ANSWER) == (status, body)
        assert b"true" == headers[b"trivium-idempotent-replay"]
    assert (IN_FLIGHT, 1 + 2 * IN_FLIGHT) == (len(ids), pair.calls)
    await replayed(pair.books)
    for request_id in (*ids, headers[b"x-request-id"].decode()):
        assert COST == await pair.bill(request_id)


@pytest.mark.slow  # three starts each
@pytest.mark.timeout(600)
@pytest.mark.parametrize("booked", ["before", "after"])
@pytest.mark.parametrize("interrupted", ["input", "free", "hold"])
async def test_after_a_kill_the_repeat_is_billed_once(
    tmp_path, database_url, key, interrupted, booked
):
    """Both together cost what the answer does, whether the dead worker's journal is booked before
    or after, and whatever the operator says of it.
    """
    async with house(tmp_path, database_url, [[Stall()], OK], MUCH) as books:
        file = tmp_path / "trivium.toml"
        file.write_text(
            file.read_text().replace("[ledger]", f'[ledger]\ninterrupted = "{interrupted}"')
        )
        async with books.node("two") as two:
            async with killed(books, key) as (raw,):
                pass
            if booked == "before":
                await replayed(books)
            status, headers, body = await two.send(raw)
            assert (200, ANSWER, 2) == (status, body, len(books.vendor.requests))
            assert b"trivium-idempotent-replay" not in headers
        if booked == "after":
            await replayed(books)
    balance, entries = await books.books()
    request_id = headers[b"x-request-id"].decode()
    assert MUCH - COST == balance
    assert {request_id} == {name.partition(":")[0] for name in entries}


@contextlib.asynccontextmanager
async def killed(books, key, others=0):
    """A node that dies while it answers; gives what it was asked. ``others``: with so many keys
    more, every other one streamed, after the first was answered whole.
    """
    folder = books.folder / "dead"
    folder.mkdir()
    shutil.copy(books.folder / "trivium.toml", folder)
    (folder / "journal").mkdir(mode=0o700)
    shutil.copy(books.folder / "trivium.key", folder / "journal")
    gateway = start(folder, books.key)
    try:
        await listening(gateway)
        raws = [gateway.chat(key)]
        raws += [gateway.chat(f"{key}-{n}", stream=n % 2 == 1) for n in range(others)]
        lines = []
        for number, raw in enumerate(raws):
            lines.append(await gateway.wire())
            await lines[-1].send(raw)
            async with asyncio.timeout(60):
                while len(books.vendor.requests) <= number:
                    await asyncio.sleep(0.01)
                if others and not number:
                    assert 200 == (await lines[0].answer())[0]
                    await asyncio.sleep(1)  # it is written behind
        gateway.process.kill()
        gateway.process.wait()
        for line in lines:
            await line.close()
        yield raws
    finally:
        gateway.process.kill()
        gateway.process.wait()


async def replayed(books):
    """Have the dead node's journal booked, as its next start does."""
    gateway = start(books.folder / "dead", books.key)
    try:
        await listening(gateway)
        gateway.process.terminate()
        await gateway.ended()
    finally:
        gateway.process.kill()
        gateway.process.wait()
