"""The queue of answers in front of the database."""

import asyncio
import threading

import msgspec
import pytest

from trivium.response_store import rows, spooled_input, store
from trivium.response_store import writer as module
from trivium.response_store.model import Note
from trivium.response_store.writer import ResponseWriter
from trivium.secret import Keyring
from trivium.settings.model import ResponsesSettings
from trivium.storage.errors import StorageDown
from trivium.storage.vault import Vault
from trivium.uploads import spool
from trivium.uploads.spool import Room

VAULT = Vault(Keyring(b"k" * 32))


def note(name="resp_1", *, user=3, given=b'"Hi"', recalled=0, status="completed", item="msg_1"):
    body = b'{"id":"%b","status":"%b","output":[{"type":"message","id":"%b"}]}'
    return Note(
        user_id=user, key_id=7, model="m", channel="c", stream=False, created_at=1_000,
        said=body % (name.encode(), status.encode(), item.encode()), input=given, recalled=recalled,
    )  # fmt: skip


def keeper(db, clock, **limits):
    return ResponseWriter(db, VAULT, ResponsesSettings(**limits), clock)


async def stored(db, name, user=3):
    async with db.read() as conn:
        return await store.find(conn, user, name, 1_001)


@pytest.mark.asyncio
async def test_an_answer_is_found_before_and_after_it_is_written(database, clock):
    """First in the queue, then in the table, never in neither."""
    one = keeper(database, clock)
    one.add(note())
    assert "completed" == (await one.find(3, "resp_1")).status
    assert "resp_1" == (await one.holder(3, "msg_1")).id
    assert None is await one.find(4, "resp_1")
    assert None is await one.holder(4, "msg_1")
    assert await one.flush()
    assert (0, None) == (one.waiting, await one.find(3, "resp_1"))
    assert "completed" == (await stored(database, "resp_1")).status


@pytest.mark.asyncio
async def test_the_writer_wakes_by_itself(database, clock):
    """Nobody has to flush."""
    one = keeper(database, clock)
    one.start()
    one.add(note())
    async with asyncio.timeout(10):
        while one.waiting:
            await asyncio.sleep(0.01)
    assert await stored(database, "resp_1")
    await one.close()


@pytest.mark.asyncio
async def test_an_id_used_again_means_the_newer_answer(database, clock):
    """Engines that count their answers begin at one again."""
    one = keeper(database, clock)
    one.add(note(status="failed"))
    assert await one.flush()
    one.add(note())
    assert await one.flush()
    assert "completed" == (await stored(database, "resp_1")).status
    one.add(note(status="failed"))
    one.add(note())
    assert 2 == one.waiting
    assert "completed" == (await one.find(3, "resp_1")).status


@pytest.mark.asyncio
async def test_input_items_get_ids_once(database, clock):
    """Those recalled have theirs; the new ones are named by their place."""
    one = keeper(database, clock)
    one.add(note("resp_a", given=b'[{"id":"old","role":"user"},{"role":"user"}]', recalled=1))
    kept = await one.find(3, "resp_a")
    assert (b'{"id":"old","role":"user"}', b'{"id":"msg_ai1","role":"user"}') == kept.input
    assert ("msg_1", "msg_ai1") == kept.items


@pytest.mark.asyncio
async def test_what_an_upstream_keeps_is_only_noted(database, clock):
    """Where it is and what items it has, no word of it."""
    one = keeper(database, clock)
    one.add(note(given=None))
    assert await one.flush()
    row = await stored(database, "resp_1")
    assert (None, 0, "c") == (row.body, row.size_bytes, row.channel)
    async with database.read() as conn:
        assert "resp_1" == await store.holder(conn, 3, "msg_1")


@pytest.mark.asyncio
@pytest.mark.parametrize("said", [b"", b"[]", b'{"id":7}'])
async def test_what_is_no_answer_leaves_nothing(database, clock, said):
    """An upstream may say anything."""
    one = keeper(database, clock)
    bad = note()
    bad.said = said
    one.add(bad)
    assert None is await one.find(3, "resp_1")
    assert 0 == one.waiting


@pytest.mark.asyncio
async def test_an_answer_that_is_too_large_is_not_kept(database, clock):
    """Counted, not stored."""
    one = keeper(database, clock, response_bytes_max=100)
    one.add(note(given=b'"' + b"x" * 100 + b'"'))
    assert (None, 1) == (await one.find(3, "resp_1"), one.dropped)


@pytest.mark.asyncio
async def test_the_queue_is_bounded_in_bytes(database, clock, monkeypatch):
    """What was accepted stays; what comes beyond is counted; writing makes room."""
    monkeypatch.setattr(module, "QUEUE_BYTES_MAX", 300)
    one = keeper(database, clock)
    for number in range(5):
        one.add(note(f"resp_{number}"))
    assert (3, 2) == (one.waiting, one.dropped)
    assert await one.flush()
    one.add(note("resp_9"))
    assert "resp_9" == (await one.find(3, "resp_9")).id


class Away:
    """A database that does not answer."""

    def write(self, limit_s=0):
        raise StorageDown("away")


@pytest.mark.asyncio
async def test_answers_wait_for_a_database_that_is_away(database, clock):
    """Found meanwhile, and written when it is back."""
    one = keeper(Away(), clock)
    one.add(note())
    assert not await one.flush()
    assert "resp_1" == (await one.find(3, "resp_1")).id
    one._db = database
    assert await one.flush()
    assert await stored(database, "resp_1")


@pytest.mark.asyncio
async def test_what_is_lost_at_the_end_is_counted(clock):
    """A worker that ends without a database says so."""
    one = keeper(Away(), clock)
    one.start()
    one.add(note())
    await one.close(limit_s=0.05)
    assert 1 == one.dropped


@pytest.mark.asyncio
async def test_one_bad_answer_does_not_hold_up_the_others(database, clock):
    """It alone is dropped."""
    one = keeper(database, clock)
    one.add(note("resp_1"))
    bad = note("resp_2", user=2**70)
    one.add(bad)
    assert await one.flush()
    assert await stored(database, "resp_1")
    assert 1 == one.dropped


@pytest.mark.asyncio
async def test_a_forgotten_answer_is_not_written_behind_ones_back(database, clock):
    """While the block runs, nothing is."""
    one = keeper(database, clock)
    one.add(note("resp_1"))
    async with one.without(3, "resp_1") as waited:
        assert waited
        flushing = asyncio.create_task(one.flush())
        await asyncio.sleep(0.02)
    assert await flushing
    assert None is await stored(database, "resp_1")


@pytest.mark.asyncio
async def test_an_answer_that_cannot_be_read_takes_no_other_along(database, clock, monkeypatch):
    """It is dropped and counted; the writer and the look-ups go on."""
    real = module.items.said_in

    def odd(said, *, stream):
        if b"resp_1" in said:
            raise ZeroDivisionError
        return real(said, stream=stream)

    monkeypatch.setattr(module.items, "said_in", odd)
    one = keeper(database, clock)
    one.add(note("resp_1"))
    one.add(note("resp_2"))
    assert (None, 1) == (await one.find(3, "resp_1"), one.dropped)
    assert "resp_2" == (await one.find(3, "resp_2")).id


LARGE = {
    "a string": msgspec.json.encode("\u00fcber " * 300_000),
    "items": msgspec.json.encode([{"role": "user", "content": "a"}] * 36_000),
    "long items": msgspec.json.encode(
        [
            {"role": "user", "content": "a" * 700_000},
            {"id": None, "type": "function_call_output", "output": "b" * 700_000},
            {"id": "fc_mine", "type": "function_call_output", "output": "c" * 70_000},
            7,
            "d" * 70_000,
        ]
    ),
    "blanks": b"[ " + b'{ "role":"user","content":"a"} , ' * 36_000 + b'{"id":"x"} ]',
}


@pytest.mark.asyncio
@pytest.mark.parametrize("kept_in", ["memory", "a file"])
@pytest.mark.parametrize("recalled", [0, 1])
@pytest.mark.parametrize("name", LARGE)
async def test_a_large_input_is_kept_as_any_other(
    sqlite_database, clock, monkeypatch, name, recalled, kept_in
):
    """It becomes a row at once, and is found as one that waits and as one that is stored."""
    raw = LARGE[name]
    if recalled and raw.startswith(b'"'):
        pytest.skip("what was recalled is a list")
    usual = keeper(sqlite_database, clock)
    monkeypatch.setattr(module, "APART_BYTES", 1 << 40)
    usual.add(note(given=raw, recalled=recalled))
    wanted = await usual.find(3, "resp_1")
    monkeypatch.undo()
    one = keeper(sqlite_database, clock)
    room = Room(memory_bytes=0)
    given = raw if kept_in == "memory" else await spooled_input.written(raw, room)
    one.add(note(given=given, recalled=recalled))
    found = await one.find(3, "resp_1")
    assert [json_of(wanted)] == [json_of(found)]
    assert wanted.items == found.items
    assert wanted.id == (await one.holder(3, wanted.items[-1])).id
    assert (0, 1) == (room.taken, one.waiting)
    assert await one.flush()
    stored_one = rows.kept_of(await stored(sqlite_database, "resp_1"), VAULT)
    assert json_of(wanted) == json_of(stored_one)
    assert (0, 0) == (one.waiting, one._bytes)


def json_of(kept):
    """What was kept, with its items as values: who names one may write its members anew."""
    return kept.response, [msgspec.json.decode(row) for row in kept.input]


@pytest.mark.asyncio
async def test_a_file_is_closed_whatever_becomes_of_its_answer(sqlite_database, clock):
    """One that is dropped, that is none, that cannot be read or that is too large."""
    room = Room(memory_bytes=0)
    one = keeper(sqlite_database, clock, response_bytes_max=40_000)

    async def added(raw, **changes):
        one.add(
            msgspec.structs.replace(note(given=await spooled_input.written(raw, room)), **changes)
        )
        found = await one.find(3, "resp_1")
        assert 0 == room.taken
        return found

    assert None is await added(b'"' + b"a" * 50_000 + b'"')
    assert 1 == one.dropped
    assert None is await added(b'"' + b"a" * 90_000 + b'"')
    assert 2 == one.dropped
    assert None is await added(b'"Hi"', said=b"[]")
    assert None is await added(b"{}")
    assert 2 == one.dropped
    assert "completed" == (await added(b'"Hi"')).status


@pytest.mark.asyncio
async def test_who_stops_the_writer_loses_no_large_answer(sqlite_database, clock, monkeypatch):
    """What it was just reading is read again."""
    room = Room(memory_bytes=0)
    one = keeper(sqlite_database, clock)
    begun, going = threading.Event(), threading.Event()
    compressed = rows.compressed

    def slowly(*given):
        begun.set()
        going.wait(10)
        return compressed(*given)

    monkeypatch.setattr(rows, "compressed", slowly)
    one.start()
    one.add(note(given=await spooled_input.written(LARGE["items"], room)))
    while not begun.is_set():
        await asyncio.sleep(0.01)
    asyncio.get_running_loop().call_later(0.05, going.set)
    await one.close(limit_s=60)
    assert (0, 0) == (one.waiting, one.dropped)
    assert await stored(sqlite_database, "resp_1")
    assert 0 == room.taken


@pytest.mark.asyncio
async def test_a_file_that_fails_costs_its_own_answer(sqlite_database, clock, monkeypatch):
    """A disk may break between writing and reading."""
    room = Room(memory_bytes=0)
    one = keeper(sqlite_database, clock)
    given = await spooled_input.written(LARGE["items"], room)

    def broken(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(spool.os, "pread", broken)
    one.add(note(given=given))
    one.add(note("resp_2"))
    assert (None, 1) == (await one.find(3, "resp_1"), one.dropped)
    assert "resp_2" == (await one.find(3, "resp_2")).id
    assert 0 == room.taken
