"""Signals that end a worker: they call a start off; what serves notes them, and then drains.

SIGTERM: the node goes, and says so for a moment before it accepts nothing more. SIGINT, or being
told again: the same without that moment. SIGUSR2, from a supervisor: others accept from the same
sockets, or nobody is let in there any more; this worker drains at once.
"""

import asyncio
import contextlib
import signal
from collections.abc import Iterator
from typing import Final

SUPERVISOR_S: Final = 1.0
"""How much later than expected a supervisor may let go before its worker does so by itself."""


class Stop:
    """Told when the worker is to end. Made by the task that starts it."""

    def __init__(self) -> None:
        self.told = asyncio.Event()
        self.leaving = False
        """Whether the node goes, and not this worker alone."""
        self._at_once = asyncio.Event()
        self._hurried = False
        self._supervised = False
        self._starting = asyncio.current_task()

    def listen(self, *, supervised: bool = False) -> None:
        """Handle the signals from now on, as long as the loop runs. ``supervised``: a supervisor
        holds the sockets as well, and says when no new connection may be let in.
        """
        loop = asyncio.get_running_loop()
        self._supervised = supervised
        loop.add_signal_handler(signal.SIGTERM, self.leave)
        loop.add_signal_handler(signal.SIGINT, self.hurry)
        if supervised:
            loop.add_signal_handler(signal.SIGUSR2, self.let_go)

    def leave(self) -> None:
        """Begin to end. A start that still waits, perhaps for a frozen database, is called off."""
        if self.leaving:
            self.hurry()
            return
        self.leaving = True
        self._end()

    def hurry(self) -> None:
        """End without the notice period."""
        self.leaving = True
        self._hurried = True
        if not self._supervised:
            self._at_once.set()  # else the supervisor was told as well, and says when
        self._end()

    def let_go(self) -> None:
        """Accept no new connection from now on."""
        self._at_once.set()
        self._end()

    def serves(self) -> None:
        """Note that the start is over: from now on running requests have to be finished first."""
        self._starting = None

    async def notice(self, notice_s: float) -> None:
        """Return when nothing more is to be accepted: ``notice_s`` after the order, or at once."""
        limit_s = 0.0 if self._hurried else notice_s
        if self._supervised:
            limit_s += SUPERVISOR_S
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._at_once.wait(), limit_s)

    @contextlib.contextmanager
    def calling_off(self) -> Iterator[None]:
        """Leave the block without an error when the start is called off."""
        task = self._starting
        try:
            yield
        except asyncio.CancelledError:
            if task is None or self._starting is None or not self.told.is_set():
                raise
            task.uncancel()

    def _end(self) -> None:
        if self._starting is not None and not self.told.is_set():
            self._starting.cancel()
        self.told.set()
