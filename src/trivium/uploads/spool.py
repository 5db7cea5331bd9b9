"""Bytes of one upload: in memory up to a limit, beyond it in a file that nobody else can open.

Written by the connection they come in on, read by the calls they go out on, as often as there are
attempts. The file has no name from the start (``O_TMPFILE``, or unlinked at once), so nothing is
left behind however the process ends. The disk is worked on in threads: a slow one holds up the
upload, through the back-pressure of ``full``, and nobody else.
"""

import asyncio
import os
import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import structlog

from trivium.faults import Fault, Kind

BLOCK_BYTES: Final = 262_144
"""Written and read at a time: a write of it takes about 0.1 ms where the disk does not stall."""
HIGH_BYTES: Final = 4 * BLOCK_BYTES
"""Bytes that wait for the disk above which the sender has to wait."""


log = structlog.get_logger()


class Room:
    """The space that all uploads of one worker may take together."""

    __slots__ = ("bytes_max", "folder", "has_inputs", "memory_bytes", "taken")

    def __init__(
        self,
        folder: str | None = None,
        memory_bytes: int = 1_048_576,
        bytes_max: int = 2**33,
        *,
        has_inputs: bool = False,
    ) -> None:
        """``folder``: where files are made; ``None``: the system's own for temporary ones.

        ``memory_bytes``: of one upload, beyond which it goes to a file. ``bytes_max``: of all.
        ``has_inputs``: they are inputs of stored responses, and the log calls them so.
        """
        self.has_inputs = has_inputs
        self.folder = folder
        self.memory_bytes = memory_bytes
        self.bytes_max = bytes_max
        self.taken = 0
        """Bytes that are kept now, wherever."""

    def take(self, size: int) -> None:
        """Reserve ``size`` bytes. Raises ``Fault`` (UPSTREAM_BUSY) when there is no room."""
        if self.taken + size > self.bytes_max:
            raise Fault(
                Kind.UPSTREAM_BUSY,
                "The gateway holds as many uploads as it has room for; try again in a moment.",
                retry_after=5.0,
            )
        self.taken += size


class Spool:
    """The bytes of one upload, of one event loop; every method but ``read`` returns at once."""

    __slots__ = (
        "_busy",
        "_closed",
        "_fd",
        "_file",
        "_memory",
        "_pending",
        "_pending_bytes",
        "_resume",
        "_room",
        "_waiting",
        "_written",
        "failed",
        "size",
    )

    def __init__(self, room: Room) -> None:
        self._room = room
        self._memory = bytearray()
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._written = 0
        self._file: Any = None
        self._fd = -1
        self._busy = 0
        self._closed = False
        self._waiting: list[asyncio.Future[None]] = []
        self._resume: Callable[[], None] | None = None
        self.size = 0
        """Bytes so far."""
        self.failed: OSError | None = None
        """Why nothing more can be kept."""

    @property
    def full(self) -> bool:
        """Whether the sender should wait until the disk has caught up; ``when_room`` tells."""
        return self._pending_bytes > HIGH_BYTES and self.failed is None

    def when_room(self, resume: Callable[[], None]) -> None:
        """Call ``resume`` once, when there is room again."""
        self._resume = resume

    def write(self, data: bytes) -> None:
        """Keep the next bytes. Raises ``Fault`` when there is no room for them."""
        if self._closed or not data:
            return
        if self.failed is not None:
            raise _unkept()
        self._room.take(len(data))
        self.size += len(data)
        if self._fd < 0 and not self._pending and not self._busy:
            if len(self._memory) + len(data) <= self._room.memory_bytes:
                self._memory += data
                return
            self._pending.append(bytes(self._memory))
            self._pending_bytes = len(self._memory)
            self._memory = bytearray()
        self._pending.append(data)
        self._pending_bytes += len(data)
        if not self._busy and self._pending_bytes >= BLOCK_BYTES:
            self._flush()

    async def settled(self) -> None:
        """Wait until all bytes can be read. Raises ``Fault`` when they could not be kept."""
        while self._busy or self._pending:
            if not self._busy:
                self._flush()
            waiting = asyncio.get_running_loop().create_future()
            self._waiting.append(waiting)
            await waiting
            if self._closed:
                break
        if self.failed is not None:
            raise _unkept()

    async def read(self, start: int, size: int) -> bytes:
        """Up to ``size`` bytes from a place. Raises ``Fault`` when they cannot be had."""
        if self._closed:
            raise _unkept()
        if self._fd < 0:
            return bytes(self._memory[start : start + size])
        loop = asyncio.get_running_loop()
        self._busy += 1
        try:
            return await loop.run_in_executor(None, os.pread, self._fd, size, start)
        except OSError as error:
            self._fail(error)
            raise _unkept() from None
        finally:
            self._rest()

    async def lend(self, work: Callable[[Callable[[int, int], bytes]], None]) -> None:
        """Have a thread do some work with what reads up to so many bytes from a place. Raises
        ``Fault`` when they cannot be had, and what the work raises.
        """
        if self._closed:
            raise _unkept()
        if self._fd < 0:
            memory = self._memory
            await asyncio.to_thread(work, lambda start, size: bytes(memory[start : start + size]))
            return
        fd = self._fd
        self._busy += 1
        loop = asyncio.get_running_loop()
        working = loop.run_in_executor(None, work, lambda start, size: os.pread(fd, size, start))
        # the thread uses the file to its end, whether or not it is waited for
        working.add_done_callback(self._lent)
        try:
            await asyncio.shield(working)
        except OSError as error:
            self._fail(error)
            raise _unkept() from None

    def _lent(self, done: asyncio.Future[None]) -> None:
        if not done.cancelled():
            done.exception()  # is raised where the work is waited for, if it still is
        self._rest()

    def close(self) -> None:
        """Release the memory and the file, after a running write or read. May be called again."""
        if self._closed:
            return
        self._closed = True
        self._room.taken -= self.size
        self._memory = bytearray()
        self._pending = []
        self._pending_bytes = 0
        self._resume = None
        self._drop()
        self._wake()

    def _flush(self) -> None:
        """Have a thread write what is pending."""
        data = b"".join(self._pending)
        self._pending = []
        self._busy += 1
        loop = asyncio.get_running_loop()
        work = partial(_append, self._file, self._room.folder, self._written, data)
        loop.run_in_executor(None, work).add_done_callback(partial(self._flushed, len(data)))

    def _flushed(self, size: int, done: asyncio.Future[Any]) -> None:
        try:
            self._file = done.result()
        except OSError as error:
            self._fail(error)
        except asyncio.CancelledError:
            self.failed = OSError("the gateway is stopping")
        else:
            self._fd = self._file.fileno()
            self._written += size
        self._rest()
        if self._closed:
            return
        self._pending_bytes -= size
        if self._pending_bytes >= BLOCK_BYTES and self.failed is None:
            self._flush()
        if not self.full and self._resume is not None:
            resume, self._resume = self._resume, None
            resume()
        self._wake()

    def _fail(self, error: OSError) -> None:
        """Log the error, once: the caller learns only that it is not at fault."""
        if self.failed is None:
            reason = error.strerror or str(error)
            if self._room.has_inputs:
                log.error("input_not_spooled", error=reason)
            else:
                log.error("upload_not_kept", error=reason)
        self.failed = error

    def _rest(self) -> None:
        self._busy -= 1
        if self._closed:
            self._drop()

    def _drop(self) -> None:
        """Close the file, unless a thread uses it: its descriptor may be another file's by then."""
        if not self._busy and self._file is not None:
            self._file.close()
            self._file = None

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)


def _append(file: Any, folder: str | None, at: int, data: bytes) -> Any:
    """Write at a place of the file, made first if there is none. Runs in a thread."""
    made = None
    if file is None:
        file = made = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 - the spool's
    view = memoryview(data)
    try:
        while view:
            wrote = os.pwrite(file.fileno(), view, at)
            at += wrote
            view = view[wrote:]
    except OSError:
        if made is not None:
            made.close()  # nobody else has it
        raise
    return file


def _unkept() -> Fault:
    return Fault(
        Kind.INTERNAL, "The gateway could not keep the uploaded file. This is its own fault."
    )
