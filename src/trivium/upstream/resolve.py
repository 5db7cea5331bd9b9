"""Names to addresses, remembered for a while: vendors' names live longer than their look-ups.

While nobody answers look-ups, the addresses that were found last go on being used.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any, Final

import structlog

Address = tuple[int, int, int, str, tuple[Any, ...]]
"""One entry of ``getaddrinfo``."""

Lookup = Callable[[str, int], Awaitable[list[Address]]]

FAILURE_TTL_S: Final = 1.0
"""A failed look-up is not repeated for this long: a burst of requests asks once."""

ENTRIES_MAX: Final = 1024
"""Names remembered; the oldest goes first. Operators configure tens of channels."""

log = structlog.get_logger()


class Resolver:
    """Looks up names, one look-up at a time for each, and remembers the outcome."""

    def __init__(
        self, ttl_s: float, now: Callable[[], float], lookup: Lookup | None = None
    ) -> None:
        """``ttl_s``: how long addresses are kept. ``now``: the loop's seconds."""
        self._ttl_s = ttl_s
        self._now = now
        self._lookup = lookup or system_lookup
        self._known: dict[tuple[str, int], tuple[float, list[Address] | OSError]] = {}
        self._good: dict[tuple[str, int], list[Address]] = {}
        """What was found last, for when nobody can be asked."""
        self._unresolved: set[tuple[str, int]] = set()
        self._asking: dict[tuple[str, int], asyncio.Task[list[Address]]] = {}

    async def resolve(self, host: str, port: int) -> list[Address]:
        """Addresses in the system's order of preference. Raises ``OSError``."""
        key = (host, port)
        known = self._known.get(key)
        if known is not None and self._now() < known[0]:
            if isinstance(known[1], OSError):
                raise OSError(*known[1].args)
            return known[1]
        task = self._asking.get(key)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._ask(key))
            self._asking[key] = task
            task.add_done_callback(_retrieve)
        # whoever leaves, the others still want to know
        return await asyncio.shield(task)

    def forget(self, host: str, port: int) -> None:
        """None of the addresses answered: look again next time."""
        self._known.pop((host, port), None)

    async def _ask(self, key: tuple[str, int]) -> list[Address]:
        try:
            found = await self._lookup(*key)
        except (OSError, UnicodeError) as error:
            failure = error if isinstance(error, OSError) else OSError(str(error))
            # a name that is said not to exist is another matter than nobody saying anything
            is_gone = failure.args[:1] == (socket.EAI_NONAME,)
            good = None if is_gone else self._good.get(key)
            if len(self._unresolved) >= ENTRIES_MAX:
                self._unresolved.clear()
            if key not in self._unresolved:
                self._unresolved.add(key)
                meanwhile = "the addresses known last" if good else "none"
                log.warning("name_unresolved", host=key[0], error=str(error), meanwhile=meanwhile)
            self._remember(key, FAILURE_TTL_S, good or failure)
            if good:
                return good
            raise failure from error
        else:
            if key in self._unresolved:
                self._unresolved.discard(key)
                log.info("name_resolved_again", host=key[0])
            self._keep(key, found)
            self._remember(key, self._ttl_s, found)
            return found
        finally:
            self._asking.pop(key, None)

    def _keep(self, key: tuple[str, int], found: list[Address]) -> None:
        self._good.pop(key, None)
        if len(self._good) >= ENTRIES_MAX:
            gone = next(iter(self._good))
            del self._good[gone]
            self._unresolved.discard(gone)
        if found:
            self._good[key] = found

    def _remember(
        self, key: tuple[str, int], ttl_s: float, outcome: list[Address] | OSError
    ) -> None:
        self._known.pop(key, None)
        if len(self._known) >= ENTRIES_MAX:
            del self._known[next(iter(self._known))]
        self._known[key] = (self._now() + ttl_s, outcome)


def _retrieve(task: asyncio.Task[list[Address]]) -> None:
    """Mark a failure as seen: everybody who asked may have left."""
    if not task.cancelled():
        task.exception()


async def system_lookup(host: str, port: int) -> list[Address]:
    """The system's resolver, off the loop."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [(int(family), int(kind), proto, name, at) for family, kind, proto, name, at in found]
