"""Letters that wait to be written and sent, beside the requests that caused them.

In memory: a letter that is lost with the process can be asked for again, and its link would be a
secret at rest. A server that is away is asked again a few times; a letter that it refuses for good
is dropped and logged, without saying whom it was for.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import msgspec
import structlog


class MailMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Plain text to one mailbox."""

    to: str
    subject: str
    text: str

    def __repr__(self) -> str:
        """Leave out the text, because the links in it give access."""
        return f"Letter(subject={self.subject!r})"


Writer = Callable[[], Awaitable[MailMessage | None]]
"""Writes a letter when its turn comes; ``None``: there is nobody to write to."""

CARRIERS: Final = 4
"""Letters under way at once."""
PAUSES_S: Final = (5.0, 60.0, 300.0)
"""Before the second, third and fourth attempt."""
CLOSE_S: Final = 5.0
"""How long those that wait may still be sent when the process ends."""

log = structlog.get_logger()


class MailError(Exception):
    """A letter was not taken. ``is_final``: trying again will not help."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        self.is_final = is_final


@dataclass
class _Item:
    write: Writer
    letter: MailMessage | None = None
    attempts: int = 0


class Outbox:
    """Takes letters at once, and has them written and sent. Start it, and close it when done."""

    def __init__(
        self,
        send: Callable[[MailMessage], Awaitable[None]],
        queue_max: int,
        pauses_s: tuple[float, ...] = PAUSES_S,
    ) -> None:
        """``send``: sends one letter or raises ``MailError``; ``pauses_s``: before later tries."""
        self._send = send
        self._queue_max = queue_max
        self._pauses_s = pauses_s
        self._queue: asyncio.Queue[_Item] = asyncio.Queue()
        self._waiting = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._carriers: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to send letters, in tasks of the running event loop."""
        loop = asyncio.get_running_loop()
        self._carriers = [loop.create_task(self._carry()) for _ in range(CARRIERS)]

    def put(self, write: Writer) -> bool:
        """Have a letter written and sent soon; ``False`` when too many wait."""
        if self._waiting >= self._queue_max:
            log.error("letter_dropped", reason="too many wait", waiting=self._waiting)
            return False
        self._waiting += 1
        self._idle.clear()
        self._queue.put_nowait(_Item(write))
        return True

    async def empty(self) -> None:
        """Wait until every letter was sent or dropped."""
        await self._idle.wait()

    async def close(self) -> None:
        """Wait briefly for the letters in the queue, then stop."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S if self._carriers else 0):
                await self.empty()
        if self._waiting:
            log.error("letters_lost", waiting=self._waiting)
        for task in self._carriers:
            task.cancel()
        await asyncio.gather(*self._carriers, return_exceptions=True)

    async def _carry(self) -> None:
        while True:
            item = await self._queue.get()
            item.attempts += 1
            try:
                item.letter = item.letter or await item.write()
                if item.letter is not None:
                    await self._send(item.letter)
            except Exception as error:  # noqa: BLE001 - one letter must not stop the next
                self._failed(item, error)
            else:
                self._done()

    def _failed(self, item: _Item, error: Exception) -> None:
        final = isinstance(error, MailError) and error.is_final
        again = not final and item.attempts <= len(self._pauses_s)
        said = str(error) if isinstance(error, MailError) else type(error).__name__
        log.warning("letter_not_sent", attempt=item.attempts, again=again, error=said)
        if again:
            loop = asyncio.get_running_loop()
            loop.call_later(self._pauses_s[item.attempts - 1], self._queue.put_nowait, item)
        else:
            self._done()

    def _done(self) -> None:
        self._waiting -= 1
        if not self._waiting:
            self._idle.set()
