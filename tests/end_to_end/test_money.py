"""What a request costs, who may ask for it, and what a caller is told of it."""

import asyncio
import contextlib
import shutil

import msgspec
import pytest

from end_to_end.running import ANSWER, listening, settings, start
from scripted_upstream import Double, Send, Stall, Until, let_go, sized
from trivium.clock import SystemClock
from trivium.identity.service import Identity
from trivium.ledger import store
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.storage.database import Database
from trivium.storage.root_key import root_keys

JSON = b"Content-Type: application/json\r\n"
OK = [Send(sized(ANSWER, headers=JSON))]
PRICED = 'price = { input = "3", output = "15" }'
COST = 9 * 3_000 + 2 * 15_000
"""Nano-dollars of the double's answer."""
STREAM = b"".join(
    b"data: %b\n\n" % each
    for each in (
        b'{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Ho"},"finish_reason":null}]}',
        b'{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
        b'{"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}',
        b"[DONE]",
    )
)
EVENTS = b"Content-Type: text/event-stream\r\n"


class House:
    """Gateways on one database."""

    def __init__(self, folder, url, vendor, key, user_id):
        self.folder, self.url, self.vendor = folder, url, vendor
        self.key, self.user_id = key, user_id

    @contextlib.asynccontextmanager
    async def node(self, name):
        """A running gateway of it, in a folder of its own."""
        folder = self.folder / name
        folder.mkdir()
        shutil.copy(self.folder / "trivium.toml", folder)
        # nodes of one database have one secret
        (folder / "journal").mkdir(mode=0o700)
        shutil.copy(self.folder / "trivium.key", folder / "journal")
        gateway = start(folder, self.key)
        try:
            await listening(gateway)
            yield gateway
            gateway.process.terminate()
            await gateway.ended()
        finally:
            gateway.process.kill()
            gateway.process.wait()

    async def books(self):
        """The balance, and usage entries by request."""
        db = Database(self.url)
        async with db.read() as conn:
            found = [e async for _, e in store.entries_after(conn, 0, 1000, None, 0, 10**12)]
        balance = await Entries(db, SystemClock()).balance(self.user_id)
        await db.close()
        return balance, {e.request_id: e for e in found if e.kind is EntryKind.USAGE}


@contextlib.asynccontextmanager
async def house(folder, url, script, balance, **user):
    """A database, a vendor, a user with a balance."""
    url = url.replace(":@/", "@localhost/")
    async with Double(script) as vendor:
        rest = f'[storage]\nurl = "{url}"\n[ledger]\nflush_s = 0.1\n'
        text = settings(vendor, rest=rest).replace("free = true", PRICED)
        (folder / "trivium.toml").write_text(text)
        root_keys(None, folder / "trivium.key")
        db = Database(url)
        people = Identity(db, SystemClock())
        made = await people.create_user("ada", "ada@example.org", **user)
        _, key = await people.create_key("ada")
        if balance:
            await Entries(db, SystemClock()).book(made.id, EntryKind.TOP_UP, balance)
        await db.close()
        yield House(folder, url, vendor, key, made.id)


def asked(gateway, path, **members):
    """The bytes of a request to some path."""
    body = msgspec.json.encode(members)
    lines = [
        f"POST {path} HTTP/1.1", "Host: gateway", f"Authorization: Bearer {gateway.key}",
        f"Content-Length: {len(body)}",
    ]  # fmt: skip
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


SAID = [{"role": "user", "content": "Hi"}]
DIALECTS = {
    "chat": ("/v1/chat/completions", {"model": "m", "messages": SAID}),
    "chat streamed": ("/v1/chat/completions", {"model": "m", "messages": SAID, "stream": True}),
    "responses": ("/v1/responses", {"model": "m", "input": "Hi"}),
    "messages": ("/v1/messages", {"model": "m", "max_tokens": 9, "messages": SAID}),
    "generate": ("/v1beta/models/m:generateContent", {"contents": [{"parts": [{"text": "Hi"}]}]}),
    "generate streamed": (
        "/v1beta/models/m:streamGenerateContent?alt=sse", {"contents": [{"parts": [{"text": "Hi"}]}]},
    ),
    "embeddings": ("/v1/embeddings", {"model": "m", "input": "Hi"}),
}  # fmt: skip


@pytest.mark.asyncio
async def test_an_empty_account_is_refused_in_every_dialect(tmp_path, sqlite_template):
    """429 with the code clients compare, and told not to try again; no vendor is asked."""
    shutil.copy(sqlite_template, tmp_path / "t.db")
    async with (
        house(tmp_path, f"sqlite:///{tmp_path / 't.db'}", [OK], 0) as books,
        books.node("one") as gateway,
    ):
        for name, (path, members) in DIALECTS.items():
            status, headers, body = await gateway.send(asked(gateway, path, **members))
            error = msgspec.json.decode(body)["error"]
            assert (429, b"false") == (status, headers[b"x-should-retry"]), name
            assert b"insufficient_quota" in body.lower(), name
            assert "RESOURCE_EXHAUSTED" == error["status"], name
            assert "The balance is too low" in error["message"], name
        assert [] == books.vendor.requests
    assert (0, {}) == await books.books()


@pytest.mark.asyncio
async def test_a_whole_answer_says_what_it_cost(tmp_path, database_url):
    """And the entry says why; of a stream only the entry does."""
    stream = [Send(sized(STREAM, headers=EVENTS))]
    async with (
        house(tmp_path, database_url, [OK, stream], 10**9) as books,
        books.node("one") as gateway,
    ):
        status, whole, _ = await gateway.send(gateway.chat())
        assert (200, b"0.000057") == (status, whole[b"trivium-cost"])
        status, streamed, _ = await gateway.send(gateway.chat(stream=True))
        assert 200 == status
        assert b"trivium-cost" not in streamed
    balance, entries = await books.books()
    assert 10**9 - 2 * COST == balance
    for headers in (whole, streamed):
        entry = entries[headers[b"x-request-id"].decode()]
        assert -COST == entry.amount_nanos
        assert {
            "model": "m",
            "prices": {"input": "3", "output": "15"},
            "key": 1,
            "end": "",
            "channel": "main",
            "usage": {"fresh": 9, "output": 2},
        } == msgspec.json.decode(entry.detail)


@pytest.mark.asyncio
async def test_an_answer_without_a_count_is_estimated_and_says_so(tmp_path, sqlite_template):
    """In the answer's head and in the entry."""
    shutil.copy(sqlite_template, tmp_path / "t.db")
    silent = msgspec.json.encode(
        {k: v for k, v in msgspec.json.decode(ANSWER).items() if k != "usage"}
    )
    script = [[Send(sized(silent, headers=JSON))]]
    async with (
        house(tmp_path, f"sqlite:///{tmp_path / 't.db'}", script, 10**9) as books,
        books.node("one") as gateway,
    ):
        raw = gateway.chat()
        _, headers, _ = await gateway.send(raw)
        size = len(raw.partition(b"\r\n\r\n")[2])
    _, entries = await books.books()
    (entry,) = entries.values()
    usage = {"fresh": -(-size // 4), "output": 1, "estimated": True}
    assert usage == msgspec.json.decode(entry.detail)["usage"]
    assert b"usage" == headers[b"trivium-estimated"]
    assert -(usage["fresh"] * 3_000 + 15_000) == entry.amount_nanos


@pytest.mark.parametrize("nodes", [1, 2])
@pytest.mark.asyncio
async def test_fifty_at_once_on_a_balance_for_one(tmp_path, database_url, nodes):
    """One is served, whichever of the nodes they ask; nothing is spent beyond the balance."""
    # the hold: half the body's bytes at 3, 100 tokens at 15
    refused = asyncio.Event()
    async with contextlib.AsyncExitStack() as stack:
        body = 74
        hold = body // 2 * 3_000 + 100 * 15_000
        books = await stack.enter_async_context(
            house(tmp_path, database_url, [[Until(refused), *OK]], hold + hold // 2)
        )
        gateways = [await stack.enter_async_context(books.node(f"n{n}")) for n in range(nodes)]
        raw = gateways[0].chat(max_tokens=100)
        assert body == len(raw.partition(b"\r\n\r\n")[2])
        tasks = [asyncio.ensure_future(gateways[n % nodes].send(raw)) for n in range(50)]
        while sum(task.done() for task in tasks) < 49:
            await asyncio.sleep(0.02)
        refused.set()
        statuses = sorted([(await task)[0] for task in tasks])
        assert [200, *[429] * 49] == statuses
        assert 1 == len(books.vendor.requests)
    balance, entries = await books.books()
    assert (hold + hold // 2 - COST, 1) == (balance, len(entries))


@pytest.mark.asyncio
async def test_who_can_pay_is_never_refused(tmp_path, database_url):
    """Many at once from the first moment on, while leases are asked for, renewed and shrunk."""
    async with (
        house(tmp_path, database_url, [OK], 10**15) as books,
        books.node("one") as gateway,
    ):

        async def ask():
            line = await gateway.wire()
            found = []
            for _ in range(30):
                await line.send(gateway.chat())
                found.append((await line.answer())[0])
            await line.close()
            return found

        statuses = await asyncio.gather(*(ask() for _ in range(24)))
        assert {200} == {status for line in statuses for status in line}
    balance, entries = await books.books()
    assert (10**15 - 720 * COST, 720) == (balance, len(entries))


@pytest.mark.asyncio
async def test_costs_above_their_holds_refuse_nobody(tmp_path, database_url):
    """A vendor that counts more than the limit it was given, on an account with plenty."""
    dear = ANSWER.replace(b'"completion_tokens":2', b'"completion_tokens":4000')
    async with (
        house(tmp_path, database_url, [[Send(sized(dear, headers=JSON))]], 500 * 10**9) as books,
        books.node("one") as one,
        books.node("two") as two,
    ):

        async def ask(gateway):
            line = await gateway.wire()
            found = []
            for _ in range(40):
                await line.send(gateway.chat(max_tokens=10))
                found.append((await line.answer())[0])
            await line.close()
            return found

        statuses = await asyncio.gather(*(ask(gateway) for gateway in (one, two) * 4))
        assert {200} == {status for line in statuses for status in line}
    assert 320 == len((await books.books())[1])


@pytest.mark.asyncio
async def test_a_last_request_has_what_another_node_does_not_use(tmp_path, database_url):
    """It waits for that, and is served: it is not told that the balance is too low."""
    async with (
        house(tmp_path, database_url, [OK], 46_000_000) as books,
        books.node("one") as one,
        books.node("two") as two,
    ):
        for gateway in (one, two):
            assert 200 == (await gateway.send(gateway.chat(max_tokens=100)))[0]
        await asyncio.sleep(0.5)  # both have leased ahead by now
        for _ in range(3):
            for gateway in (one, two):
                assert 200 == (await gateway.send(gateway.chat(max_tokens=2900)))[0]


@pytest.mark.asyncio
async def test_two_nodes_spend_a_balance_to_its_end_and_no_further(tmp_path, database_url):
    """Hammered from both sides until nobody is served any more."""
    hold = 74 // 2 * 3_000 + 100 * 15_000
    credit = 3 * hold + 20 * COST
    async with contextlib.AsyncExitStack() as stack:
        books = await stack.enter_async_context(house(tmp_path, database_url, [OK], credit))
        gateways = [await stack.enter_async_context(books.node(f"n{n}")) for n in range(2)]
        raw = gateways[0].chat(max_tokens=100)
        served = 0

        async def hammer(gateway):
            nonlocal served
            refused = 0
            while refused < 4:
                status, _, _ = await gateway.send(raw)
                served += status == 200
                refused = refused + 1 if status == 429 else 0
                if refused:
                    await asyncio.sleep(0.4)

        await asyncio.gather(*(hammer(gateways[n % 2]) for n in range(6)))
    balance, entries = await books.books()
    assert served == len(entries) == len(books.vendor.requests)
    assert credit - served * COST == balance
    assert 0 <= balance < hold


@pytest.mark.asyncio
async def test_an_unlimited_account_is_booked_below_zero(tmp_path, sqlite_template):
    """It shows what it owes."""
    shutil.copy(sqlite_template, tmp_path / "t.db")
    async with (
        house(tmp_path, f"sqlite:///{tmp_path / 't.db'}", [OK], 0, unlimited=True) as books,
        books.node("one") as gateway,
    ):
        assert 200 == (await gateway.send(gateway.chat()))[0]
    assert -COST == (await books.books())[0]


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ([Send(sized(b'{"error":{"message":"no"}}', status=b"500 No", headers=JSON))], 502),
        ([Send(sized(b'{"error":{"message":"no"}}', status=b"400 No", headers=JSON))], 400),
    ],
)
@pytest.mark.asyncio
async def test_a_failure_before_the_first_byte_is_free(tmp_path, sqlite_template, script, status):
    """Nothing is booked, and all of the balance can be spent again."""
    shutil.copy(sqlite_template, tmp_path / "t.db")
    async with (
        house(tmp_path, f"sqlite:///{tmp_path / 't.db'}", [script], 10**9) as books,
        books.node("one") as gateway,
    ):
        assert status == (await gateway.send(gateway.chat()))[0]
    assert (10**9, {}) == await books.books()


@pytest.mark.asyncio
async def test_a_caller_that_leaves_pays_for_what_it_was_sent(tmp_path, sqlite_template):
    """The input and the delivered output, estimated; the vendor's stream is cancelled."""
    shutil.copy(sqlite_template, tmp_path / "t.db")
    frame = STREAM.split(b"\n\n")[0] + b"\n\n"
    head = b"HTTP/1.1 200 OK\r\n%bConnection: close\r\n\r\n" % EVENTS
    script = [Send(head + frame * 8), Stall()]
    async with (
        house(tmp_path, f"sqlite:///{tmp_path / 't.db'}", [script], 10**9) as books,
        books.node("one") as gateway,
    ):
        line = await gateway.wire()
        await line.send(gateway.chat(stream=True))
        await line.answer(head_only=True)
        await asyncio.sleep(0.2)
        await line.close()
        await let_go(books.vendor, 2.0)
        await asyncio.sleep(0.3)
    _, entries = await books.books()
    (entry,) = entries.values()
    detail = msgspec.json.decode(entry.detail)
    assert ("caller_left", True) == (detail["end"], detail["usage"]["estimated"])
    assert 4 == detail["usage"]["output"]
    assert detail["usage"]["fresh"] > 10
