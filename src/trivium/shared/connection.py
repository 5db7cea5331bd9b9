"""One pipelining connection: what is asked in one loop turn goes out in one write.

Answers come in the order of the questions. Whatever goes wrong ends the connection and everything
that waits for it: a server that has missed its moment may answer anything later.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, cast
from urllib.parse import unquote, urlsplit

import hiredis
import msgspec

from trivium.secret import Secret

PORT = 6379


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Host, port, database and credentials of a server."""

    host: str
    port: int = PORT
    tls: bool = False
    user: str = ""
    """Empty: the server's default user."""
    password: Secret | None = None
    database: int = 0


def parse(url: str) -> Address:
    """Of ``valkey://USER:PASSWORD@HOST:PORT/0``; ``redis://`` the same, ``…s://`` with TLS.

    Raises ``ValueError`` for a database that is no number; the settings have checked the rest.
    """
    parts = urlsplit(url)
    return Address(
        host=parts.hostname or "127.0.0.1",
        port=parts.port or PORT,
        tls=parts.scheme in ("rediss", "valkeys"),
        user=unquote(parts.username or ""),
        password=Secret(unquote(parts.password)) if parts.password else None,
        database=int(parts.path.strip("/") or 0),
    )


class Down(Exception):  # noqa: N818 - a state, not a mistake
    """The shared state cannot be asked now; says why."""


class RetriedCall(msgspec.Struct, frozen=True):
    """A call that must reach the server: what to send instead if it may not have."""

    script: int
    keys: list[str]
    values: list[str | int]
    at: float
    """When it was first sent, in the loop's seconds."""


class ValkeyConnection(asyncio.Protocol):
    """A connection to Valkey or Redis that sends all commands of one loop turn together."""

    def __init__(self, lost: Callable[["ValkeyConnection", str], None]) -> None:
        """``lost`` is called once with the reason when the connection ends."""
        self._loop = asyncio.get_running_loop()
        self._lost: Callable[[ValkeyConnection, str], None] | None = lost
        self._reader = hiredis.Reader()
        self._waiting: deque[asyncio.Future[Any] | RetriedCall | None] = deque()
        self._unsent: list[bytes] = []
        self._transport = cast("asyncio.Transport", None)
        self.unanswered: list[RetriedCall] = []
        """After the end: what may not have arrived, in the order it was sent."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; called by the event loop."""
        self._transport = cast("asyncio.Transport", transport)

    def ask(self, *words: str | bytes | int) -> asyncio.Future[Any]:
        """Send a command; returns a future of its answer, which fails with Down."""
        future: asyncio.Future[Any] = self._loop.create_future()
        self._send(words, future)
        return future

    def send(self, *words: str | bytes | int, kept: RetriedCall | None = None) -> None:
        """Send a command whose answer nobody waits for; an error still ends the connection.

        ``kept`` is among ``unanswered`` if the connection ends first.
        """
        self._send(words, kept)

    def end(self, why: str) -> None:
        """Close at once, and fail every waiting command with the reason."""
        lost, self._lost = self._lost, None
        if lost is None:
            return
        self._unsent.clear()
        if self._transport is not None:
            self._transport.abort()
        for waiting in self._waiting:
            if isinstance(waiting, RetriedCall):
                self.unanswered.append(waiting)
            elif waiting is not None and not waiting.done():
                waiting.set_exception(Down(why))
        self._waiting.clear()
        lost(self, why)

    def data_received(self, data: bytes) -> None:
        """Parse answers, which may come in parts, and pass each one on."""
        reader = self._reader
        try:
            reader.feed(data)
            while (answer := reader.gets()) is not False:
                if not self._take(answer):
                    return
        except hiredis.ProtocolError as error:
            self.end(f"no server of this kind: {error}")

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail every waiting command, because the server has closed the connection."""
        self.end("the connection was closed" if exc is None else f"the connection broke: {exc}")

    def _take(self, answer: Any) -> bool:
        """Pass an answer on; returns ``False`` when it ended the connection."""
        waiting = self._waiting.popleft() if self._waiting else None
        if isinstance(answer, hiredis.ReplyError):
            self._waiting.appendleft(waiting)
            self.end(f"the server refuses: {answer}"[:200])
            return False
        if isinstance(waiting, asyncio.Future) and not waiting.done():
            waiting.set_result(answer)
        return True

    def _send(
        self,
        words: tuple[str | bytes | int, ...],
        waiting: asyncio.Future[Any] | RetriedCall | None,
    ) -> None:
        if self._lost is None:
            if isinstance(waiting, asyncio.Future):
                waiting.set_exception(Down("the connection is closed"))
            return
        self._waiting.append(waiting)
        if not self._unsent:
            self._loop.call_soon(self._flush)
        self._unsent.append(hiredis.pack_command(cast("Any", words)))

    def _flush(self) -> None:
        if self._unsent and self._lost is not None:
            self._transport.write(b"".join(self._unsent))
            self._unsent.clear()
