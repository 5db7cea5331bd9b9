"""One `Idempotency-Key` is one call upstream, one entry and one answer, whoever repeats it where."""

import asyncio
import contextlib
import shutil

import msgspec
import pytest

from end_to_end.running import ANSWER
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
from scripted_upstream import Send, Stall, Until, Wait, sized

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
    """Wait until what was answered is written behind."""
    del gateway
    await asyncio.sleep(0.5)


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
            await line.until(b'"content":"Ho"')
            lines.append(line)
        assert not rest.is_set()
        rest.set()
        for line in lines:
            await line.until(b"[DONE]")
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


@pytest.mark.asyncio
async def test_failures_are_not_kept(tmp_path, sqlite_template):
    """The same key is called anew after an error, and after a stream that broke."""
    error = b'{"error":{"message":"no","type":"server_error"}}'
    broken = [Send(sized(STREAM, headers=EVENTS)[:-HALF]), Wait(0.1)]
    url = sqlite(tmp_path, sqlite_template)
    script = [
        [Send(sized(error, status=b"400 Bad Request", headers=JSON))],
        OK,
    ]
    async with house(tmp_path, url, script, MUCH) as books, books.node("one") as gateway:
        raw = gateway.chat(KEY)
        assert 400 == (await gateway.send(raw))[0]
        await settled(gateway)
        assert 200 == (await gateway.send(raw))[0]
        assert 2 == len(books.vendor.requests)
    del broken


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


@pytest.mark.parametrize("interrupted", ["input", "free", "hold"])
@pytest.mark.asyncio
async def test_after_a_kill_the_repeat_is_billed_once(tmp_path, database_url, interrupted):
    """Another node answers anew under the first one's id; both together cost what the answer does,
    whether the dead worker's journal was booked before or after.
    """
    script = [[Stall()], OK]
    async with house(tmp_path, database_url, script, MUCH) as books:
        file = tmp_path / "trivium.toml"
        text = file.read_text()
        file.write_text(text.replace("flush_s", f'interrupted = "{interrupted}"\nflush_s'))
        async with books.node("two") as two:
            async with books.node("one") as one:
                raw = one.chat(KEY)
                line = await one.wire()
                await line.send(raw)
                async with asyncio.timeout(30):
                    while not books.vendor.requests:
                        await asyncio.sleep(0.01)
                one.process.kill()
                one.process.wait()
                await line.close()
            if interrupted != "free":
                await booked(books, two)
            status, headers, body = await two.send(raw)
            assert (200, ANSWER, 2) == (status, body, len(books.vendor.requests))
            assert b"trivium-idempotent-replay" not in headers
        if interrupted == "free":
            await booked(books, two)
    balance, entries = await books.books()
    request_id = headers[b"x-request-id"].decode()
    assert MUCH - COST == balance
    assert {request_id} == {name.partition(":")[0] for name in entries}


async def booked(books, two):
    """Have the journal of the first node booked by a worker of its folder."""
    del two
    node = books.folder / "one"
    again = books.folder / "again"
    shutil.copytree(node, again)
    shutil.rmtree(node)
    async with books.node("one") as gateway:
        gateway.process.terminate()
        await gateway.ended()
