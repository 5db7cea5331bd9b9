"""Inputs in files."""

import asyncio
import errno

import pytest
from structlog.testing import capture_logs

from trivium.response_store import spooled_input
from trivium.response_store.spooled_input import LentInput
from trivium.uploads import spool as spooling
from trivium.uploads.spool import BLOCK_BYTES, Room

SIZES = [1, BLOCK_BYTES, 9 * BLOCK_BYTES + 5]


@pytest.mark.asyncio
@pytest.mark.parametrize("size", SIZES)
async def test_a_file_gives_back_what_was_written(tmp_path, size):
    """Whole and piece by piece, and it is gone when it is closed."""
    room = Room(str(tmp_path), 0)
    raw = b'"' + bytes(range(97, 123)) * (size // 26) + b'"'
    spool = await spooled_input.written(raw, room)
    found = []

    def look(read):
        lent = LentInput(read, spool.size)
        found.append((len(lent), lent.is_string(), lent.whole(), b"".join(lent)))

    await spool.lend(look)
    assert [(len(raw), True, raw, raw)] == found
    assert len(raw) == room.taken
    spool.close()
    assert 0 == room.taken


@pytest.mark.asyncio
async def test_without_room_it_stays_where_it_is(tmp_path):
    """And that is told to the operator."""
    room = Room(str(tmp_path), 0, bytes_max=BLOCK_BYTES)
    with capture_logs() as lines:
        assert None is await spooled_input.written(b"a" * (BLOCK_BYTES + 1), room)
    assert 0 == room.taken
    assert ["input_kept_in_memory"] == [line["event"] for line in lines]


@pytest.mark.asyncio
async def test_a_full_disk_is_no_fault_of_the_request(tmp_path, monkeypatch):
    """It is logged, with the reason."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(spooling.os, "pwrite", full)
    room = Room(str(tmp_path), 0, has_inputs=True)
    with capture_logs() as lines:
        assert None is await spooled_input.written(b"a" * 9 * BLOCK_BYTES, room)
    assert 0 == room.taken
    assert [("input_not_spooled", "No space left on device")] == [
        (line["event"], line["error"]) for line in lines if "error" in line
    ]


@pytest.mark.asyncio
async def test_who_stops_meanwhile_leaves_nothing(tmp_path, monkeypatch):
    """A caller may go while its input is written."""
    waiting = asyncio.Event()

    async def settled(_):
        waiting.set()
        await asyncio.sleep(60)

    monkeypatch.setattr(spooling.Spool, "settled", settled)
    room = Room(str(tmp_path), 0)
    task = asyncio.create_task(spooled_input.written(b"a" * BLOCK_BYTES, room))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert 0 == room.taken


@pytest.mark.asyncio
async def test_a_file_that_was_cut_is_not_taken_for_whole():
    """Half an input is none."""
    lent = LentInput(lambda at, size: b"abc"[at : at + size], 4)
    with pytest.raises(OSError, match="shorter"):
        lent.whole()
    with pytest.raises(OSError, match="shorter"):
        list(lent)
