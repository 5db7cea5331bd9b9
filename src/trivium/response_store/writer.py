"""Takes answers off the hot path and writes them soon after, in batches.

``add`` never waits and reads nothing. The writer wakes at once and then pauses, so a busy worker
writes many answers in one transaction; what is not written yet is found here first, because a
caller may refer to an answer the moment it has it. What waits is bounded in bytes: when the
database stays away, new answers are not kept, and that is counted.
"""

import asyncio
import contextlib
import itertools
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

import msgspec
import structlog

from trivium.clock import Clock, SystemClock
from trivium.faults import Fault
from trivium.response_store import items, rows
from trivium.response_store.model import Note, ResponseMembers, SealedResponse, StoredResponse
from trivium.response_store.spooled_input import LentInput
from trivium.settings.model import ResponsesSettings
from trivium.storage.errors import SchemaStale, StorageDown
from trivium.storage.vault import Vault
from trivium.storage.write_behind import WriteBehind, next_batch
from trivium.uploads.spool import Spool

if TYPE_CHECKING:
    from trivium.storage.database import Database

BATCH: Final = 100
"""Answers a transaction."""
BATCH_MAX: Final = 1000
"""When many wait."""
SETTLE_S: Final = 0.01
"""Before large answers are read: whoever answered still holds what was asked."""
PAUSE_S: Final = 0.05
"""Between two batches: how late an answer may reach the database, and so other workers."""
QUEUE_BYTES_MAX: Final = 67_108_864
"""Bytes of answers that may wait: some thousand long conversations."""
LARGE_BYTES: Final = 65_536
"""A batch beyond this is sealed beside the event loop."""
APART_BYTES: Final = 1_048_576
"""An answer with an input beyond this becomes a row at once, beside the event loop."""
DAY_S: Final = 86_400

_SYSTEM: Final = SystemClock()

_Key = tuple[int, str]

log = structlog.get_logger()


class ResponseWriter(WriteBehind):
    """Queue of answers in front of the database."""

    def __init__(
        self,
        db: "Database",
        vault: Vault,
        limits: ResponsesSettings,
        clock: Clock = _SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__(
            "responses", pause_s=PAUSE_S, woken=True, gathers=False, clock=clock, sleep=sleep
        )
        self._db = db
        self._vault = vault
        self._limits = limits
        self._unread: deque[Note] = deque()
        """In the order they came, each until it is read."""
        self._reading = asyncio.Lock()
        self._waiting: dict[_Key, StoredResponse] = {}
        self._bytes = 0
        self._turn = asyncio.Lock()

    @property
    def waiting(self) -> int:
        """Answers that are not stored yet."""
        return len(self._unread) + len(self._waiting)

    def add(self, note: Note) -> None:
        """Queue one answer for storing; dropped and counted if the queue has no room for it."""
        size = len(note.said) + _input_size(note)
        is_kept = note.input is not None
        if self._bytes + size > QUEUE_BYTES_MAX or (
            is_kept and size > 2 * self._limits.response_bytes_max
        ):
            _let_go(note)
            self.drop()
            return
        self._bytes += size
        self._unread.append(note)
        self.wake()

    async def find(self, user_id: int, response_id: str) -> StoredResponse | None:
        """An answer that is not stored yet."""
        if self._unread:
            await self._read()
        return await self._opened(self._waiting.get((user_id, response_id)))

    async def holder(self, user_id: int, item_id: str) -> StoredResponse | None:
        """The answer not stored yet that an item belongs to."""
        if self._unread:
            await self._read()
        mine = (kept for (owner, _), kept in self._waiting.items() if owner == user_id)
        return await self._opened(next((kept for kept in mine if item_id in kept.items), None))

    async def _opened(self, found: StoredResponse | None) -> StoredResponse | None:
        """What waits, with its body and input, should it be a row already."""
        if type(found) is not SealedResponse:
            return found
        return await asyncio.to_thread(rows.opened, found, self._vault)

    @contextlib.asynccontextmanager
    async def without(self, user_id: int, response_id: str) -> AsyncIterator[bool]:
        """Forget an answer that waits; none is written until the block ends. Whether it waited."""
        async with self._turn:
            await self._read()
            yield self._take_out(user_id, response_id)

    async def flush(self) -> bool:
        """Write everything that waits; ``False`` when the database is away."""
        while self.waiting:
            if self._bytes > LARGE_BYTES:
                await asyncio.sleep(SETTLE_S)
            async with self._turn:
                await self._read()
                size = next_batch(len(self._waiting), BATCH, BATCH_MAX)
                batch = list(itertools.islice(self._waiting.values(), size))
                if batch and not await self._write(batch):
                    return False
        return True

    async def _read(self) -> None:
        """Make of every note what can be looked up and stored."""
        async with self._reading:
            while self._unread:
                note = self._unread[0]
                try:
                    kept = await self._apart(note) if _is_large(note) else self._kept(note)
                except Exception:
                    # what an upstream said must neither stop the writer nor fail who looks here
                    log.exception("response_unread", channel=note.channel)
                    self.drop()
                    kept = None
                # not before: who is stopped while it is read finds it here again
                self._unread.popleft()
                self._bytes -= len(note.said) + _input_size(note)
                _let_go(note)
                if kept is not None:
                    self._take_out(kept.user_id, kept.id)
                    self._waiting[kept.user_id, kept.id] = kept
                    self._bytes += _size(kept)

    def _take_out(self, user_id: int, response_id: str) -> bool:
        found = self._waiting.pop((user_id, response_id), None)
        if found is not None:
            self._bytes -= _size(found)
        return found is not None

    def _kept(self, note: Note) -> StoredResponse | None:
        said = items.said_in(note.said, stream=note.stream)
        if said is None:
            return None
        given: list[bytes] = []
        if note.input is not None:
            assert not isinstance(note.input, Spool)
            try:
                listed = items.listed(note.input)
            except Fault:
                return None  # an upstream may take what we cannot read
            old, new = listed[: note.recalled], listed[note.recalled :]
            given = old + [
                items.named(row, said.id, at) for at, row in enumerate(new, note.recalled)
            ]
            if len(said.raw) + sum(map(len, given)) > self._limits.response_bytes_max:
                self.drop()
                return None
        return StoredResponse(
            response=None if note.input is None else said.raw,
            input=tuple(given),
            items=tuple(dict.fromkeys(items.ids([*said.output, *given[note.recalled :]]))),
            **self._facts(note, said),
        )

    def _facts(self, note: Note, said: ResponseMembers) -> dict[str, Any]:
        """What a stored response says beside what was asked and answered."""
        return {
            "user_id": note.user_id,
            "id": said.id,
            "key_id": note.key_id,
            "model": note.model,
            "channel": note.channel,
            "status": said.status,
            "created_at": note.created_at,
            "expires_at": note.created_at + self._limits.retention_days * DAY_S,
        }

    async def _apart(self, note: Note) -> StoredResponse | None:
        """As ``_kept``, of an answer to a large input: its row, made beside the event loop."""
        # the row comes back in a list: a future is in a circle, and would keep it until collected
        made: list[SealedResponse] = []
        given = note.input
        if isinstance(given, Spool):
            size = given.size
            await given.lend(lambda read: self._seal(note, LentInput(read, size), made))
        else:
            assert given is not None
            await asyncio.to_thread(self._seal, note, given, made)
        return made.pop() if made else None

    def _seal(
        self, note: Note, raw: bytes | msgspec.Raw | LentInput, made: list[SealedResponse]
    ) -> None:
        """Put the row of an answer into ``made``, if it is one to be kept. Runs in a thread."""
        said = items.said_in(note.said, stream=note.stream)
        if said is None:
            return
        try:
            if not isinstance(raw, LentInput):
                ids, given = items.pieces(raw, said.id, note.recalled)
            elif raw.is_string():
                ids, given = items.message(raw, said.id)
            else:
                ids, given = items.pieces(raw.whole(), said.id, note.recalled)
        except Fault:
            return
        if len(said.raw) + sum(map(rows.size_of, given)) > self._limits.response_bytes_max:
            self.drop()
            return
        body = rows.compressed(said.raw, given)
        del given  # and with it the input, before a copy is made of what it became
        names = tuple(dict.fromkeys([*items.ids(said.output), *ids]))
        kept = StoredResponse(response=None, items=names, **self._facts(note, said))
        made.append(rows.sealed(kept, body, self._vault))

    async def _write(self, batch: list[StoredResponse]) -> bool:
        """Store a batch; ``False`` when it has to be tried again."""
        try:
            await self._store(batch)
        except (StorageDown, SchemaStale) as error:
            return self.away(error)
        except Exception:
            # one bad answer must not hold up the others
            if len(batch) > 1:
                return all([await self._write([kept]) for kept in batch])
            log.exception("response_refused", response=batch[0].id)
            self.drop()
        for kept in batch:
            # an id that was used again meanwhile waits for its own turn
            if self._waiting.get((kept.user_id, kept.id)) is kept:
                self._take_out(kept.user_id, kept.id)
        return self.back()

    async def _store(self, batch: list[StoredResponse]) -> None:
        from trivium.response_store import store

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

    def _rows(self, batch: list[StoredResponse]) -> list[dict[str, Any]]:
        return [rows.row_of(kept, self._vault) for kept in batch]


def _size(kept: StoredResponse) -> int:
    if type(kept) is SealedResponse:
        return len(kept.body)
    return len(kept.response or b"") + sum(map(len, kept.input))


def _input_size(note: Note) -> int:
    given = note.input
    if given is None:
        return 0
    return given.size if isinstance(given, Spool) else len(given)


def _is_large(note: Note) -> bool:
    return isinstance(note.input, Spool) or _input_size(note) > APART_BYTES


def _let_go(note: Note) -> None:
    """Keep no byte of the input, which may be all of a request."""
    given = note.input
    if isinstance(given, Spool):
        given.close()
    if given is not None:
        note.input = b""
