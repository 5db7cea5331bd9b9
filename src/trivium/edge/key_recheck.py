"""A key that is not in memory, but that is written as ours are, may be one all the same: unused so
far, or made a moment ago.
"""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from trivium.faults import Fault, Kind
from trivium.identity import keys
from trivium.identity.authenticate import INVALID

Look: TypeAlias = Callable[[bytes], Awaitable[bool]]
"""Returns when the key of this digest has been looked for; ``False``: there is one, and the
database did not say in time what it may. Raises nothing."""


class UnknownKey(Fault):
    """KEY_UNKNOWN, as far as this worker knows: it has to look again before it refuses."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(Kind.KEY_UNKNOWN, INVALID)


def unread() -> Fault:
    """A key that there is, whose terms the database has and does not tell."""
    return Fault(Kind.LEDGER_DOWN, "The API key cannot be looked up at the moment; try again.")


def is_well_formed(presented: bytes | None) -> bool:
    """Whether this may be a key of ours: typing errors are told by the checksum, without a look."""
    if presented is None or len(presented) != keys.KEY_CHARS or not presented.isascii():
        return False
    return keys.parse(presented.decode("ascii")) is not None
