"""What rests, written down for people: ``trivium channel list`` and the pages read it.

Written in the background, a second late, by whichever worker saw the change; no worker reads it, so
nothing depends on it. A gateway that was killed leaves rows behind, which end with their rest.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import structlog

from trivium.clock import Clock, Steady
from trivium.routing.channel_health import Breaker, HealthKey
from trivium.routing.model import Channel
from trivium.routing.shared_breakers import accounts
from trivium.storage.errors import StorageError

if TYPE_CHECKING:
    from trivium.routing.store import Resting
    from trivium.storage.database import Database

WRITE_S: Final = 1.0
"""Between two transactions, if there is anything to write."""
KEPT_S: Final = 3_600
"""A row whose rest ended so long ago is of a gateway that is no more."""
PENDING_MAX: Final = 10_000
"""As many breakers as health keeps."""

log = structlog.get_logger()


class BreakerLog:
    """One worker's notes. ``now`` is health's own clock, in seconds."""

    def __init__(
        self,
        db: "Database",
        clock: Clock,
        now: Callable[[], float],
        channel_of: Callable[[str], Channel | None],
    ) -> None:
        self._db = db
        self._clock = clock
        self._steady = Steady(clock)
        self._now = now
        self._channel_of = channel_of
        self._pending: dict[HealthKey, Breaker] = {}
        self._cleared = False
        self._is_down = False

    def changed(self, key: HealthKey, breaker: Breaker) -> None:
        """A breaker opened, stays open for longer, or closed."""
        if len(self._pending) < PENDING_MAX:
            self._pending[key] = breaker

    def forgotten(self) -> None:
        """Nothing that was noted holds any more."""
        self._pending.clear()
        self._cleared = True

    async def run(self) -> None:
        """Write what has changed, for ever; one log line when the database goes or is back."""
        while True:
            await asyncio.sleep(WRITE_S)
            if not self._pending and not self._cleared:
                continue
            try:
                await self.write()
            except StorageError as error:
                if not self._is_down:
                    log.warning("channel_notes_wait", error=str(error))
                self._is_down = True
            else:
                self._is_down = False

    async def write(self) -> None:
        """Write what has changed. Raises what ``Database.write`` raises; then nothing is lost."""
        from trivium.routing import store

        pending, cleared = dict(self._pending), self._cleared
        now = int(self._clock.now())
        before = int(self._steady.earliest()) - KEPT_S
        rows, gone = [], []
        for key, breaker in pending.items():
            channel = self._channel_of(key.channel)
            marks = () if channel is None else accounts(channel)
            if key.credential >= len(marks):
                continue  # of settings that are in force no more
            if breaker.until:
                rows.append(self._row(key, marks[key.credential], breaker, now))
            else:
                gone.append((key.channel, marks[key.credential], key.model))
        async with self._db.write() as conn:
            await store.remove_all(conn, None if cleared else before)
            await store.remove(conn, gone)
            await store.put(conn, rows)
        self._cleared = self._cleared and not cleared
        for key, breaker in pending.items():
            if self._pending.get(key) is breaker:
                del self._pending[key]

    def _row(self, key: HealthKey, account: str, breaker: Breaker, now: int) -> "Resting":
        from trivium.routing.store import Resting

        return Resting(
            channel=key.channel,
            account=account,
            model=key.model,
            fault=breaker.why,
            told=breaker.told,
            openings=breaker.trips,
            until_at=round(now + max(0.0, breaker.until - self._now())),
            written_at=now,
        )
