"""Runs finders of identities in threads: never on the loop, few at a time, none for ever.

A library that looks an identity up blocks, and its own time limits count from packet to packet. So
each look-up has a thread that is waited for so long and then left behind. A thread cannot be ended:
it keeps its place until its call ends, and where no place becomes free, that is the fault told.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import urlsplit

from trivium.observe import logs
from trivium.providers.credential import Finder, FoundSecret, Surroundings
from trivium.upstream.request_writer import checked_line

THREADS_MAX: Final = 8
"""Look-ups at once, those left behind included. Most take milliseconds."""
FIND_S: Final = 25.0
"""For one look-up, waiting for a place included: a role assumed over a slow metadata service takes
three calls."""
WHY_MAX: Final = 300
"""Characters of a library's reason that are kept."""
_SHORT: Final = 6
"""Values below this length are no secrets, and would blot out words by chance."""
_HIDDEN: Final = "…"


class IdentityNotFoundError(Exception):
    """Why there is no identity, in words for operators. Holds no secret."""

    def __init__(self, why: str, *, is_away: bool = False) -> None:
        """``is_away``: nobody could be asked, which may be otherwise in a moment."""
        super().__init__(why)
        self.is_away = is_away


class FinderThreads:
    """The threads of one client. Belongs to one loop."""

    def __init__(self, limit_s: float = FIND_S) -> None:
        logs.mute()
        self.limit_s = limit_s
        self._places = asyncio.Semaphore(THREADS_MAX)

    async def find(
        self, finder: Finder, parts: Mapping[str, str], around: Surroundings
    ) -> FoundSecret:
        """What is found. Raises ``IdentityNotFoundError``; cancelled, it leaves its thread."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self.limit_s
        try:
            async with asyncio.timeout_at(until):
                await self._places.acquire()
        except TimeoutError:
            raise IdentityNotFoundError(
                f"{THREADS_MAX} earlier look-ups have not ended, and no more are begun",
                is_away=True,
            ) from None
        outcome: asyncio.Future[FoundSecret | IdentityNotFoundError] = loop.create_future()
        try:
            _start(lambda: _found(finder, parts, around), outcome, self._places.release)
        except RuntimeError as exc:  # the machine gives no more threads
            self._places.release()
            raise IdentityNotFoundError(f"no look-up can be begun: {exc}", is_away=True) from None
        try:
            async with asyncio.timeout_at(until):
                found = await outcome
        except TimeoutError:
            raise IdentityNotFoundError(
                f"the look-up did not end within {self.limit_s:g} s", is_away=True
            ) from None
        if isinstance(found, IdentityNotFoundError):
            raise found
        return found


def _found(
    finder: Finder, parts: Mapping[str, str], around: Surroundings
) -> FoundSecret | IdentityNotFoundError:
    """What was found, or why nothing was. Runs in a thread."""
    try:
        found = finder.find(parts, around)
        for name, value in found.parts.items():
            checked_line(name, value)
    except BaseException as exc:  # noqa: BLE001 - of a library: told, whatever it is
        return IdentityNotFoundError(
            reason(exc, finder, parts, around), is_away=isinstance(exc, OSError)
        )
    if found.life_s is not None and found.life_s <= 0:
        return IdentityNotFoundError(f"what was found by {found.source} is over already")
    return found


def reason(
    error: BaseException, finder: Finder, parts: Mapping[str, str], around: Surroundings
) -> str:
    """What a library's exception says: one bounded line without any secret it was given."""
    text = " ".join(str(error).split())
    proxy = urlsplit(around.proxy or "")
    hidden = [value for name, value in parts.items() if name not in finder.plain]
    hidden.append(proxy.password or "")
    hidden = [value for value in hidden if len(value) >= _SHORT]
    if proxy.password is not None:
        hidden.append(f"{proxy.username}:{proxy.password}")
    for value in sorted(hidden, key=len, reverse=True):
        text = text.replace(value, _HIDDEN)
    if len(text) > WHY_MAX:
        text = text[:WHY_MAX] + "…"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _start(
    call: Callable[[], FoundSecret | IdentityNotFoundError],
    outcome: "asyncio.Future[FoundSecret | IdentityNotFoundError]",
    ended: Callable[[], None],
) -> None:
    """Run a call in a thread of its own, which nothing waits for when the process ends."""
    loop = outcome.get_loop()

    def hand_over(found: FoundSecret | IdentityNotFoundError) -> None:
        ended()
        if not outcome.done():  # else nobody waits any more
            outcome.set_result(found)

    def run() -> None:
        found = call()
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(hand_over, found)

    threading.Thread(target=run, name="identity", daemon=True).start()
