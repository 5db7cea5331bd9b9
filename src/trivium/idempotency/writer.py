"""Writes what has come of this worker's answers, soon after, in batches; and that it lives."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import msgspec
import structlog

from trivium.clock import Clock, SystemClock
from trivium.idempotency.kept_answer import KeptAnswer
from trivium.idempotency.model import DONE, DROPPED, RUNNING, AnswerHead, Change, Place
from trivium.settings.model import IdempotencySettings
from trivium.storage.errors import StorageError
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
            batch = list(self._dirty.values())[:BATCH]
            for answer in batch:
                del self._dirty[answer.place]
            ends = [answer.is_ended or not answer.is_kept for answer in batch]
            counts = [answer.first + len(answer.pieces) for answer in batch]
            try:
                if sum(answer.size for answer in batch) > APART_BYTES:
                    changes = await asyncio.to_thread(self._changes, batch, ends, counts)
                else:
                    changes = self._changes(batch, ends, counts)
                async with self._db.write() as conn:
                    lost = set(await store.write(conn, self._worker, changes))
            except StorageError as error:
                self._dirty = {answer.place: answer for answer in batch} | self._dirty
                return self.away(error)
            for answer, is_over, count, change in zip(batch, ends, counts, changes, strict=True):
                answer.stored, answer.stored_head = count, True
                if answer.place in lost:
                    log.info("answer_taken_over", request_id=answer.request_id)
                    answer.drop()
                if is_over or answer.place in lost:
                    self._forget(answer)
                if change.state == DONE:
                    await self._bound(answer.place.user_id, change.size_bytes)
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

    def _forget(self, answer: KeptAnswer) -> None:
        if self._mine.get(answer.place) is answer:
            del self._mine[answer.place]
            self._bytes -= answer.counted
            self._dirty.pop(answer.place, None)
            self.gone(answer)

    def _changes(
        self, batch: list[KeptAnswer], ends: list[bool], counts: list[int]
    ) -> list[Change]:
        return [self._change(*one) for one in zip(batch, ends, counts, strict=True)]

    def _change(self, answer: KeptAnswer, is_over: bool, count: int) -> Change:
        pieces: list[tuple[int, bytes]] = []
        if not answer.is_kept:
            state = DROPPED
        elif is_over and not answer.is_good:
            state = ""
        else:
            state = DONE if is_over else RUNNING
            head = answer.head
            if head is not None and not answer.stored_head and is_keepable(head):
                pieces.append((0, self._sealed(answer, 0, _encode(head))))
            if count > answer.stored and head is not None and is_keepable(head):
                data = b"".join(answer.pieces[answer.stored : count])
                pieces.append((answer.stored + 1, self._sealed(answer, answer.stored + 1, data)))
        return Change(answer.place, answer.claim, state, answer.size, pieces)

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


def is_keepable(head: AnswerHead) -> bool:
    """Whether an answer that begins so may be kept."""
    return head.status < 300


def place_in(place: Place, claim: int, number: int) -> bytes:
    """What a piece is bound to when it is sealed."""
    return f"{place.user_id}/{place.digest}/{claim}/{number}".encode()


def _unheard(answer: KeptAnswer) -> None:
    del answer
