"""Stored responses: written, found by their owner alone, deleted."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final

import msgspec
import structlog

from trivium.clock import Clock, SystemClock
from trivium.faults import Fault, Kind
from trivium.response_store import items, rows, spooled_input
from trivium.response_store.model import Note, StoredResponse
from trivium.response_store.writer import PAUSE_S, ResponseWriter
from trivium.settings.model import ResponsesSettings
from trivium.storage.errors import StorageError
from trivium.storage.late import LateModule
from trivium.storage.vault import Vault, VaultError
from trivium.uploads.spool import Room, Spool

if TYPE_CHECKING:
    from trivium.response_store import store
    from trivium.storage.database import Database
else:
    store = LateModule("trivium.response_store.store")

LIMIT_S: Final = 5.0
"""A look-up that holds up a request."""
IDS_MAX: Final = 500
"""Ids in one query."""
LARGE_BYTES: Final = 8_192
"""A body beyond this is opened beside the event loop: it may be a thousand times as long inside."""
PATIENCE_S: Final = 4 * PAUSE_S
"""How long an answer of another worker may be on its way to the database."""

_SYSTEM: Final = SystemClock()

log = structlog.get_logger()


class ResponseStore:
    """Stores responses and finds them again."""

    def __init__(
        self,
        db: "Database",
        vault: Vault,
        limits: ResponsesSettings,
        *,
        alone: bool = True,
        clock: Clock = _SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        room: Room | None = None,
    ) -> None:
        """``alone``: no other worker or node writes to this database. ``room``: for large inputs
        that wait for their answers in files.
        """
        self._db = db
        self._vault = vault
        self._alone = alone
        self._clock = clock
        self._sleep = sleep
        self._room = room or Room(memory_bytes=0, has_inputs=True)
        self.limits = limits
        self.writer = ResponseWriter(db, vault, limits, clock, sleep)

    def keep(self, note: Note) -> None:
        """Keep an answer; never waits."""
        self.writer.add(note)

    async def spool(self, raw: bytes | msgspec.Raw) -> Spool | None:
        """Return a file that has this input until it is kept; ``None`` where none can be had."""
        return await spooled_input.written(raw, self._room)

    def start(self) -> None:
        """Begin to write in the background."""
        self.writer.start()

    async def close(self) -> None:
        """Stop, and write the queued answers."""
        await self.writer.close()

    async def find(self, user_id: int, response_id: str) -> StoredResponse | None:
        """Return a user's response; ``None`` alike for unknown, another user's, deleted and expired
        ones. Raises ``Fault`` (UPSTREAM_BUSY) when the database is away.
        """
        if not items.is_id(response_id):
            return None
        return await self._patiently(lambda: self._find(user_id, response_id))

    async def holder(self, user_id: int, item_id: str) -> StoredResponse | None:
        """The user's response that an item belongs to. Raises as ``find``."""
        if not items.is_id(item_id):
            return None
        return await self._patiently(lambda: self._holder(user_id, item_id))

    async def homes(self, user_id: int, item_ids: Sequence[str]) -> dict[str, str]:
        """Which of these items upstreams keep for the user, and by which channel. As ``find``."""
        found: dict[str, str] = {}
        left: list[str] = []
        for item_id in item_ids:
            waiting = await self.writer.holder(user_id, item_id)
            if waiting is None:
                left.append(item_id)
            elif waiting.response is None:
                found[item_id] = waiting.channel
        left = [item_id for item_id in left if items.is_id(item_id)]
        now = int(self._clock.now())
        try:
            for start in range(0, len(left), IDS_MAX):
                async with self._db.read(LIMIT_S) as conn:
                    found |= await store.homes(conn, user_id, left[start : start + IDS_MAX], now)
        except StorageError as error:
            raise _away(error) from error
        return found

    async def forget(self, user_id: int, response_id: str) -> bool:
        """Delete a response; ``False`` when there was none. Raises as ``find``."""
        async with self.writer.without(user_id, response_id) as waited:
            try:
                async with self._db.write(LIMIT_S) as conn:
                    return await store.forget(conn, user_id, response_id) or waited
            except StorageError as error:
                raise _away(error) from error

    async def _patiently(
        self, look: Callable[[], Awaitable[StoredResponse | None]]
    ) -> StoredResponse | None:
        try:
            found = await look()
            if found is None and not self._alone:
                await self._sleep(PATIENCE_S)
                found = await look()
        except StorageError as error:
            raise _away(error) from error
        except VaultError as error:  # sealed with a key that is no longer here
            log.warning("response_unreadable", error=str(error))
            return None
        return found

    async def _find(self, user_id: int, response_id: str) -> StoredResponse | None:
        waiting = await self.writer.find(user_id, response_id)
        if waiting is not None:
            return waiting
        async with self._db.read(LIMIT_S) as conn:
            row = await store.find(conn, user_id, response_id, int(self._clock.now()))
        if row is None:
            return None
        if row.body is not None and len(row.body) > LARGE_BYTES:
            return await asyncio.to_thread(rows.kept_of, row, self._vault)
        return rows.kept_of(row, self._vault)

    async def _holder(self, user_id: int, item_id: str) -> StoredResponse | None:
        waiting = await self.writer.holder(user_id, item_id)
        if waiting is not None:
            return waiting
        async with self._db.read(LIMIT_S) as conn:
            response_id = await store.holder(conn, user_id, item_id)
        return None if response_id is None else await self._find(user_id, response_id)


def _away(error: StorageError) -> Fault:
    log.warning("responses_unreachable", error=str(error))
    return Fault(Kind.UPSTREAM_BUSY, "Stored responses cannot be read at the moment; try again.")
