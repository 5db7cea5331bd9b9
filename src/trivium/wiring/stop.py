"""Signals that end a worker: a start that nobody waits for is called off; what serves notes them,
and then drains.

SIGTERM: the node goes, and says so for a moment before it accepts nothing more. SIGINT, or being
told again: the same without that moment. SIGUSR2, from a supervisor: others accept from the same
sockets, or nobody is let in there any more; this worker drains at once.
"""

import asyncio
import contextlib
import signal
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

SUPERVISOR_S: Final = 1.0
"""How much later than expected a supervisor may let go before its worker does so by itself."""
LOOK_S: Final = 0.02
LOOKS: Final = 10
"""So often it is looked whether anybody waits before a start is called off: whoever has connected
is accepted meanwhile.
"""
ENDINGS: Final = frozenset({signal.SIGTERM, signal.SIGINT})


class Door(Protocol):
    """Where callers come in, and may wait for a start to be over."""

    def let_nobody_in(self) -> object:
        """Have the kernel refuse whoever comes from now on, where the sockets are ours alone."""
        ...

    @property
    def is_awaited(self) -> bool:
        """Whether anybody is connected."""
        ...


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
        self._doors: Sequence[Door] = ()
        self._notice_s = self._limit_s = 0.0
        self._calling: asyncio.Task[None] | None = None

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
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)  # see cli/workers.py

    def wait_for_callers(self, doors: Sequence[Door], notice_s: float, limit_s: float) -> None:
        """From now on callers may wait for the start: it is not called off while any does, for
        ``limit_s`` at most. ``notice_s``: as for ``notice``.
        """
        self._doors, self._notice_s, self._limit_s = doors, notice_s, limit_s

    def leave(self) -> None:
        """Begin to end. A start that nobody waits for is called off; told again, any is: it may
        wait for a frozen database.
        """
        if self.leaving:
            self.hurry()
            return
        self.leaving = True
        self._end()

    def hurry(self) -> None:
        """End without the notice period. A start that was told before is called off now."""
        if self.told.is_set():
            self._cancel()
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
            if self._doors:
                self._calling = asyncio.get_running_loop().create_task(self._call_off())
            else:
                self._cancel()
        self.told.set()

    async def _call_off(self) -> None:
        """Call the start off once nobody is let in any more and nobody waits for it."""
        loop = asyncio.get_running_loop()
        if self._supervised:
            await self.notice(self._notice_s)  # until then callers are dealt to each worker
        for door in self._doors:
            door.let_nobody_in()
        end, looks = loop.time() + self._limit_s, LOOKS
        while self._starting is not None and looks and loop.time() < end:
            await asyncio.sleep(LOOK_S)
            looks = LOOKS if any(door.is_awaited for door in self._doors) else looks - 1
        self._cancel()

    def _cancel(self) -> None:
        if self._starting is not None and not self._starting.cancelling():
            self._starting.cancel()
