"""Looking at the keys before the next poll is due, when there is a reason to.

The reasons: this process has just changed a key; or a well-formed key is presented that nobody
knows, which may have been made a moment ago by another worker or at the command line. Anybody can
invent well-formed keys, so looks are as far apart as ``PAUSE_S``, and all who wait share one.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

PAUSE_S: Final = 0.2
"""From the end of one look to the beginning of the next: at most five small queries a second."""
PATIENCE_S: Final = 1.0
"""How long a look is waited for. A frozen database must not hold up who waits."""


class Lookout:
    """Refreshes the snapshot of keys early. One for each worker."""

    def __init__(
        self,
        refresh: Callable[[], Awaitable[None]],
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """``refresh``: reads what has changed; ``now``: seconds of a clock that never goes back."""
        self._refresh = refresh
        self._now = now
        self._sleep = sleep
        self._turn = asyncio.Lock()
        self._next: asyncio.Task[None] | None = None
        """The look that has not begun."""
        self._running: set[asyncio.Task[None]] = set()
        self._earliest = 0.0

    async def look(self) -> None:
        """Return once a look that began after this call is over, or ``PATIENCE_S`` have passed.

        Raises nothing: what a look could not find out, the next poll will.
        """
        if self._next is None:
            self._next = asyncio.create_task(self._look())
            self._running.add(self._next)
            self._next.add_done_callback(self._running.discard)
        await asyncio.wait([self._next], timeout=PATIENCE_S)

    async def _look(self) -> None:
        async with self._turn:
            wait_s = self._earliest - self._now()
            if wait_s > 0:
                await self._sleep(wait_s)
            # whoever comes from here on may know of what this look does not see
            self._next = None
            try:
                await self._refresh()
            except Exception:  # noqa: BLE001, S110 - the watch meets the same and tells it
                pass
            finally:
                self._earliest = self._now() + PAUSE_S

    async def close(self) -> None:
        """Cancel a refresh that is running."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
