"""Takes answers off the hot path and writes them soon after, in batches.

``add`` never waits and reads nothing. The writer wakes at once and then pauses, so a busy worker
writes many answers in one transaction; what is not written yet is found here first, because a
caller may refer to an answer the moment it has it. What waits is bounded in bytes: when the
database stays away, new answers are not kept, and that is counted.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

import structlog

from trivium.clock import Clock, SystemClock
from trivium.faults import Fault
from trivium.recall import items, rows
from trivium.recall.model import Kept, Limits, Note
from trivium.storage.errors import SchemaStale, StorageDown
from trivium.storage.vault import Vault

if TYPE_CHECKING:
    from trivium.storage.database import Database

BATCH: Final = 100
"""Answers a transaction."""
PAUSE_S: Final = 0.05
"""Between two batches: how late an answer may reach the database, and so other workers."""
PAUSE_S_MAX: Final = 30.0
"""Longest pause between two tries while the database is away."""
CLOSE_S: Final = 5.0
"""How long the end of a worker may wait for its last answers."""
QUEUE_BYTES_MAX: Final = 67_108_864
"""Bytes of answers that may wait: some thousand long conversations."""
DROPPED_LOG_S: Final = 60.0
"""Lost answers are told at most this often."""
LARGE_BYTES: Final = 65_536
"""A batch beyond this is sealed beside the event loop."""
DAY_S: Final = 86_400

_SYSTEM: Final = SystemClock()

_Key = tuple[int, str]

log = structlog.get_logger()


class Keeper:
    """Queue of answers in front of the database."""

    def __init__(
        self,
        db: "Database",
        vault: Vault,
        limits: Limits,
        clock: Clock = _SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._db = db
        self._vault = vault
        self._limits = limits
        self._clock = clock
        self._sleep = sleep
        self._unread: list[Note] = []
        self._waiting: dict[_Key, Kept] = {}
        self._bytes = 0
        self._wake = asyncio.Event()
        self._writing = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._is_down = False
        self._untold = 0
        self._told_at = float("-inf")
        self.dropped = 0
        """Answers that could not be kept since the start."""

    @property
    def waiting(self) -> int:
        """Answers that are not stored yet."""
        return len(self._unread) + len(self._waiting)

    def add(self, note: Note) -> None:
        """Queue one answer."""
        size = len(note.said) + len(note.input or b"")
        if self._bytes + size > QUEUE_BYTES_MAX:
            self._drop(1)
            return
        self._bytes += size
        self._unread.append(note)
        self._wake.set()

    def find(self, user_id: int, response_id: str) -> Kept | None:
        """An answer that is not stored yet."""
        self._read()
        return self._waiting.get((user_id, response_id))

    def holder(self, user_id: int, item_id: str) -> Kept | None:
        """The answer not stored yet that an item belongs to."""
        self._read()
        mine = (kept for (owner, _), kept in self._waiting.items() if owner == user_id)
        return next((kept for kept in mine if item_id in kept.items), None)

    @contextlib.asynccontextmanager
    async def without(self, user_id: int, response_id: str) -> AsyncIterator[bool]:
        """Forget an answer that waits, and write nothing until the block ends. Gives whether it
        waited.
        """
        async with self._writing:
            self._read()
            yield self._take_out(user_id, response_id)

    def start(self) -> None:
        """Begin to write in the background."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self, limit_s: float = CLOSE_S) -> None:
        """Stop, and write what waits within the limit; what is lost then is told."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                while not await self.flush():
                    await self._sleep(0.1)
        self._drop(self.waiting)
        self._told_at = float("-inf")
        self._tell_dropped()

    async def flush(self) -> bool:
        """Write everything that waits; ``False`` when the database is away."""
        while self.waiting:
            async with self._writing:
                self._read()
                batch = list(self._waiting.values())[:BATCH]
                if batch and not await self._write(batch):
                    return False
        return True

    async def _run(self) -> None:
        pause = PAUSE_S
        while True:
            await self._wake.wait()
            self._wake.clear()
            if await self.flush():
                pause = PAUSE_S
            else:
                self._wake.set()
                pause = min(2 * pause, PAUSE_S_MAX)
            self._tell_dropped()
            await self._sleep(pause)

    def _read(self) -> None:
        """Make of every note what can be looked up and stored."""
        notes, self._unread = self._unread, []
        for note in notes:
            self._bytes -= len(note.said) + len(note.input or b"")
            try:
                kept = self._kept(note)
            except Exception:
                # what an upstream said must neither stop the writer nor fail who looks here
                log.exception("response_unread", channel=note.channel)
                self._drop(1)
                continue
            if kept is not None:
                self._take_out(kept.user_id, kept.id)
                self._waiting[kept.user_id, kept.id] = kept
                self._bytes += _size(kept)

    def _take_out(self, user_id: int, response_id: str) -> bool:
        found = self._waiting.pop((user_id, response_id), None)
        if found is not None:
            self._bytes -= _size(found)
        return found is not None

    def _kept(self, note: Note) -> Kept | None:
        said = items.said_in(note.said, stream=note.stream)
        if said is None:
            return None
        given: list[bytes] = []
        if note.input is not None:
            try:
                listed = items.listed(note.input)
            except Fault:
                return None  # an upstream may take what we cannot read
            old, new = listed[: note.recalled], listed[note.recalled :]
            given = old + [
                items.named(row, said.id, at) for at, row in enumerate(new, note.recalled)
            ]
            if len(said.raw) + sum(map(len, given)) > self._limits.response_bytes_max:
                self._drop(1)
                return None
        return Kept(
            user_id=note.user_id,
            id=said.id,
            key_id=note.key_id,
            model=note.model,
            channel=note.channel,
            status=said.status,
            created_at=note.created_at,
            expires_at=note.created_at + self._limits.retention_days * DAY_S,
            response=None if note.input is None else said.raw,
            input=tuple(given),
            items=tuple(dict.fromkeys(items.ids([*said.output, *given[note.recalled :]]))),
        )

    async def _write(self, batch: list[Kept]) -> bool:
        """Store a batch; ``False`` when it has to be tried again."""
        try:
            await self._store(batch)
        except (StorageDown, SchemaStale) as error:
            return self._is_away(error)
        except Exception:
            # one bad answer must not hold up the others
            if len(batch) > 1:
                return all([await self._write([kept]) for kept in batch])
            log.exception("response_refused", response=batch[0].id)
            self._drop(1)
        for kept in batch:
            # an id that was used again meanwhile waits for its own turn
            if self._waiting.get((kept.user_id, kept.id)) is kept:
                self._take_out(kept.user_id, kept.id)
        if self._is_down:
            log.info("responses_flow_again", waiting=self.waiting)
        self._is_down = False
        return True

    async def _store(self, batch: list[Kept]) -> None:
        from trivium.recall import store

        if sum(map(_size, batch)) > LARGE_BYTES:
            made = await asyncio.to_thread(self._rows, batch)
        else:
            made = self._rows(batch)
        named = [
            {"user_id": kept.user_id, "id": name, "response_id": kept.id}
            for kept in batch
            for name in kept.items
        ]
        async with self._db.write() as conn:
            await store.save(conn, made, named)

    def _rows(self, batch: list[Kept]) -> list[dict[str, Any]]:
        return [rows.row_of(kept, self._vault) for kept in batch]

    def _is_away(self, error: Exception) -> bool:
        if not self._is_down:
            log.warning("responses_wait", error=str(error), waiting=self.waiting)
        self._is_down = True
        return False

    def _drop(self, count: int) -> None:
        self.dropped += count
        self._untold += count

    def _tell_dropped(self) -> None:
        now = self._clock.monotonic()
        if self._untold and now - self._told_at >= DROPPED_LOG_S:
            log.error("responses_not_kept", responses=self._untold, total=self.dropped)
            self._untold = 0
            self._told_at = now


def _size(kept: Kept) -> int:
    return len(kept.response or b"") + sum(map(len, kept.input))
