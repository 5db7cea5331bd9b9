"""Passwords at rest: Argon2id by `argon2-cffi`, off the event loop and two at a time.

One check takes tens of milliseconds and 19 MiB. Two threads bound what logins can take from the
relay; more than ``WAITING_MAX`` that wait for them are refused rather than queued without end.
"""

import asyncio
import contextlib
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.passwords import CHARS_MAX, normalized

if TYPE_CHECKING:
    from collections.abc import Callable

    from argon2 import PasswordHasher

T = TypeVar("T")

THREADS: Final = 2
WAITING_MAX: Final = 32
"""At some 50 ms each and two at a time, the last one waits for less than a second."""


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """The memory, passes and lanes of one Argon2id hash."""

    memory_kib: int = 19_456
    """19 MiB (OWASP, Password Storage Cheat Sheet, read 2026-11: with at least two passes)."""
    passes: int = 3
    lanes: int = 1


COST: Final = Cost()

NOBODY: Final = (
    "$argon2id$v=19$m=19456,t=3,p=1$dHJpdml1bS1ub2JvZHkhIQ$"
    "cZBuyfclLwGcmbPBMuwgNtngU+k6I5J7XrXNt+S/WLA"
)
"""A hash at today's cost that no password is known for: what unknown users are checked against."""


class Hasher:
    """Makes and checks password hashes. Close it when done."""

    def __init__(self, cost: Cost = COST) -> None:
        self._cost = cost
        self._pool: ThreadPoolExecutor | None = None
        self._argon2: PasswordHasher | None = None
        self._waiting = 0
        self.runs = 0
        """Hashes computed so far. Tests count them: equal work is what equal time rests on."""

    async def hash(self, password: str) -> str:
        """The hash of a password that was checked. Raises ``AccountError`` (BUSY)."""
        argon2 = self._hasher()
        return await self._run(lambda: argon2.hash(password))

    async def verify(self, stored: str | None, password: str) -> bool:
        """Whether this is the password behind a hash. A ``None`` costs the same time and never
        matches. Raises ``AccountError`` (BUSY).
        """
        from argon2.exceptions import InvalidHashError, VerificationError

        argon2 = self._hasher()
        password = normalized(password[:CHARS_MAX])

        def work() -> bool:
            try:
                return argon2.verify(stored or NOBODY, password) and stored is not None
            except (VerificationError, InvalidHashError):
                return False

        return await self._run(work)

    def is_outdated(self, stored: str) -> bool:
        """Whether a hash was made at another cost than today's."""
        return self._hasher().check_needs_rehash(stored)

    def close(self) -> None:
        """Stop the threads, after the hashes that are running."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _hasher(self) -> "PasswordHasher":
        if self._argon2 is None:
            # at the first login: a gateway that only relays needs no second allocator of 19 MiB
            from argon2 import PasswordHasher

            self._argon2 = PasswordHasher(
                time_cost=self._cost.passes,
                memory_cost=self._cost.memory_kib,
                parallelism=self._cost.lanes,
            )
        return self._argon2

    async def _run(self, work: "Callable[[], T]") -> T:
        if self._waiting >= WAITING_MAX:
            raise AccountError(AccountRefusal.BUSY, 1)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="password")
        loop = asyncio.get_running_loop()
        self._waiting += 1
        self.runs += 1

        def done(_: Future[T]) -> None:
            # a caller who leaves does not end the work: it counts until it is over
            with contextlib.suppress(RuntimeError):  # the loop has ended before the work
                loop.call_soon_threadsafe(self._left)

        future = self._pool.submit(work)
        future.add_done_callback(done)
        return await asyncio.wrap_future(future)

    def _left(self) -> None:
        self._waiting -= 1
