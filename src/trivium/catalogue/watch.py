"""Takes up what was changed in the database: here, by another worker or on another node."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import structlog

from trivium.catalogue.model import Revision
from trivium.catalogue.snapshot import CatalogueSnapshot
from trivium.settings.stored import StoredEntry

PATIENCE_S: Final = 3.0
"""How long whoever changed something waits until this worker serves by it."""

log = structlog.get_logger()


class CatalogueWatch:
    """Keeps one worker's catalogue as the database has it."""

    def __init__(
        self,
        snapshot: CatalogueSnapshot,
        take: Callable[[Sequence[StoredEntry]], Awaitable[bool]],
    ) -> None:
        """``take``: lays entries beside the file's; returns whether they are in force."""
        self._snapshot = snapshot
        self._take = take
        self._taken = Revision()
        self._looking = asyncio.Lock()
        self._is_down = False
        self._running: set[asyncio.Task[None]] = set()

    def begin(self) -> None:
        """Go on from what the snapshot has: the start has taken it up."""
        self._taken = self._snapshot.revision

    async def run(
        self, poll_s: float, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        """Look at intervals, without end; one log line when the database goes or comes back."""
        is_sealed_anew = False
        while True:
            await sleep(poll_s)
            try:
                await self.look()
                if not is_sealed_anew and (number := await self._snapshot.seal_anew()):
                    log.info("catalogue_sealed_anew", entries=number)
                is_sealed_anew = True
            except Exception as error:  # noqa: BLE001 - a watch that dies leaves the catalogue old
                if not self._is_down:
                    log.warning("catalogue_stale", error=str(error))
                self._is_down = True
            else:
                if self._is_down:
                    log.info("catalogue_current_again", revision=self._taken.value)
                self._is_down = False

    async def look(self) -> None:
        """Read what has changed and take it up. Raises what ``Database.read`` raises."""
        async with self._looking:
            # what this worker itself has changed is there already
            if self._snapshot.revision == self._taken:
                await self._snapshot.refresh()
            revision = self._snapshot.revision
            if revision == self._taken:
                return
            await self._take(self._snapshot.whole)
            self._taken = revision

    async def in_force(self) -> None:
        """Return once what the snapshot has is taken up, or ``PATIENCE_S`` have passed. Raises
        nothing: what it could not find out, the next will.
        """
        looking = asyncio.create_task(self._quietly())
        self._running.add(looking)
        looking.add_done_callback(self._running.discard)
        await asyncio.wait([looking], timeout=PATIENCE_S)

    async def _quietly(self) -> None:
        with contextlib.suppress(Exception):  # the watch meets the same and tells it
            await self.look()

    async def close(self) -> None:
        """Cancel a look that is running."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
