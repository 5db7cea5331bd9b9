"""The shared state as long as it answers: 50 ms, or it counts as away until it has proved itself.

One question too late, one error or one closed connection, and it is away: whoever waits is told at
once and nobody asks again until a new connection has been made and has answered. A log line says
when it goes and when it is back.

Time in which this process stood still does not count: its timers are then as late as it is, while
the answers lie in the buffer unread. What must arrive is kept while the state is away and said when
it is back.
"""

import asyncio
import contextlib
import hashlib
import ssl
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import structlog

from trivium.shared.connection import Address, Down, RetriedCall, ValkeyConnection

LIMIT_S: Final = 0.05
"""For one answer. A healthy server in the same place needs less than one millisecond."""
LOOKS_S: Final = 0.01
"""An answer that is not there in time is looked for so long, by a loop that runs punctually."""
LATE_S: Final = 0.005
"""A timer later than this says that the process stood still, or had its hands full."""
LOOKS_MAX: Final = 50
"""A loop that is never punctual has looked often enough."""
KEPT_S: Final = 120.0
"""What was to be said longer ago than this is of no use: windows reach back two minutes."""
KEPT_MAX: Final = 10_000
"""The oldest of what is kept goes first."""
RETRY_S: Final = 1.0
"""Between attempts to reach it again."""
CONNECT_S: Final = 1.0
"""For a new connection and its first answers; nobody waits for these."""

ALIVE: Final = "trivium:alive"
"""Written by every new connection: a replica, or a server without memory, only seems to answer."""
_OTHER: Final = "no server of this kind: it does not load scripts"
_NONSENSE: Final = "an answer that makes no sense"
_UNREADABLE: Final = (TypeError, ValueError, LookupError, AttributeError)
"""What reading an answer raises that is not what was asked for."""

log = structlog.get_logger()


def _as_it_is(answer: Any) -> Any:
    return answer


class SharedState:
    """Runs scripts on the shared server, and notices when it is away."""

    def __init__(
        self,
        address: Address,
        scripts: tuple[str, ...],
        *,
        limit_s: float = LIMIT_S,
        tells: bool = True,
    ) -> None:
        """``scripts`` are called by their position. ``limit_s``: for one answer. ``tells``: whether
        the log is told when it goes and is back.
        """
        self._tells = tells
        self._limit_s = limit_s
        self.is_up = False
        self.returned: list[Callable[[], None]] = []
        """Called at every return, the first time included."""
        self._address = address
        self._scripts = scripts
        self._digests: list[bytes] = []
        self._connection: ValkeyConnection | None = None
        self._kept: deque[RetriedCall] = deque(maxlen=KEPT_MAX)
        self._away = asyncio.Event()
        self._away.set()
        self._was_told = False
        self.why = ""
        """What keeps it away; empty while nothing does."""

    async def start(self) -> None:
        """Connect, or log that the server is away and go on without it."""
        await self._reach()

    async def run(self) -> None:
        """Reconnect whenever the connection was lost, without end."""
        while True:
            await self._away.wait()
            await asyncio.sleep(RETRY_S)
            await self._reach()

    def close(self) -> None:
        """Close the connection, without a line in the log."""
        self._was_told = True
        if self._connection is not None:
            self._connection.end("closed")

    async def call(
        self,
        script: int,
        keys: list[str],
        values: list[str | int],
        limit_s: float | None = None,
        *,
        read: Callable[[Any], Any] = _as_it_is,
    ) -> Any:
        """Run a script and return its answer. Raises Down, after ``limit_s`` at the latest
        (``None``: the limit of this object).

        ``read`` turns the answer into what is returned. If it cannot, the server counts as away,
        like one that does not answer.
        """
        limit_s = limit_s or self._limit_s
        connection = self._connection
        if connection is None or not self.is_up:
            raise Down("the shared state is away")
        answer = connection.ask("EVALSHA", self._digests[script], len(keys), *keys, *values)
        watch = _Watch(connection, limit_s)
        try:
            return read(await answer)
        except _UNREADABLE:
            connection.end(_NONSENSE)
            raise Down(_NONSENSE) from None
        finally:
            watch.timer.cancel()

    def send(
        self,
        script: int,
        keys: list[str],
        values: list[str | int],
        *,
        again: list[str | int] | None = None,
    ) -> None:
        """Run a script and wait for nothing.

        ``again``: values to run it with when the state is back, if it is away or goes before it has
        answered; ``None``: then it need not run.
        """
        kept = None
        if again is not None:
            now = asyncio.get_running_loop().time()
            kept = RetriedCall(script=script, keys=keys, values=again, at=now)
        if self._connection is not None and self.is_up:
            words = (*keys, *values)
            self._connection.send("EVALSHA", self._digests[script], len(keys), *words, kept=kept)
        elif kept is not None:
            self._kept.append(kept)

    # --- own ------------------------------------------------------------------------------------

    async def _reach(self) -> None:
        where = self._address
        context = ssl.create_default_context() if where.tls else None
        if context is not None:
            # some systems' Python leaves it to a file of OpenSSL's (Debian's 3.11.2)
            context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            async with asyncio.timeout(CONNECT_S):
                _, connection = await asyncio.get_running_loop().create_connection(
                    lambda: ValkeyConnection(self._lost),
                    where.host,
                    where.port,
                    ssl=context,
                    server_hostname=where.host if context else None,
                )
                self._digests = await self._greet(connection)
        except Down as error:
            self._tell_away(str(error))
        except (OSError, TimeoutError, UnicodeError) as error:  # the last: no name of a host
            self._tell_away(str(error) or "no answer")
        else:
            self._connection = connection
            self.is_up = True
            self.why = ""
            self._away.clear()
            if self._was_told and self._tells:
                log.info("shared_state_back", host=where.host, port=where.port)
            self._was_told = False
            self._say_again()
            for told in self.returned:
                told()

    async def _greet(self, connection: ValkeyConnection) -> list[bytes]:
        where = self._address
        try:
            if where.password is not None:
                user = (where.user,) if where.user else ()
                await connection.ask("AUTH", *user, where.password.reveal())
            if where.database:
                await connection.ask("SELECT", where.database)
            digests = [await connection.ask("SCRIPT", "LOAD", text) for text in self._scripts]
            await connection.ask("SET", ALIVE, 1, "EX", 1)
        except asyncio.CancelledError:
            with contextlib.suppress(Down):
                connection.end("no answer")
            raise
        if digests != [_digest(text) for text in self._scripts]:
            connection.end(_OTHER)
            raise Down(_OTHER)
        return digests

    def _lost(self, connection: ValkeyConnection, why: str) -> None:
        if connection is not self._connection:
            return
        self._connection = None
        self.is_up = False
        self._kept.extend(connection.unanswered)
        self._away.set()
        self._tell_away(why)

    def _say_again(self) -> None:
        """Send the kept calls in the order in which they came; those that are too old are
        dropped.
        """
        kept, self._kept = self._kept, deque(maxlen=KEPT_MAX)
        since = asyncio.get_running_loop().time() - KEPT_S
        for one in kept:
            if one.at > since:
                self.send(one.script, one.keys, one.values, again=one.values)

    def _tell_away(self, why: str) -> None:
        self.why = why
        if self._tells and not self._was_told:
            self._was_told = True
            log.warning(
                "shared_state_away",
                error=why,
                host=self._address.host,
                port=self._address.port,
                meanwhile="every worker counts for itself",
            )


class _Watch:
    """Ends a connection that owes an answer for too long. Cancel ``timer`` when the answer is
    there.
    """

    def __init__(self, connection: ValkeyConnection, limit_s: float) -> None:
        self._connection = connection
        self._limit_s = limit_s
        self._looks = 0
        self._wait(max(0.0, limit_s - LOOKS_S))

    def _wait(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        self._due = loop.time() + seconds
        self.timer = loop.call_later(seconds, self._look)

    def _look(self) -> None:
        """Check once more for data that has arrived: timers run before it is read."""
        was_late = asyncio.get_running_loop().time() - self._due > LATE_S
        self._looks += 1
        if self._looks == 1 or (was_late and self._looks < LOOKS_MAX):
            self._wait(LOOKS_S)
        else:
            self._connection.end(f"no answer within {self._limit_s * 1000:g} ms")


async def obstacle(address: Address) -> str:
    """Return why a server cannot hold the shared state; empty: it can. Writes a key that lasts a
    second.
    """
    state = SharedState(address, ("return 1",), tells=False)
    await state.start()
    why = state.why
    state.close()
    await asyncio.sleep(0)  # the loop ends the connection in its next turn
    return why


def _digest(script: str) -> bytes:
    """Return the name by which the server calls a script."""
    return hashlib.sha1(script.encode(), usedforsecurity=False).hexdigest().encode()
