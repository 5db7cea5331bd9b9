"""A key that nobody knows, but that is written as ours are, may have been made a moment ago."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from trivium.faults import Fault, Kind
from trivium.identity import keys
from trivium.identity.authenticate import INVALID

Look: TypeAlias = Callable[[], Awaitable[None]]
"""Returns when the keys have been looked at again, or that takes too long. Raises nothing."""


class UnknownKey(Fault):
    """KEY_UNKNOWN, as far as this worker knows: it has to look again before it refuses."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(Kind.KEY_UNKNOWN, INVALID)


def is_well_formed(presented: bytes | None) -> bool:
    """Whether this may be a key of ours: typing errors are told by the checksum, without a look."""
    if presented is None or len(presented) != keys.KEY_CHARS or not presented.isascii():
        return False
    return keys.parse(presented.decode("ascii")) is not None
