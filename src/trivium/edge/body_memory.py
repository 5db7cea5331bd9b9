"""What request bodies a worker keeps in memory, of all callers together and of each.

A body is kept from its first byte until its answer begins or the request ends. Beyond the limit a
request is refused while it comes, so that neither one caller nor many fill the memory. A user may
have half of the room while nobody else needs it, and a quarter of it always.
"""

from typing import Final

from trivium.faults import Fault, Kind
from trivium.identity.model import Caller

UNCOUNTED_BYTES: Final = 16_384
"""Of each body: ordinary requests are not worth the counting."""
STEP_BYTES: Final = 65_536
"""Room is taken in steps of this."""
LARGE_BYTES: Final = 65_536
"""Of a body that counts as a request that runs while it comes."""


class BodyMemory:
    """The room for bodies of one worker."""

    __slots__ = ("_users", "bytes_max", "coming", "taken")

    def __init__(self, bytes_max: int = 536_870_912) -> None:
        self.bytes_max = bytes_max
        self.taken = 0
        """Bytes that are kept now."""
        self._users: dict[int, int] = {}
        self.coming: dict[int, int] = {}
        """Large bodies that are coming in: of each user by its id, of each key by its negative."""

    def take(self, user_id: int, size: int) -> None:
        """Make room. Raises ``Fault`` (UPSTREAM_BUSY) when there is none."""
        taken = self.taken + size
        own = self._users.get(user_id, 0) + size
        if taken > self.bytes_max or (2 * taken > self.bytes_max and 4 * own > self.bytes_max):
            whose = "your request bodies" if 4 * own > self.bytes_max else "request bodies"
            raise Fault(
                Kind.UPSTREAM_BUSY,
                f"The gateway keeps as much of {whose} as it has room for; try again in a moment.",
                retry_after=2.0,
            )
        self.taken = taken
        self._users[user_id] = own

    def give_back(self, user_id: int, size: int) -> None:
        """Some is kept no more."""
        self.taken -= size
        left = self._users[user_id] - size
        if left:
            self._users[user_id] = left
        else:
            del self._users[user_id]

    def count(self, caller: Caller, more: int) -> None:
        """A large body of this caller begins to come, or has come (-1)."""
        for of in (caller.user_id, -caller.key_id):
            left = self.coming.get(of, 0) + more
            if left:
                self.coming[of] = left
            else:
                del self.coming[of]


class MemoryShare:
    """What one request has of the room."""

    __slots__ = ("_caller", "_kept", "_size", "_user_id")

    def __init__(self, kept: BodyMemory, caller: Caller | None, *, large: bool) -> None:
        """``caller``: ``None`` for pages, whose requests share one user's part of it.

        ``large``: it counts among the caller's requests that run until ``came``.
        """
        self._kept = kept
        self._user_id = 0 if caller is None else caller.user_id
        self._size = UNCOUNTED_BYTES
        self._caller = caller if large else None
        if self._caller is not None:
            kept.count(self._caller, 1)

    def cover(self, size: int) -> None:
        """See that there is room for so many bytes in all. Raises ``Fault`` (UPSTREAM_BUSY)."""
        more = size - self._size
        if more > 0:
            more += -more % STEP_BYTES
            self._kept.take(self._user_id, more)
            self._size += more

    def came(self) -> None:
        """The body is whole, or will never be."""
        if self._caller is not None:
            self._kept.count(self._caller, -1)
            self._caller = None

    def close(self) -> None:
        """Nothing of it is kept any more. Harmless when repeated."""
        self.came()
        if self._size > UNCOUNTED_BYTES:
            self._kept.give_back(self._user_id, self._size - UNCOUNTED_BYTES)
            self._size = UNCOUNTED_BYTES
