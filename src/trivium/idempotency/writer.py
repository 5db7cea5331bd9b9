"""Writes what has come of this worker's answers, soon after, in batches; and that it lives."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
import structlog

from trivium.clock import Clock, SystemClock
from trivium.idempotency.kept_answer import PIECE_BYTES, KeptAnswer
from trivium.idempotency.model import DONE, DROPPED, RUNNING, AnswerHead, Change, Place
from trivium.settings.model import IdempotencySettings
from trivium.storage.errors import Conflict, Rejected, StorageError
from trivium.storage.late import LateModule
from trivium.storage.vault import Vault
from trivium.storage.write_behind import WriteBehind

if TYPE_CHECKING:
    from trivium.idempotency import store
    from trivium.storage.database import Database
else:
    store = LateModule("trivium.idempotency.store")

PAUSE_S: Final = 0.05
"""For how long pieces are gathered: how late others see them."""
BEAT_S: Final = 2.0
"""How often a worker says that it still answers."""
BATCH: Final = 200
"""Answers a transaction."""
BATCH_BYTES: Final = 8_388_608
"""Of them, after which the others wait for the next: they are copied to be sealed."""
APART_BYTES: Final = 65_536
"""A batch beyond this is sealed beside the event loop."""
MEMORY_BYTES_MAX: Final = 67_108_864
"""Of all answers that run or wait to be written; beyond it one more is not kept."""
LOOK_KEYS: Final = 100
"""Answers of one user after which is looked whether it has too much."""
USERS_MAX: Final = 10_000
"""Users whose answers are counted."""

_SYSTEM: Final = SystemClock()
_encode: Final = msgspec.msgpack.Encoder().encode

log = structlog.get_logger()


class _Draft(NamedTuple):
    """What is to be written of an answer, as it was in one turn of the loop: it is sealed beside
    it, while the answer may grow, or be let go.
    """

    answer: KeptAnswer
    state: str
    size: int
    rows: list[tuple[int, list[bytes]]]
    """Number and content of each."""

    @property
    def row_bytes(self) -> int:
        """Of all its rows."""
        return sum([len(data) for _, row in self.rows for data in row])

    @property
    def is_last(self) -> bool:
        """Whether nothing more will be written of it."""
        return self.state != RUNNING


class AnswerWriter(WriteBehind):
    """Queue of answers in front of the database."""

    def __init__(
        self,
        db: "Database",
        vault: Vault,
        worker: str,
        limits: IdempotencySettings,
        clock: Clock = _SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__("answers", pause_s=PAUSE_S, woken=True, clock=clock, sleep=sleep)
        self._db = db
        self._vault = vault
        self._worker = worker
        self._limits = limits
        self._mine: dict[Place, KeptAnswer] = {}
        self._dirty: dict[Place, KeptAnswer] = {}
        self._bytes = 0
        self._written: dict[int, tuple[int, int]] = {}
        """Keys and bytes of each user since it was last looked at."""
        self.gone: Callable[[KeptAnswer], None] = _unheard
        """Told of each answer that needs no more writing."""

    @property
    def waiting(self) -> int:
        """Answers with something that is not stored yet."""
        return len(self._dirty)

    def begin(self, answer: KeptAnswer) -> None:
        """An answer is this worker's."""
        self._mine[answer.place] = answer

    def grown(self, answer: KeptAnswer) -> None:
        """More of an answer has come, or it has ended."""
        if self._mine.get(answer.place) is not answer:
            return
        self._bytes += answer.size - answer.counted
        answer.counted = answer.size
        if answer.size > self._limits.answer_bytes_max or self._bytes > MEMORY_BYTES_MAX:
            answer.drop()
        self._dirty[answer.place] = answer
        self.wake()

    async def flush(self) -> bool:
        """Write everything that waits; ``False`` when the database is away."""
        while self._dirty:
            drafts = self._next()
            batch = [draft.answer for draft in drafts]
            for answer in batch:
                del self._dirty[answer.place]
            try:
                await self._written_down(drafts)
            except asyncio.CancelledError:  # the worker's end, which writes the rest
                self._again(batch)
                raise
            except (Conflict, Rejected) as error:
                await self._apart(batch, error)
            except StorageError as error:
                self._again(batch)
                return self.away(error)
        return self.back()

    async def run(self) -> None:
        """Say that this worker lives, as long as it does."""
        while True:
            await self._sleep(BEAT_S)
            running = [(answer.place, answer.claim) for answer in self._mine.values()]
            try:
                if running:
                    async with self._db.write() as conn:
                        await store.beat(conn, self._worker, running)
            except StorageError as error:
                self.away(error)

    # --- own ------------------------------------------------------------------------------------

    def _next(self) -> list[_Draft]:
        """What goes into one transaction."""
        drafts: list[_Draft] = []
        size = 0
        for answer in self._dirty.values():
            draft = _draft(answer)
            drafts.append(draft)
            size += draft.row_bytes
            if len(drafts) == BATCH or size >= BATCH_BYTES:
                break
        return drafts

    async def _written_down(self, drafts: list[_Draft]) -> None:
        """Raises the storage errors; then all of it is to be tried again."""
        if sum([draft.row_bytes for draft in drafts]) > APART_BYTES:
            changes = await asyncio.to_thread(self._changes, drafts)
        else:
            changes = self._changes(drafts)
        async with self._db.write() as conn:
            lost = set(await store.write(conn, self._worker, changes))
        for draft in drafts:
            answer = draft.answer
            if answer.cuts:
                answer.stored = answer.cuts[-1]
                answer.cuts.clear()
            answer.stored_head = answer.stored_head or any(not at for at, _ in draft.rows)
            if answer.place in lost:
                log.info("answer_taken_over", request_id=answer.request_id)
                answer.drop()
            if draft.is_last or answer.place in lost:
                self._forget(answer)
            if draft.state == DONE:
                await self._bound(answer.place.user_id, draft.size)

    async def _apart(self, batch: list[KeptAnswer], error: StorageError) -> None:
        """Write each for itself, as one of them is refused: that one is not kept."""
        self._again(batch)
        for answer in batch:
            if self._dirty.get(answer.place) is not answer:
                continue
            draft = _draft(answer)
            del self._dirty[answer.place]
            try:
                await self._written_down([draft])
            except asyncio.CancelledError:
                self._again([answer])
                raise
            except (Conflict, Rejected):
                log.warning("answer_refused", request_id=answer.request_id, error=str(error))
                if answer.is_kept:
                    answer.drop()
                    self._again([answer])
                else:
                    self._forget(answer)
            except StorageError:
                self._again([answer])

    def _again(self, batch: list[KeptAnswer]) -> None:
        """Before what has come meanwhile."""
        mine = {answer.place: answer for answer in batch if self._mine.get(answer.place) is answer}
        self._dirty = mine | self._dirty

    def _forget(self, answer: KeptAnswer) -> None:
        self._bytes -= answer.counted
        answer.counted = 0
        # its place may be another's by now, which this worker has begun since
        for known in (self._mine, self._dirty):
            if known.get(answer.place) is answer:
                del known[answer.place]
        self.gone(answer)

    def _changes(self, drafts: list[_Draft]) -> list[Change]:
        return [
            Change(
                answer.place,
                answer.claim,
                state,
                size,
                [(number, self._sealed(answer, number, b"".join(row))) for number, row in rows],
            )
            for answer, state, size, rows in drafts
        ]

    def _sealed(self, answer: KeptAnswer, number: int, data: bytes) -> bytes:
        return self._vault.seal(data, place_in(answer.place, answer.claim, number))

    async def _bound(self, user_id: int, size: int) -> None:
        """See from time to time that a user does not have more than may be; what a worker does not
        get to is left to the sweeper.
        """
        limits = self._limits
        if len(self._written) > USERS_MAX:
            self._written.clear()
        keys, total = self._written.get(user_id, (0, 0))
        keys, total = keys + 1, total + size
        self._written[user_id] = (keys, total)
        if keys < min(LOOK_KEYS, limits.user_keys_max) and total < limits.user_bytes_max // 8:
            return
        del self._written[user_id]
        with contextlib.suppress(StorageError):
            async with self._db.write() as conn:
                await store.trim(conn, user_id, limits.user_keys_max, limits.user_bytes_max, BATCH)


def _draft(answer: KeptAnswer) -> _Draft:
    """What is new of it. Rows whose commit may have been done are written as they were then."""
    if not answer.is_kept:
        return _Draft(answer, DROPPED, answer.size, [])
    if answer.is_ended and not answer.is_good:
        return _Draft(answer, "", answer.size, [])
    rows: list[tuple[int, list[bytes]]] = []
    head = answer.head
    if head is not None and is_keepable(head):
        if not answer.stored_head:
            rows.append((0, [_encode(head)]))
        _cut(answer)
        at = answer.stored
        for cut in answer.cuts:
            rows.append((at + 1, answer.pieces[at:cut]))
            at = cut
    return _Draft(answer, DONE if answer.is_ended else RUNNING, answer.size, rows)


def _cut(answer: KeptAnswer) -> None:
    """Divide what has come since the last try into rows of a size that can be read at once."""
    at = answer.cuts[-1] if answer.cuts else answer.stored
    size = 0
    for number in range(at, len(answer.pieces)):
        if size and size + len(answer.pieces[number]) > PIECE_BYTES:
            answer.cuts.append(number)
            size = 0
        size += len(answer.pieces[number])
    if size:
        answer.cuts.append(len(answer.pieces))


def is_keepable(head: AnswerHead) -> bool:
    """Whether an answer that begins so may be kept."""
    return head.status < 300


def place_in(place: Place, claim: int, number: int) -> bytes:
    """What a piece is bound to when it is sealed."""
    return f"{place.user_id}/{place.digest}/{claim}/{number}".encode()


def _unheard(answer: KeptAnswer) -> None:
    del answer
