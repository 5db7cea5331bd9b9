"""What the process asks of the C library's allocator.

Left alone it raises by itself, with each large block that is freed, the size from which blocks are
given back to the system: after a few large bodies nothing is given back any more. It also gives
back, and asks for again, the memory of every read of 256 KiB.
"""

import contextlib
import ctypes
from typing import Final

MAPPED_BYTES: Final = 1_048_576
"""Of a block that is a mapping of its own, given back as it is freed."""
KEPT_BYTES: Final = 33_554_432
"""Free bytes at the end of the heap that are kept for what comes next."""
_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
"""Names of ``mallopt`` in glibc's malloc.h."""


def tune() -> bool:
    """Have the C library give large blocks back and keep small ones. Returns ``False`` where it has
    no such call (musl, macOS).
    """
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        wanted = ((_MMAP_THRESHOLD, MAPPED_BYTES), (_TRIM_THRESHOLD, KEPT_BYTES))
        return all(mallopt(name, value) == 1 for name, value in wanted)
    return False
