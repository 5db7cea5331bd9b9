"""Who waits for a channel that takes so many calls at once: first come, first served, not for long.

Only channels with a queue are looked after here. What a channel may take is counted by admission,
over all workers where they share a state; a queue is one worker's own.
"""

import asyncio
from collections import deque

from trivium.faults import Fault, Kind
from trivium.routing.model import Channel


class _Line:
    """The queue of one channel."""

    __slots__ = ("running", "waiting")

    def __init__(self) -> None:
        self.running = 0
        self.waiting: deque[asyncio.Future[None]] = deque()


class ChannelQueue:
    """The queues of all channels. Belongs to one loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lines: dict[str, _Line] = {}

    async def enter(self, channel: Channel) -> None:
        """Go in, or wait for one who goes out; ``leave`` is then owed.

        Raises ``Fault`` (UPSTREAM_BUSY) when the queue is full, or nobody went out in time.
        Cancelled, it leaves nothing behind.
        """
        line = self._lines.setdefault(channel.name, _Line())
        most = channel.rates.concurrency if channel.rates is not None else None
        if most is None or (line.running < most and not line.waiting):
            line.running += 1
            return
        if len(line.waiting) >= channel.queue_max:
            raise Fault(
                Kind.UPSTREAM_BUSY, "The upstream is busy, and so many wait already. Try again."
            )
        turn: asyncio.Future[None] = self._loop.create_future()
        line.waiting.append(turn)
        try:
            async with asyncio.timeout(channel.queue_s):
                await turn
        except TimeoutError:
            if not _granted(turn):
                _forget(line, turn)
                raise Fault(
                    Kind.UPSTREAM_BUSY,
                    f"The upstream is busy, and had no room within {channel.queue_s:g} s.",
                ) from None
        except asyncio.CancelledError:
            if _granted(turn):
                self.leave(channel)
            else:
                _forget(line, turn)
            raise

    def leave(self, channel: Channel) -> None:
        """One has gone out: whoever has waited longest goes in, in its place."""
        line = self._lines[channel.name]
        most = channel.rates.concurrency if channel.rates is not None else None
        while line.waiting and (most is None or line.running <= most):
            turn = line.waiting.popleft()
            # one that has given up and has not run since is still in the line
            if not turn.done():
                turn.set_result(None)
                return
        line.running -= 1

    def standing(self, channel: str) -> tuple[int, int]:
        """Calls of a channel that run, and that wait."""
        line = self._lines.get(channel)
        return (0, 0) if line is None else (line.running, len(line.waiting))


def _forget(line: "_Line", turn: "asyncio.Future[None]") -> None:
    """Take somebody out of the line who has given up, unless it was passed over already."""
    if turn in line.waiting:
        line.waiting.remove(turn)


def _granted(turn: "asyncio.Future[None]") -> bool:
    return turn.done() and not turn.cancelled()
