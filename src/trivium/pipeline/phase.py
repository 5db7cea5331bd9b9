"""One phase of many requests, one right after another.

What a busy loop reads in one turn belongs to many requests, each in another phase of its life. To
take each as far as it goes at once means to run through all of the code for each of them, which is
more than a processor keeps at hand. So what is the same for several is put off by a turn and done
for all of them in a row.

Of the processor time of a request, 32 at once, 63 us were the program's own
without it and 50 with it, though in one process it costs 2 us more (2 cores, 2026-11-21).
"""

import asyncio
from abc import abstractmethod
from typing import Generic, Protocol, TypeVar

from trivium.ledger.service import Ledger

T = TypeVar("T")


class Phase(Generic[T]):
    """Has one thing done for many, in the loop's next turn. Belongs to one loop."""

    __slots__ = ("_loop", "_waiting")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: list[T] = []

    def add(self, one: T) -> None:
        """Have it done, behind those that wait already."""
        waiting = self._waiting
        waiting.append(one)
        if len(waiting) == 1:
            self._loop.call_soon(self.run)

    @abstractmethod
    def run(self) -> None:
        """Do it for all that wait, in order, so that none fails another."""


class FinishedAnswer(Protocol):
    """An answer that is all there; ``pipeline/attempt.py`` has the real ones."""

    __slots__ = ()

    def settle(self) -> None:
        """Book what it came to."""
        ...

    def send(self) -> None:
        """Send its last bytes, and write down what it came to."""
        ...

    def crash(self, error: Exception) -> None:
        """End it by what nobody planned."""
        ...


class FinishedAnswers(Phase[FinishedAnswer]):
    """Ends answers: those of one turn are booked together, by one note of what they came to."""

    __slots__ = ("_ledger",)

    def __init__(self, loop: asyncio.AbstractEventLoop, ledger: Ledger) -> None:
        super().__init__(loop)
        self._ledger = ledger

    def run(self) -> None:
        """Book all of them, then send each."""
        endings, self._waiting = self._waiting, []
        gathers = len(endings) > 1
        if gathers:
            self._ledger.gather()
        booked: list[FinishedAnswer] = []
        try:
            for one in endings:
                try:
                    one.settle()
                except Exception as error:  # noqa: BLE001 - told to whoever waits for the outcome
                    one.crash(error)
                else:
                    booked.append(one)
        finally:
            if gathers:
                self._ledger.flush()
        for one in booked:
            try:
                one.send()
            except Exception as error:  # noqa: BLE001 - as above
                one.crash(error)
