"""Uploads: in memory while small, in a file without a name beyond, and nothing left behind."""

import asyncio
import contextlib
import errno
import os
import sys
import threading
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from trivium.faults import Fault, Kind
from trivium.uploads import spool as spooling
from trivium.uploads.spool import BLOCK_BYTES, Room, Spool


def files() -> set[str]:
    """The open files of this process."""
    found = set()
    for number in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found.add(str(number.readlink()))
    return {name for name in found if "deleted" in name or "#" in name}


linux = pytest.mark.skipif(sys.platform != "linux", reason="open files are seen in /proc")


async def kept(spool: Spool, size: int, block: int = 65_536) -> bytes:
    """Write so many bytes that differ, waiting as a connection does."""
    data = os.urandom(size)
    for start in range(0, size, block):
        spool.write(data[start : start + block])
        if spool.full:
            room = asyncio.Event()
            spool.when_room(room.set)
            await room.wait()
    await spool.settled()
    return data


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [0, 1, 1000, 1001, BLOCK_BYTES + 7, 5 * BLOCK_BYTES + 3])
async def test_what_was_written_can_be_read_at_any_place(tmp_path, size):
    """Below and above the limit, and more than once."""
    room = Room(str(tmp_path), memory_bytes=1000)
    spool = Spool(room)
    data = await kept(spool, size)
    assert (size <= 1000) is (spool._file is None and spool._fd < 0)
    for _ in range(2):
        assert data[:100] == await spool.read(0, 100)
        assert data[size // 2 :][:BLOCK_BYTES] == await spool.read(size // 2, BLOCK_BYTES)
    assert size == spool.size == room.taken
    spool.close()
    assert 0 == room.taken


@linux
@pytest.mark.asyncio
async def test_the_file_has_no_name_and_ends_with_the_spool(tmp_path):
    """Nothing can be found in the folder while it is there, and nothing is open afterwards."""
    before = files()
    spool = Spool(Room(str(tmp_path), memory_bytes=10))
    await kept(spool, 4 * BLOCK_BYTES)
    assert [] == list(tmp_path.iterdir())
    assert 1 == len(files() - before)
    spool.close()
    assert set() == files() - before


@linux
@pytest.mark.asyncio
async def test_a_spool_that_is_closed_while_the_disk_works_leaves_nothing(tmp_path, monkeypatch):
    """A thread that still writes to the file must not write to whatever gets its number next."""
    before = files()
    loop = asyncio.get_running_loop()
    began, go_on = asyncio.Event(), asyncio.Event()

    def slow(*args):
        asyncio.run_coroutine_threadsafe(pause(), loop).result()
        return append(*args)

    async def pause():
        began.set()
        await go_on.wait()

    append = spooling._append
    monkeypatch.setattr(spooling, "_append", slow)
    spool = Spool(Room(str(tmp_path), memory_bytes=10))
    spool.write(b"x" * BLOCK_BYTES)
    await began.wait()
    waiting = asyncio.ensure_future(spool.settled())
    await asyncio.sleep(0)
    spool.close()
    spool.close()
    go_on.set()
    await waiting
    while spool._busy:
        await asyncio.sleep(0.01)
    assert set() == files() - before
    with pytest.raises(Fault):
        await spool.read(0, 1)


@pytest.mark.asyncio
async def test_a_sender_that_is_faster_than_the_disk_has_to_wait(tmp_path, monkeypatch):
    """What waits for the disk is limited, and the sender hears when there is room again."""
    loop = asyncio.get_running_loop()
    go_on = asyncio.Event()
    append = spooling._append

    def slow(*args):
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()
        return append(*args)

    monkeypatch.setattr(spooling, "_append", slow)
    spool = Spool(Room(str(tmp_path), memory_bytes=0))
    written = 0
    while not spool.full:
        spool.write(b"x" * 65_536)
        written += 65_536
    assert written <= spooling.HIGH_BYTES + 65_536
    told = asyncio.Event()
    spool.when_room(told.set)
    await asyncio.sleep(0.05)
    assert not told.is_set()
    go_on.set()
    async with asyncio.timeout(20):
        await told.wait()
        await spool.settled()
    assert written == spool.size
    spool.close()


@pytest.mark.asyncio
async def test_a_folder_that_cannot_be_written_to_is_told_as_our_own_fault(tmp_path):
    """The caller reads that it is not to blame, and no path."""
    spool = Spool(Room(str(tmp_path / "nowhere"), memory_bytes=0))
    spool.write(b"x" * BLOCK_BYTES)
    with pytest.raises(Fault) as caught:
        await spool.settled()
    assert Kind.INTERNAL is caught.value.kind
    assert "nowhere" not in caught.value.message
    with pytest.raises(Fault):
        spool.write(b"more")
    spool.close()


@pytest.mark.asyncio
async def test_all_uploads_together_have_a_limit():
    """Beyond it the next is refused for a while, and what was let go makes room."""
    room = Room(memory_bytes=100, bytes_max=150)
    one, other = Spool(room), Spool(room)
    one.write(b"x" * 100)
    with pytest.raises(Fault) as caught:
        other.write(b"x" * 51)
    assert Kind.UPSTREAM_BUSY is caught.value.kind
    one.close()
    other.write(b"x" * 51)
    other.close()
    assert 0 == room.taken


@pytest.mark.asyncio
async def test_a_disk_that_is_full_is_told_to_the_operator_once(tmp_path, monkeypatch):
    """By the system's own words; room is given back, and nothing is left."""

    def full(*args):
        del args
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(spooling.os, "pwrite", full)
    room = Room(str(tmp_path), memory_bytes=0)
    spool = Spool(room)
    with capture_logs() as lines:
        spool.write(b"x" * spooling.BLOCK_BYTES * 2)
        for _ in range(2):
            with pytest.raises(Fault) as caught:
                await spool.settled()
        with pytest.raises(Fault):
            spool.write(b"x")
        spool.close()
    assert Kind.INTERNAL is caught.value.kind
    assert [("upload_not_kept", "No space left on device")] == [
        (line["event"], line["error"]) for line in lines
    ]
    assert (0, []) == (room.taken, list(tmp_path.iterdir()))


@pytest.mark.asyncio
@pytest.mark.parametrize("memory_bytes", [0, 1000])
async def test_a_thread_reads_at_any_place(tmp_path, memory_bytes):
    """And the file stays open for it, whoever closes the upload or stops to wait meanwhile."""
    spool = Spool(Room(str(tmp_path), memory_bytes))
    data = await kept(spool, 900)
    found = []
    begun, going = threading.Event(), threading.Event()

    def work(read):
        begun.set()
        going.wait(10)
        found.append((read(0, 900), read(100, 50), read(890, 100)))

    task = asyncio.create_task(spool.lend(work))
    while not begun.is_set():
        await asyncio.sleep(0.01)
    spool.close()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    going.set()
    while not found or spool._file is not None:
        await asyncio.sleep(0.01)
    assert [(data, data[100:150], data[890:])] == found
    with pytest.raises(Fault):
        await spool.lend(work)


@pytest.mark.asyncio
async def test_what_a_thread_cannot_read_is_told(tmp_path, monkeypatch):
    """And anything else that goes wrong there as well."""
    spool = Spool(Room(str(tmp_path), 0))
    await kept(spool, 900)

    def broken(*_):
        raise OSError(errno.EIO, "Input/output error")

    def crash(_):
        raise ValueError("work")

    with pytest.raises(ValueError, match="work"):
        await spool.lend(crash)
    monkeypatch.setattr(spooling.os, "pread", broken)
    with pytest.raises(Fault) as caught:
        await spool.lend(lambda read: read(0, 1))
    assert Kind.INTERNAL is caught.value.kind
    spool.close()
