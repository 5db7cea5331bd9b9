"""Writes the body of one request piece by piece, as fast as the connection takes it.

A task of its own: the answer may begin, or the vendor refuse and hang up, while it still writes.
"""

import asyncio

from trivium.faults import Fault, Kind
from trivium.upstream.connection import Carried, UpstreamConnection
from trivium.upstream.request import Body


class BodyWriter:
    """One body on its way out."""

    __slots__ = ("_body", "_connection", "_exchange", "_task", "done")

    def __init__(self, exchange: Carried, connection: UpstreamConnection, body: Body) -> None:
        """Begins at once; the head has been written."""
        self._exchange: Carried | None = exchange
        self._connection = connection
        self._body: Body | None = body
        self.done = False
        """Whether all of it has been handed to the connection."""
        loop = asyncio.get_running_loop()
        self._task: asyncio.Task[None] | None = loop.create_task(self._send(), name="upload")

    def stop(self) -> None:
        """The exchange has left its connection: write no more. Harmless when repeated."""
        task, self._task = self._task, None
        if task is not None and not self.done:
            task.cancel()

    async def _send(self) -> None:
        connection, exchange, body = self._connection, self._exchange, self._body
        assert exchange is not None
        assert body is not None
        sent, size = 0, body.size
        try:
            async for piece in body.pieces():
                sent += len(piece)
                if sent > size:
                    break
                waiting = connection.write(piece)
                exchange.written(connection.now())
                if waiting is not None:
                    await waiting
        except Fault as fault:
            self._fail(fault)
        except Exception:  # noqa: BLE001 - nobody awaits this task: the exchange is told instead
            self._fail(_unsent())
        else:
            self.done = sent == size
            if not self.done:
                self._fail(_unsent())
        finally:
            # the exchange holds this in turn, and all of its request: the collector comes seldom
            self._task = self._body = self._exchange = None

    def _fail(self, fault: Fault) -> None:
        if self._task is not None and self._exchange is not None:  # else it was stopped
            self._task = None
            self._exchange.fail(fault)


def _unsent() -> Fault:
    return Fault(Kind.INTERNAL, "The gateway could not read back what was uploaded.")
