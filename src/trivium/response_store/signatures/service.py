"""Remembers traces: at once in memory, soon in the database, for as long as the settings say.

``add`` never waits and never fails. New traces are written within milliseconds, because a caller
whose tool is quick may come back to another worker. A trace that another worker is about to write
is waited for once. What the database cannot take for the moment stays in memory, bounded: the
oldest go and are counted. A trace that is gone costs the caller that turn's reasoning and is told
in ``trivium-repaired``; it is never an error.
"""

import asyncio
import contextlib
import itertools
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import structlog

from trivium.clock import Clock, SystemClock
from trivium.response_store.signatures.model import SignatureTrace, packed, unpacked
from trivium.settings.model import TracesSettings
from trivium.storage.errors import Conflict, Rejected, StorageError
from trivium.storage.late import LateModule
from trivium.storage.periodic import PurgeClock
from trivium.storage.vault import Vault, VaultError
from trivium.storage.write_behind import CLOSE_S, WriteBehind, next_batch
from trivium.wire.state_refs import CALL_PREFIX

if TYPE_CHECKING:
    from trivium.response_store.signatures import store
    from trivium.storage.database import Database
else:
    store = LateModule("trivium.response_store.signatures.store")

BATCH: Final = 200
"""Traces a transaction."""
BATCH_MAX: Final = 2000
"""When many wait."""
GATHER_S: Final = 0.01
"""How long the first trace of a batch waits for others."""
AWAY_S: Final = 1.0
"""The least pause between two tries while the database is away."""
AGAIN_S: Final = 0.1
"""When a call's trace is looked for a second time: another worker has written it by then."""
FIND_S: Final = 2.0
"""How long a request waits for the database to find its traces; then they are lost to it."""
ENTRY_BYTES: Final = 300
"""What a trace takes in memory beside itself: most are smaller than their key and place."""
LOST_MAX: Final = 10_000
"""Ids known to lead nowhere, which are not waited for again."""
SWEEP_S: Final = 600.0
"""Between two sweeps."""
SWEEP_ROWS: Final = 500
"""Rows a transaction: SQLite's other writers wait some 10 ms for it."""
SWEEP_PAUSE_S: Final = 0.1
DAY_S: Final = 86_400

_SYSTEM: Final = SystemClock()

log = structlog.get_logger()

_Key = tuple[int, str]


class SignatureStore(WriteBehind):
    """Traces by user and id, in memory and in the database."""

    def __init__(
        self,
        db: "Database",
        vault: Vault,
        limits: TracesSettings,
        clock: Clock = _SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        *,
        alone: bool = False,
    ) -> None:
        """``alone``: no other worker writes to this database, so nothing is waited for."""
        super().__init__(
            "traces", pause_s=GATHER_S, again_s=AWAY_S, woken=True, clock=clock, sleep=sleep
        )
        self._db = db
        self._vault = vault
        self._limits = limits
        self._near: OrderedDict[_Key, bytes] = OrderedDict()
        self._near_bytes = 0
        self._waiting: OrderedDict[_Key, tuple[int, bytes]] = OrderedDict()
        self._waiting_bytes = 0
        self._lost: set[_Key] = set()
        self._alone = alone
        self._sweeping: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        """Traces that are not stored yet."""
        return len(self._waiting)

    def add(self, user_id: int, id_: str, trace: SignatureTrace) -> None:
        """Remember one trace. A second one under the same id is not looked at."""
        key = (user_id, id_)
        if not self._limits.retention_days or key in self._near or key in self._waiting:
            return
        value = packed(trace)
        if len(value) > self._limits.trace_bytes_max:
            self.drop()
            return
        self._waiting[key] = (int(self._clock.now()), value)
        self._waiting_bytes += _size(value)
        while self._waiting_bytes > self._limits.memory_bytes_max:
            _, (_, oldest) = self._waiting.popitem(last=False)
            self._waiting_bytes -= _size(oldest)
            self.drop()
        self.wake()

    async def find(self, user_id: int, ids: Sequence[str]) -> dict[str, SignatureTrace]:
        """Return the traces that are known, by id. Never raises; while the database is away, those
        only in it are unknown.
        """
        found = self._at_hand(user_id, ids)
        missing = [id_ for id_ in ids if id_ not in found]
        if missing and self._limits.retention_days:
            found.update(await self._stored(user_id, missing))
            expected = [id_ for id_ in missing if self._is_expected(user_id, id_, found)]
            if expected:
                await self._sleep(AGAIN_S)
                again = await self._stored(user_id, expected)
                found.update(again)
                self._give_up(user_id, [id_ for id_ in expected if id_ not in again])
        out: dict[str, SignatureTrace] = {}
        for id_, value in found.items():
            trace = unpacked(value)
            if trace is not None:
                out[id_] = trace
        return out

    def start(self) -> None:
        """Begin to write, and to delete what is old, in the background."""
        super().start()
        self._sweeping = asyncio.get_running_loop().create_task(self.sweep())

    async def close(self, limit_s: float = CLOSE_S) -> None:
        """Stop, and write the queue within the limit. Traces lost then are logged."""
        if self._sweeping is not None:
            self._sweeping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._sweeping
            self._sweeping = None
        await super().close(limit_s)

    async def flush(self) -> bool:
        """Write everything that waits; ``False`` when the database is away."""
        while self._waiting:
            size = next_batch(len(self._waiting), BATCH, BATCH_MAX)
            batch = dict(itertools.islice(self._waiting.items(), size))
            if not await self._write(batch):
                return False
            await asyncio.sleep(0)
        return True

    async def _write(self, batch: Mapping[_Key, tuple[int, bytes]]) -> bool:
        """Store a batch; ``False`` when it has to be tried again."""
        rows = [
            (user_id, id_, at, self._vault.seal(value, _place(user_id, id_)))
            for (user_id, id_), (at, value) in batch.items()
        ]
        try:
            async with self._db.write() as conn:
                await store.insert(conn, rows)
        except (Conflict, Rejected) as error:
            # one bad trace must not hold up the others
            if len(batch) > 1:
                return all([await self._write({key: one}) for key, one in batch.items()])
            log.warning("trace_refused", error=str(error))
            self.drop()
        except StorageError as error:
            return self.away(error)
        for key, (_, value) in batch.items():
            if self._waiting.pop(key, None) is not None:
                self._waiting_bytes -= _size(value)
            self._keep(key, value)
        return self.back()

    async def sweep(self) -> None:
        """Delete what is too old at intervals, without end."""
        doubt = PurgeClock(self._db, self._clock, "traces")
        while True:
            await self._sleep(SWEEP_S)
            deleted = SWEEP_ROWS
            with contextlib.suppress(StorageError):
                before = self._since(await doubt.now())
                while deleted == SWEEP_ROWS:
                    async with self._db.write() as conn:
                        deleted = await store.delete_before(conn, before, SWEEP_ROWS)
                    await self._sleep(SWEEP_PAUSE_S)

    def _since(self, now: float) -> int:
        return int(now) - self._limits.retention_days * DAY_S

    def _at_hand(self, user_id: int, ids: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for id_ in ids:
            key = (user_id, id_)
            if key in self._waiting:
                found[id_] = self._waiting[key][1]
            elif key in self._near:
                self._near.move_to_end(key)
                found[id_] = self._near[key]
        return found

    async def _stored(self, user_id: int, ids: Sequence[str]) -> dict[str, bytes]:
        try:
            async with self._db.read(limit_s=FIND_S) as conn:
                rows = await store.find(conn, user_id, ids, self._since(self._clock.now()))
        except StorageError as error:
            log.warning("traces_unread", error=str(error))
            return {}
        out: dict[str, bytes] = {}
        for id_, sealed in rows.items():
            try:
                out[id_] = self._vault.open(sealed, _place(user_id, id_))
            except VaultError as error:
                log.warning("trace_unreadable", error=str(error))
                continue
            self._keep((user_id, id_), out[id_])
        return out

    def _keep(self, key: _Key, value: bytes) -> None:
        if key not in self._near:
            self._near[key] = value
            self._near_bytes += _size(value)
        while self._near_bytes > self._limits.memory_bytes_max:
            _, oldest = self._near.popitem(last=False)
            self._near_bytes -= _size(oldest)

    def _is_expected(self, user_id: int, id_: str, found: dict[str, bytes]) -> bool:
        """Whether a trace must be somewhere: ids of ours lead somewhere until it is too old."""
        return (
            not self._alone
            and id_ not in found
            and id_.startswith(CALL_PREFIX)
            and (user_id, id_) not in self._lost
        )

    def _give_up(self, user_id: int, ids: Sequence[str]) -> None:
        if len(self._lost) + len(ids) > LOST_MAX:
            self._lost.clear()
        self._lost.update((user_id, id_) for id_ in ids[-LOST_MAX:])


def _size(value: bytes) -> int:
    return len(value) + ENTRY_BYTES


def _place(user_id: int, id_: str) -> bytes:
    return f"trace:{user_id}:{id_}".encode()
