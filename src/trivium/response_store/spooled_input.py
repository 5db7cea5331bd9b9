"""A large input that waits in a file for its answer: neither the request nor a copy is kept for it.

Only to save memory: where no file can be had, the input stays where it is. A file has no name, as
those of uploads (``uploads/spool.py``).
"""

from collections.abc import Callable, Iterator

import msgspec
import structlog

from trivium.faults import Fault
from trivium.uploads.spool import BLOCK_BYTES, Room, Spool

log = structlog.get_logger()


async def written(raw: bytes | msgspec.Raw, room: Room) -> Spool | None:
    """Return a file that has these bytes; ``None`` when there is no room or the disk fails."""
    spool = Spool(room)
    try:
        with memoryview(raw) as view:
            for at in range(0, len(view), BLOCK_BYTES):
                spool.write(bytes(view[at : at + BLOCK_BYTES]))
                if spool.full:
                    await spool.settled()
        await spool.settled()
    except BaseException as error:
        spool.close()
        if not isinstance(error, Fault):
            raise
        log.warning("input_kept_in_memory", size=len(raw), reason=error.message)
        return None
    return spool


class LentInput:
    """The bytes of a file, for a thread to read. See ``Spool.lend``."""

    __slots__ = ("_read", "_size")

    def __init__(self, read: Callable[[int, int], bytes], size: int) -> None:
        self._read = read
        self._size = size

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[bytes]:
        """All of it, piece by piece. Raises ``OSError``."""
        for at in range(0, self._size, BLOCK_BYTES):
            yield self._piece(at, min(BLOCK_BYTES, self._size - at))

    def is_string(self) -> bool:
        """Whether it is one string. Raises ``OSError``."""
        return self._piece(0, 1) == b'"'

    def whole(self) -> bytes:
        """All of it. Raises ``OSError``."""
        return self._piece(0, self._size)

    def _piece(self, at: int, size: int) -> bytes:
        data = self._read(at, size)
        if len(data) != size:
            raise OSError("the file is shorter than what was written to it")
        return data
