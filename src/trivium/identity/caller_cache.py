"""The callers that are in memory: those whose keys were used, and all while they are few. Pure."""

from collections.abc import Callable, Collection, Iterable
from itertools import islice
from typing import Final

from trivium.identity.model import Caller

_SHARE: Final = 16
"""What is dropped at once when there are too many: one in so many, the first that came."""


class CallerCache:
    """Callers by digest, at most so many keys. ``get`` is the hot path: a dictionary's own method.

    Whoever is dropped may be read again, so those that came first go first, used or not: to ask
    which was used last would cost every request something, and spare one query in ``limit`` keys.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._callers: dict[bytes, Caller] = {}
        self._digests: dict[int, bytes] = {}
        """The digest of each key, by its id, in the order in which they came."""
        self._formers: dict[int, bytes] = {}
        """Likewise the digest that a rotated key had before."""
        self.get: Callable[[bytes], Caller | None] = self._callers.get

    def __len__(self) -> int:
        """How many secrets are known."""
        return len(self._callers)

    def __contains__(self, key_id: int) -> bool:
        return key_id in self._digests

    def callers(self) -> Iterable[Caller]:
        """Return all, disabled and expired ones too; a rotated key's twice."""
        return self._callers.values()

    def put(self, digest: bytes, caller: Caller) -> None:
        """Keep a caller by this digest alone: what the key had before is forgotten."""
        key_id = caller.key_id
        before = self._digests.get(key_id)
        if before is not None and before != digest:
            self._callers.pop(before, None)
        former = self._formers.pop(key_id, None)
        if former is not None and former != digest:
            self._callers.pop(former, None)
        self._digests[key_id] = digest
        self._callers[digest] = caller

    def put_former(self, digest: bytes, caller: Caller) -> None:
        """Keep a caller that has been put by its former digest as well."""
        self._formers[caller.key_id] = digest
        self._callers[digest] = caller

    def trim(self) -> None:
        """Drop those that came first if there are too many. In steps: taking the first out of a
        dictionary one by one would look at all that are gone each time.
        """
        over = len(self._digests) - self._limit
        if over > 0:
            for key_id in list(islice(self._digests, over + self._limit // _SHARE)):
                self._drop(key_id)

    def keep(self, digests: Collection[bytes]) -> None:
        """Forget all but these, without changing ``get``, which others hold."""
        for key_id in [key_id for key_id, digest in self._digests.items() if digest not in digests]:
            self._drop(key_id)
        for key_id, digest in list(self._formers.items()):
            if digest not in digests:
                self._callers.pop(digest, None)
                del self._formers[key_id]

    def _drop(self, key_id: int) -> None:
        self._callers.pop(self._digests.pop(key_id), None)
        former = self._formers.pop(key_id, None)
        if former is not None:
            self._callers.pop(former, None)
