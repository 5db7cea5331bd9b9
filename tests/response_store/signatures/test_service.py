"""Traces are found at once, survive a restart, stay within their limits and are never an error."""

import asyncio
import tracemalloc

import pytest
from sqlalchemy import text

from trivium.conversation.opaque import SIGNATURE, Opaque, StateOrigin
from trivium.response_store.signatures import service as module
from trivium.response_store.signatures.model import SignatureTrace, packed
from trivium.response_store.signatures.service import DAY_S, SignatureStore
from trivium.secret import Keyring
from trivium.settings.model import TracesSettings as Limits
from trivium.storage.errors import StorageDown
from trivium.storage.vault import Vault
from trivium.wire.state_refs import CALL_PREFIX

MAKER = StateOrigin("messages", "anthropic", "main")
CALL = CALL_PREFIX + "0" * 24


def trace(data=b"signature"):
    return SignatureTrace(MAKER, opaque=(Opaque(SIGNATURE, data, MAKER),))


class Away:
    """A database that is away."""

    def read(self, limit_s=0):
        del limit_s
        raise StorageDown("away")

    write = read


class Sleeps:
    """Pauses that pass at once, and may do something."""

    def __init__(self, during=None):
        self.taken = []
        self._during = during

    async def __call__(self, seconds):
        self.taken.append(seconds)
        if self._during is not None:
            await self._during()


@pytest.fixture
def made(clock):
    """Makes a store over a database; its pauses take no time."""

    def make(db, *, key=b"k" * 32, sleep=None, alone=False, **limits):
        pauses = sleep or Sleeps()
        return SignatureStore(db, Vault(Keyring(key)), Limits(**limits), clock, pauses, alone=alone)

    return make


@pytest.mark.asyncio
async def test_a_trace_is_found_before_it_is_written(database, made):
    """The next turn may come within a millisecond."""
    traces = made(database)
    traces.add(1, CALL, trace())
    assert (1, {CALL: trace()}) == (traces.waiting, await traces.find(1, [CALL, "other"]))


@pytest.mark.asyncio
async def test_a_trace_outlives_its_process(database, made):
    """What was written is found by the next."""
    first = made(database)
    first.add(1, CALL, trace())
    assert await first.flush()
    assert {CALL: trace()} == await made(database).find(1, [CALL])


@pytest.mark.asyncio
async def test_nobody_finds_what_another_user_left(database, made):
    """Neither in memory nor in the database."""
    traces = made(database)
    traces.add(1, CALL, trace())
    before = await traces.find(2, [CALL])
    await traces.flush()
    assert ({}, {}) == (before, await traces.find(2, [CALL]))


@pytest.mark.asyncio
async def test_the_background_writes_within_milliseconds(database):
    """And what is left at the end is written then."""
    traces = SignatureStore(database, Vault(Keyring(b"k" * 32)), Limits())
    traces.start()
    traces.add(1, "a", trace())
    async with asyncio.timeout(20):
        while traces.waiting:
            await asyncio.sleep(0.005)
    traces.add(1, "b", trace())
    await traces.close()
    assert {"a", "b"} == {
        *await SignatureStore(database, Vault(Keyring(b"k" * 32)), Limits()).find(1, ["a", "b"])
    }


@pytest.mark.asyncio
async def test_another_workers_trace_is_waited_for_once(database, made):
    """It has not been written yet when the caller is already back."""
    other = made(database)
    other.add(1, CALL, trace())
    sleep = Sleeps(during=other.flush)
    assert {CALL: trace()} == await made(database, sleep=sleep).find(1, [CALL])
    assert [module.AGAIN_S] == sleep.taken


@pytest.mark.asyncio
async def test_a_lost_trace_is_not_waited_for_again(database, made):
    """A conversation goes on quickly, turn after turn, without what is gone."""
    sleep = Sleeps()
    traces = made(database, sleep=sleep)
    assert [{}, {}] == [await traces.find(1, [CALL]) for _ in range(2)]
    assert [module.AGAIN_S] == sleep.taken


@pytest.mark.asyncio
@pytest.mark.parametrize(("ids", "alone"), [(["sig_0"], False), ([CALL], True)])
async def test_nothing_is_waited_for_without_need(database, made, ids, alone):
    """Signatures may be anybody's; a lone worker knows all there is."""
    sleep = Sleeps()
    assert ({}, []) == (
        await made(database, sleep=sleep, alone=alone).find(1, ids),
        sleep.taken,
    )


@pytest.mark.asyncio
async def test_old_traces_are_forgotten(database, made, clock):
    """Found until the last day, then not, and swept."""
    traces = made(database, retention_days=2)
    traces.add(1, "a", trace())
    await traces.flush()
    clock.advance(2 * DAY_S)
    kept = await made(database, retention_days=2).find(1, ["a"])
    clock.advance(1)
    gone = await made(database, retention_days=2).find(1, ["a"])
    assert ({"a": trace()}, {}) == (kept, gone)


@pytest.mark.asyncio
async def test_a_sweep_deletes_what_is_old(database, made, clock):
    """Round after round."""
    traces = made(database, retention_days=1)
    traces.add(1, "a", trace())
    await traces.flush()
    clock.advance(DAY_S + 1)
    traces.add(1, "b", trace())
    await traces.flush()
    pauses = []

    async def sleep(seconds):
        pauses.append(seconds)
        if len(pauses) == 3:  # before the second round
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await made(database, retention_days=1, sleep=sleep).sweep()
    async with database.read() as conn:
        left = await conn.execute(text("SELECT id FROM traces"))
        assert ["b"] == [row.id for row in left]


@pytest.mark.asyncio
async def test_memory_is_bounded(database, made):
    """What no longer fits is read from the database again."""
    size = len(packed(trace())) + module.ENTRY_BYTES
    traces = made(database, memory_bytes_max=3 * size)
    for number in range(5):
        traces.add(1, f"i{number}", trace())
        await traces.flush()
    assert traces._near_bytes == 3 * size
    assert {"i0": trace(), "i4": trace()} == await traces.find(1, ["i0", "i4"])


@pytest.mark.asyncio
async def test_while_the_database_is_away_the_oldest_go(made):
    """Requests go on; what is new is found."""
    size = len(packed(trace())) + module.ENTRY_BYTES
    traces = made(Away(), memory_bytes_max=3 * size)
    for number in range(5):
        traces.add(1, f"i{number}", trace())
    assert not await traces.flush()
    assert (3, 2) == (traces.waiting, traces.dropped)
    assert ["i2", "i3", "i4"] == sorted(await traces.find(1, [f"i{n}" for n in range(5)]))


@pytest.mark.asyncio
async def test_a_trace_that_is_too_large_is_not_kept(database, made):
    """One caller cannot fill the store with one answer."""
    traces = made(database, trace_bytes_max=1024)
    traces.add(1, "a", trace(b"x" * 1024))
    assert (1, {}) == (traces.dropped, await traces.find(1, ["a"]))


@pytest.mark.asyncio
async def test_nothing_is_remembered_where_the_settings_say_so(made):
    """The database is not even asked."""
    traces = made(Away(), retention_days=0)
    traces.add(1, "a", trace())
    assert (0, {}) == (traces.waiting, await traces.find(1, ["a"]))


@pytest.mark.asyncio
async def test_what_another_key_sealed_is_lost_and_no_error(database, made):
    """Also a row that was moved to another user."""
    traces = made(database)
    traces.add(1, CALL, trace())
    await traces.flush()
    async with database.write() as conn:
        await conn.execute(text("INSERT INTO traces SELECT 2, id, created_at, value FROM traces"))
    assert ({}, {}) == (
        await made(database, key=b"x" * 32, alone=True).find(1, [CALL]),
        await made(database, alone=True).find(2, [CALL]),
    )


@pytest.mark.asyncio
async def test_the_database_holds_no_readable_word(database, made):
    """Reasoning is the caller's; a copy of the file shows none of it."""
    traces = made(database)
    traces.add(1, CALL, trace(b"nobody may read this"))
    await traces.flush()
    async with database.read() as conn:
        (value,) = await conn.scalars(text("SELECT value FROM traces"))
    assert b"nobody" not in bytes(value)


@pytest.mark.asyncio
async def test_a_trace_that_the_database_refuses_holds_up_no_other(database, made):
    """It is dropped; the others of its batch are written."""
    traces = made(database)
    traces.add(1, "a", trace())
    traces.add(1, None, trace())
    traces.add(1, "b", trace())
    assert await traces.flush()
    assert (0, 1) == (traces.waiting, traces.dropped)
    assert {"a", "b"} == {*await made(database).find(1, ["a", "b"])}


@pytest.mark.asyncio
async def test_what_is_counted_is_what_memory_takes(made):
    """Small traces in the thousands take the memory that the settings say, and no more."""
    traces = made(Away(), memory_bytes_max=1_000_000)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for number in range(5000):
        traces.add(number, f"sig_{number:032x}", trace())
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert traces.dropped
    assert after - before < 1_500_000
