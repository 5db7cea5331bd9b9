"""Which keys there are, in eight bytes a key. Pure.

Of each digest its first 64 bits are kept, as numbers in order. That somebody makes up a key whose
digest begins as one of a million others is as likely as guessing 44 bits, and brings them one
query that finds nothing.
"""

import sys
from array import array
from bisect import bisect_left
from typing import Final

PREFIX_BYTES: Final = 8
"""Of a digest, what is kept of it."""
_BUCKETS: Final = 1024
_SHIFT: Final = 8 * PREFIX_BYTES - 10
"""A bucket for each value of the highest ten bits: putting one in moves a thousandth of them."""


def numbers(prefixes: bytes) -> list[int]:
    """Prefixes that follow each other without a gap as numbers, the least first."""
    found = array("Q", prefixes)
    if sys.byteorder == "little":
        found.byteswap()
    return sorted(found)


class DigestIndex:
    """The digests of all keys, the former ones of rotated keys too."""

    def __init__(self) -> None:
        self._buckets = [array("Q") for _ in range(_BUCKETS)]
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, digest: bytes) -> bool:
        number = int.from_bytes(digest[:PREFIX_BYTES], "big")
        bucket = self._buckets[number >> _SHIFT]
        at = bisect_left(bucket, number)
        return at < len(bucket) and bucket[at] == number

    def add(self, digest: bytes) -> None:
        """Put one in; one that is there stays."""
        self._put(int.from_bytes(digest[:PREFIX_BYTES], "big"))

    def extend(self, ordered: list[int]) -> None:
        """Put many in that are in order: those beyond what a bucket has are appended at once."""
        begun = 0
        while begun < len(ordered):
            which = ordered[begun] >> _SHIFT
            ended = bisect_left(ordered, (which + 1) << _SHIFT, begun)
            bucket = self._buckets[which]
            if bucket and bucket[-1] >= ordered[begun]:
                for number in ordered[begun:ended]:
                    self._put(number)
            else:
                bucket.extend(array("Q", ordered[begun:ended]))
                self._count += ended - begun
            begun = ended

    def discard(self, digest: bytes) -> None:
        """Take one out, if it is there."""
        number = int.from_bytes(digest[:PREFIX_BYTES], "big")
        bucket = self._buckets[number >> _SHIFT]
        at = bisect_left(bucket, number)
        if at < len(bucket) and bucket[at] == number:
            del bucket[at]
            self._count -= 1

    def _put(self, number: int) -> None:
        bucket = self._buckets[number >> _SHIFT]
        at = bisect_left(bucket, number)
        if at == len(bucket) or bucket[at] != number:
            bucket.insert(at, number)
            self._count += 1
