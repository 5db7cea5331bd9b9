"""Memory in which the workers of one supervisor leave their numbers for each other.

The supervisor makes it before it forks and gives each worker a place, by its process id; a worker
writes to its own, and whichever is asked reads them all. When a worker has ended, the supervisor
adds what it had counted to the first place, which belongs to the dead: counters never fall.

Nobody waits for anybody, and whoever is killed while writing leaves what was there before: a place
has two halves, and the one that is not shown is written first. A reader that comes while the dead
are being added to, or whose half was written twice meanwhile, looks again.
"""

import mmap
import struct
import zlib
from typing import Final

from trivium.observe.metrics.counters import Numbers, decode, encode, summed

HALF_BYTES: Final = 4_194_304
"""As many as SERIES_MAX counters of 150 bytes and as many histograms take. Pages that nobody has
written to take no memory."""
TRIES: Final = 50
"""Passes of a reader, each of which takes longer than what it may meet."""
_FOLDS: Final = struct.Struct("<Q")
"""How often the dead were added to, twice: odd while they are."""
_PLACE: Final = struct.Struct("<QQ")
"""Process id, and how often it has written: which half is shown."""
_HALF: Final = struct.Struct("<II")
"""Length and CRC-32 of what follows."""
_PLACE_BYTES: Final = _PLACE.size + 2 * HALF_BYTES
_DEAD: Final = 0


class SharedNumbers:
    """A place for each of ``count`` processes at a time, and one for those that have ended."""

    def __init__(self, count: int) -> None:
        self._count = count + 1
        self._memory = mmap.mmap(-1, _FOLDS.size + self._count * _PLACE_BYTES)

    # --- the supervisor's side ------------------------------------------------------------------

    def admit(self, pid: int) -> None:
        """Give a new process a place. Without a free one it goes uncounted."""
        for number in range(1, self._count):
            if not self._place(number)[0]:
                self._show(number, b"")
                _PLACE.pack_into(self._memory, self._at(number), pid, self._place(number)[1])
                return

    def retire(self, pid: int) -> None:
        """Keep what an ended process had counted, and free its place."""
        number = self._find(pid)
        if number is None:
            return
        counted = summed(filter(None, (self._shown(_DEAD), self._shown(number))), alive=False)
        folds = self._folds()
        _FOLDS.pack_into(self._memory, 0, folds + 1)
        self._show(_DEAD, encode(counted))
        _PLACE.pack_into(self._memory, self._at(number), 0, self._place(number)[1])
        _FOLDS.pack_into(self._memory, 0, folds + 2)

    # --- a worker's side ------------------------------------------------------------------------

    def write(self, pid: int, numbers: Numbers) -> bool:
        """Store a process's numbers in its place; ``False``: it has none, or they are too many."""
        number = self._find(pid)
        data = encode(numbers)
        if number is None or len(data) > HALF_BYTES - _HALF.size:
            return False
        self._show(number, data)
        return True

    def read(self, but: int) -> list[Numbers]:
        """Return the numbers of all processes, running or ended, except this one."""
        found: list[Numbers] = []
        for _ in range(TRIES):
            before = self._folds()
            found = self._others(but)
            if not before % 2 and before == self._folds():
                break
        return found

    # --- the memory -----------------------------------------------------------------------------

    def _others(self, but: int) -> list[Numbers]:
        found = []
        for number in range(self._count):
            pid, _ = self._place(number)
            if number == _DEAD or pid not in (0, but):
                numbers = self._shown(number)
                if numbers is not None:
                    found.append(numbers)
        return found

    def _find(self, pid: int) -> int | None:
        return next((n for n in range(1, self._count) if self._place(n)[0] == pid), None)

    def _folds(self) -> int:
        (found,) = _FOLDS.unpack_from(self._memory, 0)
        return int(found)

    def _at(self, number: int) -> int:
        return _FOLDS.size + number * _PLACE_BYTES

    def _place(self, number: int) -> tuple[int, int]:
        pid, writes = _PLACE.unpack_from(self._memory, self._at(number))
        return int(pid), int(writes)

    def _half(self, number: int, writes: int) -> int:
        return self._at(number) + _PLACE.size + writes % 2 * HALF_BYTES

    def _show(self, number: int, data: bytes) -> None:
        pid, writes = self._place(number)
        at = self._half(number, writes + 1)
        _HALF.pack_into(self._memory, at, len(data), zlib.crc32(data))
        self._memory[at + _HALF.size : at + _HALF.size + len(data)] = data
        _PLACE.pack_into(self._memory, self._at(number), pid, writes + 1)

    def _shown(self, number: int) -> Numbers | None:
        """Return the numbers in a place; ``None``: there are none yet, or they change just now."""
        for _ in range(TRIES):
            at = self._half(number, self._place(number)[1])
            length, checksum = _HALF.unpack_from(self._memory, at)
            data = self._memory[at + _HALF.size : at + _HALF.size + length]
            if zlib.crc32(data) == checksum:
                return decode(data) if data else None
        return None
