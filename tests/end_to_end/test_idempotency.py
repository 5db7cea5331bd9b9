"""One `Idempotency-Key` is one call upstream, one entry and one answer, whoever repeats it where."""

import asyncio
import contextlib
import shutil

import msgspec
import pytest

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
from scripted_upstream import Reset, Send, Stall, Until, sized

KEY = "Idempotency-Key: 5b7a1f0e-9d3c-4c59-8f1e-0c7f0a5d2b11"
HALF = len(STREAM) // 2
TOLD = b"".join(
    event + b"\n\n" for event in STREAM.split(b"\n\n")[:-1] if b'"choices":[]' not in event
)
"""Of it, what a caller is told that did not ask for the count."""
MUCH = 10**10


def keyed(gateway, path, members, key=KEY):
    """The bytes of a request with a key."""
    raw = asked(gateway, path, **members)
    return raw.replace(b"\r\n", b"\r\n" + key.encode() + b"\r\n", 1)


def sqlite(folder, template):
    """Address of an empty database there."""
    shutil.copy(template, folder / "t.db")
    return f"sqlite:///{folder / 't.db'}"


async def settled(gateway):
    """Wait until what was answered is written behind: answers are gathered for 50 ms."""
    await asyncio.sleep(1.0)
    assert gateway.process.poll() is None


async def until(line, mark):
    """Read so far on a connection."""
    async with asyncio.timeout(60):
        await line.reader.readuntil(mark)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.asyncio
async def test_a_hundred_copies_on_two_nodes_are_one_call(tmp_path, database_url, stream):
    """All get the same bytes: those who come at once, and one who comes when all is over."""
    everybody = asyncio.Event()
    if stream:
        whole = sized(STREAM, headers=EVENTS)
        script = [Send(whole[:-HALF]), Until(everybody), Send(whole[-HALF:])]
    else:
        script = [Until(everybody), *OK]
    async with (
        house(tmp_path, database_url, [script], MUCH) as books,
        books.node("one") as one,
        books.node("two") as two,
    ):
        raw = one.chat(KEY, stream=stream)
        tasks = [asyncio.ensure_future((one, two)[n % 2].send(raw)) for n in range(100)]
        await asyncio.sleep(1.0)
        everybody.set()
        found = [await task for task in tasks]
        await settled(one)
        found += [await one.send(raw), await two.send(raw)]
        assert {(200, TOLD if stream else ANSWER)} == {(s, body) for s, _, body in found}
        replays = [headers.get(b"trivium-idempotent-replay") for _, headers, _ in found]
        assert [b"true"] * 101 == [replay for replay in replays if replay]
        ids = {headers[b"x-request-id"] for _, headers, _ in found}
        assert (1, 1) == (len(ids), len(books.vendor.requests))
        (request_id,) = ids
    balance, entries = await books.books()
    assert (MUCH - COST, [request_id.decode()]) == (balance, list(entries))


@pytest.mark.asyncio
async def test_who_comes_in_the_middle_is_streamed_the_same_events(tmp_path, database_url):
    """On another node too, from the first event on, before the last has come."""
    rest = asyncio.Event()
    whole = sized(STREAM, headers=EVENTS)
    script = [[Send(whole[:-HALF]), Until(rest), Send(whole[-HALF:])]]
    async with (
        house(tmp_path, database_url, script, MUCH) as books,
        books.node("one") as one,
        books.node("two") as two,
        contextlib.AsyncExitStack() as stack,
    ):
        lines = []
        for gateway in (one, one, two):
            line = await gateway.wire()
            stack.push_async_callback(line.close)
            await line.send(gateway.chat(KEY, stream=True))
            await until(line, b'"content":"Ho"')
            lines.append(line)
        assert not rest.is_set()
        rest.set()
        for line in lines:
            await until(line, b"[DONE]")
        assert 1 == len(books.vendor.requests)


@pytest.mark.asyncio
async def test_another_body_is_refused_in_every_dialect(tmp_path, sqlite_template):
    """422 naming the key, and told not to try again; while the first runs as after it."""
    url = sqlite(tmp_path, sqlite_template)
    async with house(tmp_path, url, [OK], MUCH) as books, books.node("one") as gateway:
        first = keyed(gateway, "/v1/chat/completions", {"model": "m", "messages": SAID, "n": 1})
        assert 200 == (await gateway.send(first))[0]
        for again in range(2):
            for name, (path, members) in DIALECTS.items():
                raw = keyed(gateway, path, members)
                status, headers, body = await gateway.send(raw)
                assert (422, b"false") == (status, headers[b"x-should-retry"]), name
                error = msgspec.json.decode(body)["error"]
                assert KEY.partition(": ")[2] in error["message"], name
                code = 422 if "generate" in name else "idempotency_key_reused"
                assert code == error["code"], name
            if not again:
                await settled(gateway)
        assert 1 == len(books.vendor.requests)


@pytest.mark.parametrize(
    "key", ["", "a" * 256, "caf\xe9", "one\ttwo"], ids=["empty", "long", "not ASCII", "control"]
)
@pytest.mark.asyncio
async def test_a_bad_key_names_the_header(tmp_path, sqlite_template, key):
    url = sqlite(tmp_path, sqlite_template)
    async with house(tmp_path, url, [OK], MUCH) as books, books.node("one") as gateway:
        raw = gateway.chat().replace(
            b"\r\n", b"\r\nIdempotency-Key: " + key.encode("latin-1") + b"\r\n", 1
        )
        status, _, body = await gateway.send(raw)
        assert (400, True) == (status, b"Idempotency-Key" in body)
        assert [] == books.vendor.requests


@pytest.mark.parametrize("stream", [False, True], ids=["an error", "a stream that broke"])
@pytest.mark.asyncio
async def test_a_failure_is_not_kept(tmp_path, sqlite_template, stream):
    """The same key is called anew, and the first is not replayed."""
    error = b'{"error":{"message":"no","type":"server_error"}}'
    first = [Send(sized(error, status=b"400 Bad Request", headers=JSON))]
    if stream:
        first = [Send(sized(STREAM, headers=EVENTS)[:-HALF]), Reset()]
    then = [Send(sized(STREAM, headers=EVENTS))] if stream else OK
    url = sqlite(tmp_path, sqlite_template)
    async with house(tmp_path, url, [first, then], MUCH) as books, books.node("one") as gateway:
        raw = gateway.chat(KEY, stream=stream)
        _, _, body = await gateway.send(raw)
        assert b"error" in body
        await settled(gateway)
        status, headers, body = await gateway.send(raw)
        assert (200, TOLD if stream else ANSWER) == (status, body)
        assert b"trivium-idempotent-replay" not in headers
        assert 2 == len(books.vendor.requests)


@pytest.mark.asyncio
async def test_an_answer_that_is_too_large_is_answered_and_not_kept(tmp_path, sqlite_template):
    """The next one with its key is called anew, and both say so."""
    url = sqlite(tmp_path, sqlite_template)
    large = ANSWER.replace(b'"Ho"', b'"%b"' % (b"o" * 2000))
    script = [[Send(sized(large, headers=JSON))]]
    async with house(tmp_path, url, script, MUCH) as books:
        file = tmp_path / "trivium.toml"
        rest = "[idempotency]\nanswer_bytes_max = 1024\n[ledger]"
        file.write_text(file.read_text().replace("[ledger]", rest))
        async with books.node("one") as gateway:
            for _ in range(2):
                status, headers, body = await gateway.send(gateway.chat(KEY))
                assert (200, large) == (status, body)
                assert b"not kept" == headers[b"trivium-idempotency"]
                assert b"trivium-idempotent-replay" not in headers
                await settled(gateway)
            assert 2 == len(books.vendor.requests)
    assert 2 == len((await books.books())[1])


@pytest.mark.asyncio
async def test_it_can_be_switched_off(tmp_path, sqlite_template):
    """The header is passed over, whatever it says."""
    url = sqlite(tmp_path, sqlite_template)
    async with house(tmp_path, url, [OK], MUCH) as books:
        file = tmp_path / "trivium.toml"
        file.write_text(file.read_text().replace("[ledger]", "[idempotency]\nhours = 0\n[ledger]"))
        async with books.node("one") as gateway:
            for key in (KEY, KEY, "Idempotency-Key: " + "a" * 300):
                assert 200 == (await gateway.send(gateway.chat(key)))[0]
            assert 3 == len(books.vendor.requests)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.asyncio
async def test_a_caller_who_leaves_finds_its_answer(tmp_path, database_url, stream):
    """What an SDK does whose time limit is over: it hangs up, and asks again."""
    left = asyncio.Event()
    whole = sized(STREAM, headers=EVENTS) if stream else sized(ANSWER, headers=JSON)
    script = [[Send(whole[:-HALF]), Until(left), Send(whole[-HALF:])]]
    async with house(tmp_path, database_url, script, MUCH) as books, books.node("one") as gateway:
        line = await gateway.wire()
        await line.send(gateway.chat(KEY, stream=stream))
        async with asyncio.timeout(30):
            while not books.vendor.requests:
                await asyncio.sleep(0.01)
        await line.close()
        await asyncio.sleep(0.3)
        left.set()
        status, headers, body = await gateway.send(gateway.chat(KEY, stream=stream))
        assert (200, TOLD if stream else ANSWER) == (status, body)
        assert b"true" == headers[b"trivium-idempotent-replay"]
        assert 1 == len(books.vendor.requests)
    balance, entries = await books.books()
    assert (MUCH - COST, 1) == (balance, len(entries))


@pytest.mark.parametrize("booked", ["before", "after"])
@pytest.mark.parametrize("interrupted", ["input", "free", "hold"])
@pytest.mark.asyncio
async def test_after_a_kill_the_repeat_is_billed_once(tmp_path, database_url, interrupted, booked):
    """Another node answers anew under the first one's id; both together cost what the answer does,
    whether the dead worker's journal is booked before or after.
    """
    async with house(tmp_path, database_url, [[Stall()], OK], MUCH) as books:
        file = tmp_path / "trivium.toml"
        file.write_text(
            file.read_text().replace("[ledger]", f'[ledger]\ninterrupted = "{interrupted}"')
        )
        async with books.node("two") as two:
            async with killed(books) as raw:
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
async def killed(books):
    """A node that dies while it answers; gives what it was asked."""
    folder = books.folder / "one"
    folder.mkdir()
    shutil.copy(books.folder / "trivium.toml", folder)
    (folder / "journal").mkdir(mode=0o700)
    shutil.copy(books.folder / "trivium.key", folder / "journal")
    gateway = start(folder, books.key)
    try:
        await listening(gateway)
        line = await gateway.wire()
        await line.send(gateway.chat(KEY))
        async with asyncio.timeout(60):
            while not books.vendor.requests:
                await asyncio.sleep(0.01)
        gateway.process.kill()
        gateway.process.wait()
        await line.close()
        yield gateway.chat(KEY)
    finally:
        gateway.process.kill()
        gateway.process.wait()


async def replayed(books):
    """Have the dead node's journal booked, as its next start does."""
    gateway = start(books.folder / "one", books.key)
    try:
        await listening(gateway)
        gateway.process.terminate()
        await gateway.ended()
    finally:
        gateway.process.kill()
        gateway.process.wait()
