"""SIGTERM and SIGINT: they call a start off, and are noted by what serves, which then drains."""

import asyncio
import contextlib
import signal
from collections.abc import Iterator


class Stop:
    """Told when the worker is to end. Made by the task that starts it."""

    def __init__(self) -> None:
        self.told = asyncio.Event()
        self._starting = asyncio.current_task()

    def listen(self) -> None:
        """Hear the signals from now on, for as long as the loop runs."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.tell)

    def tell(self) -> None:
        """It is to end. A start may wait for a database that is frozen: it is called off."""
        if self._starting is not None and not self.told.is_set():
            self._starting.cancel()
        self.told.set()

    def serves(self) -> None:
        """The start is over: from now on there are requests to be ended first."""
        self._starting = None

    @contextlib.contextmanager
    def calling_off(self) -> Iterator[None]:
        """A block that is left well when it is called off."""
        task = self._starting
        try:
            yield
        except asyncio.CancelledError:
            if task is None or self._starting is None or not self.told.is_set():
                raise
            task.uncancel()
