"""Answers by their ``Idempotency-Key``: at most one call upstream a key, whoever asks and where.

Of each key that is asked for here there is one ``KeptAnswer``, whatever the number of callers. It
comes from the request of the first of them, if the database lets this worker have it, and else from
what another worker has stored, which is read again and again while it grows.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, Protocol

import msgspec
import structlog

from trivium.clock import Clock, SystemClock
from trivium.faults import Fault, Kind
from trivium.idempotency.claims import SILENT_S, Claims
from trivium.idempotency.kept_answer import LAG_BYTES, KeptAnswer, cut_off
from trivium.idempotency.key import NAME, other_body
from trivium.idempotency.looks import LEAST_S, MOST_S, Looks, pause_until
from trivium.idempotency.model import (
    DONE,
    DROPPED,
    RUNNING,
    AnswerHead,
    ClaimRequest,
    ClaimVerdict,
    LookRequest,
    Place,
    StoredAnswer,
)
from trivium.idempotency.refusals import ClaimRefusals
from trivium.idempotency.writer import AnswerWriter, place_in
from trivium.settings.model import IdempotencySettings
from trivium.storage.errors import StorageError
from trivium.storage.late import LateModule
from trivium.storage.vault import Vault, VaultError

if TYPE_CHECKING:
    from trivium.idempotency import store
    from trivium.storage.database import Database
else:
    store = LateModule("trivium.idempotency.store")

HOUR_S: Final = 3600
AWAY_S: Final = 10.0
"""For so long those who wait for another worker's answer wait for the database as well."""
APART_BYTES: Final = 65_536
"""Pieces beyond this are opened beside the event loop."""
SILENT_MAX: Final = 1000
"""Answers that broke off here, of which is known what their workers said last."""

_SYSTEM: Final = SystemClock()
_head: Final = msgspec.msgpack.Decoder(AnswerHead).decode

log = structlog.get_logger()


class Runner(Protocol):
    """Who can have the request answered that wants an answer."""

    def run(self, answer: KeptAnswer, drops: int) -> None:
        """Do so, by the answer's request id. ``drops``: how often its answer was not kept."""
        ...

    def release(self) -> None:
        """It is not needed: it is answered elsewhere."""
        ...


class _Following:
    """Reads what another worker stores of an answer, to its end."""

    def __init__(
        self,
        looks: Looks,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]],
        answer: KeptAnswer,
    ) -> None:
        self._looks = looks
        self._clock = clock
        self._sleep = sleep
        self._answer = answer
        self._may_read = asyncio.Event()
        self._may_read.set()
        self.last_beat: int | None = None
        """What its worker said last, if nothing followed for ``SILENT_S`` of this worker's time."""
        self._beat: tuple[int, float] | None = None
        self._down_at: float | None = None

    async def follow(
        self, hand_on: "Callable[[KeptAnswer, StoredAnswer], Awaitable[None]]"
    ) -> bool:
        """``False``: there will be none, and whoever has nothing of it yet may ask anew. Raises
        ``Fault`` and the database's.
        """
        answer, after, pause = self._answer, 0, LEAST_S
        while not answer.is_deserted:
            try:
                found = await self._looks.look(LookRequest(answer.place, after, answer.size))
                self._down_at = None
            except StorageError as error:
                await self._bear(error)
                continue
            if found is None or self._is_over(found):
                if answer.head is None:
                    return False
                answer.fail(cut_off())
                return True
            if found.pieces:
                await hand_on(answer, found)
                after, pause = found.pieces[-1][0] + 1, LEAST_S
                if answer.size > LAG_BYTES:
                    answer.drop()  # who comes now reads it for itself
                await self._may_read.wait()
            if found.is_all and found.state == DONE:
                answer.end()
                return True
            if found.is_all:
                await self._sleep(pause_until(self._clock.monotonic(), pause))
                pause = min(2 * pause, MOST_S)
        return True

    def pause(self) -> None:
        """All who read it are too slow."""
        self._may_read.clear()

    def resume(self) -> None:
        """They have caught up."""
        self._may_read.set()

    def interrupt(self, fault: Fault) -> None:
        """It is not made here: each of its readers ends alone."""

    def leave(self) -> None:
        """Nobody reads it any more."""
        self._may_read.set()

    def _is_over(self, found: StoredAnswer) -> bool:
        """Whether nothing will come of it: let go, begun anew, or its worker has fallen silent."""
        if found.state == DROPPED or found.claim != self._answer.claim:
            return True
        now = self._clock.monotonic()
        if self._beat is None or self._beat[0] != found.beat_at:
            self._beat = found.beat_at, now
        elif found.state == RUNNING and now - self._beat[1] > SILENT_S:
            self.last_beat = found.beat_at
            return True
        return False

    async def _bear(self, error: StorageError) -> None:
        """Wait for the database. Raises its error when that takes too long."""
        now = self._clock.monotonic()
        if self._down_at is None:
            self._down_at = now
        elif now - self._down_at > AWAY_S:
            raise error
        self._beat = None  # its worker could not say anything either
        await self._sleep(MOST_S)


class KeptAnswers:
    """Finds the answer to each key that is asked for here, or has it made."""

    def __init__(
        self,
        db: "Database",
        vault: Vault,
        worker: str,
        limits: IdempotencySettings,
        clock: Clock = _SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """``worker``: a name that no other has, nor had."""
        self._db = db
        self._vault = vault
        self._clock = clock
        self._sleep = sleep
        self.answer_bytes_max = limits.answer_bytes_max
        """Of an answer that is kept."""
        self.refusals = ClaimRefusals(clock)
        """Of callers beyond their limits, who may claim less."""
        self._looks = Looks(db)
        self._claims = Claims(db, worker, limits.hours * HOUR_S)
        self.writer = AnswerWriter(db, vault, worker, limits, clock, sleep)
        self.writer.gone = self._forget
        self._live: dict[tuple[Place, str], KeptAnswer] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._silent: dict[Place, int] = {}
        """By the database's clock: what the workers of broken answers said last."""

    def start(self) -> None:
        """Begin to write in the background."""
        self.writer.start()

    async def close(self) -> None:
        """Stop, and write what is not written yet."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.writer.close()

    def find(self, place: Place, body_digest: str) -> KeptAnswer | None:
        """The answer to a request with a key, if it is being read or made here, and all of it is
        still here. Whether a key was used for another request only the database knows.
        """
        found = self._live.get((place, body_digest))
        return found if found is not None and found.is_kept else None

    async def knows(self, place: Place) -> bool:
        """Whether anybody has asked with this key, and its day is not over. Raises the database's
        errors.
        """
        return await self._looks.look(LookRequest(place, 1, 0)) is not None

    def begin(
        self, key: bytes, place: Place, body_digest: str, request_id: str, runner: Runner
    ) -> KeptAnswer:
        """Have a key answered, of which ``find`` knows nothing. The first reader is to enter in the
        same turn of the loop. ``runner``: has it answered here if nobody else does.
        """
        answer = self._live[place, body_digest] = KeptAnswer(place, body_digest)
        asked = ClaimRequest(place, body_digest, request_id)
        task = asyncio.get_running_loop().create_task(self._supply(answer, key, asked, runner))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return answer

    # --- own ------------------------------------------------------------------------------------

    def _forget(self, answer: KeptAnswer) -> None:
        asked = answer.place, answer.body_digest
        if self._live.get(asked) is answer:
            del self._live[asked]

    async def _supply(
        self, answer: KeptAnswer, key: bytes, asked: ClaimRequest, runner: Runner
    ) -> None:
        """Have the answer come from somewhere. Raises nothing but cancellation."""
        is_run = False
        try:
            is_run = await self._supplied(answer, key, asked, runner)
        except asyncio.CancelledError:
            answer.fail(Fault(Kind.STOPPING, "The gateway is restarting; try again."))
            raise
        except Fault as fault:
            answer.fail(fault)
        except StorageError as error:
            log.warning("answers_unreachable", error=str(error))
            answer.fail(away())
        except Exception:
            log.exception("answer_failed", request_id=asked.request_id)
            answer.fail(Fault(Kind.INTERNAL, "The gateway failed; try again."))
        finally:
            if not is_run:
                runner.release()
                self._forget(answer)

    async def _supplied(
        self, answer: KeptAnswer, key: bytes, asked: ClaimRequest, runner: Runner
    ) -> bool:
        """Whether it comes from the request that asked. Raises ``Fault`` and the database's."""
        if (last_beat := self._silent.pop(asked.place, None)) is not None:
            asked = msgspec.structs.replace(asked, last_beat=last_beat)
        while True:
            claimed = await self._claims.claim(asked)
            answer.request_id, answer.claim = claimed.request_id, claimed.claim
            if claimed.verdict is ClaimVerdict.OTHER_BODY:
                raise other_body(key)
            if claimed.verdict is ClaimVerdict.MINE:
                self.writer.begin(answer)
                if answer.is_deserted:
                    answer.end(broken=True)
                    self.writer.grown(answer)
                    return False
                answer.is_own = True
                runner.run(answer, claimed.drops)
                return True
            following = _Following(self._looks, self._clock, self._sleep, answer)
            answer.source = following
            is_told = await following.follow(self._hand_on)
            if is_told and following.last_beat is not None:
                self._note_silent(asked.place, following.last_beat)
            if is_told:
                return False
            answer.source = None
            asked = msgspec.structs.replace(asked, last_beat=following.last_beat)

    def _note_silent(self, place: Place, last_beat: int) -> None:
        """Have the next request for a broken answer begin it anew, instead of being told the same
        beginning of it and waiting as long once more.
        """
        if len(self._silent) >= SILENT_MAX:
            del self._silent[next(iter(self._silent))]
        self._silent[place] = last_beat

    async def _hand_on(self, answer: KeptAnswer, found: StoredAnswer) -> None:
        """Open what was stored, and tell those who read it. Raises ``Fault`` (INTERNAL)."""
        try:
            if sum(len(body) for _, body in found.pieces) > APART_BYTES:
                opened = await asyncio.to_thread(self._opened, answer, found)
            else:
                opened = self._opened(answer, found)
        except (VaultError, msgspec.DecodeError) as error:
            log.warning("answer_unreadable", error=str(error))
            raise Fault(
                Kind.INTERNAL,
                f"The answer that is kept under this `{NAME}` cannot be read; use a new key.",
                retry=False,
            ) from None
        for number, body in opened:
            if number == 0:
                answer.begin(_head(body))
            else:
                answer.add(body)

    def _opened(self, answer: KeptAnswer, found: StoredAnswer) -> list[tuple[int, bytes]]:
        return [
            (number, self._vault.open(body, place_in(answer.place, found.claim, number)))
            for number, body in found.pieces
        ]


def away() -> Fault:
    """The fault of a key that cannot be looked up, so that its promise cannot be kept."""
    return Fault(
        Kind.UPSTREAM_BUSY,
        f"The database is away, and without it no `{NAME}` can be honoured; ask again in a moment "
        "with the same key, or without the header.",
        retry_after=1.0,
    )
